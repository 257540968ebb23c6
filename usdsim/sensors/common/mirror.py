"""Mirror arrays, filled by NumPy and handed out by Warp."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine import device as devices

__all__ = ["Mirror"]


class Mirror:
    """An array and its NumPy form, which share memory where NumPy can reach it.

    Args:
        array: the array.

    Attributes:
        array: the array.
        host: its NumPy form; `publish` after writing and `fetch` before reading.
    """

    def __init__(self, array: wp.array):
        self.array = array
        self.host: NDArray[Any] = array.numpy()
        self._apart = not devices.is_shared(str(array.device))

    def publish(self) -> None:
        """Copy the host form to the array."""
        if self._apart:
            self.array.assign(self.host)

    def fetch(self) -> None:
        """Copy the array to the host form."""
        if self._apart:
            np.copyto(self.host, self.array.numpy())
