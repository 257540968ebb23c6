"""Composition of models in code before they are built."""

from .world import World, build, from_file, from_str

__all__ = ["World", "build", "from_file", "from_str"]
