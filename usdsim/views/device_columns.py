"""Columns of engine arrays on devices that NumPy cannot reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.base import DeviceEngine
from usdsim.engine.warp_arrays import WarpArrays

from . import scatter_kernels as kernels

__all__ = ["DeviceColumns"]

Ids = NDArray[np.intp]


class DeviceColumns:
    """Copies between state arrays of a device's engine and those of an asset, by kernels.

    Args:
        engine: the engine.
        arrays: its arrays.
        table: column of each element, shape (matches, elements).
        device: name of the Warp device.
    """

    def __init__(self, engine: DeviceEngine, arrays: WarpArrays, table: NDArray[Any], device: str):
        self._engine, self._arrays, self._device = engine, arrays, device
        self._columns = self._ints(np.asarray(table))
        self._matches, self._count = self._columns.shape
        self._everywhere: dict[int, wp.array] = {}

    def gatherer(self, field: str, out: wp.array) -> Callable[[], object]:
        """What fills an array (instance, element) with a field's columns."""
        launch = wp.launch(
            kernels.gather_columns,
            out.shape,
            inputs=[self._arrays.read(field), self._columns],
            outputs=[out],
            device=self._device,
            record_cmd=True,
        )
        fresh = self._arrays.refresher(field)

        def fill() -> None:
            fresh()
            launch.launch()

        return fill

    def scatter(
        self, field: str, values: NDArray[Any], rows: Ids | None, elements: Ids | None
    ) -> None:
        """Set checked values (rows, elements) of some instances and elements."""
        target = self._arrays.state(field)
        instances = self._matches * target.shape[0]
        self._launch(
            field,
            kernels.scatter_columns,
            values.shape,
            wp.array(values.astype(np.float32), dtype=wp.float32, device=self._device),
            self._all(instances) if rows is None else self._ints(rows),
            self._all(self._count) if elements is None else self._ints(elements),
        )

    def scatter_direct(self, field: str, values: Any, rows: Any, elements: Any) -> bool:
        """Set values that are on the device, at indices that are there too, without waiting.

        Returns:
            Whether it could be done: arrays must be of the shape and type that kernels take.
        """
        target = self._arrays.state(field)
        rows = self._all(self._matches * target.shape[0]) if rows is None else rows
        elements = self._all(self._count) if elements is None else elements
        if not (self._is(rows, wp.int32) and self._is(elements, wp.int32)):
            return False
        shape = rows.size, elements.size
        if not self._is(values, wp.float32) or values.shape != shape:
            return False
        self._launch(field, kernels.scatter_columns, shape, values, rows, elements)
        return True

    def scatter_masked(self, field: str, values: Any, rows: Any, elements: Any) -> bool:
        """The same for masks, with values of all instances and elements."""
        target = self._arrays.state(field)
        shape = self._matches * target.shape[0], self._count
        rows = self._true(shape[0]) if rows is None else rows
        elements = self._true(shape[1]) if elements is None else elements
        for array, dtype, wanted in (
            (values, wp.float32, shape),
            (rows, wp.bool, shape[:1]),
            (elements, wp.bool, shape[1:]),
        ):
            if not self._is(array, dtype) or array.shape != wanted:
                return False
        self._launch(field, kernels.scatter_masked, shape, values, rows, elements)
        return True

    def _launch(self, field: str, kernel: wp.Kernel, dim: Any, *inputs: Any) -> None:
        wp.launch(
            kernel,
            dim,
            inputs=[*inputs, self._columns],
            outputs=[self._arrays.state(field)],
            device=self._device,
        )
        # Which worlds were written is known on the device alone.
        self._engine.touch_device(None, field)

    def _is(self, array: Any, dtype: Any) -> bool:
        return (
            isinstance(array, wp.array)
            and array.dtype is dtype
            and str(array.device.alias) == self._device
        )

    def _all(self, count: int) -> wp.array:
        if count not in self._everywhere:
            self._everywhere[count] = self._ints(np.arange(count))
        return self._everywhere[count]

    def _true(self, count: int) -> wp.array:
        return wp.full(count, True, dtype=wp.bool, device=self._device)

    def _ints(self, values: NDArray[Any]) -> wp.array:
        return wp.array(values.astype(np.int32), dtype=wp.int32, device=self._device)
