"""Gymnasium vector environment: NumPy arrays, and infos as Gymnasium has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from usdsim.core.errors import InvalidValueError
from usdsim.envs import EpisodicEnv
from usdsim.envs.spaces import gymnasium

from .wrapped import episodic

__all__ = ["GymnasiumVectorEnv", "row_of"]

_MODES = {"same_step": "SAME_STEP", "next_step": "NEXT_STEP", "disabled": "DISABLED"}


class GymnasiumVectorEnv(gymnasium.vector.VectorEnv):
    """An environment as `gymnasium.vector.VectorEnv`, in the autoreset mode of its configuration.

    On the CPU, observations are NumPy arrays over the tensors' memory.

    Args:
        env: the environment, or Gymnasium's wrappers around it.
        group: name of the observations that are seen; None: all, as a mapping.

    Attributes:
        env: the environment.

    Raises:
        InvalidValueError: there are no such observations, or it is another environment.
    """

    def __init__(self, env: EpisodicEnv, group: str | None = "policy"):
        inner = episodic(env)
        spaces = inner.single_observation_space.spaces
        if group is not None and group not in spaces:
            raise InvalidValueError("group", group, f"{', '.join(spaces)}, or None")
        self.env, self._group = env, group
        self.num_envs = inner.num_envs
        self._log: dict[str, Any] = {}
        mode = gymnasium.vector.AutoresetMode[_MODES[inner.cfg.autoreset]]
        self.metadata = {**env.metadata, "autoreset_mode": mode}
        self.render_mode = env.render_mode
        self.single_observation_space = spaces[group] if group else inner.single_observation_space
        batched = inner.observation_space
        self.observation_space = batched[group] if group else batched
        self.single_action_space, self.action_space = inner.single_action_space, inner.action_space
        inner.cfg.final_observations = mode is gymnasium.vector.AutoresetMode.SAME_STEP

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start new episodes; see `EpisodicEnv.reset`."""
        if isinstance(seed, list):
            seed = next((s for s in seed if s is not None), None)
        observations, extras = self.env.reset(seed=seed, options=options)
        return self._seen(observations), self._infos(extras)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Carry out a decision; see `EpisodicEnv.step`.

        Returns:
            Observations, rewards (float64), ends and cuts (bool), and infos; of episodes that
            ended, ``final_obs`` with the mask ``_final_obs``.
        """
        given = torch.as_tensor(np.asarray(actions), device=self.env.unwrapped.device)
        observations, reward, terminated, truncated, extras = self.env.step(given)
        infos = self._infos(extras)
        over = (terminated | truncated).cpu().numpy()
        if "final_obs" in extras:
            final = self._seen(extras["final_obs"])
            rows = np.full(self.num_envs, None, dtype=object)
            for row in np.flatnonzero(over):
                rows[row] = row_of(final, int(row))
            infos["final_obs"], infos["_final_obs"] = rows, over
        return (
            self._seen(observations),
            reward.cpu().numpy().astype(np.float64),
            terminated.cpu().numpy().copy(),
            truncated.cpu().numpy().copy(),
            infos,
        )

    def render(self) -> Any:
        """Pictures, as a tuple with one; see `SimulatedEnv.render`."""
        picture = self.env.render()
        return None if picture is None else (picture,)

    def close_extras(self, **unused: Any) -> None:
        """Close the environment; one that could not be made has none."""
        if hasattr(self, "env"):
            self.env.close()

    def _infos(self, extras: dict[str, Any]) -> dict[str, Any]:
        """Logged values of this step, as numbers."""
        log = extras.get("log", {})
        fresh = log is not self._log
        self._log = log
        return {"log": {name: float(value) for name, value in log.items()} if fresh else {}}

    def _seen(self, observations: Any) -> Any:
        chosen = observations[self._group] if self._group else observations
        return _arrays(chosen)


def _arrays(values: Any) -> Any:
    if isinstance(values, dict):
        return {key: _arrays(entry) for key, entry in values.items()}
    return values.detach().cpu().numpy()


def row_of(values: Any, row: int) -> Any:
    """Observations of one environment, as a copy: an array, or a mapping of them."""
    if isinstance(values, dict):
        return {key: row_of(entry, row) for key, entry in values.items()}
    return values[row].copy()
