"""Columns of arrays on devices that NumPy cannot reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.base import DeviceEngine
from usdsim.engine.warp_arrays import WarpArrays

from . import scatter_kernels as kernels

__all__ = ["DeviceColumns", "DeviceTable", "on_device"]

Ids = NDArray[np.intp]


def on_device(values: Any, dtype: Any, device: str) -> wp.array | None:
    """What kernels can read where it is, as an array of a type; None: it is not of that kind.

    Args:
        values: a Warp array, or one of torch, whose memory Warp shares; anything else is not.
        dtype: type of an element; integers of torch may be wider.
        device: name of the Warp device.
    """
    detach = getattr(values, "detach", None)
    if detach is not None and str(values.device) == device:
        values = detach()
        if dtype is wp.int32 and not (values.is_floating_point() or values.dtype.itemsize == 1):
            values = values.int()
        values = wp.from_dlpack(values)
    good = isinstance(values, wp.array) and values.dtype is dtype
    return values if good and str(values.device) == device else None


class DeviceTable:
    """Puts values of an asset's instances and elements into rows of worlds, by kernels.

    Args:
        table: column of each element, shape (matches, elements).
        num_worlds: number of rows.
        device: name of the Warp device.
    """

    def __init__(self, table: NDArray[Any], num_worlds: int, device: str):
        self._device = device
        self._columns = self._ints(np.asarray(table))
        self._shape = self._columns.shape[0] * num_worlds, self._columns.shape[1]
        self._every = [self._ints(np.arange(count)) for count in self._shape]
        self._true: list[wp.array] = []

    def put(
        self, target: wp.array, values: NDArray[Any], rows: Ids | None, elements: Ids | None
    ) -> None:
        """Set checked values (rows, elements) of some instances and elements."""
        ids = [
            every if chosen is None else self._ints(chosen)
            for chosen, every in zip((rows, elements), self._every, strict=True)
        ]
        source = wp.array(values.astype(np.float32), dtype=wp.float32, device=self._device)
        self._launch(kernels.scatter_columns, values.shape, source, *ids, target)

    def put_direct(self, target: wp.array, values: Any, rows: Any, elements: Any) -> bool:
        """Set values that are on the device, at indices that are there too, without waiting.

        Returns:
            Whether it could be done: arrays must be of the shape and type that kernels take.
        """
        ids = [
            every if chosen is None else on_device(chosen, wp.int32, self._device)
            for chosen, every in zip((rows, elements), self._every, strict=True)
        ]
        source = on_device(values, wp.float32, self._device)
        sizes = tuple(one.size for one in ids if one is not None and one.ndim == 1)
        if source is None or source.shape != sizes:
            return False
        self._launch(kernels.scatter_columns, source.shape, source, *ids, target)
        return True

    def put_masked(self, target: wp.array, values: Any, rows: Any, elements: Any) -> bool:
        """The same for masks, with values of all instances and elements."""
        if not self._true:
            self._true = [
                wp.full(count, True, dtype=wp.bool, device=self._device) for count in self._shape
            ]
        masks = [
            every if chosen is None else on_device(chosen, wp.bool, self._device)
            for chosen, every in zip((rows, elements), self._true, strict=True)
        ]
        source = on_device(values, wp.float32, self._device)
        if source is None or source.shape != self._shape:
            return False
        for mask, count in zip(masks, self._shape, strict=True):
            if mask is None or mask.shape != (count,):
                return False
        self._launch(kernels.scatter_masked, source.shape, source, *masks, target)
        return True

    def recorded(self, target: wp.array, values: wp.array) -> wp.Launch:
        """What puts the values of all instances and elements, again and again."""
        return wp.launch(
            kernels.scatter_columns,
            self._shape,
            inputs=[values, *self._every, self._columns],
            outputs=[target],
            device=self._device,
            record_cmd=True,
        )

    def _launch(self, kernel: wp.Kernel, dim: Any, *arrays: wp.array) -> None:
        *inputs, target = arrays
        wp.launch(
            kernel, dim, inputs=[*inputs, self._columns], outputs=[target], device=self._device
        )

    def _ints(self, values: NDArray[Any]) -> wp.array:
        return wp.array(values.astype(np.int32), dtype=wp.int32, device=self._device)


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
        self._engine, self._arrays = engine, arrays

    def gatherer(self, field: str, out: wp.array) -> Callable[[], object]:
        """What fills an array (instance, element) with a field's columns."""
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

        def fill() -> None:
            fresh()
            launch.launch()

        return fill

    def scatter(
        self, field: str, values: NDArray[Any], rows: Ids | None, elements: Ids | None
    ) -> None:
        """Set checked values (rows, elements) of some instances and elements."""
        self.put(self._arrays.state(field), values, rows, elements)
        self._touch(field)

    def scatter_direct(self, field: str, values: Any, rows: Any, elements: Any) -> bool:
        """Set values that are on the device; see `put_direct`."""
        done = self.put_direct(self._arrays.state(field), values, rows, elements)
        if done:
            self._touch(field)
        return done

    def scatter_masked(self, field: str, values: Any, rows: Any, elements: Any) -> bool:
        """Set values that are on the device; see `put_masked`."""
        done = self.put_masked(self._arrays.state(field), values, rows, elements)
        if done:
            self._touch(field)
        return done

    def _touch(self, field: str) -> None:
        # Which worlds were written is known on the device alone.
        self._engine.touch_device(None, field)
