"""What is asked of thrusters, written by the user."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import ShapeError
from usdsim.views import AssetView
from usdsim.views.device_columns import on_device
from usdsim.views.scatter_kernels import scatter_columns, scatter_masked
from usdsim.views.selection import Indices, Mask, selected, selected_by_mask
from usdsim.views.values import Values, broadcast, to_numpy

__all__ = ["ThrustTargets"]

Ids = NDArray[np.intp] | None


class ThrustTargets:
    """Writes thrusts asked for, checked; on a GPU, what is there already is not looked at.

    Args:
        view: window of the vehicle on the engine.
        target: the thrusts [N], shape (num_instances, num_thrusters).
        title: the vehicle in messages.
    """

    def __init__(self, view: AssetView, target: wp.array, title: str):
        self._view, self._target, self._title = view, target, title
        self._every = [self._upload(np.arange(count)) for count in target.shape]
        # Thrusters are the columns of the array themselves.
        self._columns = self._upload(np.arange(target.shape[1])[None])
        self._true = [self._upload(np.ones(count, np.bool_)) for count in target.shape]

    def write(
        self, values: Values, thruster_ids: Indices, env_ids: Indices, full_data: bool
    ) -> None:
        """Set thrusts of some instances and thrusters; see `Multirotor.set_thrust_target`."""
        if self._view.by_kernels and not full_data:
            array = self._on_device(values)
            ids = [self._ids(*given) for given in self._axes(env_ids, thruster_ids)]
            if array is not None and array.shape == tuple(one.size for one in ids):
                self._launch(scatter_columns, array.shape, array, *ids)
                return
        rows, columns = (selected(*given) for given in self._axes(env_ids, thruster_ids))
        self._store(self._checked(values, rows, columns, full_data), rows, columns)

    def write_masked(self, values: Values, thruster_mask: Mask, env_mask: Mask) -> None:
        """Set thrusts where masks are true; see `Multirotor.set_thrust_target_mask`."""
        if self._view.by_kernels:
            array = self._on_device(values)
            masks = [
                every if mask is None else self._on_device(mask, wp.bool)
                for mask, every in zip((env_mask, thruster_mask), self._true, strict=True)
            ]
            shapes = [None if mask is None else mask.shape for mask in masks]
            wanted = [(count,) for count in self._target.shape]
            if array is not None and array.shape == self._target.shape and shapes == wanted:
                self._launch(scatter_masked, array.shape, array, *masks)
                return
        rows, columns = (
            selected_by_mask(what.replace("_ids", "_mask"), mask, count)
            for what, mask, count in self._axes(env_mask, thruster_mask)
        )
        self._store(self._checked(values, rows, columns, True), rows, columns)

    def _axes(self, first: Any, second: Any) -> list[tuple[str, Any, int]]:
        return [
            ("env_ids", first, self._target.shape[0]),
            ("thruster_ids", second, self._target.shape[1]),
        ]

    def _checked(self, values: Values, rows: Ids, columns: Ids, full_data: bool) -> NDArray[Any]:
        """Values of a selection, shape (rows, columns)."""
        count, width = self._target.shape
        if not full_data:
            count = count if rows is None else len(rows)
            width = width if columns is None else len(columns)
        array, what = to_numpy(values), f"thrust target of {self._title}"
        if array.ndim == 1 and array.size != 1:
            if array.size != count:
                raise ShapeError(
                    what,
                    array.shape,
                    f"({count}, {width}), or ({count},) with one thrust for each instance",
                    "Give one thrust for each thruster as an array of one row.",
                )
            array = array[:, None]
        array = broadcast(what, array, (count, width))
        if full_data:
            array = array if rows is None else array[rows]
            array = array if columns is None else array[:, columns]
        return array

    def _store(self, array: NDArray[Any], rows: Ids, columns: Ids) -> None:
        if not array.size:
            return
        if self._view.by_kernels:
            ids = [
                every if chosen is None else self._upload(chosen)
                for chosen, every in zip((rows, columns), self._every, strict=True)
            ]
            self._launch(scatter_columns, array.shape, self._upload(array), *ids)
            return
        where: Any = slice(None) if rows is None else rows
        if columns is not None:
            where = (where, columns) if rows is None else (rows[:, None], columns)
        self._target.numpy()[where] = array

    def _ids(self, what: str, ids: Indices, count: int) -> wp.array:
        """Indices on the device; those that are there already are taken as they are."""
        ready = self._on_device(ids, wp.int32)
        if ready is not None and ready.ndim == 1:
            return ready
        chosen = selected(what, ids, count)
        return self._every[what == "thruster_ids"] if chosen is None else self._upload(chosen)

    def _on_device(self, values: Any, dtype: Any = wp.float32) -> wp.array | None:
        """An array that kernels can read where it is, else None."""
        return on_device(values, dtype, self._view.device)

    def _upload(self, array: NDArray[Any]) -> wp.array:
        dtype = {"i": wp.int32, "b": wp.bool}.get(array.dtype.kind, wp.float32)
        array = np.ascontiguousarray(array, wp.dtype_to_numpy(dtype))
        return wp.array(array, dtype=dtype, device=self._view.device)

    def _launch(self, kernel: Any, dim: tuple[int, ...], *inputs: wp.array) -> None:
        arrays = [*inputs, self._columns]
        wp.launch(kernel, dim, inputs=arrays, outputs=[self._target], device=self._view.device)
