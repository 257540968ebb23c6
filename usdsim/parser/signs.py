"""Sign of quaternions: of the two that mean one rotation, the one a conversion kept."""

from __future__ import annotations

import numpy as np

from usdsim.math.transforms import Pose
from usdsim.usd.converted import edited

from .prims import PrimView

__all__ = ["with_sign"]

_AGREES = 1e-10
"""Cosine by which two quaternions may differ and still be one rotation."""


def with_sign(view: PrimView, pose: Pose) -> Pose:
    """A pose with the quaternion of ``mjc:quat``, where that is the rotation of the transform.

    Matrices lose the sign, and some digits. The transform is what counts: a quaternion of another
    rotation is left over from before it was edited.
    """
    exact = view.quat("mjc:quat", exact=True)
    if exact is None or abs(float(exact @ pose.quat)) <= (1.0 - _AGREES) * np.linalg.norm(exact):
        if exact is not None and edited(view.prim, "mjc:quat"):
            view.without_effect(
                "mjc:quat", "is no quaternion of the prim's rotation, which xformOp:orient says"
            )
        return pose
    return Pose(pose.pos, exact)
