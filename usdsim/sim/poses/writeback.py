"""Writing simulated poses back to the stage."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd

from usdsim.core.errors import InvalidValueError
from usdsim.parser.description import SceneDescription
from usdsim.usd.prims import unshare
from usdsim.usd.xforms import transform_specs

from .body_frames import BodyFrames, as_poses
from .soft_meshes import SoftMeshes

__all__ = ["PoseWriter", "write_poses"]


class PoseWriter:
    """Moves body prims to simulated poses, again and again, and copies of point instancers.

    The points of deformable bodies' meshes are moved too.

    Args:
        stage: the stage; values go to the edit target it has now.
        scene: what was simulated.

    Raises:
        StageError: a body has no prim on the stage.
    """

    def __init__(self, stage: Usd.Stage, scene: SceneDescription):
        self._frames = BodyFrames(stage, scene)
        self._soft = SoftMeshes(stage, scene)
        self._target = stage.GetEditTarget()
        self._authored = False

    def _author(self) -> None:
        """Make room for what is written: the first time only, and once values are known."""
        layer, to_path = self._target.GetLayer(), self._target.MapToSpecPath
        unshare(layer, map(to_path, self._frames.instances + self._soft.instances))
        frames = zip(
            self._frames.paths, self._frames.scales.tolist(), self._frames.resets, strict=True
        )
        self._specs = [
            transform_specs(layer, to_path(path), Gf.Vec3d(*scale), resets)
            for path, scale, resets in frames
        ]
        self._copies = [copies.specs(layer, to_path(copies.path)) for copies in self._frames.copies]
        self._meshes = [
            self._soft.specs(layer, to_path(path), mesh)
            for mesh, path in enumerate(self._soft.paths)
        ]
        self._authored = True

    def write(self, poses_w: Any, points_w: Any = ()) -> None:
        """Move all bodies.

        Args:
            poses_w: in world [m, xyzw], shape (bodies, 7).
            points_w: for each deformable body its vertices in world [m], shape (vertices, 3).

        Raises:
            ShapeError: there is not one pose per body, or one point per vertex.
            InvalidValueError: something is not finite.
        """
        poses = as_poses(poses_w, self._frames.num_bodies)
        if not np.isfinite(poses).all():
            raise InvalidValueError("body poses", "NaN or infinity", "finite numbers")
        meshes = self._soft.values(self._soft.checked(points_w), poses)
        translations, quats = self._frames.local(poses)
        with Sdf.ChangeBlock():
            if not self._authored:
                self._author()
            for (translate, orient), pos, (x, y, z, w) in zip(
                self._specs, translations.tolist(), quats.tolist(), strict=True
            ):
                translate.default = Gf.Vec3d(*pos)
                orient.default = Gf.Quatd(w, x, y, z)
            for copies, specs in zip(self._frames.copies, self._copies, strict=True):
                values = copies.values(*copies.arrays(poses))
                for name, spec in specs.items():
                    spec.default = values[name]
            for specs, values in zip(self._meshes, meshes, strict=True):
                for name, spec in specs.items():
                    spec.default = values[name]


def write_poses(
    stage: Usd.Stage, scene: SceneDescription, poses_w: Any, points_w: Any = ()
) -> None:
    """Move all body prims to simulated poses, once; see `PoseWriter`."""
    PoseWriter(stage, scene).write(poses_w, points_w)
