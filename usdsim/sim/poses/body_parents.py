"""Parent frames of body prims."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdGeom

from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_multiply,
    quat_normalize,
)
from usdsim.parser.description import SceneDescription
from usdsim.usd.xforms import decompose, world_pose

__all__ = ["Parents"]

logger = logging.getLogger(__name__)

Array = NDArray[np.float64]


class Parents:
    """Parent prims of bodies, as numbers.

    Between a body and the closest body above it, everything is taken as it stands on the stage when
    this is created.

    Args:
        scene: what was simulated.
        ids: the bodies' indices in the scene, length n.
        parents: prims whose frames the bodies' transforms are in; None: the stage's, length n.
        index: of the prims that are bodies.
        cache: of transforms.
    """

    def __init__(
        self,
        scene: SceneDescription,
        ids: Sequence[int],
        parents: Sequence[Usd.Prim | None],
        index: Mapping[Sdf.Path, int],
        cache: UsdGeom.XformCache,
    ):
        self._world, self._meters = scene.world_from_stage, scene.meters_per_unit
        self.ids = np.asarray(ids, dtype=np.int64)
        count = len(parents)
        self._anchor = np.full(count, -1, dtype=np.int64)
        self._inverse = np.empty((count, 4, 4))
        self._turn = np.empty((count, 4))
        self.factors = np.ones((count, 3))
        """Scale that reaches each body from above, shape (n, 3)."""
        sheared = []
        for row, parent in enumerate(parents):
            # Columns act on points here; USD stores the transpose.
            above = np.eye(4)
            if parent is not None:
                above = np.array(cache.GetLocalToWorldTransform(parent)).T
                anchor = _closest_body(parent, index, cache)
                if anchor is not None:
                    self._anchor[row] = index[anchor.GetPath()]
                    pose, _ = world_pose(anchor, cache, allow_shear=True)
                    above = _matrix(pose.inverse()) @ above
            what = "/" if parent is None else str(parent.GetPath())
            frame, factor = decompose(above.T, what, allow_shear=True)
            if np.ptp(factor) > 1e-6 * np.abs(factor).max():
                sheared.append(scene.bodies[self.ids[row]].path)
            self._inverse[row] = np.linalg.inv(above)
            self._turn[row] = quat_conjugate(frame.quat)
            self.factors[row] = factor
        if sheared:
            logger.warning(
                "%d bodies lie below a non-uniform scale, which no rotation passes unchanged, such "
                "as %s; their orientation on the stage is the closest possible.",
                len(sheared),
                sheared[0],
            )

    def stage_units(self, length: float) -> float:
        """A length [m] in stage units."""
        return length / self._meters

    def local(self, poses_w: Array) -> tuple[Array, Array]:
        """Poses of the bodies in the frames of their parents.

        Args:
            poses_w: of all bodies in world [m, xyzw], shape (..., bodies, 7).

        Returns:
            Translation [stage units], shape (..., n, 3), and orientation, xyzw, shape (..., n, 4).
        """
        back = self._world.inverse()
        pos = (back.pos + quat_apply(back.quat, poses_w[..., :3])) / self._meters
        quat = quat_multiply(back.quat, quat_normalize(poses_w[..., 3:]))
        own_pos, own_quat = pos[..., self.ids, :], quat[..., self.ids, :]
        moving = self._anchor >= 0
        if moving.any():
            anchor = self._anchor[moving]
            undo = quat_conjugate(quat[..., anchor, :])
            own_pos[..., moving, :] = quat_apply(
                undo, own_pos[..., moving, :] - pos[..., anchor, :]
            )
            own_quat[..., moving, :] = quat_multiply(undo, own_quat[..., moving, :])
        translation = (
            np.einsum("nij,...nj->...ni", self._inverse[:, :3, :3], own_pos)
            + self._inverse[:, :3, 3]
        )
        return translation, quat_normalize(quat_multiply(self._turn, own_quat))


def _closest_body(
    prim: Usd.Prim, index: Mapping[Sdf.Path, int], cache: UsdGeom.XformCache
) -> Usd.Prim | None:
    while prim and not prim.IsPseudoRoot():
        if prim.GetPath() in index:
            return prim
        if cache.GetLocalTransformation(prim)[1]:
            return None
        prim = prim.GetParent()
    return None


def _matrix(pose: Any) -> Array:
    result = np.eye(4)
    result[:3, :3] = np.stack([quat_apply(pose.quat, axis) for axis in np.eye(3)], axis=1)
    result[:3, 3] = pose.pos
    return result
