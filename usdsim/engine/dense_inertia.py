"""Dense form of the engine's mass matrices, which hold a row's entries up to the diagonal."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["dense_inertia"]


def dense_inertia(model: mujoco.MjModel, values: NDArray[Any]) -> NDArray[Any]:
    """Joint-space inertia as symmetric matrices [kg, kg m, kg m^2], shape (..., nv, nv).

    Args:
        model: whose rows the values have.
        values: the field ``M``, shape (..., nC).
    """
    count, nv = len(model.M_colind), model.nv
    rows, columns = np.repeat(np.arange(nv), model.M_rownnz), model.M_colind
    # Copying along an index is faster than scattering: what has no entry takes an added zero.
    places = np.full((nv, nv), count)
    places[rows, columns] = places[columns, rows] = np.arange(count)
    padded = np.zeros((*values.shape[:-1], count + 1))
    padded[..., :count] = values
    dense = padded.take(places.reshape(-1), axis=-1, mode="clip")
    return dense.reshape(*values.shape[:-1], nv, nv)
