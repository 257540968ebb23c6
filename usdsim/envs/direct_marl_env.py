"""Direct environment of several agents: what each does, sees and earns, by its name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError

from .cfg import EpisodicEnvCfg
from .direct_rl_env import DirectRLEnv
from .spaces import AgentSpaces, batch_space, gymnasium, spec_to_space
from .tensors import check_finite, check_rows, check_shape, tensor

__all__ = ["DirectMARLEnv", "DirectMARLEnvCfg"]


class DirectMARLEnvCfg(EpisodicEnvCfg):
    """An environment of several agents; spaces are those of `DirectRLEnvCfg`, by agent."""

    possible_agents: Any = MISSING
    """Names of the agents."""
    observation_spaces: Any = MISSING
    """Observations of each agent, in one environment."""
    action_spaces: Any = MISSING
    """Actions of each agent, in one environment."""
    state_space: Any = None
    """State of one environment, for critics of all agents; None, or 0: there is none; -1: the
    observations of all agents, one after the other."""
    events: Any = None
    """Terms of events, as attributes; None: none."""

    observation_noise_model: Any = None
    """A `NoiseModelCfg` for the observations of each agent that has noise, by agent."""
    action_noise_model: Any = None
    """A `NoiseModelCfg` for the actions of each agent that has noise, by agent."""

    def validate(self) -> None:
        """Check the values; see `EpisodicEnvCfg.validate`."""
        super().validate()
        title, agents = type(self).__name__, list(self.possible_agents)
        if not agents or len(set(agents)) != len(agents):
            raise InvalidValueError(f"{title}.possible_agents", agents, "names, each once")
        for name in ("observation_spaces", "action_spaces"):
            spaces = getattr(self, name)
            if not isinstance(spaces, Mapping) or set(spaces) != set(agents):
                raise InvalidValueError(f"{title}.{name}", spaces, f"one for each of {agents}")
        if self.autoreset == "next_step":
            raise InvalidValueError(
                f"{title}.autoreset", self.autoreset, "same_step or disabled, for several agents"
            )


class DirectMARLEnv(DirectRLEnv):
    """Base of environments of several agents; see `DirectRLEnv`.

    Its configuration is a `DirectMARLEnvCfg`. What derived classes take and return is a mapping
    with an entry for each agent. An episode is over when that of all agents is.

    Attributes:
        possible_agents: names of the agents.
        observation_spaces: observations of each, in one environment.
        action_spaces: actions of each, in one environment.
        state_space: space of `state`; None: there is none.
        actions: the last actions of each, shape (num_envs, ...).
        terminated_dict: whether the episode of each ended, bool, shape (num_envs,).
        time_out_dict: whether that of each was cut off, likewise.
        reward_dict: the last rewards of each, shape (num_envs,).
    """

    def _open_buffers(self) -> None:
        super()._open_buffers()
        self.possible_agents = [str(name) for name in self.cfg.possible_agents]
        self.terminated_dict, self.time_out_dict = (
            {name: self.reset_buf.clone() for name in self.possible_agents} for _ in range(2)
        )
        self.reward_dict: dict[str, torch.Tensor] = {}

    def _make_noise(self) -> None:
        self._action_noise = self._observation_noise = None  # Those below instead.
        self._action_noises = self._noises(self.cfg.action_noise_model)
        self._observation_noises = self._noises(self.cfg.observation_noise_model)

    def _configure_gym_env_spaces(self) -> None:
        cfg = self.cfg

        def spaces(title: str) -> dict[str, Any]:
            given = getattr(cfg, title)
            return {a: spec_to_space(f"{title}[{a!r}]", given[a]) for a in self.possible_agents}

        self.observation_spaces = spaces("observation_spaces")
        self.action_spaces = spaces("action_spaces")
        self.state_space = self._state_space(cfg.state_space)
        self._set_spaces(
            gymnasium.spaces.Dict(self.observation_spaces),
            gymnasium.spaces.Dict(self.action_spaces),
        )
        self.observation_space = AgentSpaces(self.observation_spaces, self.num_envs)
        self.action_space = AgentSpaces(self.action_spaces, self.num_envs)
        self.actions = {
            agent: torch.zeros(batch_space(space, self.num_envs).shape or (0,), device=self.device)
            for agent, space in self.action_spaces.items()
        }

    @property
    def num_agents(self) -> int:
        """Number of agents whose episodes run."""
        return len(self.agents)

    @property
    def max_num_agents(self) -> int:
        """Number of agents."""
        return len(self.possible_agents)

    @property
    def agents(self) -> list[str]:
        """Names of the agents, as the episodes of all run as long."""
        return self.possible_agents

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Carry out a decision of all agents in all environments; see `EpisodicEnv.step`.

        Args:
            actions: of each agent, shape (num_envs, ...).

        Returns:
            Observations, rewards, ends, cuts, and what there is to say, by name of the agent.
        """
        observations, *_, extras = super().step(actions)
        said = {agent: extras for agent in self.possible_agents}
        return observations, self.reward_dict, self.terminated_dict, self.time_out_dict, said

    def state(self) -> torch.Tensor | None:
        """State of the environments, shape (num_envs, n); None: there is none."""
        if self.state_space is None:
            return None
        if self.cfg.state_space == -1:
            flat = [self.obs_buf[agent].flatten(1) for agent in self.possible_agents]
            return torch.cat(flat, dim=1)
        return tensor(self._get_states()).clone()

    # -- what derived classes define -----------------------------------------------------------

    @abstractmethod
    def _get_rewards(self) -> dict[str, torch.Tensor]:
        """Rewards of each agent, shape (num_envs,)."""

    @abstractmethod
    def _get_dones(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Whether the episode of each agent ended, and whether it is cut off, shape (num_envs,)."""

    # -- inside --------------------------------------------------------------------------------

    def _simulate_action(self, action: Any) -> None:
        given = self._each("action", action)
        actions = {agent: tensor(values).to(self.device) for agent, values in given.items()}
        for agent, noise in self._action_noises.items():
            actions[agent] = noise(actions[agent])
        for agent, values in actions.items():
            check_shape(f"action of {agent!r}", values, self.action_space[agent])
            if values.is_floating_point():
                check_finite(f"action of {agent!r}", values)
        self._pre_physics_step(actions)
        self._simulate(self._apply_action, self.actions_hold)

    def _compute_dones_and_rewards(self) -> None:
        name = type(self).__name__
        terminated, truncated = self._get_dones()
        self.terminated_dict = self._rows(f"{name}._get_dones()[0]", terminated, torch.bool)
        self.time_out_dict = self._rows(f"{name}._get_dones()[1]", truncated, torch.bool)
        if (failed := self._failed()) is not None:
            ended = self.terminated_dict.items()
            self.terminated_dict = {agent: values | failed for agent, values in ended}
        self.reset_terminated = torch.stack([*self.terminated_dict.values()]).all(0)
        self.reset_time_outs = torch.stack([*self.time_out_dict.values()]).all(0)
        over = [self.terminated_dict[a] | self.time_out_dict[a] for a in self.possible_agents]
        self.reset_buf = torch.stack(over).all(0)
        what = f"{name}._get_rewards()"
        self.reward_dict = self._rows(what, self._get_rewards(), torch.float32)
        for agent, reward in self.reward_dict.items():
            check_finite(f"{what}[{agent!r}]", reward)
        self.reward_buf = torch.stack([*self.reward_dict.values()]).sum(0)

    def _observations(self, env_ids: torch.Tensor | None) -> dict[str, Any]:
        what = f"{type(self).__name__}._get_observations()"
        found = self._each(what, self._get_observations())
        observations = {agent: tensor(values).clone() for agent, values in found.items()}
        for agent, values in observations.items():
            space = self.observation_space[agent]
            check_shape(f"{what}[{agent!r}]", values, space, strict=self.checks_observations)
        rows = slice(None) if env_ids is None else env_ids
        for agent, noise in self._observation_noises.items():
            observations[agent][rows] = noise(observations[agent][rows], env_ids)
        return observations

    def _reset_idx(self, env_ids: Any) -> None:
        super()._reset_idx(env_ids)
        for noise in (*self._action_noises.values(), *self._observation_noises.values()):
            noise.reset(torch.as_tensor(env_ids, device=self.device))

    def _noises(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """The noise of each agent that has some."""
        return {agent: self._noise(cfg) for agent, cfg in (given or {}).items() if cfg is not None}

    def _each(self, what: str, given: Any) -> dict[str, Any]:
        """The entries of the agents."""
        if not isinstance(given, Mapping) or set(given) != set(self.possible_agents):
            named = sorted(given) if isinstance(given, Mapping) else given
            raise InvalidValueError(what, named, f"an entry for each of {self.possible_agents}")
        return {agent: given[agent] for agent in self.possible_agents}

    def _rows(self, what: str, given: Any, dtype: torch.dtype) -> dict[str, torch.Tensor]:
        """The entries of the agents, a number for each environment."""
        return {
            agent: check_rows(f"{what}[{agent!r}]", values, (self.num_envs,)).to(dtype)
            for agent, values in self._each(what, given).items()
        }

    def _state_space(self, given: Any) -> Any:
        if given == -1:
            sizes = [gymnasium.spaces.flatdim(s) for s in self.observation_spaces.values()]
            return spec_to_space("state_space", sum(sizes))
        return spec_to_space("state_space", given) if given else None
