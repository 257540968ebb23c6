"""Compiling a scene description and stepping it."""

from usdsim.engine.compile.initial import InitialState
from usdsim.engine.compile.pipeline import CompiledModel, compile_scene
from usdsim.engine.cpu.engine import CpuEngine

from .base import Engine, FailurePolicy, WorldFailure
from .create import create_engine
from .names import NameTable

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
