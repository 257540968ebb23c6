"""Composition of models in code: `World`, from files and texts."""

from usdsim.scene.composition import World, build, from_file, from_str

__all__ = ["World", "build", "from_file", "from_str"]
