"""Colliding geoms of a compiled model."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["colliding"]


def colliding(model: mujoco.MjModel) -> NDArray[np.bool_]:
    """Geoms with a mask by which they may meet others, booleans of shape (ngeom,)."""
    return np.asarray((model.geom_contype | model.geom_conaffinity) != 0)
