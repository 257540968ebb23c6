"""Mixing of solver parameters of two touching geoms, as the engine does it."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["reference", "weighted"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]


def weighted(model: mujoco.MjModel, first: Ids, second: Ids, a: Floats, b: Floats) -> Floats:
    """Mean by `solmix`, or the value of the geom with priority.

    Args:
        model: the model.
        first: one geom of each pair, shape (pairs,).
        second: the other.
        a: values of the first, shape (..., pairs, n).
        b: values of the second.
    """
    weights = model.geom_solmix[first], model.geom_solmix[second]
    total = weights[0] + weights[1]
    share = weights[0] / np.maximum(total, mujoco.mjMINVAL)
    share = np.where(total <= mujoco.mjMINVAL, 0.5, share)
    over = model.geom_priority[first] - model.geom_priority[second]
    share = np.where(over > 0, 1.0, np.where(over < 0, 0.0, share))[:, None]
    return np.asarray(share * a + (1.0 - share) * b)


def reference(model: mujoco.MjModel, first: Ids, second: Ids, a: Floats, b: Floats) -> Floats:
    """As `weighted`, but the smaller numbers where one of two is a negative stiffness."""
    same = (model.geom_priority[first] == model.geom_priority[second])[:, None]
    timed = (a[..., :1] > 0.0) & (b[..., :1] > 0.0)
    return np.where(timed | ~same, weighted(model, first, second, a, b), np.minimum(a, b))
