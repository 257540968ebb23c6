"""Sample histories: the last samples of the arrays of a sensor, newest first."""

from __future__ import annotations

from collections.abc import Mapping

import warp as wp

from usdsim.engine import device as devices
from usdsim.engine.base import Engine
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.memory import part_of

from .kernel_pass import KernelPass, Rows, row_array
from .sample_kernels import clear_words, push_samples

__all__ = ["SampleHistories", "clear"]


class SampleHistories:
    """The last samples of some arrays.

    Args:
        engine: the engine of the sensor.
        newest: arrays that hold the newest sample, by name, shape (num_instances, ...).
        length: number of samples that are kept; 0: none, histories are the arrays themselves.

    Attributes:
        arrays: the histories by name, with the ending ``_history``, shape
            (num_instances, max(length, 1), ...).
    """

    def __init__(self, engine: Engine, newest: Mapping[str, wp.array], length: int):
        self.arrays: dict[str, wp.array] = {}
        self._passes: list[KernelPass] = []
        for name, array in newest.items():
            count, *tail = array.shape
            if not length:
                self.arrays[f"{name}_history"] = array.reshape((count, 1, *tail))
                continue
            width = array.size // count
            history = wp.zeros((count, length, *tail), dtype=array.dtype, device=engine.device)
            source, target = array.reshape((count, width)), history.reshape((count, length, width))
            push = KernelPass(engine, push_samples, count, (width,), [source], [target])
            self._passes.append(push)
            self.arrays[f"{name}_history"] = history

    def push(self, rows: Rows) -> None:
        """Push the newest samples of some instances to the front; None: of all."""
        for push in self._passes:
            push.run(rows)

    def clear(self, which: Rows | DeviceSelection) -> None:
        """Forget the samples of some instances; None: of all."""
        if self._passes:
            for history in self.arrays.values():
                clear(history, which)


def clear(array: wp.array, which: Rows | DeviceSelection) -> None:
    """Set numbers of some instances to zero.

    Args:
        array: 32-bit numbers, shape (num_instances, ...).
        which: instances; None: all.
    """
    if which is None:
        array.zero_()
        return
    device = str(array.device)
    if not isinstance(which, DeviceSelection):
        if devices.is_shared(device):
            array.numpy()[which] = 0
            return
        which = DeviceSelection(rows=row_array(which, device))
    size = array.shape[0], array.strides[0] // 4
    words = part_of(array, wp.int32, size, (array.strides[0], 4))
    inputs = [which.rows, which.row_mask]
    wp.launch(clear_words, which.size(size), inputs, [words], device=device)
