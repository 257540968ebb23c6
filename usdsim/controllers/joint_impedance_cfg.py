"""Configuration of joint impedance control: commands, gains and compensation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError

from .joint_impedance import JointImpedanceController

__all__ = ["JointImpedanceControllerCfg"]

_COMMANDS = ("p_abs", "p_rel")
_MODES = ("fixed", "variable_kp", "variable")


@dataclass(kw_only=True)
class JointImpedanceControllerCfg(Configuration):
    """Configuration of a `JointImpedanceController`.

    Raises:
        InvalidValueError: the kind of command or of gains is none of those there are.
    """

    class_type: type[Any] = JointImpedanceController
    """Class of the controller."""
    command_type: str = "p_abs"
    """``p_abs``: commands are positions; ``p_rel``: they are changes of the present ones."""
    dof_pos_offset: Sequence[float] | None = None
    """Offset of absolute positions, per joint; None: nothing."""
    impedance_mode: str
    """Gains: ``fixed``; ``variable_kp``, commanded with critical damping; ``variable``, commanded
    with their damping ratios."""
    inertial_compensation: bool = False
    """Whether accelerations are multiplied with the mass matrix."""
    gravity_compensation: bool = False
    """Whether the efforts that hold against gravity are added."""
    stiffness: float | Sequence[float]
    """Stiffness, per joint or of all [1/s^2 with inertial compensation, else N m/rad or N/m]."""
    damping_ratio: float | Sequence[float] | None = None
    """Damping ratio: the damping is twice it times the root of the stiffness; None: 1."""
    stiffness_limits: tuple[float, float] = (0.0, 300.0)
    """Least and largest stiffness that can be commanded."""
    damping_ratio_limits: tuple[float, float] = (0.0, 100.0)
    """Least and largest damping ratio that can be commanded."""

    def __post_init__(self) -> None:
        if self.command_type not in _COMMANDS:
            raise InvalidValueError("command_type", self.command_type, f"one of {_COMMANDS}")
        if self.impedance_mode not in _MODES:
            raise InvalidValueError("impedance_mode", self.impedance_mode, f"one of {_MODES}")
