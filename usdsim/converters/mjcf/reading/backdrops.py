"""Procedural skies and cubes, which conversion needs the recipe of but not the pixels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mujoco

__all__ = ["without_pixels"]

_LARGEST = 4096
"""Pixels along a side from which on the engine is left to say whether it can make them."""


@contextmanager
def without_pixels(spec: mujoco.MjSpec) -> Iterator[None]:
    """Shrink procedural skies and cubes, so that the engine compiles few pixels.

    Only pictures of flat textures go to a stage. A sky of 800 pixels takes the engine longer than
    the whole rest of a usual robot.

    Args:
        spec: what is compiled within; it has its sizes back afterwards.
    """
    sizes = [(each, each.width, each.height) for each in spec.textures if _is_recipe(each)]
    for texture, _, _ in sizes:
        texture.width = texture.height = 2
    try:
        yield
    finally:
        for texture, width, height in sizes:
            texture.width, texture.height = width, height


def _is_recipe(texture: Any) -> bool:
    """Whether a texture is procedural, of a size that the engine certainly takes, and not flat."""
    return (
        texture.builtin != mujoco.mjtBuiltin.mjBUILTIN_NONE
        and texture.type != mujoco.mjtTexture.mjTEXTURE_2D
        and min(texture.width, texture.height) >= 2
        and max(texture.width, texture.height) <= _LARGEST
    )
