"""Joint drives: effort limits and control interfaces of the file, gains of the configuration.

Or motors in place of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.cfg import (
    JointDriveCfg,
    NaturalFrequencyGainsCfg,
    Values,
    check_choice,
)
from usdsim.converters.emit import emit_drive
from usdsim.core.dialects.mjc_tables import TYPES
from usdsim.core.names import match_names, resolve_values
from usdsim.math.inertia import MassProperties, combine
from usdsim.math.rotations import quat_apply
from usdsim.usd.drafts import link

from .context import UrdfContext
from .reading.model import UrdfJoint
from .tree import children_of

__all__ = ["write_drives"]

Array = NDArray[np.float64]

_FREQUENCY = 20.0 * math.pi
"""Natural frequency of drives whose gains nobody gives: 10 Hz, which holds an arm of 1 m against
its weight to a fifth of a degree [rad/s]."""


def write_drives(context: UrdfContext, masses: dict[str, MassProperties]) -> None:
    """Author a drive on every single-axis joint that has gains, an effort limit or a controller.

    Without a configuration, joints whose position or velocity the file lets be commanded follow
    critically damped drives, which hold where the joints start.
    """
    driven = [joint for joint in context.robot.joints.values() if _drivable(context, joint)]
    if context.cfg.joint_motors:
        _write_motors(context, driven)
        return
    names = [joint.name for joint in driven]
    cfg = context.cfg.joint_drive
    if cfg is None:
        stiffness, damping = _commanded_gains(context, driven, masses)
        types = ["force"] * len(driven)
    else:
        types = _choices("drive_type", cfg.drive_type, names, ("force", "acceleration"))
        stiffness, damping = _gains(context, cfg, driven, types, masses)
    for i, joint in enumerate(driven):
        stated = joint.effort is not None or joint.command is not None
        if cfg is None and not (stated or stiffness[i] or damping[i]):
            continue
        emit_drive(
            context.spec(context.joint_paths[joint.name]),
            "linear" if joint.kind == "prismatic" else "angular",
            stiffness=float(stiffness[i]),
            damping=float(damping[i]),
            max_force=math.inf if joint.effort is None else joint.effort,
            target_position=joint.position if joint.target is None else joint.target,
            acceleration=types[i] == "acceleration",
        )
        context.report.count("drive")


def _write_motors(context: UrdfContext, driven: list[UrdfJoint]) -> None:
    """Define a motor beside each joint; an actuator of MuJoCo is one unless it says otherwise."""
    for joint in driven:
        path = context.joint_paths[joint.name]
        scope = path.rpartition("/")[0]
        motor = context.define(scope, f"{joint.name}_motor", TYPES["actuator"])
        link(context.spec(motor), "mjc:target", [path])
        context.report.count("actuator")


def _drivable(context: UrdfContext, joint: UrdfJoint) -> bool:
    mimics = joint.mimic is not None and not context.cfg.convert_mimic_joints_to_normal_joints
    return joint.name in context.joint_paths and joint.single and not mimics


def _choices(
    what: str, value: str | Mapping[str, str], names: list[str], allowed: tuple[str, ...]
) -> list[str]:
    if isinstance(value, str):
        check_choice(what, value, allowed)
        return [value] * len(names)
    found = [allowed[0]] * len(names)
    for pattern, choice in value.items():
        check_choice(what, choice, allowed)
        for i in match_names(pattern, names, kind="joint")[0]:
            found[i] = choice
    return found


def _commanded_gains(
    context: UrdfContext, driven: list[UrdfJoint], masses: dict[str, MassProperties]
) -> tuple[Array, Array]:
    """Gains of joints with a position or velocity command, for the most they may have to move."""
    stiffness, damping = np.zeros(len(driven)), np.zeros(len(driven))
    assumed = 0
    for i, joint in enumerate(driven):
        if joint.stiffness is not None or joint.drive_damping is not None:
            stiffness[i], damping[i] = joint.stiffness or 0.0, joint.drive_damping or 0.0
        elif joint.command in ("position", "velocity"):
            assumed += 1
            inertia = _moved_inertia(context, joint, masses, widest=True) + joint.armature
            stiffness[i] = inertia * _FREQUENCY**2 if joint.command == "position" else 0.0
            damping[i] = 2.0 * inertia * _FREQUENCY
    if assumed:
        context.report.warn(
            "gains-assumed",
            context.robot.where,
            f"{assumed} joints are commanded by position or velocity, and the "
            f"file gives no gains; their drives follow within {1000.0 / _FREQUENCY:.0f} ms. Choose "
            "others with joint_drive",
        )
    return stiffness, damping


def _gains(
    context: UrdfContext,
    cfg: JointDriveCfg,
    driven: list[UrdfJoint],
    types: list[str],
    masses: dict[str, MassProperties],
) -> tuple[Array, Array]:
    """Stiffness [N m/rad or N/m] and damping of the driven joints, shapes (n,)."""
    names = [joint.name for joint in driven]
    targets = _choices("target_type", cfg.target_type, names, ("position", "velocity", "none"))
    gains = cfg.gains
    if isinstance(gains, NaturalFrequencyGainsCfg):
        frequency = _per_joint("natural_frequency", gains.natural_frequency, names)
        ratio = _per_joint("damping_ratio", gains.damping_ratio, names, default=0.005)
        forces = [kind == "force" for kind in types]
        inertia = np.array(
            [
                _moved_inertia(context, j, masses) if f else 1.0
                for j, f in zip(driven, forces, strict=True)
            ]
        )
        stiffness = inertia * frequency**2
        damping = 2.0 * ratio * inertia * frequency
    else:
        given = {"stiffness": gains.stiffness, "damping": gains.damping}
        stiffness, damping = (
            _commanded_gains(context, driven, masses)[i]
            if value is None
            else _per_joint(name, value, names)
            for i, (name, value) in enumerate(given.items())
        )
    keep_stiffness = np.array([target == "position" for target in targets], dtype=np.float64)
    keep_damping = np.array([target != "none" for target in targets], dtype=np.float64)
    return stiffness * keep_stiffness, damping * keep_damping


def _per_joint(what: str, values: Values, names: list[str], default: float = 0.0) -> Array:
    """A gain of every joint, shape (n,)."""
    title = f"{what} of joint_drive"
    return resolve_values(values, names, default=default, kind="joint", what=title, least=0.0)


def _moved_inertia(
    context: UrdfContext,
    joint: UrdfJoint,
    masses: dict[str, MassProperties],
    *,
    widest: bool = False,
) -> float:
    """Inertia [kg m^2] or mass [kg] a joint moves: what it carries, and what its followers do."""
    moved = _carried_inertia(context, joint, masses, widest=widest)
    if context.cfg.convert_mimic_joints_to_normal_joints:
        return moved
    return moved + sum(
        follower.mimic.multiplier**2 * _moved_inertia(context, follower, masses, widest=widest)
        for follower in context.robot.joints.values()
        if follower.mimic is not None and follower.mimic.joint == joint.name and follower.single
    )


def _carried_inertia(
    context: UrdfContext,
    joint: UrdfJoint,
    masses: dict[str, MassProperties],
    *,
    widest: bool = False,
) -> float:
    """Inertia [kg m^2] or mass [kg] a joint moves, all other joints at zero.

    Args:
        context: the conversion.
        joint: the joint.
        masses: mass properties by body.
        widest: take the largest moment about the joint's origin in place of that about its axis,
            since what it carries may unfold.
    """
    children = children_of(context.robot)
    parts: list[MassProperties] = []
    stack = [(joint.child, joint.child_origin.inverse())]
    while stack:
        name, pose = stack.pop()
        if context.body_of[name] == name and name in masses:
            parts.append(masses[name].moved(pose))
        stack += [(child.child, pose @ child.origin) for child in children[name]]
    total = combine(parts)
    if joint.kind == "prismatic":
        return total.mass
    if widest:
        return float(np.linalg.eigvalsh(total.about(np.zeros(3)))[-1])
    axis = quat_apply(joint.child_origin.quat, joint.axis)
    return float(axis @ total.about(np.zeros(3)) @ axis)
