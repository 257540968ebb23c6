"""From simulated poses in world to the transforms body prims need."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdGeom

from usdsim.core.errors import ShapeError
from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_multiply,
    quat_normalize,
)
from usdsim.parser.description import SceneDescription
from usdsim.usd.prims import get_prim
from usdsim.usd.xforms import decompose, world_pose

__all__ = ["BodyFrames", "as_poses"]

logger = logging.getLogger(__name__)

Array = NDArray[np.float64]


def as_poses(values: Any, bodies: int) -> Array:
    """Poses of all bodies from a NumPy, Warp or torch array or a sequence, shape (bodies, 7)."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    poses = np.asarray(values.numpy() if hasattr(values, "numpy") else values, dtype=np.float64)
    if poses.shape != (bodies, 7):
        raise ShapeError("body poses", poses.shape, f"({bodies}, 7): position and xyzw quaternion")
    return poses


class BodyFrames:
    """Where each body's prim hangs on its stage, as numbers.

    A body prim may lie below other bodies, plain transforms and scales, in any unit and up axis.
    Between a body and the closest body above it, everything is taken as it stands on the stage when
    this is created.

    Args:
        stage: the stage with the bodies' prims.
        scene: what was simulated.

    Raises:
        StageError: a body has no prim on the stage.
    """

    def __init__(self, stage: Usd.Stage, scene: SceneDescription):
        self._world = scene.world_from_stage
        self._meters = scene.meters_per_unit
        self.num_bodies = len(scene.bodies)
        prims = [get_prim(stage, body.path) for body in scene.bodies]
        self.ids = np.array([i for i, p in enumerate(prims) if not p.IsInstanceProxy()], np.int64)
        skipped = [str(prim.GetPath()) for prim in prims if prim.IsInstanceProxy()]
        if skipped:
            logger.warning(
                "%d bodies lie inside instances and cannot be moved on the stage, such as %s. Make "
                "the prims above them not instanceable.",
                len(skipped),
                skipped[0],
            )
        self.paths: list[Sdf.Path] = [prims[i].GetPath() for i in self.ids]
        """Prims that can be moved."""
        self.resets: list[bool] = []
        """Whether a prim ignores the transforms above it."""
        self._resolve([prims[i] for i in self.ids], {p.GetPath(): i for i, p in enumerate(prims)})

    def _resolve(self, prims: Sequence[Usd.Prim], index: dict[Sdf.Path, int]) -> None:
        count = len(prims)
        cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
        self._anchor = np.full(count, -1, dtype=np.int64)
        inverse = np.empty((count, 4, 4))
        turn = np.empty((count, 4))
        self.scales = np.ones((count, 3))
        """Scale each prim needs in its parent, shape (movable bodies, 3)."""
        sheared = []
        for row, prim in enumerate(prims):
            _, scale = world_pose(prim, cache, allow_shear=True)
            resets = bool(cache.GetLocalTransformation(prim)[1])
            self.resets.append(resets)
            # Columns act on points here; USD stores the transpose.
            above = np.eye(4)
            parent = prim.GetParent()
            if not resets:
                above = np.array(cache.GetLocalToWorldTransform(parent)).T
                anchor = self._closest_body(parent, index, cache)
                if anchor is not None:
                    self._anchor[row] = index[anchor.GetPath()]
                    pose, _ = world_pose(anchor, cache, allow_shear=True)
                    above = _matrix(pose.inverse()) @ above
            frame, factor = decompose(above.T, str(parent.GetPath()), allow_shear=True)
            if np.ptp(factor) > 1e-6 * np.abs(factor).max():
                sheared.append(str(prim.GetPath()))
            inverse[row] = np.linalg.inv(above)
            turn[row] = quat_conjugate(frame.quat)
            self.scales[row] = scale / factor
        self._inverse, self._turn = inverse, turn
        if sheared:
            logger.warning(
                "%d bodies lie below a non-uniform scale, which no rotation passes unchanged, such "
                "as %s; their orientation on the stage is the closest possible.",
                len(sheared),
                sheared[0],
            )

    @staticmethod
    def _closest_body(
        prim: Usd.Prim, index: dict[Sdf.Path, int], cache: UsdGeom.XformCache
    ) -> Usd.Prim | None:
        while prim and not prim.IsPseudoRoot():
            if prim.GetPath() in index:
                return prim
            if cache.GetLocalTransformation(prim)[1]:
                return None
            prim = prim.GetParent()
        return None

    def local(self, poses_w: Array) -> tuple[Array, Array]:
        """Translations and orientations for the movable prims' transform operations.

        Args:
            poses_w: of all bodies in world [m, xyzw], shape (..., bodies, 7).

        Returns:
            Translation in the parent prim's frame [stage units], shape (..., movable, 3), and
            orientation, xyzw, shape (..., movable, 4).
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


def _matrix(pose: Any) -> Array:
    result = np.eye(4)
    result[:3, :3] = np.stack([quat_apply(pose.quat, axis) for axis in np.eye(3)], axis=1)
    result[:3, 3] = pose.pos
    return result
