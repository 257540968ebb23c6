"""Engine arrays as Warp arrays, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from . import device
from .base import Engine

__all__ = ["WarpArrays", "as_warp"]

device.init()

_ROWS: dict[int, Any] = {
    3: wp.vec3d,
    4: wp.vec4d,
    6: wp.types.vector(6, wp.float64),
    9: wp.mat33d,
}


def as_warp(array: NDArray[np.float64]) -> wp.array:
    """A Warp array over the memory of a NumPy array, which must outlive it.

    An array (world, element, k) becomes one of vectors (k = 3, 4, 6) or matrices (k = 9), shape
    (world, element). Quaternions keep the engine's order, wxyz.
    """
    dtype: Any = wp.float64
    shape, strides = array.shape, array.strides
    if array.ndim == 3:
        dtype, shape, strides = _ROWS[array.shape[2]], shape[:2], strides[:2]
    return wp.array(
        ptr=array.ctypes.data, dtype=dtype, shape=shape, strides=strides, device="cpu", copy=False
    )


class WarpArrays:
    """The arrays of one engine.

    Warp arrays stay valid until `Versions.arrays` of the engine changes.

    Args:
        engine: whose arrays.
    """

    def __init__(self, engine: Engine):
        self.engine = engine
        self._arrays: dict[str, wp.array] = {}
        self._states: dict[str, wp.array] = {}
        self._version = engine.versions.arrays

    def read(self, field: str) -> wp.array:
        """A field of all worlds, to be read by kernels; call `fresh` before each launch."""
        self._check()
        if field not in self._arrays:
            self._arrays[field] = as_warp(self.engine.read(field))
        return self._arrays[field]

    def state(self, field: str) -> wp.array:
        """A state field of all worlds, to be written by kernels; tell `Engine.touch` after."""
        self._check()
        if field not in self._states:
            self._states[field] = as_warp(self.engine.state(field))
        return self._states[field]

    def fresh(self, field: str) -> None:
        """Let the engine compute a field, if what it depends on was written."""
        self.engine.read(field)

    def _check(self) -> None:
        if self._version != self.engine.versions.arrays:
            self._arrays.clear()
            self._states.clear()
            self._version = self.engine.versions.arrays
