"""Environment of managers with rewards and episodes."""

from __future__ import annotations

from typing import Any

import torch

from .episodes import EpisodicEnv
from .manager_based_env import ManagerBasedEnv
from .managers.command import CommandManager
from .managers.curriculum import CurriculumManager
from .managers.reward import RewardManager
from .managers.termination import TerminationManager
from .spaces import box, gymnasium

__all__ = ["ManagerBasedRLEnv"]


class ManagerBasedRLEnv(EpisodicEnv, ManagerBasedEnv):
    """An environment of terms with rewards and episodes; see `SimulatedEnv` and `EpisodicEnv`.

    Its configuration is a `ManagerBasedRLEnvCfg`. In a step, in this order: actions, physics,
    ends of episodes, rewards, resets, commands, interval events, observations.

    Attributes:
        command_manager: commands.
        reward_manager: rewards.
        termination_manager: ends of episodes.
        curriculum_manager: changes of the task.
    """

    def _build(self) -> None:
        self._open_buffers()
        super()._build()

    def load_managers(self) -> None:
        """Make the managers and spaces; see `ManagerBasedEnv.load_managers`."""
        # Observations may ask for commands and for the last action.
        self.command_manager = CommandManager(self.cfg.commands, self)
        super().load_managers()
        self.termination_manager = TerminationManager(self.cfg.terminations, self)
        self.reward_manager = RewardManager(self.cfg.rewards, self)
        self.curriculum_manager = CurriculumManager(self.cfg.curriculum, self)
        self._configure_gym_env_spaces()

    def _configure_gym_env_spaces(self) -> None:
        """Set the spaces, which the managers tell."""
        self._set_spaces(
            _observation_space(self.observation_manager),
            box((self.action_manager.total_action_dim,)),
        )

    def _simulate_action(self, action: Any) -> None:
        self._act(action)

    def _compute_dones_and_rewards(self) -> None:
        self.reset_buf = self.termination_manager.compute(self._failed())
        self.reset_terminated = self.termination_manager.terminated
        self.reset_time_outs = self.termination_manager.time_outs
        self.reward_buf = self.reward_manager.compute(self.step_dt)
        self.recorder_manager.record_post_step()

    def _reset_idx(self, env_ids: torch.Tensor) -> None:
        self.recorder_manager.record_pre_reset(env_ids)
        self.curriculum_manager.compute(env_ids)
        log = self._reset_managers(env_ids)
        for manager in (
            self.reward_manager,
            self.curriculum_manager,
            self.command_manager,
            self.event_manager,
            self.termination_manager,
        ):
            log.update(manager.reset(env_ids))
        self.extras["log"] = log
        self.episode_length_buf[env_ids] = 0
        self._begin_episodes(env_ids)

    def _after_resets(self) -> None:
        self.command_manager.compute(self.step_dt)
        self.event_manager.apply("interval", dt=self.step_dt)

    def _observations(self, env_ids: torch.Tensor | None) -> dict[str, Any]:
        return self.observation_manager.compute(True, env_ids)

    def state_dict(self) -> dict[str, Any]:
        """See `EpisodicEnv.state_dict`; besides, weights of rewards, which a curriculum changes."""
        names = self.reward_manager.active_terms
        weights = {name: self.reward_manager.get_term_cfg(name).weight for name in names}
        return {**super().state_dict(), "reward_weights": weights}

    def load_state_dict(self, state: Any) -> None:
        """See `EpisodicEnv.load_state_dict`."""
        super().load_state_dict(state)
        for name, weight in state.get("reward_weights", {}).items():
            self.reward_manager.get_term_cfg(name).weight = weight


def _observation_space(manager: Any) -> Any:
    """Observation space of one environment, by group."""
    groups: dict[str, Any] = {}
    for group, shape in manager.group_obs_dim.items():
        if manager.group_obs_concatenate[group]:
            groups[group] = box(shape)
        else:
            limits = manager.group_obs_term_limits[group]
            terms = zip(manager.active_terms[group], shape, limits, strict=True)
            groups[group] = gymnasium.spaces.Dict({name: box(*term) for name, *term in terms})
    return gymnasium.spaces.Dict(groups)
