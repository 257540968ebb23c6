"""Constraints outside the tree: loops, distance joints, coupled and locked axes."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from usdsim.core.errors import CompileError
from usdsim.engine.effects.breaking.cpu import add_gauge, is_breakable
from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.math.transforms import Pose
from usdsim.parser.description import DofDescription, JointDescription

from .cones import add_cone
from .context import Build
from .joints import UNLIMITED, is_tree_joint
from .loops import TORQUE_SCALE, add_site, close_with_links

__all__ = ["add_constraints", "ties_points"]

WELD, CONNECT = mujoco.mjtEq.mjEQ_WELD, mujoco.mjtEq.mjEQ_CONNECT
_TIGHT = 1e-5
"""Half width of the range of a rod's length, relative to the length."""


def ties_points(joint: JointDescription) -> bool:
    """Whether a joint is held outside the tree, by points or links of its own."""
    tree = joint.kind != "distance" and is_tree_joint(joint)
    return not tree or any(dof.cone is not None for dof in joint.dofs)


def add_constraints(build: Build) -> None:
    """Add the constraints of every joint that needs one."""
    for joint in build.scene.joints:
        limited = np.isfinite(joint.break_force) or np.isfinite(joint.break_torque)
        if limited and not is_breakable(joint):
            what = "distance joints" if joint.kind == "distance" else "joints within a tree"
            build.note(joint.path, f"{what} do not break; break limits are ignored")
        if joint.kind == "distance":
            _add_distance(build, joint)
        elif not is_tree_joint(joint):
            _close_loop(build, joint)
        for dof in joint.dofs:
            if _is_locked(dof):
                _lock(build, joint, dof)
            if dof.cone is not None:
                add_cone(build, joint, dof.cone)
        if joint.mimic is not None:
            _add_mimic(build, joint)


def _close_loop(build: Build, joint: JointDescription) -> None:
    free = [dof for dof in joint.dofs if dof.lower != dof.upper]
    plain = all(
        dof.drive is None
        and not dof.ball_drives
        and (dof.kind == "ball" or not np.isfinite(dof.lower))
        and not np.isfinite(dof.upper)
        and not dof.friction
        and not dof.damping
        and not dof.armature
        for dof in free
    )
    if joint.kind == "fixed" or not free:
        _tie(build, joint, WELD)
    elif joint.kind == "spherical" and plain:
        _tie(build, joint, CONNECT)
    elif _turns_freely(joint, free) and plain:
        _hinge(build, joint, free[0])
    else:
        close_with_links(build, joint)


def _turns_freely(joint: JointDescription, free: list[DofDescription]) -> bool:
    """Whether two points tied together make the joint; what breaks needs one constraint."""
    single = len(free) == 1 and free[0].kind == "hinge"
    return single and joint.mimic is None and not is_breakable(joint)


def _tie(
    build: Build,
    joint: JointDescription,
    kind: mujoco.mjtEq,
    offset: np.ndarray | None = None,
    suffix: str = "",
) -> None:
    """Make the two joint frames, moved by `offset` in them, coincide."""
    frames = (joint.parent_frame, joint.child_frame)
    names = []
    for index, frame, side in zip((joint.parent, joint.child), frames, "01", strict=True):
        body, moved = build.body(index), frame if offset is None else frame @ Pose(pos=offset)
        if side == "0" and is_breakable(joint):
            body, moved = add_gauge(build, body, joint, moved), Pose()
        names.append(add_site(build, body, moved, f"{joint.path}:frame{side}{suffix}"))
    equality = build.spec.add_equality(
        name=build.namer.take("equality", None, joint.path + suffix),
        type=kind,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        name1=names[0],
        name2=names[1],
    )
    if kind == WELD:
        equality.data[10] = TORQUE_SCALE
    build.register("equality", joint.path + suffix, equality)


def _hinge(build: Build, joint: JointDescription, dof: DofDescription) -> None:
    """Tie two points of the axis together; one alone would leave a ball joint."""
    axis = quat_apply(quat_conjugate(joint.child_frame.quat), dof.axis)
    reach = 0.5 * max(_lever(build, joint), 0.02)
    _tie(build, joint, CONNECT, reach * axis)
    _tie(build, joint, CONNECT, -reach * axis, ":other")


def _lever(build: Build, joint: JointDescription) -> float:
    """A length typical of the bodies [m], so that the two ties resist turning about as well."""
    child = build.scene.bodies[joint.child] if joint.child >= 0 else None
    parent = build.scene.bodies[joint.parent] if joint.parent >= 0 else None
    spans = [
        float(np.linalg.norm(frame.pos - body.com))
        for body, frame in ((child, joint.child_frame), (parent, joint.parent_frame))
        if body is not None
    ]
    return min(spans, default=0.1)


def _add_distance(build: Build, joint: JointDescription) -> None:
    lower, upper = max(joint.min_distance, 0.0), joint.max_distance
    if upper < 0.0:
        upper = np.inf  # USD: a negative bound is no bound
    if lower <= 0.0 and not np.isfinite(upper):
        build.note(joint.path, "a distance joint without limits has no effect")
        return
    if lower > upper:
        raise CompileError(
            f"{joint.path!r}: the smallest distance {lower:g} m is above the largest {upper:g} m. "
            "Correct physics:minDistance or physics:maxDistance."
        )
    tendon = build.spec.add_tendon(name=build.namer.take("tendon", None, joint.path))
    for index, frame, side in (
        (joint.parent, joint.parent_frame, "0"),
        (joint.child, joint.child_frame, "1"),
    ):
        tendon.wrap_site(add_site(build, build.body(index), frame, f"{joint.path}:frame{side}"))
    slack = _TIGHT * upper if upper - lower < 2 * _TIGHT * upper else 0.0
    tendon.limited = 1
    tendon.range = (lower - slack, min(upper, UNLIMITED) + slack)
    build.register("tendon", joint.path, tendon)


def _is_locked(dof: DofDescription) -> bool:
    return dof.lower == dof.upper and dof.kind in ("hinge", "slide")


def _lock(build: Build, joint: JointDescription, dof: DofDescription) -> None:
    element = build.elements["joint"].get(dof.path)
    if element is not None:
        offset = dof.lower - dof.reference
        _couple(build, dof.path, (joint.child, element), None, offset, 0.0)


def _add_mimic(build: Build, joint: JointDescription) -> None:
    mimic, joints = joint.mimic, build.elements["joint"]
    if mimic is None:
        return
    axes = [dof for dof in joint.dofs if dof.kind in ("hinge", "slide") and dof.path in joints]
    if len(axes) != 1:
        raise CompileError(
            f"{joint.path!r}: a mimic joint needs exactly one axis to lead; it has {len(axes)}. "
            "Author the mimic on a revolute or prismatic joint."
        )
    follower, leader = joints[axes[0].path], build.lookup(mimic.joint, "joint")
    # Like the stage, the engine's constraint counts from the rest pose.
    led = joint.child, follower
    _couple(build, joint.path, led, (mimic.joint, leader), mimic.offset, mimic.gearing)


def _couple(
    build: Build,
    path: str,
    led: tuple[int, Any],
    leader: tuple[str, Any] | None,
    offset: float,
    gearing: float,
) -> None:
    body, follower = led
    equality = build.spec_of(body).add_equality(
        name=build.namer.take("equality", None, path),
        type=mujoco.mjtEq.mjEQ_JOINT,
        name1=build.name_of("joint", path, follower),
    )
    if leader is not None:
        equality.name2 = build.name_of("joint", leader[0], leader[1])
    equality.data[:2] = offset, gearing
    # An axis may be locked and follow another one as well.
    taken = path in build.elements["equality"]
    build.register("equality", equality.name if taken else path, equality)
