"""Position actuators of MuJoCo on one joint, read as what a drive can be."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_control import num_controls
from usdsim.parser.description import ActuatorDescription

__all__ = [
    "ServoLaw",
    "combine_servos",
    "joint_of",
    "num_activations",
    "read_servo",
]

_JOINT_TRANSMISSIONS = (0, 1)
_GAIN_FIXED, _BIAS_NONE, _BIAS_AFFINE = 0, 0, 1
_NEUTRAL = {
    "dyntype": 0, "actearly": 0, "actlimited": 0, "armature": 0.0, "delay": 0.0, "nsample": 0,
    "damping[0]": 0.0, "damping[1:]": 0.0,
}  # fmt: skip
"""Fields a drive knows nothing of, at the value where they have no effect."""
_IGNORED = frozenset(
    {
        "actdim", "actrange[0]", "actrange[1]", "biasprm", "biastype", "cranklength", "ctrllimited",
        "ctrlrange[0]", "ctrlrange[1]", "ctrlspec", "dynprm", "ffrange", "forcelimited",
        "forcerange[0]", "forcerange[1]", "gainprm", "gaintype", "gear", "group", "inheritrange",
        "interp", "jointinparent", "lengthrange[0]", "lengthrange[1]", "refsite", "slidersite",
        "target", "trntype", "userdata", "velrange",
    }
)  # fmt: skip
"""Fields that are taken up elsewhere, or that have no effect on joints."""


@dataclass(frozen=True)
class ServoLaw:
    """effort = clip(stiffness (q* - q) + damping (v* - v) + feedforward, +-max_force)."""

    stiffness: float
    """[N m/rad or N/m]"""
    damping: float
    """[N m s/rad or N s/m]"""
    max_force: float
    """[N m or N]"""
    position: float = 0.0
    """Position target per unit of the actuator's control."""
    velocity: float = 0.0
    """Velocity target per unit of the actuator's control."""
    effort: float = 0.0
    """Feedforward effort per unit of the actuator's control."""
    control_range: tuple[float, float] = (-np.inf, np.inf)
    """Least and largest control the actuator takes."""

    def commands(self, control: float) -> NDArray[np.float64]:
        """Position, velocity and effort a control of the actuator asks for, shape (3,)."""
        taken = float(np.clip(control, *self.control_range))
        return taken * np.array([self.position, self.velocity, self.effort])

    @property
    def loses(self) -> str:
        """Behaviour that the drive does not have; empty: nothing is lost."""
        low, high = self.control_range
        if self.effort or not np.isfinite([low, high]).any():
            return ""
        return f"does not limit its target to {low:g} to {high:g}"


def joint_of(actuator: ActuatorDescription) -> str | None:
    """Path of the joint an actuator acts on; None: it acts on something else."""
    if int(_number(actuator.overrides, "trntype")) not in _JOINT_TRANSMISSIONS:
        return None
    targets = actuator.targets.get("target", ())
    return targets[0] if targets else None


def num_activations(actuator: ActuatorDescription) -> int:
    """Number of the engine's activation variables an actuator has."""
    if not int(_number(actuator.overrides, "dyntype")):
        return 0
    return max(int(_number(actuator.overrides, "actdim")), 1)


def read_servo(actuator: ActuatorDescription) -> ServoLaw | str:
    """Drive that does the same as an actuator on a joint, or the reason why there is none."""
    values = actuator.overrides
    if "plugin" in values:
        return "is computed by a plugin"
    for name, neutral in _NEUTRAL.items():
        if np.any(np.asarray(values.get(name, neutral)) != neutral):
            return f"has {name} {_shown(values[name])}"
    for name in values:
        if name not in _NEUTRAL and name not in _IGNORED:
            return f"states {name}"
    if num_controls(values) != 1:
        return "has several controls"
    gain, bias = int(_number(values, "gaintype")), int(_number(values, "biastype"))
    if gain != _GAIN_FIXED or bias not in (_BIAS_NONE, _BIAS_AFFINE):
        return "is neither a motor nor an affine servo"
    factor = float(np.ravel(values.get("gainprm", (1.0,)))[0])
    prm = np.zeros(3)
    if bias == _BIAS_AFFINE:
        given = np.ravel(values.get("biasprm", ()))[:3]
        prm[: len(given)] = given
    gear = float(np.ravel(values.get("gear", (1.0,)))[0])
    if prm[0]:
        return f"has a constant force of {prm[0]:g}"
    if prm[1] > 0.0 or prm[2] > 0.0:
        return "pushes away from its target"
    return _servo(values, factor, prm, gear)


def _servo(values: Mapping[str, Any], factor: float, prm: Any, gear: float) -> ServoLaw | str:
    force = _symmetric(values, "force")
    if isinstance(force, str):
        return force
    stiffness, damping, limit = -prm[1] * gear**2, -prm[2] * gear**2, force * abs(gear)
    commands = {"position": 0.0, "velocity": 0.0, "effort": 0.0}
    if stiffness:
        commands["position"] = factor * gear / stiffness
    elif damping:
        commands["velocity"] = factor * gear / damping
    else:
        commands["effort"] = factor * gear
    reach = (-np.inf, np.inf)
    control = _symmetric(values, "ctrl")
    if commands["effort"]:
        if isinstance(control, str):
            return control
        limit = min(limit, control * abs(factor * gear))
    elif isinstance(control, str) or np.isfinite(control):
        reach = _range(values, "ctrl")
    return ServoLaw(stiffness + 0.0, damping + 0.0, limit, **commands, control_range=reach)


def combine_servos(servos: Sequence[ServoLaw]) -> tuple[ServoLaw, list[ServoLaw]] | str:
    """One servo that does what several on one joint do together, or why there is none.

    Returns:
        The servo, and those given with their share of the velocity target as it is there.
    """
    if len(servos) == 1:
        return servos[0], list(servos)
    if any(np.isfinite(servo.max_force) for servo in servos):
        return "limits its force apart from the others on its joint"
    for name in ("position", "velocity", "effort"):
        if sum(bool(getattr(servo, name)) for servo in servos) > 1:
            return f"has its {name} target beside another's on its joint"
    stiffness = sum(servo.stiffness for servo in servos)
    damping = sum(servo.damping for servo in servos)
    shared = [
        dataclasses.replace(
            servo,
            position=servo.position * servo.stiffness / stiffness if stiffness else 0.0,
            velocity=servo.velocity * servo.damping / damping if damping else 0.0,
        )
        for servo in servos
    ]
    return ServoLaw(stiffness, damping, np.inf), shared


def _number(values: Mapping[str, Any], name: str, default: float = 0.0) -> float:
    return float(np.ravel(values.get(name, default))[0])


def _shown(value: Any) -> str:
    return ", ".join(f"{number:g}" for number in np.ravel(value))


def _range(values: Mapping[str, Any], what: str) -> tuple[float, float]:
    return _number(values, f"{what}range[0]"), _number(values, f"{what}range[1]")


def _symmetric(values: Mapping[str, Any], what: str) -> float | str:
    """Limit on both sides, infinite where there is none, or why there is no such number."""
    low, high = _range(values, what)
    limited = int(_number(values, f"{what}limited", 2))
    if limited == 0 or (limited == 2 and low >= high):
        return float(np.inf)
    if low != -high:
        kind = "force" if what == "force" else "control"
        return f"limits its {kind} to {low:g} to {high:g}, which is not symmetric"
    return high
