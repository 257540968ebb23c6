"""Factors from a stage's units to SI, from the unit written in a table.

A table says ``"kg m^2"``, ``"N m/deg"`` or ``"m/s"`` in terms of *stage* units, and `si_factor`
gives the number to multiply with. Unit conversion is a column, never arithmetic in passing.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from .errors import InvalidValueError

__all__ = ["DEFAULT_DENSITY", "UNLIMITED", "StageUnits", "si_factor"]

DEFAULT_DENSITY = 1000.0
"""Density of what states none, that of water [kg/m^3]."""
UNLIMITED = 1e30
"""Limits from here on stand for none, in any unit: tools write the largest number of single
precision, and some scale it by the units of their stage before they do."""

# Exponents of length and mass, and a plain factor. Time is seconds everywhere.
_UNITS: dict[str, tuple[int, int, float]] = {
    "1": (0, 0, 1.0),
    "m": (1, 0, 1.0),
    "kg": (0, 1, 1.0),
    "s": (0, 0, 1.0),
    "rad": (0, 0, 1.0),
    "deg": (0, 0, math.pi / 180.0),
    "N": (1, 1, 1.0),
    "J": (2, 1, 1.0),
    "W": (2, 1, 1.0),
    "Pa": (-1, 1, 1.0),
    "Hz": (0, 0, 1.0),
}
_FACTOR = re.compile(r"(?P<name>[A-Za-z]+|1)(?:\^(?P<power>-?\d+))?")


def si_factor(unit: str, meters_per_unit: float = 1.0, kilograms_per_unit: float = 1.0) -> float:
    """Factor that takes a value in stage units to SI and radians.

    Args:
        unit: such as ``kg m^2``, ``N m/deg``, ``deg/s``, ``1/s^2``, or ``""``; what follows a ``/``
            up to the next one divides.
        meters_per_unit: length of one stage unit [m].
        kilograms_per_unit: mass of one stage unit [kg].

    Raises:
        InvalidValueError: the unit is not understood.
    """
    result = 1.0
    for position, group in enumerate(unit.split("/")):
        for factor in group.split():
            match = _FACTOR.fullmatch(factor)
            if match is None or match["name"] not in _UNITS:
                raise InvalidValueError("unit", unit, f"products of {', '.join(_UNITS)}")
            length, mass, plain = _UNITS[match["name"]]
            power = int(match["power"] or 1) * (-1 if position else 1)
            result *= (meters_per_unit**length * kilograms_per_unit**mass * plain) ** power
    if not 0.0 < result < math.inf:
        raise InvalidValueError(
            "metersPerUnit and kilogramsPerUnit", (meters_per_unit, kilograms_per_unit),
            f"units in which {unit} is a finite number other than 0",
        )  # fmt: skip
    return result


@dataclass(frozen=True)
class StageUnits:
    """The units of one stage."""

    meters_per_unit: float = 1.0
    """Length of one stage unit [m]."""
    kilograms_per_unit: float = 1.0
    """Mass of one stage unit [kg]."""
    _known: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def factor(self, unit: str) -> float:
        """`si_factor` of a unit on this stage."""
        if unit not in self._known:
            self._known[unit] = si_factor(unit, self.meters_per_unit, self.kilograms_per_unit)
        return self._known[unit]
