"""One agent that acts for several: what all do, see and earn, as that of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError

from .direct_marl_env import DirectMARLEnv
from .direct_rl_env import DirectRLEnv
from .spaces import batch_space, gymnasium

__all__ = ["multi_agent_to_single_agent", "multi_agent_with_one_agent"]

_AGENT = "single-agent"


def multi_agent_to_single_agent(
    env: DirectMARLEnv, state_as_observation: bool = False
) -> DirectRLEnv:
    """An environment of one agent whose numbers are those of all agents, one after the other.

    Rewards are summed; an episode ends, or is cut off, when that of all agents does. The
    environment keeps simulating the one that is given, and closing either closes both.

    Args:
        env: the environment of several agents, whose spaces are numbers.
        state_as_observation: whether ``policy`` is the state rather than all observations.

    Raises:
        InvalidValueError: the state is asked for and there is none.
    """
    return _SingleAgent(env, state_as_observation)


def multi_agent_with_one_agent(
    env: DirectMARLEnv, state_as_observation: bool = False
) -> DirectMARLEnv:
    """An environment of several agents that has only ``single-agent``.

    See `multi_agent_to_single_agent`, for programs that want mappings by name.
    """
    return _OneOfSeveral(env, state_as_observation)


class _Joined:
    """An environment of several agents, seen as one agent; see `multi_agent_to_single_agent`."""

    _hidden: tuple[str, ...] = ()
    """Names that it does not have of the environment of several agents."""

    def __init__(self, env: DirectMARLEnv, state_as_observation: bool):
        self._closed = True
        self.env: Any = env.unwrapped
        if state_as_observation and not self.env.cfg.state_space:
            raise InvalidValueError(
                "state_space", self.env.cfg.state_space, "a space, as the state is to be observed"
            )
        self._sees_state, self._agents = state_as_observation, tuple(self.env.possible_agents)
        self.cfg, self.sim, self.scene = self.env.cfg, self.env.sim, self.env.scene
        self.render_mode = self.env.render_mode
        seen, done = (
            gymnasium.spaces.flatten_space(gymnasium.spaces.Tuple([given[a] for a in self._agents]))
            for given in (self.env.observation_spaces, self.env.action_spaces)
        )
        self._spaces = (self.env.state_space if state_as_observation else seen, done)
        self._closed = False

    def __getattr__(self, name: str) -> Any:
        """Attribute of the environment of several agents, where this one has none."""
        if name.startswith("_") or name == "env" or name in self._hidden:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.env, name)

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Decisions in the running episodes, which programs may set, int64, shape (num_envs,)."""
        lengths: torch.Tensor = self.env.episode_length_buf
        return lengths

    @episode_length_buf.setter
    def episode_length_buf(self, lengths: torch.Tensor) -> None:
        self.env.episode_length_buf = lengths

    def render(self, recompute: bool = False) -> Any:
        """See `SimulatedEnv.render`."""
        return self.env.render(recompute)

    def close(self) -> None:
        """Close the environment of several agents."""
        if not getattr(self, "_closed", True):
            self._closed = True
            self.env.close()

    def _seen(self, observations: Mapping[str, torch.Tensor]) -> torch.Tensor:
        if self._sees_state:
            state: torch.Tensor = self.env.state()
            return state
        return torch.cat([observations[agent].flatten(1) for agent in self._agents], dim=1)

    def _begin(self, *given: Any, **named: Any) -> torch.Tensor:
        return self._seen(self.env.reset(*given, **named)[0])

    def _act(self, action: torch.Tensor) -> tuple[Any, Any, Any, Any]:
        sizes = [gymnasium.spaces.flatdim(self.env.action_spaces[a]) for a in self._agents]
        parts = dict(zip(self._agents, action.split(sizes, dim=1), strict=True))
        observations, rewards, *flags, _ = self.env.step(parts)
        reward = torch.stack([*rewards.values()]).sum(0)
        ended, cut = (torch.stack([*given.values()]).all(0) for given in flags)
        return self._seen(observations), reward, ended, cut


class _SingleAgent(_Joined, DirectRLEnv):
    """See `multi_agent_to_single_agent`."""

    # Libraries tell environments of several agents by these.
    _hidden = ("agents", "possible_agents", "num_agents", "max_num_agents")

    def __init__(self, env: DirectMARLEnv, state_as_observation: bool):
        super().__init__(env, state_as_observation)
        seen, done = self._spaces
        self.single_observation_space = gymnasium.spaces.Dict({"policy": seen})
        self.single_action_space = done
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(done, self.num_envs)

    def reset(self, *given: Any, **named: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start new episodes; see `EpisodicEnv.reset`."""
        observation = self._begin(*given, **named)
        return {"policy": observation}, self.env.extras

    def step(self, action: torch.Tensor) -> tuple[Any, Any, Any, Any, Any]:
        """Carry out a decision, shape (num_envs, actions of all agents); see `EpisodicEnv.step`."""
        observation, reward, ended, cut = self._act(action)
        return {"policy": observation}, reward, ended, cut, self.env.extras


class _OneOfSeveral(_Joined, DirectMARLEnv):
    """See `multi_agent_with_one_agent`."""

    def __init__(self, env: DirectMARLEnv, state_as_observation: bool):
        super().__init__(env, state_as_observation)
        seen, done = self._spaces
        self.possible_agents = [_AGENT]
        self.observation_spaces, self.action_spaces = {_AGENT: seen}, {_AGENT: done}

    def reset(self, *given: Any, **named: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start new episodes; see `EpisodicEnv.reset`."""
        observation = self._begin(*given, **named)
        return {_AGENT: observation}, {_AGENT: self.env.extras}

    def step(self, action: Mapping[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Carry out a decision; see `DirectMARLEnv.step`."""
        seen, reward, ended, cut = ({_AGENT: part} for part in self._act(action[_AGENT]))
        return seen, reward, ended, cut, {_AGENT: self.env.extras}

    def state(self) -> torch.Tensor | None:
        """See `DirectMARLEnv.state`."""
        found: torch.Tensor | None = self.env.state()
        return found
