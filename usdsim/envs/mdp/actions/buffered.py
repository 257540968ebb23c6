"""Buffered actions: those of a decision, as they came and as they are applied."""

from __future__ import annotations

from typing import Any

import torch

from usdsim.envs.managers.action import ActionTerm

__all__ = ["BufferedActions"]


class BufferedActions(ActionTerm):
    """Base of terms that keep the actions of a decision; `_allocate` says how many."""

    def _allocate(self, count: int) -> None:
        """Make room for a number of actions, and for as many that are applied."""
        self._raw_actions = torch.zeros((self.num_envs, count), device=self.device)
        self._processed_actions = torch.zeros_like(self._raw_actions)

    @property
    def action_dim(self) -> int:
        """Number of actions."""
        return self._raw_actions.shape[1]

    @property
    def raw_actions(self) -> torch.Tensor:
        """Actions as they came, shape (num_envs, action_dim)."""
        return self._raw_actions

    @property
    def processed_actions(self) -> torch.Tensor:
        """Actions as they are applied, in the units that the class says, shape (num_envs, ...)."""
        return self._processed_actions

    def reset(self, env_ids: Any = None) -> None:
        """Forget the last actions; see `ManagerTermBase.reset`."""
        self._raw_actions[slice(None) if env_ids is None else env_ids] = 0.0
