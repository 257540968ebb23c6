"""Training: proximal policy optimisation of rsl_rl, in segments that can be resumed bit by bit.

A segment ends with a checkpoint. Each begins with new episodes and with random numbers that depend
on the seed and the iteration alone, so that it does not matter whether the one before it was run by
the same process.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from usdsim.core.boundary import boundary
from usdsim.core.errors import FileError, InvalidValueError
from usdsim.core.extras import library
from usdsim.core.transaction import replacing
from usdsim.envs import EpisodicEnv
from usdsim.tasks.agents import PpoCfg

from .policy import Policy
from .rsl_rl import RslRlVecEnv

__all__ = ["Progress", "train"]


@dataclass(frozen=True)
class Progress:
    """Progress of training after an iteration."""

    iteration: int
    """Number of iterations that are done."""
    iterations: int
    """Number there will be."""
    seconds: float
    """Time since training began [s]."""
    seconds_left: float
    """Time it will take at this pace [s]."""
    metrics: dict[str, float]
    """Means over the iteration, by name."""


def train(
    env: EpisodicEnv,
    agent: PpoCfg,
    folder: str | Path | None = None,
    *,
    seed: int = 0,
    resume: str | Path | None = None,
    max_seconds: float | None = None,
    report: Callable[[Progress], None] | None = None,
    metadata: dict[str, Any] | None = None,
) -> Policy:
    """Learn a policy.

    Args:
        env: the environment, of the same seed.
        agent: how to learn.
        folder: where checkpoints ``checkpoint_<iterations>.pt`` and metrics for TensorBoard go,
            where that is installed; None: nowhere. There is one at the end of every segment of
            ``agent.save_interval`` iterations, and one where training ends.
        seed: of random numbers.
        resume: a checkpoint to go on from: bit by bit as if there had been no end, if it was
            written at the end of a segment.
        max_seconds: time after which no further iteration begins [s], which may cut a segment
            short; None: no limit.
        report: called after each iteration.
        metadata: what is to be kept with the policy.

    Returns:
        The policy that gives the mean of actions.

    Raises:
        FileError: the checkpoint is missing or damaged.
        InvalidValueError: the checkpoint is of another seed or number of environments.
        UnsupportedError: rsl_rl is not installed.
    """
    torch.manual_seed(seed)
    run = _Run(RslRlVecEnv(env), agent, seed, None if folder is None else Path(folder))
    if resume is not None:
        run.load(Path(resume))
    began = time.monotonic()
    first = run.iteration
    while run.iteration < agent.iterations:
        metrics = run.iterate()
        seconds = time.monotonic() - began
        done = run.iteration - first
        if report is not None:
            left = seconds / done * (agent.iterations - run.iteration)
            report(Progress(run.iteration, agent.iterations, seconds, left, metrics))
        if max_seconds is not None and seconds >= max_seconds:
            run.keep()
            break
    run.close()
    known = {"iterations": run.iteration, "seed": seed, **(metadata or {})}
    return Policy.of_rsl_rl(run.algorithm.get_policy(), known)


class _Run:
    """The state of training between iterations."""

    def __init__(self, env: RslRlVecEnv, agent: PpoCfg, seed: int, folder: Path | None):
        algorithms = library("rsl_rl.algorithms")
        self._env, self._agent, self._seed, self._folder = env, agent, seed, folder
        self.iteration = 0
        self._begins = True
        self._observations = env.get_observations()
        cfg = {**agent.to_runner(), "multi_gpu": None}
        with contextlib.redirect_stdout(io.StringIO()):
            self.algorithm = algorithms.PPO.construct_algorithm(
                self._observations, env, cfg, env.device
            )
        self.algorithm.train_mode()
        self._writer = _writer(folder)

    def iterate(self) -> dict[str, float]:
        """Make an iteration, with what begins and ends a segment around it."""
        if self._begins:
            self._begin_segment()
        rewards, algorithm = [], self.algorithm
        # What the network explores with becomes small, for its mean alone is the policy in the end.
        algorithm.get_policy().distribution.std_range[1] = self._agent.std_limit(self.iteration)
        logs: dict[str, list[float]] = {}
        with torch.inference_mode():
            for _ in range(self._agent.num_steps_per_env):
                actions = algorithm.act(self._observations)
                self._observations, reward, done, extras = self._env.step(actions)
                algorithm.process_env_step(self._observations, reward, done, extras)
                rewards.append(float(reward.mean()))
                if bool(done.any()):
                    for name, value in extras["log"].items():
                        logs.setdefault(name, []).append(float(value))
            algorithm.compute_returns(self._observations)
        losses = algorithm.update()
        self.iteration += 1
        metrics = {
            "reward": float(np.mean(rewards)) / self._env.env.step_dt,
            **{name: float(np.mean(values)) for name, values in logs.items()},
            **{f"Loss/{name}": float(value) for name, value in losses.items()},
            "Policy/std": float(algorithm.get_policy().output_std.detach().mean()),
        }
        if self._writer is not None:
            for name, value in metrics.items():
                self._writer.add_scalar(name, value, self.iteration)
        self._begins = self.iteration % self._agent.save_interval == 0
        if self._begins or self.iteration == self._agent.iterations:
            self.keep()
        return metrics

    def keep(self) -> None:
        """Write a checkpoint into the folder, if there is one."""
        if self._folder is None:
            return
        state = {
            "algorithm": self.algorithm.save(),
            "environment": self._env.env.state_dict(),
            "iteration": self.iteration,
            "seed": self._seed,
        }
        with replacing(self._folder / f"checkpoint_{self.iteration}.pt") as staged:
            torch.save(state, staged)

    def load(self, path: Path) -> None:
        """Resume from a checkpoint."""
        if not path.is_file():
            raise FileError(f"There is no checkpoint {path}.")
        with boundary(f"Cannot read checkpoint {path}", remedy="Write one with train()."):
            state = torch.load(path, map_location=self._env.device, weights_only=True)
            self.algorithm.load(state["algorithm"], None, True)
            self.iteration, seed = int(state["iteration"]), int(state["seed"])
            environment = state["environment"]
            count = len(environment["streams"]["counters"])
        for what, asked, kept in (
            ("seed", self._seed, seed),
            ("number of environments", self._env.num_envs, count),
        ):
            if asked != kept:
                raise InvalidValueError(what, asked, f"{kept}, that of checkpoint {path}")
        self._env.env.load_state_dict(environment)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def _begin_segment(self) -> None:
        mixed = np.random.SeedSequence([self._seed, self.iteration]).generate_state(1, np.uint32)
        self._env.env.reset(seed=int(mixed[0]))
        # Episodes end at different times from the start, so that all of them are seen.
        lengths = self._env.episode_length_buf
        lengths.copy_(torch.randint_like(lengths, high=self._env.max_episode_length))
        self._observations = self._env.get_observations()


def _writer(folder: Path | None) -> Any:
    """Writer of metrics; None where there is no folder, or no TensorBoard."""
    if folder is None:
        return None
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError:
        return None
    return SummaryWriter(str(folder))
