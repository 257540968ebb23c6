"""Environments of several agents: their configuration is taken, they themselves are not here."""

from __future__ import annotations

from typing import Any

from usdsim.envs import DirectRLEnvCfg

from .absent import AbsentType

__all__ = ["DirectMARLEnv", "DirectMARLEnvCfg"]


class DirectMARLEnvCfg(DirectRLEnvCfg):
    """Configuration of an environment of several agents; spaces by name of the agent."""

    possible_agents: Any = None
    """Names of the agents."""
    observation_spaces: Any = None
    """Observation space of each."""
    action_spaces: Any = None
    """Action space of each."""


class DirectMARLEnv(metaclass=AbsentType):
    """An environment of several agents; making one is refused."""
