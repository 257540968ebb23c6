"""Compiling a scene description and stepping it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from usdsim.engine.compile.initial import InitialState
from usdsim.engine.compile.pipeline import CompiledModel, compile_scene

from .base import Engine, FailurePolicy, WorldFailure
from .names import NameTable

if TYPE_CHECKING:
    from usdsim.engine.cpu.engine import CpuEngine as CpuEngine

    from .create import create_engine as create_engine

# Loaded on first use: checks and exports compile scenes, and need nothing that steps them.
_LAZY = {"CpuEngine": "cpu.engine", "create_engine": "create"}

__all__ = [
    "CompiledModel",
    "CpuEngine",
    "Engine",
    "FailurePolicy",
    "InitialState",
    "NameTable",
    "WorldFailure",
    "compile_scene",
    "create_engine",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
