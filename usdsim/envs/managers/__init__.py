"""Managers of terms: actions, observations, rewards, terminations, events, commands and more."""

from __future__ import annotations

from . import term_cfg
from .action import ActionManager, ActionTerm
from .base import ManagerBase, ManagerTermBase
from .command import CommandManager, CommandTerm
from .curriculum import CurriculumManager
from .event import EventManager
from .observation import ObservationManager
from .recorder import RecorderManager, RecorderTerm
from .reward import RewardManager
from .scene_entity import SceneEntityCfg
from .term_cfg import *
from .termination import TerminationManager

__all__ = [
    *term_cfg.__all__,
    "ActionManager",
    "ActionTerm",
    "CommandManager",
    "CommandTerm",
    "CurriculumManager",
    "EventManager",
    "ManagerBase",
    "ManagerTermBase",
    "ObservationManager",
    "RecorderManager",
    "RecorderTerm",
    "RewardManager",
    "SceneEntityCfg",
    "TerminationManager",
]
