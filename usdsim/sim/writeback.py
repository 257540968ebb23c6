"""Writing simulated poses back to the stage."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Sdf, Usd

from usdsim.parser.description import SceneDescription
from usdsim.usd.xforms import transform_specs

from .body_frames import BodyFrames, as_poses

__all__ = ["PoseWriter", "write_poses"]


class PoseWriter:
    """Moves body prims to simulated poses, again and again.

    Args:
        stage: the stage; values go to its edit target.
        scene: what was simulated.

    Raises:
        StageError: a body has no prim on the stage.
    """

    def __init__(self, stage: Usd.Stage, scene: SceneDescription):
        self._frames = BodyFrames(stage, scene)
        target = stage.GetEditTarget()
        with Sdf.ChangeBlock():
            self._specs = [
                transform_specs(
                    target.GetLayer(), target.MapToSpecPath(path), Gf.Vec3d(*scale), resets
                )
                for path, scale, resets in zip(
                    self._frames.paths,
                    self._frames.scales.tolist(),
                    self._frames.resets,
                    strict=True,
                )
            ]

    def write(self, poses_w: Any) -> None:
        """Move all bodies.

        Args:
            poses_w: in world [m, xyzw], shape (bodies, 7).
        """
        poses = as_poses(poses_w, self._frames.num_bodies)
        translations, quats = self._frames.local(poses)
        with Sdf.ChangeBlock():
            for (translate, orient), pos, (x, y, z, w) in zip(
                self._specs, translations.tolist(), quats.tolist(), strict=True
            ):
                translate.default = Gf.Vec3d(*pos)
                orient.default = Gf.Quatd(w, x, y, z)


def write_poses(stage: Usd.Stage, scene: SceneDescription, poses_w: Any) -> None:
    """Move all body prims to simulated poses, once; see `PoseWriter`."""
    PoseWriter(stage, scene).write(poses_w)
