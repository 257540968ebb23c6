"""Implicit actuators: the engine's own drives, with or without delay."""

from __future__ import annotations

from dataclasses import dataclass

from .base import ActuatorBase, ActuatorBaseCfg
from .delay import DelayCfg, DelayMixin
from .kernels import DELAYED, DRIVEN

__all__ = [
    "DelayedImplicitActuator",
    "DelayedImplicitActuatorCfg",
    "ImplicitActuator",
    "ImplicitActuatorCfg",
]


class ImplicitActuator(ActuatorBase):
    """The engine's own drive makes the effort, as part of its time integration.

    Commands go to the drive as they are. `computed_effort` and `applied_effort` tell what the
    control law gives at the state before the step,
    ``effort = stiffness (q* - q) + damping (v* - v) + feedforward``; the engine's own effort is
    that at the end of it, where its integrator is implicit.
    """

    is_implicit_model = True
    kind = DRIVEN


@dataclass(kw_only=True)
class ImplicitActuatorCfg(ActuatorBaseCfg):
    """Configuration of drives of the engine."""

    class_type: type[ActuatorBase] = ImplicitActuator


class DelayedImplicitActuator(DelayMixin, ImplicitActuator):
    """The engine's own drive, whose commands arrive some steps late."""

    kind = DRIVEN | DELAYED


@dataclass(kw_only=True)
class DelayedImplicitActuatorCfg(DelayCfg, ImplicitActuatorCfg):
    """Configuration of drives of the engine with delayed commands."""

    class_type: type[ActuatorBase] = DelayedImplicitActuator
