"""Reward terms of episodes and actions: life, ends, efforts of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from usdsim.envs.managers.base import ManagerTermBase

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedRLEnv

__all__ = ["action_l2", "action_rate_l2", "is_alive", "is_terminated", "is_terminated_term"]


def is_alive(env: ManagerBasedRLEnv) -> torch.Tensor:
    """1 where the episode did not end for a reason that belongs to the task, shape (num_envs,)."""
    return (~env.termination_manager.terminated).float()


def is_terminated(env: ManagerBasedRLEnv) -> torch.Tensor:
    """1 where the episode ended for a reason that belongs to the task, shape (num_envs,)."""
    return env.termination_manager.terminated.float()


class is_terminated_term(ManagerTermBase):
    """Number of some terms that ended the episode, not cut it off, shape (num_envs,).

    Its parameter ``term_keys`` has expressions for their names.
    """

    def __call__(self, env: ManagerBasedRLEnv, term_keys: str | list[str] = ".*") -> torch.Tensor:
        """The number of terms."""
        manager = env.termination_manager
        count = torch.zeros(env.num_envs, device=env.device)
        for name in manager.find_terms(term_keys):
            count += manager.get_term(name)
        return count * ~manager.time_outs


def action_rate_l2(env: ManagerBasedRLEnv) -> torch.Tensor:
    """Sum of the squared changes of actions, shape (num_envs,)."""
    return (env.action_manager.action - env.action_manager.prev_action).square().sum(1)


def action_l2(env: ManagerBasedRLEnv) -> torch.Tensor:
    """Sum of the squared actions, shape (num_envs,)."""
    return env.action_manager.action.square().sum(1)
