"""Freedom of bodies: whether they can move, in their parent's frame or in world."""

from __future__ import annotations

from collections.abc import Sequence

from usdsim.parser.description import BodyDescription, JointDescription

__all__ = ["has_freedom", "moves"]


def has_freedom(body: BodyDescription, joints: Sequence[JointDescription]) -> bool:
    """Whether a body can move in its parent's frame."""
    if body.fixed:
        return False
    if not body.joints:
        return not body.kinematic
    return any(joints[j].dofs for j in body.joints)


def moves(
    bodies: Sequence[BodyDescription], joints: Sequence[JointDescription], index: int
) -> bool:
    """Whether a body can move in world."""
    while index >= 0:
        if has_freedom(bodies[index], joints):
            return True
        index = bodies[index].parent
    return False
