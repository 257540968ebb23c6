"""Reinforcement learning libraries: their wrappers, and settings of their agents, kept as given."""

from __future__ import annotations

import importlib
from typing import Any

from .absent import absent
from .settings import PhysicsCfg

__all__ = ["AgentCfg"]

_WRAPPERS = {
    "RslRlVecEnvWrapper": "RslRlVecEnv",
    "Sb3VecEnvWrapper": "Sb3VecEnv",
    "SkrlVecEnvWrapper": "GymnasiumVectorEnv",
}


class AgentCfg(PhysicsCfg):
    """Settings of an agent or of a part of it."""


def __getattr__(name: str) -> Any:
    """A wrapper, or settings of any name that ends with ``Cfg``."""
    if name in _WRAPPERS:
        return getattr(importlib.import_module("usdsim.learning"), _WRAPPERS[name])
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.endswith("Cfg"):
        made = globals()[name] = type(name, (AgentCfg,), {"__doc__": AgentCfg.__doc__})
        return made
    return absent(name)
