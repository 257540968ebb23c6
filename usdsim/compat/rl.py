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
_EXPORT = "usdsim.compat.tasks.policy_export"
_NEED_TORCH = {
    "RslRlVecEnvWrapper": ("usdsim.learning", "RslRlVecEnv"),
    "export_policy_as_jit": (_EXPORT, "export_policy_as_jit"),
    "export_policy_as_onnx": (_EXPORT, "export_policy_as_onnx"),
    "_OnnxPolicyExporter": (_EXPORT, "_OnnxPolicyExporter"),
}
"""Names, and where they are found, once torch is needed."""


def __getattr__(name: str) -> Any:
    """Environments and files for rsl_rl, or settings of any name that ends with ``Cfg``."""
    if name in _NEED_TORCH:
        module, known = _NEED_TORCH[name]
        return getattr(importlib.import_module(module), known)
    if name.startswith("_") or name in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.endswith("Cfg"):
        return settings_class(name, RunnerCfg) if name in RUNNERS else settings_class(name)
    return absent(name)
