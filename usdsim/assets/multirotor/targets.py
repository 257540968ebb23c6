"""Thrust targets, written by the user."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import ShapeError
from usdsim.views import AssetView
from usdsim.views.copies.device_selection import device_selection, numbers_on_device
from usdsim.views.selection import Indices, Mask, selected, selected_by_mask
from usdsim.views.values import Values, broadcast, to_numpy

__all__ = ["ThrustTargets"]

Ids = NDArray[np.intp] | None
_Axis = tuple[str, Any, int]
"""Name of an argument, what it is, and number of elements."""


class ThrustTargets:
    """Writes thrusts asked for, checked; on a GPU, what is there already is not looked at.

    Args:
        view: window of the vehicle on the engine.
        target: the thrusts [N], shape (num_instances, num_thrusters).
        title: the vehicle in messages.
    """

    def __init__(self, view: AssetView, target: wp.array, title: str):
        self._view, self._target, self._title = view, target, title

    def write(
        self, values: Values, thruster_ids: Indices, env_ids: Indices, full_data: bool
    ) -> None:
        """Set thrusts of some instances and thrusters; see `Multirotor.set_thrust_target`."""
        axes = self._axes(env_ids, thruster_ids)
        if self._written_directly(values, axes, masks=False, full=full_data):
            return
        rows, columns = (selected(*given) for given in axes)
        self._store(self._checked(values, rows, columns, full_data), rows, columns)

    def write_masked(self, values: Values, thruster_mask: Mask, env_mask: Mask) -> None:
        """Set thrusts where masks are true; see `Multirotor.set_thrust_target_mask`."""
        axes = self._axes(env_mask, thruster_mask)
        if self._written_directly(values, axes, masks=True):
            return
        rows, columns = (
            selected_by_mask(what.replace("_ids", "_mask"), mask, count)
            for what, mask, count in axes
        )
        self._store(self._checked(values, rows, columns, True), rows, columns)

    def _written_directly(
        self, values: Values, axes: tuple[_Axis, _Axis], masks: bool, full: bool = False
    ) -> bool:
        """Write what is on the device without looking at it, if it is in the form needed."""
        device, copies = self._view.device, self._view.copies.direct(values)
        if copies is None:
            return False
        selection = device_selection(axes, device, masks=masks, full=full)
        if selection is None:
            return False
        if values.ndim == 1:  # one thrust for each instance
            values = values.reshape((values.shape[0], 1))
        whole = self._target.shape[0], self._target.shape[1]
        numbers = numbers_on_device(values, selection.shape(whole), 1, device)
        if numbers is None:
            return False
        copies.buffer(self._target).write_directly(numbers, selection)
        return True

    def _axes(self, first: Any, second: Any) -> tuple[_Axis, _Axis]:
        count, width = self._target.shape
        return ("env_ids", first, count), ("thruster_ids", second, width)

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
        if array.size:
            self._view.copies.buffer(self._target).write(array, rows, columns)
