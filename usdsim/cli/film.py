"""Films of a watched world."""

from __future__ import annotations

import math
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from usdsim.scene import SceneData, SceneModel

__all__ = ["FILM_FPS", "WorldFilm"]

FILM_FPS = 25.0
"""Pictures per second."""


class WorldFilm:
    """Pictures of one world, from a camera that goes along with what moves.

    Args:
        path: the MP4 to write.
        model: what is shown.
        data: its worlds.
        world: index of the one to show.
        size: width and height [pixels].
        until: time after which no more pictures are taken [s].

    Raises:
        UnsupportedError: there is no encoder.
    """

    def __init__(
        self,
        path: Path,
        model: SceneModel,
        data: SceneData,
        world: int,
        size: tuple[int, int] = (480, 360),
        until: float = math.inf,
    ):
        from usdsim.render import Film, Renderer

        self._film = Film(path, FILM_FPS)
        self._renderer = Renderer(model, data, world=world, size=size)
        self._pose = self._renderer.frame()
        self._middle = self._renderer.middle
        self._next, self._until = 0.0, until

    def __enter__(self) -> WorldFilm:
        self._film.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._renderer.close()
        self._film.__exit__(kind, value, trace)

    def take(self, time: float) -> None:
        """Add a picture if one is due at a time [s]."""
        if not self._next - 1e-9 <= time <= self._until:
            return
        self._next += 1.0 / FILM_FPS
        pose = self._pose.copy()
        pose[:3] += self._renderer.middle - self._middle
        self._film.add(self._renderer.render(pose))
