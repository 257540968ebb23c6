"""Evaluation of policies: the first episode of every environment, without noise of actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch

from usdsim.envs import EpisodicEnv
from usdsim.envs.tensors import tensor

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """Outcome of the first episodes of environments."""

    episodes: int
    """Number of episodes."""
    steps: int
    """Number of decisions that were made."""
    mean_return: float
    """Mean of the sums of rewards."""
    mean_length: float
    """Mean number of decisions until the end, or until the evaluation ended."""
    lasted: float
    """Part of the episodes that did not end for a reason that belongs to the task."""

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return asdict(self)


def evaluate(
    env: EpisodicEnv,
    policy: Callable[[Any], Any],
    steps: int | None = None,
    seed: int = 0,
    each: Callable[[], None] | None = None,
) -> Evaluation:
    """Let a policy act.

    Args:
        env: the environment.
        policy: from observations ``policy``, a tensor of shape (num_envs, n), to actions.
        steps: number of decisions; None: those of an episode.
        seed: of the environment.
        each: called after each decision.
    """
    count = env.max_episode_length if steps is None else int(steps)
    observations, _ = env.reset(seed=seed)
    running = torch.ones(env.num_envs, dtype=torch.bool, device=env.device)
    lasted = running.clone()
    returns = torch.zeros(env.num_envs, device=env.device)
    lengths = torch.zeros(env.num_envs, device=env.device)
    made = 0
    with torch.inference_mode():
        for _ in range(count):
            actions = tensor(policy(observations["policy"])).to(env.device)
            observations, reward, terminated, truncated, _ = env.step(actions)
            made += 1
            returns += reward * running
            lengths += running
            lasted &= ~(terminated & running)
            running &= ~(terminated | truncated)
            if each is not None:
                each()
            if not bool(running.any()):
                break
    return Evaluation(
        episodes=env.num_envs,
        steps=made,
        mean_return=float(returns.mean()),
        mean_length=float(lengths.mean()),
        lasted=float(lasted.float().mean()),
    )
