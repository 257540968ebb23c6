"""Host copies: NumPy between the arrays of an engine and those of an asset, which share memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import warp as wp
from numpy.typing import NDArray

if TYPE_CHECKING:
    from usdsim.views.view import AssetView

__all__ = ["HostBuffer", "HostCopies"]

Ids = NDArray[np.intp]


class HostBuffer:
    """Writes an array of an asset by NumPy.

    Args:
        array: numbers or vectors of single precision, shape (num_instances, elements).
    """

    def __init__(self, array: wp.array):
        self.array = array
        self._host: NDArray[Any] = array.numpy()

    def write(self, values: NDArray[Any], rows: Ids | None, ids: Ids | None) -> None:
        """Set checked values of some instances and elements, shape (rows, ids, ...)."""
        if rows is None:
            self._host[slice(None) if ids is None else (slice(None), ids)] = values
        else:
            self._host[rows if ids is None else (rows[:, None], ids)] = values


class HostCopies:
    """Copies by NumPy: the way of the CPU's engine.

    `DeviceCopies` does the same by kernels; which of them is chosen once, where a view is made.

    Args:
        view: window of the asset on the engine.
    """

    by_kernels: ClassVar[bool] = False
    roots: ClassVar[None] = None

    def __init__(self, view: AssetView):
        self._view = view
        self._buffers: dict[int, HostBuffer] = {}

    def direct(self, values: Any) -> None:
        """None: on the host there is no reader that skips the check of values."""

    def gatherer(self, field: str, table: str, out: wp.array) -> Callable[[], object]:
        """Function that fills an array (instance, element) with columns of an engine field."""
        view = self._view
        copy = view.columns(table).gatherer(view.field(field), out.numpy())
        refresh = view.arrays.refresher(field)
        if refresh is None:
            # The array of a state field follows the state by itself.
            return copy

        def gather() -> None:
            refresh()
            copy()

        return gather

    def scatter(
        self, field: str, table: str, values: NDArray[Any], rows: Ids | None, ids: Ids | None
    ) -> None:
        """Set checked values of some instances and elements in columns of a state field."""
        engine, columns = self._view.engine, self._view.columns(table)
        columns.scatter(values, engine.state(field), rows, ids)
        engine.touch(columns.worlds(rows), field)

    def buffer(self, array: wp.array) -> HostBuffer:
        """Writer of an array that belongs to the asset rather than to the engine."""
        known = self._buffers.get(id(array))
        if known is None:
            # It keeps the array, so that no other one gets its identity.
            known = self._buffers[id(array)] = HostBuffer(array)
        return known
