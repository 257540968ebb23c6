"""Views into the worlds of an engine: images of many cameras at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import warp as wp
from numpy.typing import NDArray
from pxr import Usd

from usdsim.core.errors import InvalidValueError
from usdsim.engine.base import Engine
from usdsim.math.rotations import quat_from_wxyz
from usdsim.render.framing import box_sphere
from usdsim.render.raycast.images import Images
from usdsim.render.raycast.kernels import pack_frames
from usdsim.render.raycast.tracer import Tracer

from .authored import authored_looks
from .looks import world_looks
from .sizes import WorldSizes
from .visible import visible_worlds

__all__ = ["MOST_PIXELS", "WorldViews"]

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
        parts: all that is seen.
        prims: where these are authored, each in an environment that shows it.
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
        self._seen = seen = visible_worlds(stage, engine, env_paths)
        self.parts, self.prims = seen.parts, seen.prims
        self.tracer = Tracer(
            seen.parts, engine.num_envs, size, worlds, colours=colours, device=engine.device
        )
        self.tracer.attach(seen.frame)
        self.images = Images(self.tracer)
        self._frames = self._placed_environments()
        self._sizes = WorldSizes(seen.parts, seen.parts.paths, engine)
        self._colours = colours
        self._authored = authored_looks(stage, engine, env_paths)
        # Looks that are authored apart count as a change of those that all worlds share.
        self.looks, self._looks_seen = world_looks(stage, engine), -1 if len(seen.rgba) > 1 else 0

    def render(self, *, colours: bool | None = None, everything: bool = True) -> None:
        """Look, with `tracer` as it was aimed.

        Args:
            colours: whether colours are computed; None: if they were asked for.
            everything: whether more than depth is computed.
        """
        tracer, colours = self.tracer, self._colours if colours is None else colours
        self._follow()
        tracer.place(self._frames)
        if self._sizes.changed():
            tracer.resize(self._sizes.sizes)
        self._follow_soft_parts()
        self._follow_looks()
        if colours:
            tracer.light(*self._lit())
        tracer.trace(everything=everything or colours)
        if colours:
            tracer.paint()

    # -- inside --------------------------------------------------------------------------------

    def _follow(self) -> None:
        """Update the frames of parts from the poses of bodies."""
        engine, frames = self._engine, self._frames
        if (remote := engine.on_device) is not None:
            remote.refresh("xpos")
            wp.launch(
                pack_frames,
                (frames.shape[0], frames.shape[1] - 1),
                inputs=[remote.device_array("xpos"), remote.device_array("xquat")],
                outputs=[frames],
                device=engine.device,
            )
            return
        table = frames.numpy()
        table[:, :-1, :3] = engine.read("xpos")
        table[:, :-1, 3:] = quat_from_wxyz(engine.read("xquat"))

    def _follow_looks(self) -> None:
        """Update the tracer's looks of single worlds, where some have changed."""
        self._authored.follow(self._seen)
        if self._looks_seen != self.looks.version:
            self.looks.apply(self.tracer, self._seen)
            self._looks_seen = self.looks.version

    def _placed_environments(self) -> wp.array:
        """Frames of all bodies, and behind them how each environment lies to the first one."""
        count, still = self._engine.num_envs, self._engine.compiled.mj.nbody
        frames = np.zeros((count, still + 1, 7), np.float32)
        frames[..., 6] = 1.0
        frames[:, -1] = self._seen.places
        return wp.array(frames, dtype=wp.transformf, device=self._engine.device)

    def _follow_soft_parts(self) -> None:
        """Update the tracer's vertices of soft bodies, and ends of cables and tendons."""
        engine, seen = self._engine, self._seen
        if seen.surfaces:
            if (remote := engine.on_device) is not None:
                remote.refresh("flexvert_xpos")
                vertices = remote.device_array("flexvert_xpos")
            else:
                points = np.asarray(engine.read("flexvert_xpos"), np.float32)
                vertices = wp.array(points, dtype=wp.vec3f, device=engine.device)
            for mesh, first in seen.surfaces.items():
                self.tracer.deform(mesh, vertices, first)
        if len(seen.capsules.parts):
            ends = seen.capsules.ends(engine.read)
            self.tracer.stretch(seen.capsules.parts, ends, seen.capsules.radii)

    def _lit(self) -> tuple[NDArray[np.float64], float]:
        """Middle and radius of what the sun lights in each world [m]."""
        model, points = self._engine.compiled.mj, self._seen.scene.points
        radius = max(float(np.linalg.norm(np.ptp(points, axis=0))), 1e-3)
        moving = np.flatnonzero(model.body_weldid > 0)
        if not len(moving):
            return box_sphere(points)[0], radius
        at = np.asarray(self._engine.read("xpos"))[:, moving]
        low, high = at.min(axis=1), at.max(axis=1)
        spread = float(np.linalg.norm(high - low, axis=1).max())
        return (low + high) / 2.0, max(radius, spread)
