"""Watching a policy act, in the browser, in real time and with controls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from usdsim.envs import EpisodicEnv
from usdsim.envs.tensors import tensor
from usdsim.viewer import Viewer
from usdsim.viewer.clocks import SimulationClock
from usdsim.viewer.launching import run_watched

__all__ = ["PolicyClock", "watch"]


class PolicyClock(SimulationClock):
    """Time of an environment a policy acts in: a step is a decision, a reset new episodes.

    Args:
        env: the environment.
        policy: from observations ``policy``, a tensor of shape (num_envs, n), to actions.
    """

    def __init__(self, env: EpisodicEnv, policy: Callable[[Any], Any]):
        super().__init__(env.sim)
        self._env, self._policy = env, policy
        self._seen: dict[str, Any] = {}
        self.reset()

    @property
    def timestep(self) -> float:
        """Duration of a decision [s]."""
        return self._env.step_dt

    def step(self) -> None:
        """Step all environments by a decision of the policy."""
        actions = tensor(self._policy(self._seen["policy"])).to(self._env.device)
        self._seen = self._env.step(actions)[0]

    def reset(self) -> None:
        """Start new episodes everywhere."""
        self._seen, _ = self._env.reset()


def watch(
    env: EpisodicEnv,
    policy: Callable[[Any], Any],
    seconds: float = np.inf,
    *,
    port: int = 8080,
    host: str = "127.0.0.1",
    opened: Callable[[str], None] | None = None,
) -> None:
    """Show a page on which a policy acts, until the time is over or the user interrupts.

    The page can pause, slow down, go on by a decision, and start new episodes.

    Args:
        env: the environment.
        policy: from observations ``policy``, a tensor of shape (num_envs, n), to actions.
        seconds: how long, by the clock on the wall [s].
        port: of the page.
        host: who may connect; the default is this machine alone.
        opened: called with the page's address.

    Raises:
        InvalidValueError: the port is taken, or out of range.
        UnsupportedError: viser is not installed.
    """
    with Viewer(PolicyClock(env, policy), port=port, host=host) as viewer:
        if opened is not None:
            opened(viewer.url)
        run_watched(viewer, seconds)
