"""Reinforcement learning libraries: their wrappers, and settings of their agents, kept as given."""

from __future__ import annotations

import importlib
from typing import Any

from .absent import absent
from .classes.deprecated_agents import RUNNERS, RunnerCfg
from .tasks.agent_settings import AgentCfg, settings_class

__all__ = ["AgentCfg"]

_MODULES = ("rl_games", "rsl_rl", "sb3", "skrl", "utils")
"""Names of modules, which are imported when they are asked for."""


def __getattr__(name: str) -> Any:
    """The wrapper for rsl_rl, or settings of any name that ends with ``Cfg``."""
    if name == "RslRlVecEnvWrapper":
        return importlib.import_module("usdsim.learning").RslRlVecEnv
    if name.startswith("_") or name in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.endswith("Cfg"):
        return settings_class(name, RunnerCfg) if name in RUNNERS else settings_class(name)
    return absent(name)
