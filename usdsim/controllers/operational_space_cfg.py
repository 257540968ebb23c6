"""Configuration of operational space control: goals, axes, gains, decoupling and null space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError

from .operational_space import OperationalSpaceController

__all__ = ["OperationalSpaceControllerCfg"]

_TARGETS = ("pose_abs", "pose_rel", "wrench_abs")
_MODES = ("fixed", "variable_kp", "variable")
_NULLSPACE = ("none", "position")
_ALL = (1, 1, 1, 1, 1, 1)
_NONE = (0, 0, 0, 0, 0, 0)


@dataclass(kw_only=True)
class OperationalSpaceControllerCfg(Configuration):
    """Configuration of an `OperationalSpaceController`.

    Six numbers are those of three axes of motion and three of rotation, in the task frame.

    Raises:
        InvalidValueError: a word is none of those there are.
    """

    class_type: type[Any] = OperationalSpaceController
    """Class of the controller."""
    target_types: Sequence[str]
    """Commanded quantities, in this order: ``pose_abs``, ``pose_rel``, ``wrench_abs``."""
    motion_control_axes_task: Sequence[int] = _ALL
    """1 for each axis along which the pose is controlled, else 0."""
    contact_wrench_control_axes_task: Sequence[int] = _NONE
    """1 for each axis along which the contact wrench is controlled, else 0."""
    inertial_dynamics_decoupling: bool = False
    """Whether accelerations are multiplied with the mass matrix of the task space."""
    partial_inertial_dynamics_decoupling: bool = False
    """Whether that matrix has no coupling of translation and rotation."""
    gravity_compensation: bool = False
    """Whether the efforts that hold against gravity are added."""
    impedance_mode: str = "fixed"
    """Gains: ``fixed``; ``variable_kp``, stiffness commanded; ``variable``, damping ratios too."""
    motion_stiffness_task: float | Sequence[float] = (100.0,) * 6
    """Stiffness per axis [1/s^2 with decoupling, else N/m and N m/rad]."""
    motion_damping_ratio_task: float | Sequence[float] = (1.0,) * 6
    """Damping ratio per axis: the damping is twice it times the root of the stiffness."""
    motion_stiffness_limits_task: tuple[float, float] = (0.0, 1000.0)
    """Least and largest stiffness that can be commanded."""
    motion_damping_ratio_limits_task: tuple[float, float] = (0.0, 100.0)
    """Least and largest damping ratio that can be commanded."""
    contact_wrench_stiffness_task: float | Sequence[float] | None = None
    """Feedback of the measured force per axis, of which the first three act; None: none."""
    nullspace_control: str = "none"
    """Null-space motion of joints: ``none``, or ``position``: go to given positions."""
    nullspace_stiffness: float = 10.0
    """Stiffness of that [1/s^2]."""
    nullspace_damping_ratio: float = 1.0
    """Damping ratio of that."""

    def __post_init__(self) -> None:
        for target in self.target_types:
            if target not in _TARGETS:
                raise InvalidValueError("target_types", target, f"some of {_TARGETS}")
        if self.impedance_mode not in _MODES:
            raise InvalidValueError("impedance_mode", self.impedance_mode, f"one of {_MODES}")
        if self.nullspace_control not in _NULLSPACE:
            raise InvalidValueError(
                "nullspace_control", self.nullspace_control, f"one of {_NULLSPACE}"
            )
