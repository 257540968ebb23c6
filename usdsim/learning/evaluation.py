"""Evaluation of policies: the first episode of every environment, without noise of actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from usdsim.envs import EpisodicEnv
from usdsim.envs.tensors import tensor

__all__ = ["Evaluation", "Measured", "evaluate"]


@dataclass(frozen=True)
class Measured:
    """Mean of a quantity over environments and decisions, while their first episodes run."""

    mean: float | None
    """Over all decisions; None: all episodes ended with the first."""
    last: float | None
    """Over the last tenth of the decisions; None: no episode came so far."""


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
    measures: dict[str, Measured] = field(default_factory=dict)
    """Quantities that were measured, by name."""

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return asdict(self)


def evaluate(
    env: EpisodicEnv,
    policy: Callable[[Any], Any],
    steps: int | None = None,
    seed: int = 0,
    each: Callable[[], None] | None = None,
    measures: Mapping[str, Callable[[Any], torch.Tensor]] | None = None,
) -> Evaluation:
    """Evaluate a policy over episodes.

    Args:
        env: the environment.
        policy: from observations ``policy``, a tensor of shape (num_envs, n), to actions.
        steps: number of decisions; None: those of an episode.
        seed: of the environment.
        each: called after each decision.
        measures: functions from the environment to numbers of shape (num_envs,), which are
            averaged; see `Task.measures`.
    """
    count = env.max_episode_length if steps is None else int(steps)
    observations, _ = env.reset(seed=seed)
    running = torch.ones(env.num_envs, dtype=torch.bool, device=env.device)
    lasted = running.clone()
    returns = torch.zeros(env.num_envs, device=env.device)
    lengths = torch.zeros(env.num_envs, device=env.device)
    made, last = 0, count - max(1, count // 10)
    sums = {name: _Sums() for name in measures or {}}
    with torch.inference_mode():
        for _ in range(count):
            actions = tensor(policy(observations["policy"])).to(env.device)
            observations, reward, terminated, truncated, _ = env.step(actions)
            made += 1
            returns += reward * running
            lengths += running
            lasted &= ~(terminated & running)
            running &= ~(terminated | truncated)
            for name, function in (measures or {}).items():
                sums[name].add(function(env)[running], made > last)
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
        measures={name: entry.result() for name, entry in sums.items()},
    )


class _Sums:
    """Sums of a quantity: of all decisions, and of the last ones."""

    def __init__(self) -> None:
        self._sums, self._counts = [0.0, 0.0], [0, 0]

    def add(self, values: torch.Tensor, late: bool) -> None:
        for part in range(1 + late):
            self._sums[part] += float(values.sum())
            self._counts[part] += len(values)

    def result(self) -> Measured:
        means = [s / n if n else None for s, n in zip(self._sums, self._counts, strict=True)]
        return Measured(*means)
