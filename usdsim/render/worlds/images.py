"""Picture files, read by the engine's decoder."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.boundary import boundary

__all__ = ["read_image"]


def read_image(path: str | Path) -> NDArray[np.uint8]:
    """Read a picture.

    Args:
        path: a PNG file.

    Returns:
        Red, green and blue, top row first, shape (height, width, 3).

    Raises:
        FileError: it cannot be read.
    """
    spec = mujoco.MjSpec()
    with boundary(f"Cannot read picture {str(path)!r}"):
        name = f"picture{Path(path).suffix.lower()}"
        spec.assets[name] = Path(path).read_bytes()
        spec.add_texture(name="picture", type=mujoco.mjtTexture.mjTEXTURE_2D, file=name)
        model = spec.compile()
    shape = (int(model.tex_height[0]), int(model.tex_width[0]), int(model.tex_nchannel[0]))
    pixels = model.tex_data.reshape(shape)[..., :3]
    return np.array(np.broadcast_to(pixels, (*shape[:2], 3)))
