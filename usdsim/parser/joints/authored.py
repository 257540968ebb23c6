"""Joints as authored: which bodies they connect, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from usdsim.core.dialects.physx import GEARS
from usdsim.core.units import UNLIMITED
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import DriveDescription, JointKind
from usdsim.parser.element import is_below
from usdsim.parser.local_frames import joint_frames
from usdsim.parser.mjc import is_free_joint
from usdsim.parser.prims import PrimView

from .controllers import parse_controllers

__all__ = [
    "D6_AXES",
    "JointRecord",
    "collect_joints",
    "is_attachment_point",
    "leave_out",
]

D6_AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
"""Axes of a D6 joint, from the parent's side to the child's."""

_AXES = (*D6_AXES, "distance", "linear", "angular")
_KINDS: dict[str, JointKind] = {
    "RevoluteJoint": "revolute",
    "PrismaticJoint": "prismatic",
    "SphericalJoint": "spherical",
    "FixedJoint": "fixed",
    "DistanceJoint": "distance",
    "D6Joint": "d6",
}
_BREAKING = (
    ("physics:breakForce", "N", "break_force"),
    ("physics:breakTorque", "N m", "break_torque"),
)
_BODIES = ("physics:body0", "physics:body1")


@dataclass(slots=True, eq=False)
class JointRecord:
    """A joint between two bodies, numbered as in `ParseContext.bodies`; -1 is the world."""

    view: PrimView
    kind: JointKind
    body0: int
    body1: int
    frame0: Pose
    """In body 0 [m]."""
    frame1: Pose
    """In body 1 [m]."""
    prims: tuple[int, int] = (-1, -1)
    """Prims it names, of which the bodies are the nearest at or above them; -1: none."""
    excluded: bool = False
    """Authored as a loop closure."""
    enabled: bool = True
    """A disabled free joint only names the freedom of a body that nothing else holds."""
    collision_enabled: bool = False
    break_limits: Mapping[str, float] = field(default_factory=dict)
    """Largest force [N] and torque [N m] it stands, by field of the description."""
    controller: DriveDescription | None = None
    """Controller of an actuator prim of Newton's."""


def collect_joints(
    context: ParseContext,
    immovable: frozenset[int] = frozenset(),
    owned: frozenset[str] = frozenset(),
) -> list[JointRecord]:
    """Joints in stage order; those that cannot be simulated are reported.

    Disabled ones are left out, but for free joints: a body is as free with one as without, and the
    prim has a name and parameters for that freedom.

    Args:
        context: of the stage.
        immovable: bodies that no force moves; the world is another.
        owned: paths of prims that are described elsewhere.
    """
    found: list[tuple[PrimView, JointKind, list[int], list[int], bool]] = []
    for view, desc in context.descs(*_KINDS, "CustomJoint"):
        if view.path in owned or _is_read_elsewhere(view):
            continue
        view.flag("physics:jointEnabled")
        view.read.update(("physics:excludeFromArticulation", "physics:collisionEnabled", *_BODIES))
        kind = _KINDS.get(desc.type.name)
        free = kind == "d6" and is_free_joint(view)
        if not (desc.jointEnabled or free):
            leave_out(context, view)
            continue
        if kind is None:
            _report_unknown(context, view)
            continue
        if kind == "d6":
            kind = "free" if free else _kind_of_six(context, view, desc)
        _check_axes(context, view)
        ends = _ends(context, view, immovable | {-1})
        if ends is None:
            continue
        if not desc.jointEnabled and min(ends[0]) >= 0:
            leave_out(context, view)
            continue
        found.append((view, kind, *ends, desc.jointEnabled))
    views = [view for view, *_ in found]
    frames = joint_frames(context, views, [row[2] for row in found], [row[3] for row in found])
    controllers = parse_controllers(context)
    return [
        JointRecord(
            view,
            kind,
            body0=bodies[0],
            body1=bodies[1],
            frame0=frames[i][0],
            frame1=frames[i][1],
            prims=(prims[0], prims[1]),
            excluded=view.flag("physics:excludeFromArticulation"),
            enabled=enabled,
            collision_enabled=view.flag("physics:collisionEnabled"),
            break_limits=_break_limits(context, view),
            controller=controllers.get(view.path),
        )
        for i, (view, kind, bodies, prims, enabled) in enumerate(found)
    ]


def _kind_of_six(context: ParseContext, view: PrimView, desc: Any) -> JointKind:
    """Kind of a joint of six axes, by what it limits and drives."""
    axes = (*view.instances("PhysicsLimitAPI"), *view.instances("PhysicsDriveAPI"))
    if axes == ("distance",):
        return "distance"
    if desc.jointLimits or desc.jointDrives:
        return "d6"
    _report_unconstrained(context, view)
    return "free"


def is_attachment_point(view: PrimView) -> bool:
    """Whether a prim is where a surface gripper holds things, which no joint does before."""
    return "IsaacAttachmentPointAPI" in view.apis


def _is_read_elsewhere(view: PrimView) -> bool:
    return view.type_name in GEARS or is_attachment_point(view)


def _report_unknown(context: ParseContext, view: PrimView) -> None:
    context.report.warning(
        "unsupported", view.path,
        f"is a {view.type_name}, a kind of joint that has no effect here; allowed: joints of "
        "UsdPhysics, and gears and rack-and-pinion joints of PhysX",
    )  # fmt: skip


def _report_unconstrained(context: ParseContext, view: PrimView) -> None:
    context.report.warning(
        "unconstrained-joint", view.path,
        "constrains nothing: it limits and drives no axis, and only keeps its bodies from "
        "colliding. Lock an axis with PhysicsLimitAPI, low above high, or remove the joint",
    )  # fmt: skip


def leave_out(context: ParseContext, view: PrimView) -> None:
    """Report that a disabled joint is left out, with all that is authored on it."""
    context.report.info("disabled-joint", view.path, "is disabled and left out")
    view.read.update(view.names)


def _break_limits(context: ParseContext, view: PrimView) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, unit, field_name in _BREAKING:
        value = view.number(name, np.inf)
        if value < 0.0:
            view.invalid(name, value, "zero or a positive number; infinite for none")
        elif value < UNLIMITED:
            found[field_name] = value * context.units.factor(unit)
    return found


def _check_axes(context: ParseContext, view: PrimView) -> None:
    for api in ("PhysicsLimitAPI", "PhysicsDriveAPI"):
        for axis in view.instances(api):
            if axis not in _AXES:
                context.report.warning(
                    "unknown-token", view.path,
                    f"has {api}:{axis}, but there is no axis of that name, so it has no effect; "
                    f"axes are {', '.join(_AXES)}",
                )  # fmt: skip


def _ends(
    context: ParseContext, view: PrimView, immovable: frozenset[int]
) -> tuple[list[int], list[int]] | None:
    """Bodies and the prims the local frames refer to; None if the joint is invalid."""
    bodies, prims = [], []
    named = 0
    valid = True
    for name in _BODIES:
        targets = view.targets(name)
        if len(targets) > 1:
            context.report.error(
                "invalid-value", view.path, f"has {len(targets)} targets; allowed: one or none",
                attribute=name, value=[str(t) for t in targets],
            )  # fmt: skip
            valid = False
        if not targets:
            bodies.append(-1)
            prims.append(-1)
            continue
        named += 1
        target = context.by_path.get(targets[0].pathString)
        if target is None:
            _dangling(context, view, name, str(targets[0]))
            valid = False
            continue
        bodies.append(context.body_above(target.path))
        prims.append(target.index)
    if not valid:
        return None
    if not named:
        context.report.error(
            "joint-without-bodies", view.path,
            "connects nothing: author physics:body0 or physics:body1 (an empty one is the world)",
        )  # fmt: skip
        return None
    if bodies[0] in immovable and bodies[1] in immovable:
        context.report.warning(
            "static-joint", view.path,
            "connects prims that no force moves, and has no effect; make one of them a rigid body "
            "that is not kinematic, or remove the joint",
        )  # fmt: skip
        view.read.update(view.names)
        return None
    if bodies[0] == bodies[1]:
        _report_one_body(context, view, bodies[0])
        return None
    return bodies, prims


def _report_one_body(context: ParseContext, view: PrimView, body: int) -> None:
    """Tell that both ends of a joint are one body, or became one with a body that was disabled."""
    ends = [target for name in _BODIES for target in view.targets(name)]
    off = [str(end) for end in ends if _is_disabled(context, str(end))]
    if off:
        context.report.repaired(
            "dangling-joint", view.path,
            f"points to {off[0]}, whose rigid body is disabled: left out, with all on it",
            attribute="physics:rigidBodyEnabled", value=off[0],
        )  # fmt: skip
        view.read.update(view.names)
        return
    context.report.error(
        "joint-on-one-body", view.path,
        f"connects {context.views[context.body_prims[body]].path} with itself; body0 and body1 "
        "must be, or be below, different bodies",
    )  # fmt: skip


def _is_disabled(context: ParseContext, path: str) -> bool:
    view = context.by_path.get(path)
    return view is not None and not view.flag("physics:rigidBodyEnabled", True)


def _dangling(context: ParseContext, view: PrimView, name: str, target: str) -> None:
    prim = context.stage.GetPrimAtPath(target)
    if not prim:
        why = "which does not exist"
    elif not prim.IsActive():
        why = "which is inactive"
    elif any(is_below(target, path) for path in context.exclude):
        context.report.error(
            "joint-leads-out", view.path,
            f"points to {target}, which is not among the prims that are read with it; keep both "
            "ends of a joint in one environment",
        )  # fmt: skip
        return
    else:
        why = "which is not among the prims that are simulated"
    context.report.repaired(
        "dangling-joint", view.path, f"points to {target}, {why}: left out, with all on it",
        attribute=name, value=target,
    )  # fmt: skip
    view.read.update(view.names)
