"""Histories of signals: their last values, and those of some calls ago."""

from __future__ import annotations

from typing import Any

import torch

from usdsim.core.arguments import number
from usdsim.core.errors import InvalidValueError
from usdsim.envs.streams import Streams

__all__ = ["DelayLine", "History"]


class History:
    """The last values of a signal for each environment.

    After a reset, the first value stands for all before it.

    Args:
        length: number of values.
        num_envs: number of environments.
        device: where tensors live.
    """

    def __init__(self, length: int, num_envs: int, device: str):
        self._length = int(length)
        self._values: torch.Tensor | None = None
        self._fresh = torch.ones(num_envs, dtype=torch.bool, device=device)

    def reset(self, env_ids: torch.Tensor | None = None) -> None:
        """Forget the values of environments."""
        self._fresh[slice(None) if env_ids is None else env_ids] = True

    def append(self, values: torch.Tensor, env_ids: torch.Tensor | None = None) -> torch.Tensor:
        """Take a value, and return the history.

        Args:
            values: shape (num_envs, ...).
            env_ids: environments that take part; None: all. The others' histories stay.

        Returns:
            Shape (num_envs, length, ...), oldest first.
        """
        filled = values.unsqueeze(1).expand(-1, self._length, *values.shape[1:])
        if self._values is None:
            self._values = filled.clone()
        rows = slice(None) if env_ids is None else env_ids
        fresh = self._fresh[rows].reshape(-1, *(1,) * values.ndim)
        kept = self._values[rows]
        shifted = torch.cat([kept[:, 1:], values[rows].unsqueeze(1)], dim=1)
        self._values[rows] = torch.where(fresh, filled[rows], shifted)
        self._fresh[rows] = False
        return self._values

    def peek(self, values: torch.Tensor) -> torch.Tensor:
        """The history as it is, and of environments that took no value since a reset, a value.

        Args:
            values: what stands for those, shape (num_envs, ...).

        Returns:
            Shape (num_envs, length, ...), oldest first.
        """
        filled = values.unsqueeze(1).expand(-1, self._length, *values.shape[1:])
        if self._values is None:
            return filled
        return torch.where(self._fresh.reshape(-1, *(1,) * values.ndim), filled, self._values)


class DelayLine:
    """Values of some calls ago; what is older than the last reset is the first value since.

    Args:
        min_lag: smallest lag [calls].
        max_lag: largest lag [calls].
        streams: random numbers of the environments, each of which draws a lag at each reset.
        num_envs: number of environments.
        device: where tensors live.
        hold: probability that an environment keeps its lag in a call, rather than drawing anew.

    Attributes:
        lags: lag of each environment, shape (num_envs,).
    """

    def __init__(
        self,
        min_lag: int,
        max_lag: int,
        streams: Streams,
        num_envs: int,
        device: str,
        hold: float = 1.0,
    ):
        self._limits = (int(min_lag), int(max_lag))
        self._hold = float(hold)
        self._streams = streams
        self._values: torch.Tensor | None = None
        self._fresh = torch.ones(num_envs, dtype=torch.bool, device=device)
        self._rows = torch.arange(num_envs, device=device)
        self.lags = torch.full((num_envs,), int(min_lag), dtype=torch.int64, device=device)

    @classmethod
    def of_term(cls, title: str, cfg: Any, env: Any) -> DelayLine:
        """The delay line of a term with ``delay_min_lag`` and ``delay_max_lag``.

        Raises:
            InvalidValueError: the lags are no limits, or ``delay_hold_prob`` no probability.
        """
        low, high = cfg.delay_min_lag, cfg.delay_max_lag
        if not 0 <= low <= high:
            raise InvalidValueError(
                f"delay of {title}", (low, high), "0 <= delay_min_lag <= delay_max_lag"
            )
        hold = getattr(cfg, "delay_hold_prob", 1.0)
        number(f"delay_hold_prob of {title}", hold, 0.0, 1.0, above=False)
        return cls(low, high, env.streams, env.num_envs, env.device, hold)

    def reset(self, env_ids: torch.Tensor | None = None) -> None:
        """Forget the values of environments, and draw their lags anew."""
        rows = slice(None) if env_ids is None else env_ids
        self._fresh[rows] = True
        low, high = self._limits
        if low < high:
            self.lags[rows] = self._streams.integers(low, high + 1, env_ids=env_ids)

    def compute(self, values: torch.Tensor, env_ids: torch.Tensor | None = None) -> torch.Tensor:
        """Take values, and return those of some calls ago.

        Args:
            values: shape (num_envs, ...).
            env_ids: environments that take part; None: all. The others' lines stay.

        Returns:
            The same shape; rows that do not take part are what they were.
        """
        if self._values is None:
            depth = self._limits[1] + 1
            self._values = values.unsqueeze(0).repeat(depth, *(1,) * values.ndim)
        rows = self._rows if env_ids is None else env_ids
        kept = self._values[:, rows]
        fresh = self._fresh[rows].reshape(1, -1, *(1,) * (values.ndim - 1))
        new = values[rows].unsqueeze(0)
        shifted = torch.cat([new, kept[:-1]])
        self._values[:, rows] = torch.where(fresh, new, shifted)
        self._fresh[rows] = False
        if self._hold < 1.0:
            low, high = self._limits
            drawn = self._streams.integers(low, high + 1, env_ids=env_ids)
            keeps = self._streams.uniform(0.0, 1.0, env_ids=env_ids) < self._hold
            self.lags[rows] = torch.where(keeps, self.lags[rows], drawn)
        return self._values[self.lags, self._rows]

    def peek(self, values: torch.Tensor) -> torch.Tensor:
        """Values returned last, and of environments that took none since a reset, others.

        Args:
            values: what stands for those, shape (num_envs, ...).
        """
        if self._values is None:
            return values
        fresh = self._fresh.reshape(-1, *(1,) * (values.ndim - 1))
        return torch.where(fresh, values, self._values[self.lags, self._rows])
