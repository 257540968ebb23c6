"""Asset buffers: arrays that belong to an asset rather than to the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.views.memory import part_of

from .device_columns import DeviceTable
from .device_selection import DeviceSelection

if TYPE_CHECKING:
    from usdsim.views.view import AssetView

__all__ = ["Buffer"]

Ids = NDArray[np.intp]


class Buffer:
    """Writes an array of an asset: by NumPy where it shares the memory, else by kernels.

    Args:
        view: window of the asset on the engine.
        array: numbers or vectors of single precision, shape (num_instances, elements).
    """

    def __init__(self, view: AssetView, array: wp.array):
        self._view, self.array = view, array
        self._width = wp.types.type_size(array.dtype)
        self._host: NDArray[Any] | None = None
        self._parts: tuple[DeviceTable, wp.array] | None = None

    def write(self, values: NDArray[Any], rows: Ids | None, ids: Ids | None) -> None:
        """Set checked values of some instances and elements, shape (rows, ids, ...)."""
        if self._view.by_kernels:
            self._put(values, rows, ids)
            return
        if self._host is None:
            self._host = self.array.numpy()
        if rows is None:
            self._host[slice(None) if ids is None else (slice(None), ids)] = values
        else:
            self._host[rows if ids is None else (rows[:, None], ids)] = values

    def write_directly(self, values: wp.array, selection: DeviceSelection) -> None:
        """Set numbers that are on the device without looking at them.

        Args:
            values: numbers, shape (rows, elements, numbers of an element).
            selection: instances and elements.
        """
        table, target = self._components()
        table.put_direct(target, values, selection)

    def _put(self, values: NDArray[Any], rows: Ids | None, ids: Ids | None) -> None:
        table, target = self._components()
        if ids is not None and self._width > 1:
            ids = (ids[:, None] * self._width + np.arange(self._width)).reshape(-1)
        count = target.shape[1] if ids is None else len(ids)
        table.put(target, values.reshape(-1, count), rows, ids)

    def _components(self) -> tuple[DeviceTable, wp.array]:
        """What puts numbers, and the array as one of numbers."""
        if self._parts is None:
            array, size = self.array, self.array.shape[1] * self._width
            numbers = part_of(array, wp.float32, (array.shape[0], size), (array.strides[0], 4))
            table = DeviceTable(np.arange(size)[None], array.shape[0], self._view.device)
            self._parts = table, numbers
        return self._parts
