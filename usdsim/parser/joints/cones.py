"""Cone limits of spherical joints."""

from __future__ import annotations

import numpy as np

from usdsim.parser.context import ParseContext
from usdsim.parser.description import ConeDescription
from usdsim.parser.units import DEGREE

from .authored import JointRecord

__all__ = ["joint_cone"]

_NAMES = ("physics:coneAngle0Limit", "physics:coneAngle1Limit")
_MOST = 179.5
"""Angle [degree] from which all are allowed."""


def joint_cone(context: ParseContext, joint: JointRecord, token: str) -> ConeDescription | None:
    """The cone that the axis of a spherical joint stays in; None: it may lean anywhere.

    The schema's text has the first angle toward the next axis. PhysX, for which stages with two
    angles were written, has it about that axis, and so toward the one after it. PhysX also takes
    an angle of zero as none, and limits nothing where one of the two is none.

    Args:
        context: of the stage.
        joint: the joint, whose body 0 the cone is fixed to.
        token: its axis, X, Y or Z.
    """
    view = joint.view
    angles = [view.number(name, -1.0) for name in _NAMES]
    bounded = [0.0 < angle < _MOST for angle in angles]
    if not all(bounded):
        for name, angle, other in zip(_NAMES, angles, reversed(bounded), strict=True):
            if angle == 0.0 or (other and angle < 0.0):
                context.report.warning(
                    "approximated", view.path,
                    f"is {angle:g}: the joint is left without limit, as in PhysX; author two "
                    "angles above 0",
                    attribute=name, value=angle,
                )  # fmt: skip
        return None
    if angles[0] != angles[1]:
        context.report.info(
            "cone-angles", view.path,
            f"and the other angle, {angles[1]:g}, are read as PhysX does: the first one turns "
            "about the axis after the joint's, where the schema's text says toward it",
            attribute=_NAMES[0], value=angles[0],
        )  # fmt: skip
    place = "XYZ".index(token)
    first, second = (angle * DEGREE for angle in angles)
    return ConeDescription(
        axis=np.eye(3)[place], toward=np.eye(3)[(place + 2) % 3], angles=(first, second)
    )
