"""Body transforms: simulated poses as transforms of prims."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdGeom

from usdsim.core.arguments import on_host
from usdsim.core.errors import ShapeError
from usdsim.parser.description import SceneDescription
from usdsim.usd.prims import get_prim, instances_above
from usdsim.usd.xforms import world_pose

from .body_parents import Parents
from .copied_bodies import CopiedBodies, find_copied_bodies, group_copies

__all__ = ["BodyFrames", "as_poses"]

Array = NDArray[np.float64]


def as_poses(values: Any, bodies: int) -> Array:
    """Poses of all bodies from a NumPy, Warp or torch array or a sequence, shape (bodies, 7)."""
    poses = np.asarray(on_host(values), dtype=np.float64)
    if poses.shape != (bodies, 7):
        raise ShapeError("body poses", poses.shape, f"({bodies}, 7): position and xyzw quaternion")
    return poses


class BodyFrames:
    """Frames of the bodies' prims on their stage, as numbers.

    A body prim may lie below other bodies, plain transforms and scales, in any unit and up axis.
    Bodies that a point instancer copies have no prims: see `copies`.

    Args:
        stage: the stage with the bodies' prims.
        scene: what was simulated.

    Raises:
        StageError: a body has no prim on the stage.
    """

    def __init__(self, stage: Usd.Stage, scene: SceneDescription):
        self.num_bodies = len(scene.bodies)
        copied = find_copied_bodies(stage, scene)
        prims = {
            i: get_prim(stage, body.path) for i, body in enumerate(scene.bodies) if i not in copied
        }
        index = {prim.GetPath(): i for i, prim in prims.items()}
        cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
        self.paths: list[Sdf.Path] = [prim.GetPath() for prim in prims.values()]
        """Prims of the bodies that no instancer copies."""
        self.resets = [bool(cache.GetLocalTransformation(p)[1]) for p in prims.values()]
        """Whether a prim ignores the transforms above it."""
        parents = [
            None if resets else prim.GetParent()
            for prim, resets in zip(prims.values(), self.resets, strict=True)
        ]
        self._parents = Parents(scene, [*prims], parents, index, cache)
        scales = [world_pose(prim, cache, allow_shear=True)[1] for prim in prims.values()]
        self.scales = np.array(scales).reshape(-1, 3) / self._parents.factors
        """Scale each prim needs in its parent, shape (paths, 3)."""
        self.copies = tuple(
            CopiedBodies(group, Parents(scene, group.ids, group.parents, index, cache))
            for group in group_copies(stage, scene, copied)
        )
        """Bodies that point instancers copy, by instancer."""
        around = (copies.instances for copies in self.copies)
        self.instances = sum(around, instances_above(prims.values()))
        """Instances that bodies lie in, whose content they share: see `unshare`."""

    def lengths(self, length: float) -> Array:
        """A length in world [m] along the translations of `local`, shape (paths,)."""
        largest = np.abs(self._parents.factors).max(axis=1)
        return self._parents.stage_units(length) / np.maximum(largest, 1e-300)

    def local(self, poses_w: Array) -> tuple[Array, Array]:
        """Translations and orientations for the transform operations of the prims at `paths`.

        Args:
            poses_w: of all bodies in world [m, xyzw], shape (..., bodies, 7).

        Returns:
            Translation in the parent prim's frame [stage units], shape (..., paths, 3), and
            orientation, xyzw, shape (..., paths, 4).
        """
        return self._parents.local(poses_w)
