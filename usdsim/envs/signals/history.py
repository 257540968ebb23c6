"""History of a signal: its last values, oldest first."""

from __future__ import annotations

import torch

__all__ = ["History"]


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
