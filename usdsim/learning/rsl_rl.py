"""Wrapper for rsl_rl: tensors go through as they are."""

from __future__ import annotations

from typing import Any

import torch

from usdsim.core.errors import InvalidValueError
from usdsim.core.extras import library
from usdsim.envs import EpisodicEnv
from usdsim.envs.spaces import policy_action_space

from .wrapped import episodic

__all__ = ["RslRlVecEnv"]


class RslRlVecEnv:
    """An environment as rsl_rl's runners take it.

    Observations are a TensorDict of groups, as from version 3 on. Where an older version is
    installed, they are those of the group ``policy``, and all groups stand among what there is to
    say, as ``observations``.

    Args:
        env: the environment, which starts its next episodes in the same step. Gymnasium's wrappers
            around it, which record videos for example, see its steps.
        clip_actions: largest absolute action; None: as the policy gives it.

    Attributes:
        env: the environment.
        num_envs: number of copies.
        num_actions: number of actions.
        device: where tensors live.
        cfg: configuration of the environment.

    Raises:
        InvalidValueError: the environment starts episodes otherwise, or is another one.
        UnsupportedError: rsl_rl is not installed, or actions are no numbers.
    """

    def __init__(self, env: EpisodicEnv, clip_actions: float | None = None):
        library("rsl_rl")
        # Versions that take groups name the class of them beside their base class.
        self._group = getattr(library("rsl_rl.env.vec_env"), "TensorDict", None)
        inner = episodic(env)
        if inner.cfg.autoreset != "same_step":
            raise InvalidValueError("autoreset", inner.cfg.autoreset, "same_step, for rsl_rl")
        self.env, self.cfg = env, inner.cfg
        self._clip = clip_actions
        self.num_envs, self.device = inner.num_envs, inner.device
        self.num_actions = int(policy_action_space(inner).shape[0])
        env.reset()

    @property
    def unwrapped(self) -> EpisodicEnv:
        """The environment, without what Gymnasium put around it."""
        return self.env.unwrapped

    @property
    def render_mode(self) -> str | None:
        """Kind of pictures that `EpisodicEnv.render` makes."""
        return self.env.render_mode

    @property
    def observation_space(self) -> Any:
        """Space of the observations."""
        return self.env.observation_space

    @property
    def action_space(self) -> Any:
        """Space of the actions."""
        return self.env.action_space

    @property
    def max_episode_length(self) -> int:
        """Number of decisions after which episodes are cut off."""
        return self.unwrapped.max_episode_length

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Decisions in the running episodes, shape (num_envs,)."""
        return self.unwrapped.episode_length_buf

    @episode_length_buf.setter
    def episode_length_buf(self, value: torch.Tensor) -> None:
        self.unwrapped.episode_length_buf = value

    @classmethod
    def class_name(cls) -> str:
        """Name of the class."""
        return cls.__name__

    def seed(self, seed: int = -1) -> int:
        """Seed all random numbers of the environment; see `EpisodicEnv.seed`."""
        return self.unwrapped.seed(seed)

    def reset(self) -> tuple[Any, dict[str, Any]]:
        """Start all episodes anew.

        Returns:
            Observations, and what there is to say.
        """
        observations, extras = self.env.reset()
        seen, said = self._seen(observations)
        return seen, {**extras, **said}

    def get_observations(self) -> Any:
        """The last observations; in versions before 3, a pair with what there is to say."""
        seen, said = self._seen(self.unwrapped.obs_buf)
        return (seen, said) if self._group is None else seen

    def step(self, actions: torch.Tensor) -> tuple[Any, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Carry out a decision.

        Args:
            actions: shape (num_envs, num_actions).

        Returns:
            Observations, rewards, whether episodes are over (int64), and what there is to say:
            ``time_outs`` and ``log``.
        """
        if self._clip is not None:
            actions = actions.clamp(-self._clip, self._clip)
        observations, reward, terminated, truncated, extras = self.env.step(actions)
        said = {"log": extras.get("log", {})}
        if not self.cfg.is_finite_horizon:
            said["time_outs"] = truncated.clone()
        done = (terminated | truncated).to(torch.int64)
        seen, groups = self._seen(observations)
        return seen, reward.clone(), done, {**said, **groups}

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def _seen(self, groups: Any) -> tuple[Any, dict[str, Any]]:
        """Observations as the installed version takes them, and what it is told besides."""
        if self._group is None:
            return groups["policy"], {"observations": groups}
        return self._group(groups, batch_size=[self.num_envs]), {}
