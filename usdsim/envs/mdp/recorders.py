"""Recorder terms: actions, states and observations of episodes, and a configuration of them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from usdsim.envs.managers import RecorderManagerBaseCfg, RecorderTerm, RecorderTermCfg
from usdsim.envs.tensors import tensor

__all__ = [
    "ActionStateRecorderManagerCfg",
    "InitialStateRecorder",
    "InitialStateRecorderCfg",
    "PostStepProcessedActionsRecorder",
    "PostStepProcessedActionsRecorderCfg",
    "PostStepStatesRecorder",
    "PostStepStatesRecorderCfg",
    "PreStepActionsRecorder",
    "PreStepActionsRecorderCfg",
    "PreStepFlatPolicyObservationsRecorder",
    "PreStepFlatPolicyObservationsRecorderCfg",
]

Record = tuple[str, Any]


def _rows(state: Any, env_ids: torch.Tensor | None = None) -> Any:
    """Values of a state in torch, of some environments; None: of all."""
    if isinstance(state, Mapping):
        return {name: _rows(part, env_ids) for name, part in state.items()}
    values = tensor(state)
    return values if env_ids is None else values[env_ids]


class InitialStateRecorder(RecorderTerm):
    """States of all assets after resets, relative to the environments, as ``initial_state``."""

    def record_post_reset(self, env_ids: torch.Tensor) -> Record:
        """See `RecorderTerm.record_post_reset`."""
        return "initial_state", _rows(self._env.scene.get_state(is_relative=True), env_ids)


class PostStepStatesRecorder(RecorderTerm):
    """States of all assets after decisions, relative to the environments, as ``states``."""

    def record_post_step(self) -> Record:
        """See `RecorderTerm.record_post_step`."""
        return "states", _rows(self._env.scene.get_state(is_relative=True))


class PreStepActionsRecorder(RecorderTerm):
    """Actions as they were given, as ``actions``."""

    def record_pre_step(self) -> Record:
        """See `RecorderTerm.record_pre_step`."""
        return "actions", self._env.action_manager.action


class PreStepFlatPolicyObservationsRecorder(RecorderTerm):
    """Observations of the group ``policy`` that decisions were made from, as ``obs``."""

    def record_pre_step(self) -> Record:
        """See `RecorderTerm.record_pre_step`."""
        return "obs", self._env.obs_buf["policy"]


class PostStepProcessedActionsRecorder(RecorderTerm):
    """Commands that the terms of the actions made of them, as ``processed_actions``."""

    def record_post_step(self) -> Record:
        """See `RecorderTerm.record_post_step`."""
        manager = self._env.action_manager
        parts = [manager.get_term(name).processed_actions for name in manager.active_terms]
        return "processed_actions", torch.cat([_rows(part) for part in parts], dim=1)


class InitialStateRecorderCfg(RecorderTermCfg):
    """Configuration of `InitialStateRecorder`."""

    class_type = InitialStateRecorder


class PostStepStatesRecorderCfg(RecorderTermCfg):
    """Configuration of `PostStepStatesRecorder`."""

    class_type = PostStepStatesRecorder


class PreStepActionsRecorderCfg(RecorderTermCfg):
    """Configuration of `PreStepActionsRecorder`."""

    class_type = PreStepActionsRecorder


class PreStepFlatPolicyObservationsRecorderCfg(RecorderTermCfg):
    """Configuration of `PreStepFlatPolicyObservationsRecorder`."""

    class_type = PreStepFlatPolicyObservationsRecorder


class PostStepProcessedActionsRecorderCfg(RecorderTermCfg):
    """Configuration of `PostStepProcessedActionsRecorder`."""

    class_type = PostStepProcessedActionsRecorder


class ActionStateRecorderManagerCfg(RecorderManagerBaseCfg):
    """All of these terms, so that episodes can be played again."""

    record_initial_state: RecorderTermCfg = InitialStateRecorderCfg()
    """States after resets."""
    record_post_step_states: RecorderTermCfg = PostStepStatesRecorderCfg()
    """States after decisions."""
    record_pre_step_actions: RecorderTermCfg = PreStepActionsRecorderCfg()
    """Actions."""
    record_pre_step_flat_policy_observations: RecorderTermCfg = (
        PreStepFlatPolicyObservationsRecorderCfg()
    )
    """Observations."""
    record_post_step_processed_actions: RecorderTermCfg = PostStepProcessedActionsRecorderCfg()
    """Commands made of actions."""
