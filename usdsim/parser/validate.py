"""Consistency of a description as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from usdsim.math.repair import LEAST_INERTIA, LEAST_MASS

from .bodies.freedom import has_freedom, moves
from .context import ParseContext
from .description import (
    BodyDescription,
    DofDescription,
    DriveDescription,
    JointDescription,
    SceneDescription,
)
from .units import DEGREE

__all__ = ["validate"]

_IDLE = "unloaded-payload", "unresolved", "unsupported"
"""Findings that tell why a stage has nothing to simulate, the most telling first."""
_CREEP = 1e-3
"""Speed of an axis under all weight [m/s, rad/s] that counts as none."""
_OUTSIDE = 1e-3
"""Tolerance [m, rad] of an axis that starts outside of its limits."""
_ONE_POSITION = 1e-6
"""Widest range of an axis [m, rad] that is a single position."""


def validate(
    context: ParseContext, scene: SceneDescription, *, allow_empty: bool = False
) -> SceneDescription:
    """Report what makes the scene impossible to simulate, and mend what a rule mends.

    Args:
        context: gets the findings.
        scene: the scene.
        allow_empty: whether a scene without anything in it is one.

    Returns:
        The scene, in which everything that moves weighs something.
    """
    # A scene with MuJoCo's options is a converted model, however little it holds.
    described = (
        scene.bodies or scene.geoms or scene.joints or scene.elements or scene.options
        or scene.deformables
    )  # fmt: skip
    if not described:
        if not context.report.errors and not allow_empty:
            idle = [found for code in _IDLE for found in context.report.by_code(code)]
            context.report.error(
                "no-physics", "/",
                "has no rigid body, collider or joint; apply PhysicsRigidBodyAPI or "
                "PhysicsCollisionAPI to something"
                + (f". What it has is not simulated: {idle[0]}" if idle else ""),
            )  # fmt: skip
        return scene
    _report_starts(context, scene.joints)
    _report_followers(context, scene.joints)
    _report_dashpots(context, scene)
    for geom in scene.geoms:
        if geom.kind == "plane" and geom.body >= 0 and geom.collides:
            body = scene.bodies[geom.body]
            if not (body.fixed or body.kinematic) and moves(scene.bodies, scene.joints, geom.body):
                context.report.error(
                    "moving-plane", geom.path,
                    f"is an infinite plane on {body.path}, which moves; use a thin Cube",
                )  # fmt: skip
    return replace(scene, bodies=_with_weight(context, scene.bodies, scene.joints))


def _with_weight(
    context: ParseContext, bodies: Sequence[BodyDescription], joints: Sequence[JointDescription]
) -> tuple[BodyDescription, ...]:
    """Bodies, where every rigid piece that moves has mass."""
    piece = _pieces(bodies, joints)
    total = [0.0] * len(bodies)
    for i, body in enumerate(bodies):
        total[piece[i]] += body.mass
    # A mass that was refused is not missing.
    bad = {finding.path for finding in context.report.errors}
    refused = {piece[i] for i, body in enumerate(bodies) if body.path in bad}
    found = list(bodies)
    for i, body in enumerate(bodies):
        if (
            piece[i] != i
            or i in refused
            or total[i] > 0.0
            or body.kinematic
            or not has_freedom(body, joints)
        ):
            continue
        context.report.repaired(
            "massless-moving", body.path,
            f"moves but has no mass: weighs {LEAST_MASS:g} kg. Author physics:mass, or give it a "
            "collider with a volume",
            attribute="physics:mass", value=0.0,
        )  # fmt: skip
        found[i] = replace(body, mass=LEAST_MASS, inertia=np.full(3, LEAST_INERTIA))
    return tuple(found)


def _report_starts(context: ParseContext, joints: Sequence[JointDescription]) -> None:
    """Report axes that start outside of their limits, which push them back at once."""
    for joint in joints:
        for dof in joint.dofs:
            if dof.kind not in ("hinge", "slide"):
                continue
            outside = max(dof.lower - dof.position, dof.position - dof.upper)
            if outside > _OUTSIDE:
                unit, name = (DEGREE, "degrees") if dof.kind == "hinge" else (1.0, "m")
                context.report.info(
                    "outside-limits", joint.path,
                    f"starts at {dof.position / unit:.6g} {name}, {outside / unit:.6g} {name} "
                    "outside of its limits, and is brought there",
                )  # fmt: skip


def _report_followers(context: ParseContext, joints: Sequence[JointDescription]) -> None:
    """Report joints whose limits do not let them follow another one, which holds both."""
    single = {joint.path: joint.dofs[0] for joint in joints if len(joint.dofs) == 1}
    for joint in joints:
        mimic, dof = joint.mimic, single.get(joint.path)
        leader = single.get(mimic.joint) if mimic is not None else None
        if mimic is None or dof is None or leader is None or not mimic.gearing:
            continue
        ways = [mimic.gearing * end + mimic.offset for end in (leader.lower, leader.upper)]
        if min(max(ways), dof.upper) - max(min(ways), dof.lower) <= _ONE_POSITION:
            unit, name = (DEGREE, "degrees") if dof.kind == "hinge" else (1.0, "m")
            context.report.warning(
                "held-by-limits", joint.path,
                f"follows {mimic.joint} from {min(ways) / unit:.6g} to {max(ways) / unit:.6g} "
                f"{name}, but its own limits are {dof.lower / unit:.6g} to "
                f"{dof.upper / unit:.6g} {name}, so that both stand still. Correct the limits, or "
                "the gearing",
            )  # fmt: skip


def _report_dashpots(context: ParseContext, scene: SceneDescription) -> None:
    """Report drives whose damping holds still whatever hangs on them, as a lock would."""
    dashpots = list(_dashpots(scene.joints))
    if not dashpots:
        return
    weights = np.array([body.mass for body in scene.bodies]) * np.linalg.norm(scene.gravity)
    centres = np.array([body.initial_pose_w.apply(body.com) for body in scene.bodies])
    for joint, dof, drive in dashpots:
        body, frame = joint.child, joint.child_frame
        if body < 0:
            body, frame = joint.parent, joint.parent_frame
        anchor = scene.bodies[body].initial_pose_w.apply(frame.pos)
        levers = 1.0 if dof.kind == "slide" else np.linalg.norm(centres - anchor, axis=1)
        load = float(np.sum(weights * levers))
        creep = load / drive.damping
        if 0.0 < creep < _CREEP and drive.max_force >= load:
            unit = "N m s/rad" if dof.kind == "hinge" else "N s/m"
            context.report.info(
                "locked-by-damping", joint.path,
                f"has a drive with a damping of {drive.damping:.3g} {unit}, under which the "
                f"whole weight moves it by {creep:.1g} per second here; engines that approach "
                "such forces step by step, as PhysX, let it sink. Use a fixed joint, or less",
            )  # fmt: skip


def _dashpots(
    joints: Sequence[JointDescription],
) -> Iterator[tuple[JointDescription, DofDescription, DriveDescription]]:
    """Axes with a drive that does nothing but damp."""
    for joint in joints:
        for dof in joint.dofs:
            drive = dof.drive
            if drive is None or drive.acceleration or drive.stiffness or not drive.damping:
                continue
            yield joint, dof, drive


def _pieces(bodies: Sequence[BodyDescription], joints: Sequence[JointDescription]) -> list[int]:
    """The first body of the rigid piece each body belongs to."""
    piece = list(range(len(bodies)))
    for i, body in enumerate(bodies):
        if body.parent >= 0 and not has_freedom(body, joints):
            piece[i] = piece[body.parent]
    return piece
