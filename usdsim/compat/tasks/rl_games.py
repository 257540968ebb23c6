"""Wrapper for rl_games: tensors on the device of the agent, within limits, as one or by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from usdsim.core.errors import UnknownNameError
from usdsim.core.extras import library
from usdsim.envs import EpisodicEnv
from usdsim.envs.spaces import gymnasium, policy_action_space

__all__ = ["RlGamesGpuEnv", "RlGamesVecEnvWrapper"]

_GROUPS = {"obs": ["policy"], "states": ["critic"]}
"""Groups of observations of the actor and, where there are any, of the critic."""


class _VecEnv:
    """Answers that rl_games expects of all environments."""

    def get_number_of_agents(self) -> int:
        """Agents in one copy."""
        return 1

    def has_action_masks(self) -> bool:
        """Whether some actions are ruled out."""
        return False

    def set_train_info(self, env_frames: int, *args: Any, **kwargs: Any) -> None:
        """Nothing: environments count their steps themselves."""

    def get_env_state(self) -> None:
        """State of the environment in checkpoints: none."""

    def set_env_state(self, env_state: Any) -> None:
        """Nothing: checkpoints keep nothing of the environment."""


class RlGamesVecEnvWrapper(_VecEnv):
    """An environment with the methods of rl_games's ``IVecEnv``.

    Args:
        env: the environment, or Gymnasium's wrappers around it.
        rl_device: where the agent computes.
        clip_obs: largest absolute observation.
        clip_actions: largest absolute action, the limit of the action space.
        obs_groups: names of the groups of ``obs`` and of ``states``; None: ``policy``, and
            ``critic`` if there is one.
        concate_obs_group: whether groups are joined along their last axis, or kept by name.

    Attributes:
        env: the environment.
        rlg_num_states: size of what the critic alone sees.

    Raises:
        UnknownNameError: there is no such group.
        UnsupportedError: actions are no numbers.
    """

    def __init__(
        self,
        env: EpisodicEnv,
        rl_device: str,
        clip_obs: float,
        clip_actions: float,
        obs_groups: Mapping[str, Sequence[str]] | None = None,
        concate_obs_group: bool = True,
    ):
        self.env, self._device, self._joined = env, rl_device, concate_obs_group
        self._clip_obs = clip_obs
        self._spaces = self.unwrapped.single_observation_space.spaces
        present = {
            "obs": _GROUPS["obs"],
            "states": [g for g in _GROUPS["states"] if g in self._spaces],
        }
        self._groups = {"states": (), **(present if obs_groups is None else obs_groups)}
        for group in (*self._groups["obs"], *self._groups["states"]):
            if group not in self._spaces:
                raise UnknownNameError("group of observations", group, self._spaces)
        self._limits = -clip_actions, clip_actions
        self._shape = policy_action_space(self.unwrapped).shape
        self.rlg_num_states = sum(self._spaces[g].shape[-1] for g in self._groups["states"])

    @property
    def unwrapped(self) -> EpisodicEnv:
        """The environment, without what Gymnasium put around it."""
        return self.env.unwrapped

    @property
    def num_envs(self) -> int:
        """Number of copies."""
        return self.unwrapped.num_envs

    @property
    def device(self) -> str:
        """Device of the simulation."""
        return self.unwrapped.device

    @property
    def render_mode(self) -> str | None:
        """Kind of the pictures of `env`."""
        return self.env.render_mode

    @property
    def observation_space(self) -> Any:
        """Space of the observations of one copy's actor."""
        return self._space("obs")

    @property
    def state_space(self) -> Any:
        """Space of the observations of one copy's critic."""
        return self._space("states")

    @property
    def action_space(self) -> Any:
        """Space of the actions of one copy."""
        return gymnasium.spaces.Box(*self._limits, self._shape)

    def get_env_info(self) -> dict[str, Any]:
        """All spaces by name."""
        names = ("observation_space", "action_space", "state_space")
        return {name: getattr(self, name) for name in names}

    def seed(self, seed: int = -1) -> int:
        """Begin all random numbers anew."""
        return self.unwrapped.seed(seed)

    def reset(self) -> dict[str, Any]:
        """Start new episodes everywhere."""
        return self._seen(self.env.reset()[0])

    def step(self, actions: torch.Tensor) -> tuple[dict[str, Any], Any, Any, dict[str, Any]]:
        """Carry out a decision.

        Args:
            actions: shape (num_envs, number of actions).

        Returns:
            Observations, rewards, whether episodes are over, and what there is to say:
            ``time_outs`` where the end of time is no part of the task, and ``episode``.
        """
        given = actions.detach().to(self.device).clamp(*self._limits)
        observations, reward, terminated, truncated, extras = self.env.step(given)
        said = {"episode" if name == "log" else name: value for name, value in extras.items()}
        if not self.unwrapped.cfg.is_finite_horizon:
            said["time_outs"] = truncated
        said = {n: v.to(self._device) if hasattr(v, "to") else v for n, v in said.items()}
        over = (terminated | truncated).to(self._device)
        return self._seen(observations), reward.to(self._device, copy=True), over, said

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def _seen(self, observations: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        """Observations of the actor and of the critic, if it has groups."""
        found: dict[str, Any] = {}
        for kind, groups in self._groups.items():
            each = {
                group: observations[group].to(self._device).clamp(-self._clip_obs, self._clip_obs)
                for group in groups
            }
            if each:
                found[kind] = torch.cat([*each.values()], dim=-1) if self._joined else each
        return found

    def _space(self, kind: str) -> Any:
        """Space of groups: one of all, or by group."""
        shapes = {group: self._spaces[group].shape for group in self._groups[kind]}
        if self._joined:
            first = next(iter(shapes.values()), (0,))
            width = sum(shape[-1] for shape in shapes.values())
            return self._box((*first[:-1], width))
        return gymnasium.spaces.Dict({name: self._box(shape) for name, shape in shapes.items()})

    def _box(self, shape: tuple[int, ...]) -> Any:
        return gymnasium.spaces.Box(-self._clip_obs, self._clip_obs, shape)


class RlGamesGpuEnv(_VecEnv):
    """An environment that rl_games knows by name, made when it is asked for.

    Args:
        config_name: name of its registration in rl_games.
        num_actors: accepted; the environment has its number of copies.
        **kwargs: arguments of the function that makes it.

    Attributes:
        env: the environment.

    Raises:
        UnsupportedError: rl_games is not installed.
    """

    def __init__(self, config_name: str, num_actors: int, **kwargs: Any):
        known = library("rl_games.common.env_configurations").configurations
        self.env: RlGamesVecEnvWrapper = known[config_name]["env_creator"](**kwargs)

    def step(self, actions: torch.Tensor) -> tuple[dict[str, Any], Any, Any, dict[str, Any]]:
        """Carry out a decision; see `RlGamesVecEnvWrapper.step`."""
        return self.env.step(actions)

    def reset(self) -> dict[str, Any]:
        """Start new episodes everywhere."""
        return self.env.reset()

    def get_env_info(self) -> dict[str, Any]:
        """All spaces by name."""
        return self.env.get_env_info()
