"""MJCF to USD without loss: what is converted is the model as MuJoCo compiles it."""

from .convert import convert_mjcf

__all__ = ["convert_mjcf"]
