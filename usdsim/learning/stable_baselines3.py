"""Wrapper for stable-baselines3: a vector environment of NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from usdsim.core.errors import InvalidValueError
from usdsim.core.extras import library
from usdsim.envs import EpisodicEnv
from usdsim.envs.spaces import box, policy_action_space

from .gymnasium_vector import GymnasiumVectorEnv
from .wrapped import episodic

__all__ = ["Sb3VecEnv"]

_BASE = library("stable_baselines3.common.vec_env").VecEnv


class Sb3VecEnv(_BASE):  # type: ignore[misc, valid-type]
    """An environment as stable-baselines3's ``VecEnv``.

    Infos have ``terminal_observation``, ``TimeLimit.truncated`` and ``episode`` (return, length)
    of episodes that are over.

    Args:
        env: the environment, which starts its next episodes in the same step, or Gymnasium's
            wrappers around it.
        clip_actions: limit of the action space, as stable-baselines3 needs one.

    Attributes:
        env: the environment.

    Raises:
        InvalidValueError: the environment starts episodes otherwise, or is another one.
        UnsupportedError: stable-baselines3 is not installed, or actions are no numbers.
    """

    def __init__(self, env: EpisodicEnv, clip_actions: float = 100.0):
        inner = episodic(env)
        if inner.cfg.autoreset != "same_step":
            raise InvalidValueError(
                "autoreset", inner.cfg.autoreset, "same_step, for stable-baselines3"
            )
        self.env, self._vector = env, GymnasiumVectorEnv(env)
        limits = (-clip_actions, clip_actions)
        actions = box(tuple(policy_action_space(inner).shape), limits)
        self._returns = np.zeros(inner.num_envs)
        self._lengths = np.zeros(inner.num_envs, int)
        self._actions: Any = None
        self.render_mode = env.render_mode
        super().__init__(inner.num_envs, self._vector.single_observation_space, actions)

    @property
    def unwrapped(self) -> EpisodicEnv:
        """The environment, without what Gymnasium put around it."""
        return self.env.unwrapped

    def reset(self) -> Any:
        """Start new episodes everywhere."""
        self._returns[:], self._lengths[:] = 0.0, 0
        observations, _ = self._vector.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return observations.copy()

    def step_async(self, actions: Any) -> None:
        """Take actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Carry them out."""
        observations, reward, terminated, truncated, infos = self._vector.step(self._actions)
        self._returns += reward
        self._lengths += 1
        over = terminated | truncated
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(over):
            each[row] = {
                "terminal_observation": infos["final_obs"][row],
                "TimeLimit.truncated": bool(truncated[row] and not terminated[row]),
                "episode": {"r": float(self._returns[row]), "l": int(self._lengths[row])},
            }
        self._returns[over], self._lengths[over] = 0.0, 0
        return observations.copy(), reward.astype(np.float32), over, each

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the environment, for each copy."""
        return [getattr(self.unwrapped, attr_name, None)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the environment."""
        setattr(self.unwrapped, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the environment, for each copy."""
        result = getattr(self.unwrapped, method_name)(*method_args, **method_kwargs)
        return [result] * len(self._chosen(indices))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Copies are not wrapped."""
        return [False] * len(self._chosen(indices))

    def get_images(self) -> Sequence[Any]:
        """Pictures."""
        return [self.env.render()]

    def _chosen(self, indices: Any) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else list(indices)
