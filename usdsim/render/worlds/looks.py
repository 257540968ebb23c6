"""Looks of single worlds: colours, textures and light that differ from what the stage says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pxr import Usd

from usdsim.core.arguments import table
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine.base import Engine
from usdsim.engine.indices import checked_ids
from usdsim.parser.element import is_below, path_of_prim
from usdsim.render.parts import Parts
from usdsim.render.png import read_image
from usdsim.render.raycast.tracer import SUNLIGHT, Tracer

from .visible import VisibleWorlds

__all__ = ["Texture", "WorldLooks", "world_looks"]

Array = NDArray[np.float64]
Texture = str | Path | NDArray[np.uint8]
"""A picture file, or red, green and blue, top row first, uint8, shape (height, width, 3)."""

T = TypeVar("T", np.float64, np.int32)

_looks: WeakKeyDictionary[Engine, WorldLooks] = WeakKeyDictionary()


def world_looks(stage: Usd.Stage, engine: Engine) -> WorldLooks:
    """Looks of the worlds of an engine, which all cameras, pictures and viewers show.

    Args:
        stage: the stage that is simulated.
        engine: the worlds, such as ``sim.engine`` or ``data.engine``.
    """
    if engine not in _looks:
        _looks[engine] = WorldLooks(stage, engine.num_envs)
    return _looks[engine]


class WorldLooks:
    """Colours, textures and light of single worlds.

    Prims are named by their path in the first environment, or outside of all. What is said of one
    counts for all below it, until something else is said of them. Cameras, pictures, films, viewers
    and pages show these looks; the stage stays as it is, and so do recordings.

    Args:
        stage: the stage.
        num_worlds: number of worlds.

    Attributes:
        version: increases with every change; 0: worlds look as the stage says.
    """

    def __init__(self, stage: Usd.Stage, num_worlds: int):
        self._stage, self._count = stage, num_worlds
        self.version = 0
        self._colours: dict[str, Array] = {}
        self._textures: dict[str, NDArray[np.int32]] = {}
        self._images: list[NDArray[np.uint8]] = []
        self._known: dict[str | int, int] = {}
        self._light: dict[str, Array] = {}

    def set_colours(self, path: str, rgba: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set the colour of what a prim shows, which multiplies that of its texture.

        Args:
            path: of the prim.
            rgba: one colour from 0 to 1, shape (4,), or one for each world, shape (n, 4).
            worlds: which; None: all.

        Raises:
            InvalidValueError: there is no such prim or world, or a number is below 0 or not finite.
            ShapeError: there is not one colour, or one per world.
        """
        self._require_prim(path)
        self.paint(path, rgba, worlds)

    def paint(self, name: str, rgba: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set the colour of what environments show under a name; see `set_colours`.

        Args:
            name: path that a prim has, or would have, in the first environment.
            rgba: one colour, or one for each world.
            worlds: which; None: all.
        """
        rows = self._rows(worlds)
        values = _for_each("rgba", rgba, len(rows), 4)
        kept = self._table(self._colours, name, rows, np.full((self._count, 4), np.nan))
        kept[rows] = values
        self.version += 1

    def set_textures(
        self,
        path: str,
        textures: Sequence[Texture],
        choice: ArrayLike,
        worlds: ArrayLike | None = None,
    ) -> None:
        """Set the texture of what a prim shows, once over each part.

        A texture is kept from its first use on: the same file, or array, takes no more room.

        Args:
            path: of the prim.
            textures: pictures to choose from.
            choice: index of the picture for each world, -1: that of the stage, shape () or (n,).
            worlds: which; None: all.

        Raises:
            InvalidValueError: there is no such prim, world or picture.
            ShapeError: a picture has another shape, or there is not one choice per world.
            FileError: a file cannot be read.
        """
        self._require_prim(path)
        rows = self._rows(worlds)
        index = table("choice", choice, (), (len(rows),)).astype(np.int64)
        if (index != choice).any() or ((index < -1) | (index >= len(textures))).any():
            raise InvalidValueError("choice", index.tolist(), f"-1 to {len(textures) - 1}")
        chosen = np.array([*(self._image(texture) for texture in textures), -1], np.int32)[index]
        kept = self._table(self._textures, path, rows, np.full(self._count, -1, np.int32))
        kept[rows] = chosen
        self.version += 1

    def set_light(
        self,
        *,
        direction: ArrayLike | None = None,
        sun: ArrayLike | None = None,
        ambient: ArrayLike | None = None,
        brightness: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
    ) -> None:
        """Set the light, as far as it is given; each of shape (3,), or (n, 3) for each world.

        Args:
            direction: towards the sun, of any length.
            sun: red, green and blue of the sun; 0.58 unless told otherwise.
            ambient: red, green and blue of the light from everywhere; 0.44 unless told otherwise.
            brightness: factors of all light.
            worlds: which; None: all.

        Raises:
            InvalidValueError: there is no such world, a direction is zero, a colour below 0, or a
                number not finite.
            ShapeError: there is not one row, or one per world.
        """
        rows, given = self._rows(worlds), {}
        for name, key, value in (("direction", "sun", direction), ("sun", "sun_colour", sun),
                                 ("ambient", "ambient", ambient),
                                 ("brightness", "brightness", brightness)):  # fmt: skip
            if value is not None:
                lowest = -np.inf if key == "sun" else 0.0
                given[key] = _for_each(name, value, len(rows), 3, lowest)
        if "sun" in given:
            length = np.linalg.norm(given["sun"], axis=-1, keepdims=True)
            if not length.all():
                raise InvalidValueError("direction", direction, "a vector that is not zero")
            given["sun"] = given["sun"] / length
        for key, values in given.items():
            usual = np.tile(np.array(SUNLIGHT[key]), (self._count, 1))
            self._light.setdefault(key, usual)[rows] = values
        self.version += 1

    def colours(self, seen: VisibleWorlds) -> Array:
        """Colours of parts in all worlds, fully transparent where one has none, (1 or W, S, 4)."""
        if not self._colours:
            return seen.rgba
        hidden = seen.rgba[..., 3] == 0.0
        rgba = np.broadcast_to(seen.rgba, (self._count, *seen.rgba.shape[1:])).copy()
        for below, colours in _below(seen.parts.paths, self._colours):
            worlds = np.flatnonzero(np.isfinite(colours[:, 0]))
            rgba[np.ix_(worlds, below)] = colours[worlds, None]
        rgba[np.broadcast_to(hidden, rgba.shape[:2])] = 0.0
        return rgba

    def materials(
        self, seen: VisibleWorlds
    ) -> tuple[Sequence[NDArray[np.uint8]], NDArray[np.int32]]:
        """Pictures besides those of the parts, and materials of parts, shape (1 or W, S).

        The materials of the pictures come after those of the parts' textures.
        """
        if not self._textures:
            return (), seen.material
        material = np.broadcast_to(seen.material, (self._count, len(seen.parts.paths))).copy()
        for below, images in _below(seen.parts.paths, self._textures):
            worlds = np.flatnonzero(images >= 0)
            first = len(seen.parts.textures.image)
            material[np.ix_(worlds, below)] = first + images[worlds, None]
        return self._images, material

    def flat_colours(self, seen: VisibleWorlds) -> Array:
        """Colours in all worlds with the mean of the textures, shape (1 or W, S, 4)."""
        images, material = self.materials(seen)
        textures = seen.parts.textures.with_images(images) if images else seen.parts.textures
        return replace(seen.parts, textures=textures).flattened(self.colours(seen), material)

    def dressed(self, parts: Parts, names: Sequence[str], worlds: NDArray[np.intp]) -> Parts:
        """Parts of a picture as they look in the worlds that it shows.

        Args:
            parts: as the stage says.
            names: of the parts in the first environment.
            worlds: of each part, shape (S,).
        """
        rgba, material = parts.rgba.copy(), parts.material.copy()
        for below, colours in _below(names, self._colours):
            said = np.isfinite(colours[worlds[below], 0])
            rgba[below[said]] = colours[worlds[below[said]]]
        for below, images in _below(names, self._textures):
            said = images[worlds[below]] >= 0
            material[below[said]] = len(parts.textures.image) + images[worlds[below[said]]]
        textures = parts.textures.with_images(self._images) if self._images else parts.textures
        return replace(parts, rgba=rgba, material=material, textures=textures)

    @property
    def light(self) -> Mapping[str, Array]:
        """Light that was set, by the names of `SUNLIGHT`, shape (W, 3) each."""
        return self._light

    def apply(self, tracer: Tracer, seen: VisibleWorlds) -> None:
        """Apply these looks to a tracer; colours and light only if it has them."""
        tracer.colour_parts(self.colours(seen))
        if tracer.has_colours:
            images, material = self.materials(seen)
            if len(images) or len(material) > 1:
                tracer.texture_parts(images, material)
            tracer.illuminate(**self._light)

    # -- inside --------------------------------------------------------------------------------

    def _rows(self, worlds: ArrayLike | None) -> NDArray[np.intp]:
        if worlds is None:
            return np.arange(self._count)
        return checked_ids("worlds", worlds, self._count)

    def _table(
        self, tables: dict[str, NDArray[T]], path: str, rows: NDArray[np.intp], empty: NDArray[T]
    ) -> NDArray[T]:
        """The table of a path, with what was said of these worlds below it taken back."""
        for other, kept in tables.items():
            if is_below(other, path):
                kept[rows] = empty[0]
        return tables.setdefault(path, empty)

    def _require_prim(self, path: str) -> None:
        if not path.startswith("/") or not self._stage.GetPrimAtPath(path_of_prim(path)):
            raise InvalidValueError("path", path, "a prim of the stage")

    def _image(self, texture: Texture) -> int:
        key = id(texture) if isinstance(texture, np.ndarray) else str(texture)
        if key not in self._known:
            image = texture if isinstance(texture, np.ndarray) else read_image(texture)
            if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or not image.size:
                raise ShapeError("texture", image.shape, "(height, width, 3), of uint8")
            self._known[key] = len(self._images)
            self._images.append(image)
        return self._known[key]


def _for_each(name: str, values: ArrayLike, count: int, columns: int, lowest: float = 0.0) -> Array:
    """Rows of finite numbers for so many worlds, from one row or one for each."""
    found = table(name, values, (columns,), (1, columns), (count, columns))
    if (found < lowest).any():
        raise InvalidValueError(name, found.tolist(), f"numbers of at least {lowest:g}")
    return np.broadcast_to(found, (count, columns))


def _below(
    paths: Sequence[str], tables: Mapping[str, NDArray[T]]
) -> list[tuple[NDArray[np.intp], NDArray[T]]]:
    """Parts at and below each path, and what is said of it; what is deeper comes later."""
    return [
        (np.array([k for k, p in enumerate(paths) if is_below(p, path)], np.intp), tables[path])
        for path in sorted(tables, key=len)
    ]
