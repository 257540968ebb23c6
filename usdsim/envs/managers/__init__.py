"""Managers of terms: actions, observations, rewards, terminations, events, commands and more."""

from __future__ import annotations

from .action import ActionManager, ActionTerm
from .base import ManagerBase, ManagerTermBase
from .command import CommandManager, CommandTerm
from .curriculum import CurriculumManager
from .event import EventManager
from .observation import ObservationManager
from .recorder import RecorderManager, RecorderTerm
from .reward import RewardManager
from .scene_entity import SceneEntityCfg
from .term_cfg import (
    ActionTermCfg,
    CommandTermCfg,
    CurriculumTermCfg,
    DatasetExportMode,
    EventTermCfg,
    ManagerTermBaseCfg,
    ObservationGroupCfg,
    ObservationTermCfg,
    RecorderManagerBaseCfg,
    RecorderTermCfg,
    RewardTermCfg,
    TerminationTermCfg,
)
from .termination import TerminationManager

__all__ = [
    "ActionManager",
    "ActionTerm",
    "ActionTermCfg",
    "CommandManager",
    "CommandTerm",
    "CommandTermCfg",
    "CurriculumManager",
    "CurriculumTermCfg",
    "DatasetExportMode",
    "EventManager",
    "EventTermCfg",
    "ManagerBase",
    "ManagerTermBase",
    "ManagerTermBaseCfg",
    "ObservationGroupCfg",
    "ObservationManager",
    "ObservationTermCfg",
    "RecorderManager",
    "RecorderManagerBaseCfg",
    "RecorderTerm",
    "RecorderTermCfg",
    "RewardManager",
    "RewardTermCfg",
    "SceneEntityCfg",
    "TerminationManager",
    "TerminationTermCfg",
]
