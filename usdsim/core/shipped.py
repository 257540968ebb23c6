"""Shipped robots and scenes by name, and finders of files that come from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from usdsim._resources import resource_dir

from .errors import UnknownNameError

__all__ = ["FILE_FINDERS", "asset_names", "example_asset", "located"]

FILE_FINDERS: list[Callable[[str], str]] = []
"""Functions from the path that is asked for to that of the file, which most return as it is."""
_MODELS = (".usd", ".usda", ".usdc", ".xml", ".urdf", ".xacro")


def example_asset(name: str) -> Path:
    """Path of a robot or scene that comes with usdsim, in a wheel or in a checkout.

    Args:
        name: path inside the shipped assets, ``"quadruped/scene.xml"``.

    Raises:
        UnknownNameError: there is no such file; the error lists what there is.
    """
    folder = resource_dir("assets")
    path = folder / name
    if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
        raise UnknownNameError("shipped asset", name, asset_names())
    return path


def asset_names() -> list[str]:
    """Names that `example_asset` takes for models, in order."""
    folder = resource_dir("assets")
    found = [file for file in sorted(folder.rglob("*")) if file.suffix in _MODELS]
    return [file.relative_to(folder).as_posix() for file in found]


def located(path: str) -> str:
    """Path of a file, as `FILE_FINDERS` say."""
    for find in FILE_FINDERS:
        path = find(path)
    return path
