"""Compiling a scene description and stepping it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usdsim.core.lazy import lazy_names
from usdsim.engine.compile.initial import InitialState
from usdsim.engine.compile.pipeline import CompiledModel, compile_scene

from .base import Engine, FailurePolicy, WorldFailure
from .names import NameTable

if TYPE_CHECKING:
    from usdsim.engine.cpu.engine import CpuEngine as CpuEngine

    from .create import create_engine as create_engine

# Loaded on first use: checks and exports compile scenes, and need nothing that steps them.
__getattr__, __dir__, _ = lazy_names(__name__)

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
