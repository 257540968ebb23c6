"""Device copies: kernels between the arrays of a device's engine and those of an asset."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.base import device_engine
from usdsim.views.memory import part_of
from usdsim.views.roots.device import DeviceRoots

from .device_columns import DeviceColumns, DeviceTable
from .device_selection import DeviceSelection, lives_on

if TYPE_CHECKING:
    from usdsim.views.view import AssetView

__all__ = ["DeviceBuffer", "DeviceCopies"]

Ids = NDArray[np.intp]


class DeviceBuffer:
    """Writes an array of an asset by kernels; see `HostBuffer`."""

    def __init__(self, array: wp.array, device: str):
        self.array = array
        self._width = wp.types.type_size(array.dtype)
        size = array.shape[1] * self._width
        self._numbers = part_of(array, wp.float32, (array.shape[0], size), (array.strides[0], 4))
        self._table = DeviceTable(np.arange(size)[None], array.shape[0], device)

    def write(self, values: NDArray[Any], rows: Ids | None, ids: Ids | None) -> None:
        """Set checked values of some instances and elements, shape (rows, ids, ...)."""
        if ids is not None and self._width > 1:
            ids = (ids[:, None] * self._width + np.arange(self._width)).reshape(-1)
        count = self._numbers.shape[1] if ids is None else len(ids)
        self._table.put(self._numbers, values.reshape(-1, count), rows, ids)

    def write_directly(self, values: wp.array, selection: DeviceSelection) -> None:
        """Set numbers that are on the device without looking at them.

        Args:
            values: numbers, shape (rows, elements, numbers of an element).
            selection: instances and elements.
        """
        self._table.put_direct(self._numbers, values, selection)


class DeviceCopies:
    """Copies by kernels: the way of engines of devices; see `HostCopies`."""

    by_kernels: ClassVar[bool] = True

    def __init__(self, view: AssetView):
        self._view = view
        self._buffers: dict[int, DeviceBuffer] = {}
        self._columns: dict[str, DeviceColumns] = {}

    @cached_property
    def roots(self) -> DeviceRoots:
        """Writer of poses and velocities of roots."""
        return DeviceRoots(self._view)

    def direct(self, values: Any) -> DeviceCopies | None:
        """Itself, if the values are on the device and need no look by the host; None otherwise."""
        return self if lives_on(values, self._view.device) else None

    def columns(self, table: str) -> DeviceColumns:
        """Copier of columns of the layout's elements."""
        if table not in self._columns:
            view = self._view
            engine, elements = device_engine(view.engine), view.elements(table)
            self._columns[table] = DeviceColumns(engine, view.arrays, elements, view.device)
        return self._columns[table]

    def gatherer(self, field: str, table: str, out: wp.array) -> Callable[[], object]:
        """Function that fills an array (instance, element) with columns of an engine field."""
        return self.columns(table).gatherer(field, out)

    def scatter(
        self, field: str, table: str, values: NDArray[Any], rows: Ids | None, ids: Ids | None
    ) -> None:
        """Set checked values of some instances and elements in columns of a state field."""
        self.columns(table).scatter(field, values, rows, ids)

    def buffer(self, array: wp.array) -> DeviceBuffer:
        """Writer of an array that belongs to the asset rather than to the engine."""
        known = self._buffers.get(id(array))
        if known is None:
            known = self._buffers[id(array)] = DeviceBuffer(array, self._view.device)
        return known
