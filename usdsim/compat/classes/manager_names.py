"""Private names of managers that tasks read: what their public counterparts tell."""

from __future__ import annotations

from inspect import isfunction
from typing import Any

from usdsim.compat.told import Told

from .io_descriptors import action_descriptor, action_descriptors, observation_descriptors
from .scene_members import NOT_DRAWN

__all__ = ["manager_names"]


def _resolve_common_term_cfg(
    manager: Any, term_name: str, term_cfg: Any, min_argc: int = 1
) -> None:
    """Look up the entities of a term, and make what its class does; the term is changed."""
    manager._resolved(term_name, term_cfg, before=min_argc)


def _event_cfgs(manager: Any, *, of_classes: bool = False) -> dict[str, list[Any]]:
    """Configurations of events by mode: all, or those whose function is an object of a class."""
    return {
        mode: [
            term
            for term in (manager._terms[name] for name in names)
            if not (of_classes and isfunction(term.func))
        ]
        for mode, names in manager.active_terms.items()
    }


def manager_names(managers: Any) -> dict[type, dict[str, Any]]:
    """Classes of managers and the names they get.

    Args:
        managers: the package that has them, which needs torch.
    """
    return {
        managers.ManagerBase: {
            "copies_terms": False,
            "_term_names": Told(lambda m: list(m._terms)),
            "_term_cfgs": Told(lambda m: list(m._terms.values())),
            "_resolve_common_term_cfg": _resolve_common_term_cfg,
        },
        managers.ActionManager: {
            **NOT_DRAWN,
            "get_IO_descriptors": property(action_descriptors),
        },
        managers.ActionTerm: {
            "IO_descriptor": property(action_descriptor),
            "export_IO_descriptor": True,
            "has_debug_vis_implementation": False,
        },
        managers.CommandManager: NOT_DRAWN,
        managers.CommandTerm: {"has_debug_vis_implementation": False},
        managers.EventManager: {
            "_mode_term_names": Told(lambda m: m.active_terms),
            "_mode_term_cfgs": Told(_event_cfgs),
            "_mode_class_term_cfgs": Told(lambda m: _event_cfgs(m, of_classes=True)),
            "_interval_term_time_left": Told(lambda m: list(m._time_left.values())),
            "_reset_term_last_triggered_step_id": Told(lambda m: list(m._last.values())),
        },
        managers.ObservationManager: {
            "get_IO_descriptors": property(lambda m: observation_descriptors(m._env)),
            "_group_obs_term_names": Told(lambda m: m.active_terms),
            "_group_obs_term_cfgs": Told(
                lambda m: {g: [s.cfg for s in of.values()] for g, of in m._signals.items()}
            ),
            "_group_obs_concatenate": Told(lambda m: m.group_obs_concatenate),
            "_obs_buffer": Told(lambda m: m._env.obs_buf),
        },
        managers.TerminationManager: {
            "_term_name_to_term_idx": Told(lambda m: m._columns),
            "_term_dones": Told(lambda m: m._values.T),
            "_last_episode_dones": Told(lambda m: m._last.T),
            "_terminated_buf": Told(lambda m: m.terminated),
            "_truncated_buf": Told(lambda m: m.time_outs),
        },
        managers.RewardManager: {"_reward_buf": Told(lambda m: m._total)},
        managers.SceneEntityCfg: {"resolves_names": False},
    }
