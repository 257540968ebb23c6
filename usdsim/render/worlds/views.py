"""Views into the worlds of an engine: images of many cameras at once."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
import warp as wp
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from usdsim.core.errors import InvalidValueError
from usdsim.engine.base import DeviceEngine, Engine
from usdsim.math.rotations import quat_from_matrix, quat_from_wxyz, quat_to_matrix
from usdsim.render.drawable import DrawableScene
from usdsim.render.raycast.images import Images
from usdsim.render.raycast.kernels import pack_frames
from usdsim.render.raycast.tracer import Tracer

from .looks import world_looks

__all__ = ["MOST_PIXELS", "WorldViews", "engine_bodies"]

logger = logging.getLogger(__name__)

MOST_PIXELS = 2**28
"""Pixels of all views together, at most: some 10 GB with all images."""


class WorldViews:
    """Cameras that see what the stage shows, where the worlds of an engine have it.

    Args:
        stage: the stage.
        engine: the worlds.
        size: width and height of every view [pixels].
        worlds: the world of each view, shape (N,).
        env_paths: prim paths of the environments; empty if the stage has none.
        colours: whether `render` will be asked for colours.

    Raises:
        InvalidValueError: there are more pixels than `MOST_PIXELS`.

    Attributes:
        scene: what is seen.
        tracer: who sees it; aim its views before `render`.
        images: what was seen.
        looks: colours, textures and light of single worlds.
    """

    def __init__(
        self,
        stage: Usd.Stage,
        engine: Engine,
        size: tuple[int, int],
        worlds: Sequence[int] | NDArray[np.intp],
        *,
        env_paths: Sequence[str] = (),
        colours: bool = True,
    ):
        pixels = size[0] * size[1] * len(worlds)
        if pixels > MOST_PIXELS:
            raise InvalidValueError(
                "pixels of all cameras",
                pixels,
                f"up to {MOST_PIXELS}",
                "Choose smaller images or fewer environments.",
            )
        self._engine = engine
        self.scene = scene = DrawableScene(stage, env_paths[1:], floor=False)
        bodies = engine_bodies(scene, engine)
        moving = scene.parts.frame > 0
        frame = np.where(moving, bodies[scene.parts.frame], 0).astype(np.int32)
        self._still = engine.compiled.mj.nbody
        if env_paths:
            first = env_paths[0] + "/"
            own = np.array([path.startswith(first) for path in scene.parts.paths], np.bool_)
            frame[~moving & own] = self._still
        self.tracer = Tracer(
            scene.parts, engine.num_envs, size, worlds, colours=colours, device=engine.device
        )
        self.tracer.attach(frame)
        self.images = Images(self.tracer)
        self._frames = self._placed_environments(stage, env_paths)
        self._place_soft_parts()
        self._colours = colours
        self.looks, self._looks_seen = world_looks(stage, engine), 0

    def render(self, *, colours: bool | None = None, everything: bool = True) -> None:
        """Look, with `tracer` as it was aimed.

        Args:
            colours: whether colours are computed; None: if they were asked for.
            everything: whether more than depth is computed.
        """
        tracer, colours = self.tracer, self._colours if colours is None else colours
        self._follow()
        tracer.place(self._frames)
        if self.scene.soft_points() and self._engine.num_envs == 1:
            self._follow_soft_parts()
        if colours:
            self._follow_looks()
            tracer.light(*self._lit())
        tracer.trace(everything=everything or colours)
        if colours:
            tracer.paint()

    # -- inside --------------------------------------------------------------------------------

    def _follow(self) -> None:
        """Bring poses of bodies to the frames of parts."""
        engine, frames = self._engine, self._frames
        if isinstance(engine, DeviceEngine):
            engine.refresh("xpos")
            wp.launch(
                pack_frames,
                (frames.shape[0], self._still),
                inputs=[engine.device_array("xpos"), engine.device_array("xquat")],
                outputs=[frames],
                device=engine.device,
            )
            return
        table = frames.numpy()
        table[:, : self._still, :3] = engine.read("xpos")
        table[:, : self._still, 3:] = quat_from_wxyz(engine.read("xquat"))

    def _follow_looks(self) -> None:
        """Bring looks of single worlds to the tracer, where some have changed."""
        if self._looks_seen != self.looks.version:
            self.looks.apply(self.tracer)
            self._looks_seen = self.looks.version

    def _placed_environments(self, stage: Usd.Stage, paths: Sequence[str]) -> wp.array:
        """Frames of all bodies, and behind them how each environment lies to the first one."""
        count = self._engine.num_envs
        frames = np.zeros((count, self._still + 1, 7), np.float32)
        frames[..., 6] = 1.0
        if paths:
            description = self.scene.description
            unit, up = description.meters_per_unit, description.world_from_stage
            cache = UsdGeom.XformCache()
            first = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(paths[0])).GetInverse()
            to_world = np.eye(4)
            to_world[:3, :3] = quat_to_matrix(up.quat)
            for world, path in enumerate(paths):
                own = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path))
                change = np.array(first * own).T
                change[:3, 3] *= unit
                change = to_world @ change @ to_world.T
                frames[world, -1, :3] = change[:3, 3]
                frames[world, -1, 3:] = quat_from_matrix(change[:3, :3])
        return wp.array(frames, dtype=wp.transformf, device=self._engine.device)

    def _place_soft_parts(self) -> None:
        if self.scene.soft_points() and self._engine.num_envs > 1:
            logger.warning(
                "Cameras of several worlds do not see deformable bodies, which have a shape of "
                "their own in each world."
            )

    def _follow_soft_parts(self) -> None:
        points = self._engine.read("flexvert_xpos")[0]
        self.scene.data.flexvert_xpos[:] = points[: len(self.scene.data.flexvert_xpos)]
        for mesh, moved in self.scene.soft_points():
            self.tracer.deform(mesh, moved)

    def _lit(self) -> tuple[NDArray[np.float64], float]:
        """Middle and radius of what the sun lights in each world [m]."""
        model, scene = self._engine.compiled.mj, self.scene
        points = scene.points
        radius = max(float(np.linalg.norm(np.ptp(points, axis=0))), 1e-3)
        moving = np.flatnonzero(model.body_weldid > 0)
        if not len(moving):
            return (points.min(axis=0) + points.max(axis=0)) / 2.0, radius
        at = np.asarray(self._engine.read("xpos"))[:, moving]
        low, high = at.min(axis=1), at.max(axis=1)
        spread = float(np.linalg.norm(high - low, axis=1).max())
        return (low + high) / 2.0, max(radius, spread)


def engine_bodies(scene: DrawableScene, engine: Engine) -> NDArray[np.int32]:
    """Bodies of an engine that are those of the drawable scene, by their index there."""
    found = np.zeros(scene.model.nbody, np.int32)
    names = engine.compiled.names
    for path, index in scene.bodies.items():
        own = names.find("body", path)
        found[index] = 0 if own is None else own
    return found
