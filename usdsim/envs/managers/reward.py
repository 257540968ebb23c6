"""Reward manager: the weighted sum of terms, and what each of them brought in an episode."""

from __future__ import annotations

import math
from typing import Any

import torch

from usdsim.core.arguments import number
from usdsim.envs.tensors import check_finite, check_rows

from .base import ConfiguredTerms
from .term_cfg import RewardTermCfg

__all__ = ["RewardManager"]


class RewardManager(ConfiguredTerms[RewardTermCfg]):
    """Rewards: the sum of value times weight times control period over all terms.

    Args:
        cfg: object or mapping whose entries are `RewardTermCfg`.
        env: the environment.
    """

    kind = "reward term"
    term_type = RewardTermCfg

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        for name, term in self._terms.items():
            number(f"reward term {name!r}.weight", term.weight, -math.inf)
        names = list(self._terms)
        self._columns = {name: i for i, name in enumerate(names)}
        self._sums = torch.zeros((len(names), self.num_envs), device=self.device)
        self._episode_sums = {name: self._sums[i] for name, i in self._columns.items()}
        self._step_reward = torch.zeros((self.num_envs, len(names)), device=self.device)
        self._total = torch.zeros(self.num_envs, device=self.device)

    @property
    def step_reward(self) -> torch.Tensor:
        """Weighted value per second of each term in the last step, shape (num_envs, terms)."""
        return self._step_reward

    @property
    def episode_sums(self) -> dict[str, torch.Tensor]:
        """Sum of each term over the running episodes, by name, shape (num_envs,)."""
        return self._episode_sums

    def compute(self, dt: float) -> torch.Tensor:
        """Rewards of a step.

        Args:
            dt: control period [s].

        Returns:
            Shape (num_envs,); overwritten by the next step.

        Raises:
            ShapeError: a term has not one number for each environment.
            SimulationError: a reward is not finite; it names term, environment and value.
        """
        self._total.zero_()
        for name, column in self._columns.items():
            term = self._terms[name]
            if term.weight == 0.0:
                self._step_reward[:, column] = 0.0
                continue
            values = term.func(self._env, **term.params)
            values = check_rows(f"reward term {name!r}", values, (self.num_envs,), self.device)
            weighted = values * term.weight
            self._step_reward[:, column] = weighted
            self._sums[column].add_(weighted, alpha=dt)
            self._total.add_(weighted, alpha=dt)
        # A sum is finite only if all its terms are, so that one check is enough where all is well.
        if not bool(torch.isfinite(self._total).all()):
            for name, column in self._columns.items():
                check_finite(f"reward term {name!r}", self._step_reward[:, column])
            check_finite("sum of the reward terms", self._total)
        return self._total

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Start new sums; see `ManagerBase.reset`.

        Returns:
            Mean of the sums of the episodes that are over, per second of the longest episode.
        """
        rows = slice(None) if env_ids is None else env_ids
        means = self._sums[:, rows].mean(dim=1) / self._env.max_episode_length_s
        self._sums[:, rows] = 0.0
        self._reset_terms(env_ids)
        return {f"Episode_Reward/{name}": means[i] for name, i in self._columns.items()}

    def get_active_iterable_terms(self, env_idx: int) -> list[tuple[str, list[float]]]:
        """Name and last weighted value of each term in an environment."""
        row = self._step_reward[env_idx].tolist()
        return [(name, [row[column]]) for name, column in self._columns.items()]
