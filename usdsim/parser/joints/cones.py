"""Cone limits of spherical joints."""

from __future__ import annotations

import numpy as np

from usdsim.parser.context import ParseContext
from usdsim.parser.description import ConeDescription
from usdsim.parser.units import DEGREE

from .authored import JointRecord

__all__ = ["cone_angles", "joint_cone"]

_NAMES = ("physics:coneAngle0Limit", "physics:coneAngle1Limit")
_WIDEST = 179.5 * DEGREE
"""Angle from which all are allowed [rad]."""


def cone_angles(joint: JointRecord) -> tuple[float, float]:
    """The two angles of a spherical joint [rad]; infinity: none."""
    first, second = (joint.view.number(name, -1.0) * DEGREE for name in _NAMES)
    return first if first >= 0.0 else np.inf, second if second >= 0.0 else np.inf


def joint_cone(
    context: ParseContext, joint: JointRecord, token: str, reverse: bool
) -> ConeDescription | None:
    """The cone that the axis of a spherical joint stays in; None: it may lean anywhere.

    The schema's text has the first angle toward the next axis. PhysX, for which stages with two
    angles were written, has it about that axis, and so toward the one after it. PhysX also takes
    an angle of zero as none, and limits nothing where one of the two is none.

    Args:
        context: of the stage.
        joint: the joint, whose body 0 the cone is fixed to.
        token: its axis, X, Y or Z.
        reverse: whether body 0 is the child.
    """
    view, angles = joint.view, cone_angles(joint)
    bounded = [0.0 < angle < np.inf for angle in angles]
    if not all(bounded):
        for name, angle, other in zip(_NAMES, angles, reversed(bounded), strict=True):
            if angle == 0.0 or (other and angle == np.inf):
                context.report.warning(
                    "approximated", view.path,
                    f"is {view.number(name, -1.0):g}: the joint is left without limit, as in "
                    "PhysX; author two angles above 0",
                    attribute=name, value=view.number(name, -1.0),
                )  # fmt: skip
        return None
    if min(angles) >= _WIDEST:
        return None
    if angles[0] != angles[1]:
        context.report.info(
            "cone-angles", view.path,
            f"and the other angle, {angles[1] / DEGREE:g}, are read as PhysX does: the first one "
            "turns about the axis after the joint's, where the schema's text says toward it",
            attribute=_NAMES[0], value=angles[0] / DEGREE,
        )  # fmt: skip
    place = "XYZ".index(token)
    return ConeDescription(
        axis=np.eye(3)[place],
        toward=np.eye(3)[(place + 2) % 3],
        angles=(min(angles[0], _WIDEST), min(angles[1], _WIDEST)),
        in_child=reverse,
    )
