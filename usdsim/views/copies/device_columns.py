"""Columns of arrays on devices that NumPy cannot reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.arrays import WarpArrays
from usdsim.engine.base import DeviceEngine
from usdsim.views.memory import part_of
from usdsim.views.read_graph import LaunchedFill

from . import kernels
from .device_selection import DeviceSelection

__all__ = ["DeviceColumns", "DeviceTable"]

Ids = NDArray[np.intp]
_ALL = DeviceSelection()


def _run(table: NDArray[Any]) -> tuple[int, int] | None:
    """First column of an instance and the distance to the next one, if it is the same for all."""
    if len(table) != 1 or not table.size:
        return None
    steps = np.unique(np.diff(table[0]))
    if len(steps) > 1 or (steps < 1).any():
        return None
    return int(table[0, 0]), int(steps[0]) if len(steps) else 1


class DeviceTable:
    """Puts values of an asset's instances and elements into rows of worlds, by kernels.

    Args:
        table: column of each element, shape (matches, elements).
        num_worlds: number of rows.
        device: name of the Warp device.
    """

    def __init__(self, table: NDArray[Any], num_worlds: int, device: str):
        self._device, table = device, np.asarray(table)
        self._columns = wp.array(table.astype(np.int32), dtype=wp.int32, device=device)
        self._run = _run(table)
        self._shape = self._columns.shape[0] * num_worlds, self._columns.shape[1]

    def window(self, array: wp.array) -> wp.array | None:
        """The columns of an array (world, column) as an array (instance, element), not copied.

        None where they do not follow one another evenly, or an asset has several instances in a
        world.
        """
        if self._run is None:
            return None
        first, step = self._run
        size = array.strides[1]
        return part_of(
            array, array.dtype, self._shape, (array.strides[0], step * size), first * size
        )

    def put(
        self, target: wp.array, values: NDArray[Any], rows: Ids | None, elements: Ids | None
    ) -> None:
        """Set checked values (rows, elements) of some instances and elements."""
        numbers = np.ascontiguousarray(values, np.float32)[..., None]
        source = wp.array(numbers, dtype=wp.float32, device=self._device)
        self.put_direct(target, source, DeviceSelection.of(rows, elements, self._device))

    def put_direct(self, target: wp.array, values: wp.array, selection: DeviceSelection) -> None:
        """Set values that are on the device, without waiting.

        Args:
            target: where, shape (world, column).
            values: numbers, shape (rows, elements, columns of an element).
            selection: instances and elements, whose columns follow one another in the table.
        """
        whole = self._shape[0], self._shape[1] // values.shape[2]
        wp.launch(
            kernels.scatter_columns,
            selection.size(whole),
            inputs=[*selection.arguments, values, self._columns],
            outputs=[target],
            device=self._device,
        )

    def recorded(self, target: wp.array, values: wp.array) -> wp.Launch:
        """Launch that puts values of all instances and elements (rows, elements), every time."""
        return wp.launch(
            kernels.scatter_columns,
            self._shape,
            inputs=[*_ALL.arguments, values.reshape((*values.shape, 1)), self._columns],
            outputs=[target],
            device=self._device,
            record_cmd=True,
        )


class DeviceColumns(DeviceTable):
    """Copies between state arrays of a device's engine and those of an asset, by kernels.

    Args:
        engine: the engine.
        arrays: its arrays.
        table: column of each element, shape (matches, elements).
        device: name of the Warp device.
    """

    def __init__(self, engine: DeviceEngine, arrays: WarpArrays, table: NDArray[Any], device: str):
        super().__init__(table, arrays.engine.num_envs, device)
        self._engine, self._arrays, self._matches = engine, arrays, len(table)

    def gatherer(self, field: str, out: wp.array) -> Callable[[], object]:
        """Function that fills an array (instance, element) with a field's columns."""
        if not out.size:
            return lambda: None
        launch = wp.launch(
            kernels.gather_columns,
            out.shape,
            inputs=[self._arrays.read(field), self._columns],
            outputs=[out],
            device=self._device,
            record_cmd=True,
        )
        fresh = self._arrays.refresher(field)
        return LaunchedFill(launch.launch, [] if fresh is None else [fresh])

    def watched(self, field: str) -> tuple[wp.array, Callable[[], object]] | None:
        """A field's columns where they are, and what makes them current; None: see `window`."""
        window = self.window(self._arrays.read(field))
        fresh = self._arrays.refresher(field)
        return None if window is None or fresh is None else (window, fresh)

    def scatter(
        self, field: str, values: NDArray[Any], rows: Ids | None, elements: Ids | None
    ) -> None:
        """Set checked values (rows, elements) of some instances and elements."""
        self.put(self._arrays.state(field), values, rows, elements)
        worlds = None if rows is None else np.unique(rows // self._matches)
        self._engine.touch_device(worlds, field)

    def scatter_direct(self, field: str, values: wp.array, selection: DeviceSelection) -> None:
        """Set values that are on the device; see `put_direct`."""
        self.put_direct(self._arrays.state(field), values, selection)
        self._engine.touch_device(selection.worlds(self._matches), field)
