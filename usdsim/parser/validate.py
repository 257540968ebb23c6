"""Consistency of a description as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from .context import Context
from .description import BodyDescription, JointDescription, SceneDescription

__all__ = ["validate"]


def validate(context: Context, scene: SceneDescription, *, allow_empty: bool = False) -> None:
    """Report what makes the scene impossible to simulate.

    Args:
        context: gets the findings.
        scene: the scene.
        allow_empty: whether a scene without anything in it is one.
    """
    # A scene with MuJoCo's options is a converted model, however little it holds.
    described = (
        scene.bodies or scene.geoms or scene.joints or scene.elements or scene.options
        or scene.deformables
    )  # fmt: skip
    if not described:
        if not context.report.errors and not allow_empty:
            context.report.error(
                "no-physics", "/",
                "has no rigid body, collider or joint; apply PhysicsRigidBodyAPI or "
                "PhysicsCollisionAPI to something",
            )  # fmt: skip
        return
    _check_masses(context, scene.bodies, scene.joints)
    for geom in scene.geoms:
        if geom.kind == "plane" and geom.body >= 0 and geom.collides:
            body = scene.bodies[geom.body]
            if not (body.fixed or body.kinematic) and _moves(scene.bodies, scene.joints, geom.body):
                context.report.error(
                    "moving-plane", geom.path,
                    f"is an infinite plane on {body.path}, which moves; use a thin Cube",
                )  # fmt: skip


def _check_masses(
    context: Context, bodies: Sequence[BodyDescription], joints: Sequence[JointDescription]
) -> None:
    """Every rigid piece that moves needs mass."""
    piece = _pieces(bodies, joints)
    total = [0.0] * len(bodies)
    for i, body in enumerate(bodies):
        total[piece[i]] += float(body.overrides.get("mass", body.mass))
    # A mass that was refused is not missing.
    bad = {finding.path for finding in context.report.errors}
    refused = {piece[i] for i, body in enumerate(bodies) if body.path in bad}
    for i, body in enumerate(bodies):
        if (
            piece[i] != i
            or i in refused
            or total[i] > 0.0
            or body.kinematic
            or not _has_freedom(body, joints)
        ):
            continue
        context.report.error(
            "no-mass", body.path,
            "moves but has no mass: author physics:mass, or give it a collider with a volume",
            attribute="physics:mass", value=0.0,
        )  # fmt: skip


def _pieces(bodies: Sequence[BodyDescription], joints: Sequence[JointDescription]) -> list[int]:
    """The first body of the rigid piece each body belongs to."""
    piece = list(range(len(bodies)))
    for i, body in enumerate(bodies):
        if body.parent >= 0 and not _has_freedom(body, joints):
            piece[i] = piece[body.parent]
    return piece


def _has_freedom(body: BodyDescription, joints: Sequence[JointDescription]) -> bool:
    """Whether a body can move in its parent's frame."""
    if body.fixed:
        return False
    if not body.joints:
        return not body.kinematic
    return any(joints[j].dofs for j in body.joints)


def _moves(
    bodies: Sequence[BodyDescription], joints: Sequence[JointDescription], index: int
) -> bool:
    """Whether a body can move in world."""
    while index >= 0:
        if _has_freedom(bodies[index], joints):
            return True
        index = bodies[index].parent
    return False
