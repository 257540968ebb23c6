"""Ray caster: depth, normals, segmentation and colours of parts in many worlds at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.engine import device as devices
from usdsim.math.rotations import quat_from_matrix
from usdsim.render.parts import Parts

from .deforming import SoftMesh, stretch
from .intersections import CLOTH
from .kernels import TILE, cull, cull_sun, place, trace
from .launches import launch_rows
from .looks import upload_looks, upload_textures
from .scene import LENS_KINDS, Lenses, Lights, Looks, ShapeColumns, TracedScene
from .shading import paint, refine

__all__ = ["SUNLIGHT", "Tracer"]

_SUN_TILES = 32
"""Tiles in a row of the view from the sun."""
SUNLIGHT: dict[str, tuple[float, float, float]] = {
    "sun": (0.41874564, -0.29910403, 0.85743155),
    "sun_colour": (0.58, 0.58, 0.58),
    "ambient": (0.44, 0.44, 0.44),
    "brightness": (1.0, 1.0, 1.0),
}
"""Light unless told otherwise, by the names of `Lights`.

The sun is behind the left shoulder of who looks along `VIEW_DIRECTION`."""
_UNLIT = {
    "sun": (0.0, 0.0, 1.0),
    "sun_colour": (0.0, 0.0, 0.0),
    "ambient": (1.0, 1.0, 1.0),
    "brightness": (1.0, 1.0, 1.0),
}
_SEEN = {"shape": wp.int32, "normal": wp.vec3f, "_face": wp.int32, "_place": wp.vec2f}
"""Images besides depths that `trace` computes, and the types of their pixels."""
_ROUGH = 0.035
"""Difference of neighbouring pixels from which on more lines of sight are taken."""


class Tracer:
    """Casts lines of sight of views at parts where they are in worlds.

    Args:
        parts: what can be seen.
        worlds: number of worlds.
        size: width and height of every view [pixels].
        views: world of each view, shape (N,).
        colours: whether `paint` will be used.
        shadows: whether the sun casts shadows there.
        device: where kernels run and arrays live.
        threads: on the CPU, how many; 0: as many as `default_threads` says.

    Attributes:
        shapes: what can be seen, where it is now.
        lenses: of the views, and behind them of those from the sun.
        has_colours: whether `paint` can be used.
        depth: distances along lines of sight [m], inf: nothing, float32, shape (N, H, W).
        shape: parts that are seen, -1: none, int32, shape (N, H, W); after `trace` of all.
        scene: all that kernels read, as of the last image: an array of one `TracedScene`.
        normal: outward normals in world, vec3f, shape (N, H, W); likewise.
        colour: red, green, blue, cover, vec4f, shape (N, H, W); after `paint`.
    """

    def __init__(
        self,
        parts: Parts,
        worlds: int,
        size: tuple[int, int],
        views: Sequence[int] | NDArray[np.intp],
        *,
        colours: bool = True,
        shadows: bool = True,
        device: str = "cpu",
        threads: int = 0,
    ):
        devices.init()
        self.parts, self.device, self._threads = parts, device, threads
        self._worlds, (self._width, self._height) = worlds, size
        self._count = count = len(views)
        self._sun_views = worlds if colours and shadows else 0
        self.shapes = self._upload_shapes()
        self.lenses = self._allocate_lenses(np.asarray(views))
        self._across = -(-self._width // TILE)
        self._tiles = self._across * -(-self._height // TILE)
        words = -(-max(len(parts.kind), 1) // 32)
        tiles = max(self._tiles, _SUN_TILES**2 if self._sun_views else 0)
        total = count + self._sun_views
        self._masks = wp.zeros((total, tiles, words), dtype=wp.uint32, device=device)
        shape = (count, self._height, self._width)
        self.depth = wp.zeros(shape, dtype=wp.float32, device=device)
        self._size = shape
        self.shape = self.normal = self._face = self._place = None
        self.colour: Any = None
        self._corners: list[int] = []
        self._looks, self.lights = Looks(), Lights()
        self.has_colours = colours
        if colours:
            self._looks, self._corners = upload_looks(parts, worlds, device)
            self.lights = self._default_lights()
        self.scene = self._uploaded()

    # -- what is uploaded ----------------------------------------------------------------------

    def _array(self, values: ArrayLike, dtype: Any) -> wp.array:
        return wp.array(np.ascontiguousarray(values), dtype=dtype, device=self.device)

    def _upload_shapes(self) -> ShapeColumns:
        parts, device = self.parts, self.device
        self._meshes: dict[int, wp.Mesh] = {}
        self._soft: dict[int, SoftMesh] = {}
        kind, ids = parts.kind.copy(), np.zeros(len(parts.kind), np.uint64)
        for part in np.flatnonzero(parts.mesh >= 0).tolist():
            mesh = int(parts.mesh[part])
            if parts.meshes[mesh].two_sided:
                self._soft[mesh] = SoftMesh(parts.meshes[mesh], self._worlds, part, device)
                kind[part] = CLOTH
                continue
            if mesh not in self._meshes:
                self._meshes[mesh] = wp.Mesh(
                    points=self._array(parts.meshes[mesh].points, wp.vec3f),
                    indices=self._array(parts.meshes[mesh].faces.reshape(-1), wp.int32),
                )
            ids[part] = self._meshes[mesh].id
        shapes = ShapeColumns()
        shapes.kind, shapes.body = self._array(kind, wp.int32), self._array(parts.frame, wp.int32)
        shapes.mesh = self._array(ids, wp.uint64)
        shapes.size = self._array(parts.size[None].astype(np.float32), wp.vec3f)
        balls = parts.balls[None].repeat(self._worlds if self._soft else 1, axis=0)
        shapes.ball = self._array(balls.astype(np.float32), wp.vec4f)
        shapes.rgba = self._array(parts.rgba[None].astype(np.float32), wp.vec4f)
        where = (self._worlds, len(kind))
        shapes.pos = wp.zeros(where, dtype=wp.vec3f, device=device)
        shapes.rot = wp.zeros(where, dtype=wp.quatf, device=device)
        self._local = self._array(parts.local.astype(np.float32), wp.transformf)
        return shapes

    def _allocate_lenses(self, views: NDArray[np.intp]) -> Lenses:
        worlds = np.concatenate([views, np.arange(self._sun_views)]).astype(np.int32)
        total, lenses = len(worlds), Lenses()
        lenses.world = self._array(worlds, wp.int32)
        for name, dtype in (("pos", wp.vec3f), ("rot", wp.quatf), ("focal", wp.vec2f),
                            ("centre", wp.vec2f), ("kind", wp.int32), ("near", wp.float32),
                            ("far", wp.float32)):  # fmt: skip
            setattr(lenses, name, wp.zeros(total, dtype=dtype, device=self.device))
        return lenses

    def _lights(self, table: Mapping[str, Sequence[float]]) -> Lights:
        lights = Lights()
        for name, value in table.items():
            setattr(lights, name, self._array(np.array([value], np.float32), wp.vec3f))
        lights.shadows = -1
        return lights

    @cached_property
    def _unlit(self) -> Lights:
        """Light that shows surfaces in their own colours."""
        return self._lights(_UNLIT)

    def _default_lights(self) -> Lights:
        lights = self._lights(SUNLIGHT)
        self._sun = np.array([SUNLIGHT["sun"]])
        lights.fill_colour = wp.vec3f(0.16, 0.17, 0.19)
        lights.glint, lights.across = 0.25, _SUN_TILES
        lights.shadows = self._count if self._sun_views else -1
        lights.haze, lights.haze_from, lights.haze_to = wp.vec3f(0.93, 0.94, 0.95), 0.0, 0.0
        return lights

    @property
    def soft(self) -> Sequence[SoftMesh]:
        """Meshes that have another form in each world."""
        return [*self._soft.values()]

    @property
    def places(self) -> tuple[wp.array, wp.array]:
        """Faces of meshes that are seen, and where on them, after `trace` of all."""
        return self._face, self._place

    # -- where things are ----------------------------------------------------------------------

    def attach(self, frames: NDArray[np.int32]) -> None:
        """Fix parts to other frames than the bodies of the drawable scene, shape (S,)."""
        self.shapes.body = self._array(frames, wp.int32)

    def place(self, frames: wp.array) -> None:
        """Put parts where the frames they are fixed to are.

        Args:
            frames: poses in world [m, xyzw], transformf, shape (worlds, frames).
        """
        shapes = self.shapes
        wp.launch(
            place,
            (self._worlds, len(self.parts.kind)),
            inputs=[shapes.body, self._local, frames],
            outputs=[shapes.pos, shapes.rot],
            device=self.device,
        )

    def put(self, pos: ArrayLike, quat: ArrayLike) -> None:
        """Put parts at poses in world [m, xyzw], shape (worlds, S, 3) and (worlds, S, 4)."""
        self.shapes.pos.assign(np.ascontiguousarray(pos, np.float32))
        self.shapes.rot.assign(np.ascontiguousarray(quat, np.float32))

    def deform(self, mesh: int, vertices: wp.array, first: int = 0) -> None:
        """Move the vertices of a soft mesh.

        Args:
            mesh: its index.
            vertices: of all worlds, in the frame of its part [m], vec3f, shape (worlds, n or more).
            first: where those of this mesh begin.
        """
        soft = self._soft[mesh]
        soft.bend(vertices, first, self.shapes)
        if self._corners:
            soft.smooth(self._looks.corner_normal, self._corners[mesh])

    def stretch(self, parts: NDArray[np.intp], ends: ArrayLike, radii: ArrayLike) -> None:
        """Put capsules between points, which may be others in each world.

        Args:
            parts: their indices, shape (C,).
            ends: in world [m], shape (worlds, C, 2, 3).
            radii: half of their width [m], shape (C,).
        """
        shapes = self.shapes
        for name, dtype in (("size", wp.vec3f), ("ball", wp.vec4f)):
            known = getattr(shapes, name)
            if known.shape[0] < self._worlds:
                rows = known.numpy().repeat(self._worlds, axis=0)
                setattr(shapes, name, self._array(rows, dtype))
        points = self._array(np.asarray(ends, np.float32), wp.vec3f)
        which = self._array(np.asarray(parts, np.int32), wp.int32)
        stretch(shapes, which, points, self._array(np.asarray(radii, np.float32), wp.float32))

    def colour_parts(self, rgba: ArrayLike) -> None:
        """Set colours of all parts, shape (1 or worlds, S, 4)."""
        self.shapes.rgba = self._array(np.asarray(rgba, np.float32), wp.vec4f)

    def texture_parts(
        self, images: Sequence[NDArray[np.uint8]], material: NDArray[np.int32]
    ) -> None:
        """Set materials of all parts, which may be pictures besides those of the parts.

        Args:
            images: red, green and blue, shape (height, width, 3) each.
            material: those of the parts' textures, then one per image; -1: none, shape (1 or
                worlds, S).
        """
        upload_textures(self._looks, self.parts.textures.with_images(images), material, self.device)

    def illuminate(self, **light: NDArray[np.float64]) -> None:
        """Set rows of `SUNLIGHT`, by their names, shape (1 or worlds, 3)."""
        for name, rows in light.items():
            setattr(self.lights, name, self._array(rows.astype(np.float32), wp.vec3f))
        self._sun = light.get("sun", self._sun)

    def become(self, kind: NDArray[np.int32], rgba: ArrayLike) -> None:
        """Set types, shape (S,), and colours of the parts that are no meshes."""
        known = self.shapes.kind.numpy()
        self.shapes.kind.assign(np.where(self.parts.mesh >= 0, known, kind).astype(np.int32))
        self.parts = replace(self.parts, kind=kind)
        self.colour_parts(rgba)

    def resize(self, size: NDArray[np.float64]) -> None:
        """Set half extents or radii of all parts but meshes [m], shape (1 or worlds, S, 3)."""
        self.shapes.size = self._array(size.astype(np.float32), wp.vec3f)
        balls = np.stack([self.parts.balls_of(row) for row in size])
        self.shapes.ball = self._array(balls.astype(np.float32), wp.vec4f)

    def aim(
        self,
        pos: ArrayLike,
        quat: ArrayLike,
        focal: ArrayLike,
        centre: ArrayLike,
        kind: ArrayLike = 0,
        near: ArrayLike = 1e-3,
        far: ArrayLike = 1e6,
    ) -> None:
        """Set poses and lenses of views; rows broadcast over the views.

        Args:
            pos: in world [m], shape (N, 3).
            quat: xyzw, looking along -z with +y up, shape (N, 4).
            focal: focal lengths [pixels], of orthographic views [pixels/m], shape (N, 2).
            centre: column and row of the optical axis [pixels], shape (N, 2).
            kind: numbers of `LENS_KINDS`.
            near: depth below which nothing is seen [m].
            far: depth beyond which nothing is seen [m].
        """
        self._set_lenses(
            slice(self._count),
            pos=pos, rot=quat, focal=focal, centre=centre, kind=kind, near=near, far=far,
        )  # fmt: skip

    def light(self, centre: ArrayLike, radius: float) -> None:
        """Set the sun of each world, which shines on a ball.

        Args:
            centre: of what casts and catches shadows, in world [m], shape (3,) or (worlds, 3).
            radius: of the ball [m].
        """
        if not self._sun_views:
            return
        edge, sun = _SUN_TILES * TILE, self._sun
        up = np.where(np.abs(sun[:, 1:2]) < 0.9, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
        right = np.cross(up, sun)
        right /= np.linalg.norm(right, axis=1, keepdims=True)
        turn = quat_from_matrix(np.stack([right, np.cross(sun, right), sun], axis=2))
        self._set_lenses(
            slice(self._count, None),
            pos=np.asarray(centre) + 4.0 * radius * sun,
            rot=turn,
            focal=(edge / (2.0 * radius),) * 2,
            centre=(edge / 2.0,) * 2,
            kind=LENS_KINDS["orthographic"],
            near=0.0,
            far=1e6,
        )

    def _set_lenses(self, views: slice, **values: ArrayLike) -> None:
        """Set columns of `Lenses` for some views, by their names."""
        for name, rows in values.items():
            devices.assign_rows(getattr(self.lenses, name), views, rows)

    # -- what is seen --------------------------------------------------------------------------

    def trace(self, *, everything: bool = True) -> None:
        """Compute `depth`, and unless told otherwise all else but colours."""
        if everything and self.shape is None:
            self._allocate()
        self.scene = self._uploaded()
        self._launch(cull, self._count, self._tiles, (self._across, self._masks))
        outputs = [
            getattr(self, name)
            if everything
            else wp.empty((0, 0, 0), dtype=dtype, device=self.device)
            for name, dtype in _SEEN.items()
        ]
        rows = self._count * self._height
        sizes = (self._height, self._across, int(everything))
        self._launch(trace, rows, self._width, (*sizes, self.depth, *outputs))

    def paint(self, *, samples: int = 1, unlit: bool = False) -> None:
        """Compute `colour`, after `trace` of everything.

        Args:
            samples: lines of sight along each edge of pixels that differ from their neighbours.
            unlit: whether surfaces are seen in their own colours, without light and shadows.
        """
        if self.colour is None:
            self.colour = wp.zeros(self._size, dtype=wp.vec4f, device=self.device)
        scene = self._uploaded(self._unlit) if unlit else self.scene
        if self._sun_views and not unlit:
            self._launch(cull_sun, self._sun_views, self._masks.shape[2], (self._masks,))
        rows, sizes = self._count * self._height, (self._height, self._across)
        seen = (self.depth, self.shape, self.normal, self._face, self._place, self.colour)
        self._launch(paint, rows, self._width, (*sizes, *seen), scene)
        if samples > 1:
            rough = self.colour
            self.colour = wp.empty_like(rough)
            more = (samples, _ROUGH, rough, self.colour)
            self._launch(refine, rows, self._width, (*sizes, *more), scene)

    def _launch(
        self, kernel: Any, rows: int, columns: int, after: Sequence[Any], scene: Any = None
    ) -> None:
        scene = self.scene if scene is None else scene
        launch_rows(kernel, rows, columns, scene, after, self.device, self._threads)

    def _uploaded(self, lights: Lights | None = None) -> wp.array:
        scene = TracedScene()
        scene.shapes, scene.lenses, scene.masks = self.shapes, self.lenses, self._masks
        scene.looks, scene.lights = self._looks, lights or self.lights
        return wp.array([scene], dtype=TracedScene, device=self.device)

    def _allocate(self) -> None:
        for name, dtype in _SEEN.items():
            setattr(self, name, wp.zeros(self._size, dtype=dtype, device=self.device))
