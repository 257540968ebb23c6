"""Direct environment: one class that applies actions and computes observations and rewards."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError, ShapeError

from .episodes import EpisodicEnv
from .spaces import gymnasium, spec_to_space
from .tensors import check_finite, check_rows, check_shape, tensor

__all__ = ["DirectRLEnv"]

_CHOICE = gymnasium.spaces.Discrete


class DirectRLEnv(EpisodicEnv):
    """Base of environments that compute everything themselves; see `SimulatedEnv`, `EpisodicEnv`.

    Its configuration is a `DirectRLEnvCfg`. Derived classes define `_pre_physics_step`,
    `_apply_action`, `_get_observations`, `_get_rewards` and `_get_dones`, and as they need
    `_setup_scene`, `_get_states` and `_reset_idx`.

    Attributes:
        actions: zeros in the shape of the action space; derived classes may keep theirs here.
        actions_hold: whether `_apply_action` does the same in every time step of a decision, so
            that it is called once; derived classes may set it.
        checks_observations: whether observations of another shape than their space are refused,
            rather than told of once.
    """

    actions_hold = False
    checks_observations = True

    def _build(self) -> None:
        self._setup_scene()
        self._start(self.cfg.events)
        self._open_buffers()
        self._configure_gym_env_spaces()
        self._make_noise()
        self.event_manager.apply("startup")

    # -- what derived classes define -----------------------------------------------------------

    def _setup_scene(self) -> None:
        """Create assets and sensors that the configuration of the scene has not."""

    @abstractmethod
    def _pre_physics_step(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, actions)."""

    @abstractmethod
    def _apply_action(self) -> None:
        """Apply them; called before every time step."""

    @abstractmethod
    def _get_observations(self) -> dict[str, Any]:
        """Observations; ``policy`` is what the policy sees."""

    def _get_states(self) -> Any:
        """State that a critic sees, where `DirectRLEnvCfg.state_space` says so; None: nothing."""
        return None

    @abstractmethod
    def _get_rewards(self) -> torch.Tensor:
        """Rewards, shape (num_envs,)."""

    @abstractmethod
    def _get_dones(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Whether episodes ended, and whether they are cut off, bool, shape (num_envs,) each."""

    def _reset_idx(self, env_ids: Sequence[int] | torch.Tensor) -> None:
        """Start new episodes; derived classes put assets into their first states, and call this."""
        ids = torch.as_tensor(env_ids, device=self.device)
        self.scene.reset(ids)
        self.event_manager.apply(
            "reset", env_ids=ids, global_env_step_count=self.common_step_counter
        )
        self.event_manager.reset(ids)
        for noise in (self._action_noise, self._observation_noise):
            if noise is not None:
                noise.reset(ids)
        self.episode_length_buf[ids] = 0

    # -- inside --------------------------------------------------------------------------------

    def _configure_gym_env_spaces(self) -> None:
        """Set the spaces, which the configuration tells, and the first actions."""
        cfg = self.cfg
        spaces = {"policy": spec_to_space("observation_space", cfg.observation_space)}
        action = spec_to_space("action_space", cfg.action_space)
        self.state_space = None
        if cfg.state_space:
            spaces["critic"] = self.state_space = spec_to_space("state_space", cfg.state_space)
        self._set_spaces(gymnasium.spaces.Dict(spaces), action)
        # Observations may contain the last actions, and are computed before there are any.
        self.actions = torch.zeros(self.action_space.shape or (0,), device=self.device)

    def _simulate_action(self, action: Any) -> None:
        actions = tensor(action).to(self.device)
        shape = self.action_space.shape
        # A choice per environment may come as a column.
        column = actions.ndim == 2 and isinstance(self.single_action_space, _CHOICE)
        if shape and tuple(actions.shape) != (*shape, 1)[: len(shape) + column]:
            raise ShapeError("action", actions.shape, f"{tuple(shape)}: a row per environment")
        if actions.is_floating_point():
            check_finite("action", actions)
        if self._action_noise is not None:
            actions = self._action_noise(actions)
        self._pre_physics_step(actions)
        self._simulate(self._apply_action, self.actions_hold)

    def _compute_dones_and_rewards(self) -> None:
        rows, name = (self.num_envs,), type(self).__name__
        found = self._get_dones()
        if not isinstance(found, tuple | list) or len(found) != 2:
            what = f"{name}._get_dones()"
            raise InvalidValueError(what, found, "two tensors: what ended, and what was cut off")
        terminated, truncated = found
        self.reset_terminated = check_rows(f"{name}._get_dones()[0]", terminated, rows).bool()
        self.reset_time_outs = check_rows(f"{name}._get_dones()[1]", truncated, rows).bool()
        if (failed := self._failed()) is not None:
            self.reset_terminated = self.reset_terminated | failed
        self.reset_buf = self.reset_terminated | self.reset_time_outs
        reward = check_rows(f"{name}._get_rewards()", self._get_rewards(), rows)
        check_finite(f"{name}._get_rewards()", reward)
        self.reward_buf = reward

    def _after_resets(self) -> None:
        self.event_manager.apply("interval", dt=self.step_dt)

    def _observations(self, env_ids: torch.Tensor | None) -> dict[str, Any]:
        name = f"{type(self).__name__}._get_observations()"
        found = self._get_observations()
        if not isinstance(found, Mapping) or "policy" not in found:
            raise InvalidValueError(name, found, "a mapping with an entry 'policy'")
        observations: dict[str, Any] = {
            key: v if isinstance(v, Mapping | tuple) else tensor(v).clone()
            for key, v in found.items()
        }
        state = self._get_states() if self.state_space is not None else None
        if state is not None:
            observations["critic"] = tensor(state).clone()
        policy = observations["policy"]
        if isinstance(policy, torch.Tensor):
            space = self.observation_space["policy"]
            check_shape(f"{name}['policy']", policy, space, strict=self.checks_observations)
        if self._observation_noise is not None:
            rows = slice(None) if env_ids is None else env_ids
            policy[rows] = self._observation_noise(policy[rows], env_ids)
        return observations

    def _make_noise(self) -> None:
        self._action_noise = self._noise(self.cfg.action_noise_model)
        self._observation_noise = self._noise(self.cfg.observation_noise_model)

    def _noise(self, cfg: Any) -> Any:
        if cfg is None:
            return None
        return cfg.class_type(cfg, self.streams, self.num_envs, self.device)
