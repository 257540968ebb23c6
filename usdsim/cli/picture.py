"""A world as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from usdsim.scene import SceneData, SceneModel

__all__ = ["take_picture"]

_SIZE = (960, 720)


def take_picture(path: Path, model: SceneModel, data: SceneData, world: int) -> Path:
    """Write a picture of one world.

    Args:
        path: the PNG to write.
        model: what is shown.
        data: the worlds.
        world: index of the one to show.
    """
    from usdsim.render import render_picture, write_png

    return write_png(path, render_picture(model, data, world=world, size=_SIZE))
