"""Configurations: what they take, and what they say of what they do not."""

import warnings
from dataclasses import dataclass

import pytest

from usdsim.core.configuration import Configuration
from usdsim.core.errors import UnknownNameError


def test_configurations_refuse_names_that_are_no_fields():
    @dataclass(kw_only=True)
    class MotorCfg(Configuration):
        stiffness: float = 1.0
        damping: float = 0.0

    assert MotorCfg(stiffness=2.0).copy() == MotorCfg(stiffness=2.0)
    for kind in (TypeError, UnknownNameError):
        with pytest.raises(kind, match=r"No field 'stifness' in .*MotorCfg\. Did you mean 'stiff"):
            MotorCfg(stifness=2.0)


def test_configurations_that_take_any_name_are_left_alone():
    class AnyCfg(Configuration):
        def __init__(self, **values):
            self.values = values

    assert AnyCfg(colour="red").values == {"colour": "red"}


def test_values_set_under_misspelt_names_are_warned_of():
    @dataclass(kw_only=True)
    class MotorCfg(Configuration):
        stiffness: float = 1.0
        gear_1: float = 0.0
        inner: Configuration | None = None

    cfg = MotorCfg()
    with pytest.warns(UserWarning, match=r"MotorCfg has no field 'stifness'.*mean 'stiffness'\?"):
        cfg.stifness = 2.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cfg.stifness = 3.0  # told already: it is there now
        cfg.stiffness = 4.0
        cfg.gear_2 = 1.0
        cfg.colour = "red"
        cfg.inners = MotorCfg()
    assert (cfg.stiffness, cfg.colour) == (4.0, "red")
