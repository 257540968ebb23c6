"""A world as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from usdsim.scene import SceneData, SceneModel

__all__ = ["require_renderer", "take_picture"]

_SIZE = (960, 720)


def require_renderer() -> None:
    """Raise `UnsupportedError` with what to install, before a long run instead of after it."""
    from usdsim.sim.picture_context import require_context

    require_context()


def take_picture(path: Path, model: SceneModel, data: SceneData, world: int) -> Path:
    """Write a picture of one world.

    Args:
        path: the PNG to write.
        model: what is shown.
        data: the worlds.
        world: index of the one to show.

    Raises:
        UnsupportedError: nothing can be rendered on this machine.
    """
    from usdsim.sim import render_picture, write_png

    return write_png(path, render_picture(model, data, world=world, size=_SIZE))
