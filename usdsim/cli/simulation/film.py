"""Films and pictures of watched worlds."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from usdsim.cli.arguments import GUIDE_NAMES, guide_names, positive_int

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from usdsim.scene import SceneData, SceneModel

__all__ = [
    "FILM_FPS",
    "WorldFilm",
    "WorldPictures",
    "add_film_arguments",
    "require_cameras",
    "take_picture",
]

FILM_FPS = 25.0
"""Pictures per second."""
_SIZE = (960, 720)
"""Size of a picture alone [pixels]."""
_TILE = (480, 360)
"""Size of a picture beside others [pixels]."""


def add_film_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what films and pictures of all commands have."""
    parser.add_argument(
        "--camera", action="append", default=[], metavar="NAME",
        help="of the stage, for film and picture; several: side by side; default: one that follows",
    )  # fmt: skip
    parser.add_argument(
        "--guides", type=guide_names, default=(), metavar="LIST",
        help=f"marks that are drawn: {','.join(GUIDE_NAMES)}",
    )  # fmt: skip
    parser.add_argument(
        "--tiles",
        type=positive_int,
        default=1,
        metavar="N",
        help="worlds in film and picture, as a grid",
    )  # fmt: skip


class WorldPictures:
    """Pictures from cameras that go along with what moves, side by side and worlds below another.

    Args:
        source: a model, or a recording.
        data: worlds of the model.
        worlds: indices of those to show.
        cameras: names of cameras on the stage; none: one that follows.
        size: width and height of each picture [pixels].
        guides: marks that are drawn.
    """

    def __init__(
        self,
        source: Any,
        data: Any = None,
        worlds: Sequence[int] = (0,),
        *,
        cameras: Sequence[str] = (),
        size: tuple[int, int] = _TILE,
        guides: Sequence[str] = (),
    ):
        from usdsim.render import Renderer

        self._worlds, self._cameras = tuple(worlds), tuple(cameras)
        self._renderer = Renderer(source, data, world=worlds[0], size=size, guides=guides)
        self._pose = self._renderer.frame()
        self._middle = self._renderer.middle
        for camera in cameras:
            self._renderer.view(camera)

    def close(self) -> None:
        """Free what drawing holds."""
        self._renderer.close()

    def take(self) -> NDArray[np.uint8]:
        """All worlds from all cameras now, uint8, shape (height, width, 3)."""
        from usdsim.render import tile_images

        images = []
        for world in self._worlds:
            if len(self._worlds) > 1:
                self._renderer.show(world)
            for camera in self._cameras or (None,):
                pose = self._pose.copy()
                pose[:3] += self._renderer.middle - self._middle
                images.append(self._renderer.render(pose if camera is None else camera))
        return tile_images(images, len(self._cameras) if len(self._cameras) > 1 else None)


class WorldFilm:
    """A film of worlds.

    Args:
        path: the MP4 to write.
        source: a model, or a recording.
        data: worlds of the model.
        worlds: indices of those to show.
        until: time after which no more pictures are taken [s].
        fps: pictures per second.
        **shown: cameras, size and guides of `WorldPictures`.

    Raises:
        UnsupportedError: there is no encoder.
    """

    def __init__(
        self,
        path: Path,
        source: Any,
        data: Any = None,
        worlds: Sequence[int] = (0,),
        *,
        until: float = math.inf,
        fps: float = FILM_FPS,
        **shown: Any,
    ):
        from usdsim.render import Film

        self._film, self._fps = Film(path, fps), fps
        self._pictures = WorldPictures(source, data, worlds, **shown)
        self._next, self._until = 0.0, until

    def __enter__(self) -> WorldFilm:
        self._film.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._pictures.close()
        self._film.__exit__(*raised)

    def take(self, time: float) -> None:
        """Add a picture if one is due at a time [s]."""
        if self._next - 1e-9 <= time <= self._until:
            self._next += 1.0 / self._fps
            self.add()

    def add(self) -> None:
        """Add a picture."""
        self._film.add(self._pictures.take())


def require_cameras(model: SceneModel, data: SceneData, cameras: Sequence[str]) -> None:
    """Raise `UnknownNameError` for a camera that is not there, before a long run instead of after.

    Args:
        model: what has the cameras.
        data: worlds of the model.
        cameras: their names.
    """
    if cameras:
        WorldPictures(model, data, cameras=cameras).close()


def take_picture(
    path: Path, model: SceneModel, data: SceneData, worlds: Sequence[int] = (0,), **shown: Any
) -> Path:
    """Write a picture of worlds.

    Args:
        path: the PNG to write.
        model: what is shown.
        data: the worlds.
        worlds: indices of those to show.
        **shown: cameras and guides of `WorldPictures`.
    """
    from usdsim.render import write_png

    alone = len(worlds) * max(1, len(shown.get("cameras", ()))) == 1
    pictures = WorldPictures(model, data, worlds, size=_SIZE if alone else _TILE, **shown)
    try:
        return write_png(path, pictures.take())
    finally:
        pictures.close()
