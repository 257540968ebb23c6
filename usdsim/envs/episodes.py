"""Episodic environment: decisions, rewards, ends of episodes, and the start of the next ones."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError

from .simulated import SimulatedEnv
from .spaces import batch_space
from .tensors import environment_ids, outside_autograd

__all__ = ["EpisodicEnv"]

Observations = dict[str, Any]


class EpisodicEnv(SimulatedEnv):
    """Base of environments with rewards and episodes; see `SimulatedEnv`.

    Attributes:
        episode_length_buf: decisions in the running episode, int64, shape (num_envs,).
        reset_terminated: whether the episode ended for a reason that belongs to the task, or
            because its world failed and was put back.
        reset_time_outs: whether it was cut off.
        reset_buf: whether it is over, for one reason or the other.
        reward_buf: rewards of the last decision.
        obs_buf: the last observations.
    """

    def _open_buffers(self) -> None:
        count, device = self.num_envs, self.device
        self.episode_length_buf = torch.zeros(count, dtype=torch.int64, device=device)
        self.reset_terminated = torch.zeros(count, dtype=torch.bool, device=device)
        self.reset_time_outs = torch.zeros(count, dtype=torch.bool, device=device)
        self.reset_buf = torch.zeros(count, dtype=torch.bool, device=device)
        self.reward_buf = torch.zeros(count, device=device)
        self.obs_buf: Observations = {}
        self._pending = torch.zeros(count, dtype=torch.bool, device=device)

    @property
    def max_episode_length_s(self) -> float:
        """Time after which episodes are cut off [s]."""
        return float(self.cfg.episode_length_s)

    @property
    def max_episode_length(self) -> int:
        """Number of decisions after which episodes are cut off."""
        # What is a whole number but for rounding is that number.
        return math.ceil(self.max_episode_length_s / self.step_dt - 1e-6)

    # -- time ----------------------------------------------------------------------------------

    @outside_autograd
    def reset(
        self,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
        env_ids: Any = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Start new episodes.

        Args:
            seed: of all random numbers from now on; None: they go on.
            options: ``reset_mask`` may say which environments, as a mask.
            env_ids: which environments, as indices; None: all.

        Returns:
            Observations of all environments, and what is to be logged.

        Raises:
            InvalidValueError: there is no such environment.
        """
        self._require_open()
        if seed is not None:
            self.seed(seed)
        given = (options or {}).get("reset_mask", env_ids)
        ids = environment_ids(given, self.num_envs, self.device)
        self.reset_buf[ids] = self.reset_terminated[ids] = self.reset_time_outs[ids] = False
        self._pending[ids] = False
        self.sim.engine.failed.difference_update(ids.tolist())
        self._restart(ids)
        self.obs_buf = self._observations(None if len(ids) == self.num_envs else ids)
        return self.obs_buf, self.extras

    @outside_autograd
    def step(
        self, action: Any
    ) -> tuple[Observations, torch.Tensor, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Carry out a decision in all environments.

        Args:
            action: shape (num_envs, actions).

        Returns:
            Observations by name of the group; rewards; whether episodes ended, and whether they
            were cut off, shape (num_envs,) each; and what there is to say besides. Tensors of
            rewards and ends are the environment's own, overwritten by the next step.

        Raises:
            ShapeError: the actions, or what a term returned, have the wrong shape.
            SimulationError: a value is not finite, or worlds failed.
        """
        self._require_open()
        self.extras.pop("final_obs", None)
        self._simulate_action(action)
        self.episode_length_buf += 1
        self.common_step_counter += 1
        mode = self.cfg.autoreset
        pending = self._pending.nonzero().flatten() if mode == "next_step" else None
        if pending is not None and len(pending):
            self._restart(pending)
        self._compute_dones_and_rewards()
        if mode == "next_step":
            for values in (self.reset_terminated, self.reset_time_outs, self.reset_buf):
                values[self._pending] = False
            self.reward_buf[self._pending] = 0.0
            self._pending = self.reset_buf.clone()
        elif mode == "same_step":
            over = self.reset_buf.nonzero().flatten()
            if len(over):
                if self.cfg.final_observations:
                    final = self._observations(over)
                    self.extras["final_obs"] = _rows(final, over)
                self._restart(over)
        self._after_resets()
        self.obs_buf = self._observations(None)
        return (
            self.obs_buf, self.reward_buf, self.reset_terminated, self.reset_time_outs, self.extras,
        )  # fmt: skip

    # -- what derived classes do ---------------------------------------------------------------

    @abstractmethod
    def _simulate_action(self, action: Any) -> None:
        """Take actions, and simulate a decision."""

    @abstractmethod
    def _compute_dones_and_rewards(self) -> None:
        """Set ends of episodes and rewards, in the buffers."""

    def _restart(self, env_ids: torch.Tensor) -> None:
        """Start new episodes, which depend on nothing that was before."""
        self._forget_solutions(env_ids)
        self._reset_idx(env_ids)

    @abstractmethod
    def _reset_idx(self, env_ids: torch.Tensor) -> None:
        """Start new episodes in environments."""

    def _after_resets(self) -> None:
        """Continue between the start of new episodes and the observations."""

    @abstractmethod
    def _observations(self, env_ids: torch.Tensor | None) -> Observations:
        """Observations; only rows of `env_ids` take part in what is remembered (None: all)."""

    def _failed(self) -> torch.Tensor | None:
        """Whether the world of each environment failed in this decision; None: of none."""
        failed = self.sim.engine.failed
        if not failed:
            return None
        found = torch.zeros(self.num_envs, dtype=torch.bool, device=self.device)
        found[list(failed)] = True
        failed.clear()
        return found

    def _set_spaces(self, observation: Any, action: Any) -> None:
        """Spaces of one environment, and of all."""
        self.single_observation_space, self.single_action_space = observation, action
        self.observation_space = batch_space(observation, self.num_envs)
        self.action_space = batch_space(action, self.num_envs)

    def state_dict(self) -> dict[str, Any]:
        """State that outlives episodes, for checkpoints: counters, random numbers, levels."""
        state: dict[str, Any] = {
            "common_step_counter": self.common_step_counter,
            "streams": self.streams.state_dict(),
        }
        if hasattr(self.scene.terrain, "state_dict"):
            state["terrain"] = self.scene.terrain.state_dict()
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what outlives episodes; `reset` starts new ones.

        Raises:
            InvalidValueError: it is of another number of environments.
        """
        counters = state["streams"]["counters"]
        if len(counters) != self.num_envs:
            raise InvalidValueError(
                "number of environments of the state", len(counters), str(self.num_envs)
            )
        self.common_step_counter = int(state["common_step_counter"])
        self.streams.load_state_dict(state["streams"])
        if "terrain" in state and hasattr(self.scene.terrain, "load_state_dict"):
            self.scene.terrain.load_state_dict(state["terrain"])


def _rows(values: Any, rows: torch.Tensor) -> Any:
    """Observations of which all rows but some are zero."""
    if isinstance(values, Mapping):
        return {key: _rows(entry, rows) for key, entry in values.items()}
    if isinstance(values, tuple):
        return tuple(_rows(entry, rows) for entry in values)
    kept = torch.zeros_like(values)
    kept[rows] = values[rows]
    return kept
