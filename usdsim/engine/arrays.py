"""Engine arrays as Warp arrays, without a copy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import UnsupportedError
from usdsim.engine import device
from usdsim.engine.base import Engine

from .fields import makes_stale
from .precision import single_precision

__all__ = ["WarpArrays", "as_warp"]

device.init()

_COMPUTED = frozenset({"acceleration", "joint_wrenches"})
"""Fields that engines have methods for, which fill the same array anew."""
_ROWS: dict[Any, dict[int, Any]] = {
    wp.float64: {
        3: wp.vec3d,
        4: wp.vec4d,
        6: wp.types.vector(6, wp.float64),
        9: wp.mat33d,
    },
    wp.float32: {
        3: wp.vec3f,
        4: wp.vec4f,
        6: wp.types.vector(6, wp.float32),
        9: wp.mat33f,
    },
}


def as_warp(array: NDArray[Any]) -> wp.array:
    """A Warp array over the memory of a NumPy array of floats, which must outlive it.

    An array (world, element, k) becomes one of vectors (k = 3, 4, 6) or matrices (k = 9), shape
    (world, element). Quaternions keep the engine's order, wxyz.
    """
    dtype: Any = wp.float32 if array.dtype == np.float32 else wp.float64
    shape, strides = array.shape, array.strides
    if array.ndim == 3:
        dtype, shape, strides = _ROWS[dtype][array.shape[2]], shape[:2], strides[:2]
    return wp.array(
        ptr=array.ctypes.data, dtype=dtype, shape=shape, strides=strides, device="cpu", copy=False
    )


def _plain(array: wp.array) -> wp.array:
    """A device's array in the types that arrays of the CPU engine have: plain vectors."""
    width = wp.types.type_size(array.dtype)
    if width == 1:
        return array
    return wp.array(
        ptr=array.ptr,
        dtype=_ROWS[wp.float32][width],
        shape=array.shape,
        strides=array.strides,
        device=array.device,
        copy=False,
    )


class WarpArrays:
    """The arrays of one engine.

    Warp arrays stay valid until `Versions.arrays` of the engine changes.

    Args:
        engine: whose arrays.
    """

    def __init__(self, engine: Engine):
        self.engine = engine
        self._device = engine.on_device
        self._arrays: dict[str, wp.array] = {}
        self._states: dict[str, wp.array] = {}
        self._version = engine.versions.arrays

    @property
    def on_device(self) -> bool:
        """Whether the engine is one of a Warp device, whose arrays kernels read and write."""
        return self._device is not None

    @property
    def on_gpu(self) -> bool:
        """Whether NumPy cannot reach the arrays."""
        return self._device is not None and not device.is_shared(self.engine.device)

    def kernel(self, kernel: wp.Kernel) -> wp.Kernel:
        """A kernel written for double precision, in the precision of the engine's arrays."""
        return kernel if self._device is None else single_precision(kernel)

    def read(self, field: str) -> wp.array:
        """A field of all worlds, to be read by kernels; call `fresh` before each launch.

        Accelerations and joint wrenches count as fields.
        """
        self._check()
        if field not in self._arrays:
            self._arrays[field] = self._open(field)
        return self._arrays[field]

    def state(self, field: str) -> wp.array:
        """A state field of all worlds, to be written by kernels; `touch` after."""
        self._check()
        if field not in self._states:
            if self._device is None:
                self._states[field] = as_warp(self.engine.state(field))
            else:
                self._states[field] = _plain(self._device.device_array(field))
        return self._states[field]

    def parameter(self, field: str) -> wp.array:
        """A model parameter on the device, to be read by kernels at once.

        World i has row i % n of it: all worlds share one as long as they agree.

        Raises:
            UnsupportedError: the engine is not one of a device.
        """
        if self._device is None:
            raise UnsupportedError(f"The engine has no {field!r} for kernels.")
        return _plain(self._device.device_parameter(field))

    def touch(self, field: str, worlds: Any = None) -> None:
        """Mark what `state` handed out as written by kernels.

        Args:
            field: the state field.
            worlds: which worlds may have been written: indices, or a mask or indices on the device;
                None: any.
        """
        if self._device is not None:
            self._device.touch_device(worlds, field)
        else:
            self.engine.touch(worlds, field)

    def refresher(self, field: str) -> Callable[[], object] | None:
        """Function that computes a field, if what it depends on was written; None: it is state."""
        if self._device is not None:
            return partial(self._device.refresh, field)
        if makes_stale(field) is not None:
            return None
        if field in _COMPUTED:
            found: Callable[[], object] = getattr(self.engine, field)
            return found
        return partial(self.engine.read, field)

    def fresh(self, field: str) -> None:
        """Have the engine compute a field, if what it depends on was written."""
        refresh = self.refresher(field)
        if refresh is not None:
            refresh()

    def _open(self, field: str) -> wp.array:
        if self._device is not None:
            self._device.refresh(field)
            return _plain(self._device.device_array(field))
        computed = field in _COMPUTED
        return as_warp(getattr(self.engine, field)() if computed else self.engine.read(field))

    def _check(self) -> None:
        if self._version != self.engine.versions.arrays:
            self._arrays.clear()
            self._states.clear()
            self._version = self.engine.versions.arrays
