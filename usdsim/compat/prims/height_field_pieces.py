"""Pieces of height fields as meshes of ``trimesh``; see `terrain_pieces`."""

from __future__ import annotations

from functools import cache
from typing import Any

from usdsim.terrains.height_field import terrains
from usdsim.terrains.height_field.conversion import height_field_to_mesh as made_of_heights

from .terrain_pieces import in_trimesh

__all__ = ["height_field_to_mesh", *(name for name in terrains.__all__ if name != "smooth")]


def height_field_to_mesh(func: Any) -> Any:
    """Make a function that computes heights one that makes a piece of terrain.

    See `usdsim.terrains.height_field_to_mesh`; its meshes are those of ``trimesh``.
    """
    return in_trimesh(made_of_heights(func))


@cache
def _piece(name: str) -> Any:
    return in_trimesh(getattr(terrains, name))


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _piece(name)
