"""Scenes of many loose bodies: they may sleep, and what is piled up in them shall not sag."""

from __future__ import annotations

from usdsim.parser.description import BodyDescription

from .bodies import is_free
from .context import Build

__all__ = ["MANY", "has_many", "loose_bodies"]

MANY = 64
"""Loose bodies from which on a scene is one of many."""


def loose_bodies(build: Build) -> list[tuple[int, BodyDescription]]:
    """Index in the scene and description of each body that has all six degrees of freedom."""
    return [(i, body) for i, body in enumerate(build.scene.bodies) if is_free(build, body)]


def has_many(build: Build) -> bool:
    """Whether the scene is one of many loose bodies."""
    return len(loose_bodies(build)) >= MANY
