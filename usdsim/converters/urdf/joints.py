"""Joints, their limits, drives and mimic relations."""

from __future__ import annotations

import math

import numpy as np

from usdsim.converters.emit import align_frames, emit_joint, emit_limit
from usdsim.math.inertia import MassProperties
from usdsim.usd.drafts import PrimDraft, apply, define, keep_source_name, link, write

from .context import UrdfContext, keep_extras
from .drives import write_drives
from .reading.model import UrdfJoint

__all__ = ["write_joints"]

_KINDS = {
    "continuous": "revolute",
    "fixed": "fixed",
    "floating": "free",
    "planar": "d6",
    "prismatic": "prismatic",
    "revolute": "revolute",
    "spherical": "spherical",
}
_MANY_TURNS, _DEGREES = 4.0 * math.pi, 720.0
"""Limits between these are twice around or more, or no more so in degrees [rad]."""
_LOCKED = {
    "X": ("transX", "rotY", "rotZ"),
    "Y": ("transY", "rotX", "rotZ"),
    "Z": ("transZ", "rotX", "rotY"),
}


def write_joints(context: UrdfContext, masses: dict[str, MassProperties]) -> None:
    """Write all joints between different bodies, in file order."""
    scope = f"{context.root}/Physics"
    define(context.layer, scope, "Scope")
    for joint in context.robot.joints.values():
        if _is_within_body(context, joint):
            continue
        if _releases_base(context, joint):
            context.report.info(
                "base-released", joint.where, f"{joint.name!r} left out: the base is free"
            )
            continue
        path = f"{scope}/{context.names.unique(scope, joint.name)}"
        prim = _write_joint(context, joint, path)
        keep_source_name(prim, joint.name)
        keep_extras(prim, joint.extras)
        _keep_actuators(prim, joint)
        context.joint_paths[joint.name] = path
        context.report.count("joint")
    if not context.cfg.convert_mimic_joints_to_normal_joints:
        _write_mimics(context)
    write_drives(context, masses)


def _releases_base(context: UrdfContext, joint: UrdfJoint) -> bool:
    """Whether a joint would hold a base that is asked to be free."""
    return (
        context.cfg.fix_base is False
        and joint.kind == "fixed"
        and joint.parent in context.environment
    )


def _is_within_body(context: UrdfContext, joint: UrdfJoint) -> bool:
    """Whether a joint only says where a frame or merged link sits."""
    if joint.loop:
        return context.body_of[joint.parent] == context.body_of[joint.child]
    return joint.child in context.frames or context.body_of[joint.child] != joint.child


def _write_joint(context: UrdfContext, joint: UrdfJoint, path: str) -> PrimDraft:
    body0, frame0, body1, frame1 = context.body_frame(joint)
    kind = _KINDS[joint.kind]
    if kind == "free" and context.cfg.fix_base and joint.parent in context.environment:
        kind = "fixed"
    axis = "X"
    if kind in ("revolute", "prismatic", "d6"):
        frame0, frame1, axis = align_frames(frame0, frame1, joint.axis)
    if kind == "free" and body0 != context.root:
        context.report.warn(
            "floating-inside",
            joint.where,
            f"{joint.name!r} floats from {joint.parent!r}; {joint.child!r} is free in the world",
        )
    prim = emit_joint(
        context.layer,
        path,
        kind,
        body0 if kind != "free" or body0 == context.root else None,
        body1,
        frame0,
        frame1,
        axis=axis,
        lower=joint.lower,
        upper=joint.upper,
        exclude_from_articulation=joint.loop,
    )
    if kind == "free":
        write(prim, "mjc:type", "token", "free", uniform=True)
    if joint.kind == "planar":
        for dof in _LOCKED[axis]:
            emit_limit(prim, dof, 1.0, -1.0)
    if kind in ("revolute", "prismatic", "d6", "spherical"):
        _write_dynamics(prim, joint)
    _check_unit(context, joint)
    return prim


def _check_unit(context: UrdfContext, joint: UrdfJoint) -> None:
    """Warn of limits of a turning joint that look like degrees."""
    if joint.kind != "revolute" or joint.lower is None or joint.upper is None:
        return
    widest = max(abs(joint.lower), abs(joint.upper))
    if _MANY_TURNS < widest <= _DEGREES:
        context.report.warn(
            "unusual-limit",
            joint.where,
            f"{joint.name!r} turns from {joint.lower:g} to {joint.upper:g} rad, up to "
            f"{widest / math.tau:.0f} times around; URDF's unit is the radian. Correct it, if "
            "degrees were meant",
        )


def _write_dynamics(prim: PrimDraft, joint: UrdfJoint) -> None:
    degree = 1.0 if joint.kind == "prismatic" else math.pi / 180.0
    apply(prim, "NewtonJointAPI")
    write(prim, "newton:armature", "float", joint.armature)
    write(prim, "newton:damping", "float", joint.damping * degree)
    write(prim, "newton:friction", "float", joint.friction)
    limit = math.inf if joint.velocity is None else joint.velocity / degree
    write(prim, "newton:velocityLimit", "float", limit)
    _write_spring(prim, joint, degree)
    _write_start(prim, joint, degree)


def _write_spring(prim: PrimDraft, joint: UrdfJoint, degree: float) -> None:
    if joint.spring_stiffness > 0.0 and joint.single:
        apply(prim, "MjcJointAPI")
        write(prim, "mjc:stiffness", "double", joint.spring_stiffness)
        write(prim, "mjc:springref", "double", joint.spring_reference / degree)


def _write_start(prim: PrimDraft, joint: UrdfJoint, degree: float) -> None:
    position = _start(joint)
    if not (position or joint.speed) or not joint.single:
        return
    axis = "linear" if joint.kind == "prismatic" else "angular"
    apply(prim, f"PhysicsJointStateAPI:{axis}")
    write(prim, f"state:{axis}:physics:position", "float", position / degree)
    write(prim, f"state:{axis}:physics:velocity", "float", joint.speed / degree)


def _start(joint: UrdfJoint) -> float:
    """Initial position [rad or m]: the limit next to it where it is outside of them.

    Simulators would throw the joint back, each in a way of its own.
    """
    if joint.mimic is not None or joint.loop:
        return joint.position
    lower, upper = (
        end if limit is None else limit
        for limit, end in ((joint.lower, -math.inf), (joint.upper, math.inf))
    )
    return min(max(joint.position, lower), upper) if lower <= upper else joint.position


def _keep_actuators(prim: PrimDraft, joint: UrdfJoint) -> None:
    """Names and reductions of what drives a joint, for those who control its actuators."""
    if joint.actuators:
        names, ratios = zip(*joint.actuators, strict=True)
        write(prim, "urdf:actuators", "string[]", names, custom=True)
        write(prim, "urdf:reductions", "double[]", ratios, custom=True)


def _write_mimics(context: UrdfContext) -> None:
    for joint in context.robot.joints.values():
        path = context.joint_paths.get(joint.name)
        if joint.mimic is None or path is None:
            continue
        leader = context.robot.joints[joint.mimic.joint]
        target = context.joint_paths.get(leader.name)
        if target is None or not joint.single or not leader.single:
            context.report.warn(
                "mimic-impossible",
                joint.where,
                f"{joint.name!r} cannot mimic {leader.name!r} ({leader.kind}); left free",
            )
            continue
        prim = context.spec(path)
        apply(prim, "NewtonMimicAPI")
        link(prim, "newton:mimicJoint", [target])
        unit = 1.0 if joint.kind == "prismatic" else 180.0 / math.pi
        gearing = joint.mimic.multiplier * _cross_unit(joint, leader)
        write(prim, "newton:mimicEnabled", "bool", True)
        write(prim, "newton:mimicCoef0", "float", joint.mimic.offset * unit)
        write(prim, "newton:mimicCoef1", "float", gearing)
        context.report.count("mimic")


def _cross_unit(joint: UrdfJoint, leader: UrdfJoint) -> float:
    """Factor on the multiplier where one joint counts degrees and the other metres."""
    own = 1.0 if joint.kind == "prismatic" else 180.0 / np.pi
    other = 1.0 if leader.kind == "prismatic" else 180.0 / np.pi
    return float(own / other)
