"""Gymnasium single environment: one copy, without an axis for copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from usdsim.core.errors import InvalidValueError
from usdsim.envs import EpisodicEnv
from usdsim.envs.spaces import gymnasium

from .gymnasium_vector import GymnasiumVectorEnv, row_of

__all__ = ["SingleEnv"]


class SingleEnv(gymnasium.Env[Any, Any]):
    """An environment of one copy as `gymnasium.Env`: its episodes end until `reset` is called.

    Args:
        env: the environment, of one copy, with ``autoreset="disabled"``.
        group: name of the observations that are seen; None: all, as a mapping.

    Attributes:
        env: the environment.

    Raises:
        InvalidValueError: there are several copies, or episodes start by themselves.
    """

    def __init__(self, env: EpisodicEnv, group: str | None = "policy"):
        if env.num_envs != 1:
            raise InvalidValueError("num_envs", env.num_envs, "1, for a single environment")
        if env.cfg.autoreset != "disabled":
            raise InvalidValueError("autoreset", env.cfg.autoreset, "disabled, for a single one")
        self._vector = GymnasiumVectorEnv(env, group)
        self.env = env
        self.observation_space = self._vector.single_observation_space
        self.action_space = self._vector.single_action_space
        self.render_mode = env.render_mode
        self.metadata = {**env.metadata, "render_modes": ["human", "rgb_array"]}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new episode; see `EpisodicEnv.reset`."""
        super().reset(seed=seed)
        observations, infos = self._vector.reset(seed=seed, options=options)
        return row_of(observations, 0), infos

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out a decision; see `EpisodicEnv.step`."""
        observations, reward, terminated, truncated, infos = self._vector.step(
            np.asarray(action)[None]
        )
        return (
            row_of(observations, 0),
            float(reward[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            infos,
        )

    def render(self) -> Any:
        """A picture; see `SimulatedEnv.render`."""
        return self.env.render()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()
