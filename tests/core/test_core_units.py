import math

import pytest

from usdsim.core.errors import InvalidValueError
from usdsim.core.units import StageUnits, si_factor


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        ("", 1.0),
        ("1", 1.0),
        ("m", 0.01),
        ("kg", 1000.0),
        ("s", 1.0),
        ("rad", 1.0),
        ("deg", math.pi / 180),
        ("deg/s", math.pi / 180),
        ("1/deg", 180 / math.pi),
        ("m/s^2", 0.01),
        ("kg m^2", 1000.0 * 0.01**2),
        ("kg/m^3", 1000.0 / 0.01**3),
        ("N", 1000.0 * 0.01),
        ("N/m", 1000.0),
        ("N m", 1000.0 * 0.01**2),
        ("N m/deg", 1000.0 * 0.01**2 * 180 / math.pi),
        ("N m s/rad", 1000.0 * 0.01**2),
        ("N m s/deg", 1000.0 * 0.01**2 * 180 / math.pi),
        ("Pa", 1000.0 / 0.01),
        ("J", 1000.0 * 0.01**2),
        ("1/s^2", 1.0),
        ("m^-1", 100.0),
        ("N/m/s", 1000.0),
    ],
)
def test_centimetres_and_tonnes(unit, factor):
    assert si_factor(unit, 0.01, 1000.0) == pytest.approx(factor, rel=1e-14)
    assert StageUnits(0.01, 1000.0).factor(unit) == pytest.approx(factor, rel=1e-14)


def test_angles_are_the_only_factor_on_an_si_stage():
    for unit in ("m", "kg m^2", "N m/rad", "Pa", "W", "Hz"):
        assert si_factor(unit) == 1.0
    assert si_factor("deg^2") == pytest.approx((math.pi / 180) ** 2)


@pytest.mark.parametrize("unit", ["furlong", "m**2", "kg*m", "m^x", "2 m"])
def test_unknown_units_are_named(unit):
    with pytest.raises(InvalidValueError, match="unit is"):
        si_factor(unit)


def test_unit_tables_are_equal_for_equal_units():
    a, b = StageUnits(0.01), StageUnits(0.01)
    a.factor("m")
    assert a == b
