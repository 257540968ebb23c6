"""Compiling a scene description and stepping it."""

from .base import Engine, FailurePolicy, WorldFailure
from .compile import CompiledModel, compile_scene
from .cpu import CpuEngine
from .create import create_engine
from .initial import InitialState
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
