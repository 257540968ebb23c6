"""Buffers in torch: the last values of a batch, values delayed, values with a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
import warp as wp

from usdsim.core.errors import InvalidValueError, ShapeError, SimulationError

__all__ = ["CircularBuffer", "DelayBuffer", "TimestampedBuffer", "TimestampedBufferWarp"]

Rows: TypeAlias = Any


class CircularBuffer:
    """The last values of each row of a batch; rows are forgotten one by one.

    The first value after a reset stands for all before it.

    Args:
        max_len: number of values kept.
        batch_size: number of rows.
        device: where tensors live.

    Raises:
        InvalidValueError: the length is below 1.
    """

    def __init__(self, max_len: int, batch_size: int, device: str):
        if max_len < 1:
            raise InvalidValueError("max_len of CircularBuffer", max_len, "1 or more")
        self.max_length, self.batch_size, self.device = int(max_len), batch_size, device
        self._pushes = torch.zeros(batch_size, dtype=torch.int64, device=device)
        self._rows = torch.arange(batch_size, device=device)
        self._values: torch.Tensor | None = None  # newest first, shape (max_len, batch, ...)

    @property
    def current_length(self) -> torch.Tensor:
        """Number of values since the last reset, at most `max_length`, shape (batch_size,)."""
        return self._pushes.clamp(max=self.max_length)

    @property
    def buffer(self) -> torch.Tensor:
        """All values, oldest first, shape (batch_size, max_length, ...).

        Raises:
            SimulationError: nothing was appended yet.
        """
        return self._held().flip(0).transpose(0, 1)

    def reset(self, batch_ids: Rows = None) -> None:
        """Forget the values of some rows; None: of all."""
        rows = slice(None) if batch_ids is None else batch_ids
        self._pushes[rows] = 0
        if self._values is not None:
            self._values[:, rows] = 0

    def append(self, data: torch.Tensor) -> None:
        """Take a value for each row.

        Args:
            data: shape (batch_size, ...).

        Raises:
            ShapeError: the number of rows is another.
        """
        if data.shape[0] != self.batch_size:
            raise ShapeError("data of CircularBuffer", tuple(data.shape), f"{self.batch_size} rows")
        data = data.to(self.device)
        if self._values is None:
            self._values = data.new_zeros((self.max_length, *data.shape))
        self._values = torch.cat([data[None], self._values[:-1]])
        fresh = self._pushes == 0
        self._values[:, fresh] = data[fresh]
        self._pushes += 1

    def __getitem__(self, key: torch.Tensor) -> torch.Tensor:
        """Values of some appends ago, the oldest where there are fewer.

        Args:
            key: how many appends ago, 0 for the last one, shape (batch_size,).

        Raises:
            ShapeError: the number of rows is another.
            SimulationError: nothing was appended since a row's reset.
        """
        if len(key) != self.batch_size:
            raise ShapeError("key of CircularBuffer", (len(key),), f"({self.batch_size},)")
        values = self._held()
        if bool((self._pushes == 0).any()):
            raise SimulationError("A row of the buffer is empty. Append values first.")
        ages = torch.minimum(key.to(self._pushes), self.current_length - 1)
        return values[ages, self._rows]

    def _held(self) -> torch.Tensor:
        if self._values is None:
            raise SimulationError("The buffer is empty. Append values first.")
        return self._values


class DelayBuffer:
    """Values of some calls ago, each row with a lag of its own.

    Args:
        history_length: largest lag [calls].
        batch_size: number of rows.
        device: where tensors live.
    """

    def __init__(self, history_length: int, batch_size: int, device: str):
        self.history_length = max(0, history_length)
        self._line = CircularBuffer(self.history_length + 1, batch_size, device)
        self.time_lags = torch.zeros(batch_size, dtype=torch.int32, device=device)

    @property
    def batch_size(self) -> int:
        """Number of rows."""
        return self._line.batch_size

    @property
    def device(self) -> str:
        """Device of the tensors."""
        return self._line.device

    @property
    def min_time_lag(self) -> int:
        """Smallest lag in use [calls]."""
        return int(self.time_lags.min())

    @property
    def max_time_lag(self) -> int:
        """Largest lag in use [calls]."""
        return int(self.time_lags.max())

    def set_time_lag(self, time_lag: int | torch.Tensor, batch_ids: Rows = None) -> None:
        """Set lags.

        Args:
            time_lag: lag, or one per row [calls].
            batch_ids: the rows; None: all.

        Raises:
            InvalidValueError: a lag is below 0 or above `history_length`, or is no integer.
        """
        lags = torch.as_tensor(time_lag)
        if lags.is_floating_point():
            raise InvalidValueError("time_lag", time_lag, "integers")
        if lags.numel() and not 0 <= int(lags.min()) <= int(lags.max()) <= self.history_length:
            raise InvalidValueError("time_lag", lags.tolist(), f"0 to {self.history_length}")
        rows = slice(None) if batch_ids is None else batch_ids
        self.time_lags[rows] = lags.to(self.time_lags)

    def reset(self, batch_ids: Rows = None) -> None:
        """Forget the values of some rows; None: of all."""
        self._line.reset(batch_ids)

    def compute(self, data: torch.Tensor) -> torch.Tensor:
        """Take values, and return those of as many calls ago as the rows' lags.

        Args:
            data: shape (batch_size, ...).

        Returns:
            The same shape.
        """
        self._line.append(data)
        return self._line[self.time_lags].clone()


@dataclass
class TimestampedBuffer:
    """A value and when it was made."""

    data: Any = None
    """The value."""
    timestamp: float = -1.0
    """When [s]; -1: never."""


class TimestampedBufferWarp(TimestampedBuffer):
    """A Warp array of zeros and when it was written.

    Args:
        shape: of the array.
        device: where it lives.
        dtype: of its entries.
    """

    def __init__(self, shape: Any, device: str, dtype: Any):
        super().__init__(wp.zeros(shape, dtype=dtype, device=device))
