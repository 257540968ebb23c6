"""Environment of managers: actions and observations made of terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from .managers.action import ActionManager
from .managers.observation import ObservationManager
from .managers.recorder import RecorderManager
from .simulated import SimulatedEnv
from .tensors import environment_ids, outside_autograd, tensor

__all__ = ["ManagerBasedEnv"]


class ManagerBasedEnv(SimulatedEnv):
    """An environment of terms without rewards and episodes; see `SimulatedEnv`.

    Its configuration is a `ManagerBasedEnvCfg`.

    Attributes:
        action_manager: actions.
        observation_manager: observations.
        recorder_manager: records of episodes.
    """

    obs_buf: dict[str, Any]
    """The last observations, by name of the group."""

    def _build(self) -> None:
        self._start(self.cfg.events)
        self.load_managers()
        if "startup" not in self.event_manager.applied_modes:
            self.event_manager.apply("startup")

    _given_state: tuple[Any, Any, bool] | None = None

    def load_managers(self) -> None:
        """Make the managers; the scene and events exist, and the simulation was started.

        Derived environments make theirs here, before or after those of the base. Events of mode
        ``startup`` happen afterwards, unless they did in here.
        """
        self.recorder_manager = RecorderManager(self.cfg.recorders, self)
        self.action_manager = ActionManager(self.cfg.actions, self)
        self.observation_manager = ObservationManager(self.cfg.observations, self)

    def close(self) -> None:
        """Write what was recorded, and end the simulation."""
        if not getattr(self, "_closed", True) and hasattr(self, "recorder_manager"):
            self.recorder_manager.close()
        super().close()

    def _act(self, action: Any) -> None:
        """Take actions, and simulate a decision."""
        manager, recorder = self.action_manager, self.recorder_manager
        manager.process_action(tensor(action).to(self.device))
        recorder.record_pre_step()
        each = recorder.record_post_physics_decimation_step if recorder.active_terms else None
        self._simulate(manager.apply_action, manager.holds, each)

    def _reset_managers(self, env_ids: torch.Tensor) -> dict[str, Any]:
        """Start new episodes in environments; returns what is to be logged."""
        self.scene.reset(env_ids)
        self.event_manager.apply(
            "reset", env_ids=env_ids, global_env_step_count=self.common_step_counter
        )
        log: dict[str, Any] = {}
        for manager in (self.observation_manager, self.action_manager, self.recorder_manager):
            log.update(manager.reset(env_ids))
        return log

    @outside_autograd
    def reset(
        self,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
        env_ids: Any = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start over; see `EpisodicEnv.reset`."""
        if seed is not None:
            self.seed(seed)
        self._require_open()
        given = (options or {}).get("reset_mask", env_ids)
        ids = environment_ids(given, self.num_envs, self.device)
        self.recorder_manager.record_pre_reset(ids)
        self._forget_solutions(ids)
        self.extras["log"] = {**self._reset_managers(ids), **self.event_manager.reset(ids)}
        self._begin_episodes(ids)
        rows = None if len(ids) == self.num_envs else ids
        self.obs_buf = self.observation_manager.compute(True, rows)
        return self.obs_buf, self.extras

    def reset_to(
        self, state: Any, env_ids: Any = None, seed: int | None = None, is_relative: bool = False
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start over, from a state.

        Args:
            state: of the assets, with rows for `env_ids` alone; see `InteractiveScene.reset_to`.
            env_ids: the environments; None: all.
            seed: see `reset`.
            is_relative: whether positions are relative to the environments' origins.

        Returns:
            What `reset` returns.
        """
        self._given_state = (state, env_ids, is_relative)
        try:
            return self.reset(seed=seed, env_ids=env_ids)
        finally:
            self._given_state = None

    def _begin_episodes(self, env_ids: torch.Tensor) -> None:
        """Put environments into the state that is given, if one is, and record it."""
        if self._given_state is not None:
            self.scene.reset_to(*self._given_state)
        self.recorder_manager.record_post_reset(env_ids)

    @outside_autograd
    def step(self, action: Any) -> Any:
        """Carry out a decision in all environments.

        Args:
            action: shape (num_envs, actions).

        Returns:
            Observations by name of the group, and what there is to say besides.
        """
        self._require_open()
        self._act(action)
        self.common_step_counter += 1
        self.event_manager.apply("interval", dt=self.step_dt)
        self.obs_buf = self.observation_manager.compute(update_history=True)
        self.recorder_manager.record_post_step()
        return self.obs_buf, self.extras
