"""Servo gains that follow a drive: what an edit of a joint's drive means for actuators on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from pxr import Usd

from usdsim.core.errors import StageError
from usdsim.usd.converted import converted_values
from usdsim.usd.servos import Servo, read_servo

__all__ = ["servo_edits"]

_GAINS = ("stiffness", "damping", "max_force")


def servo_edits(
    joint: Usd.Prim, actuators: Mapping[str, Sequence[Usd.Prim]], cfgs: Iterable[Any]
) -> list[tuple[Usd.Prim, Servo, Servo]]:
    """The servo on a joint, as it is and as it has to become for the drive's edit to act.

    Args:
        joint: the joint.
        actuators: actuator prims by what they act on.
        cfgs: configurations of its drive.

    Returns:
        Actuator prim, servo and edited servo; empty where no actuator restates the drive.

    Raises:
        StageError: an actuator moves the joint, and its gains cannot do what the drive is to do.
    """
    beside = actuators.get(str(joint.GetPath()), ())
    converted = converted_values(joint)
    if not beside or (converted and "drive_stiffness" not in converted):
        return []
    wanted: dict[str, Any] = {}
    for cfg in cfgs:
        for name in (*_GAINS, "drive_type", "target_position", "target_velocity"):
            if getattr(cfg, name) is not None:
                wanted[name] = getattr(cfg, name)
    if not wanted:
        return []
    servos = [(prim, read_servo(prim)) for prim in beside]
    prim, law = next((pair for pair in servos if isinstance(pair[1], Servo)), servos[0])
    if isinstance(law, str):
        _refuse(joint, prim, law)
    if wanted.get("drive_type") == "acceleration":
        _refuse(joint, prim, "has gains that give forces, not accelerations")
    for aim in ("position", "velocity"):
        if aim != law.aims_at and wanted.get(f"target_{aim}"):
            _refuse(joint, prim, f"aims at a {law.aims_at}")
    try:
        new = law.edited(**{name: wanted.get(name) for name in _GAINS})
    except ValueError as reason:
        _refuse(joint, prim, str(reason))
    return [(prim, law, new)]


def _refuse(joint: Usd.Prim, actuator: Usd.Prim, why: str) -> NoReturn:
    raise StageError(
        f"The drive of {joint.GetPath()} cannot be changed so: {actuator.GetPath()}, which moves "
        f"the joint, {why}. Edit that actuator, or deactivate it."
    )
