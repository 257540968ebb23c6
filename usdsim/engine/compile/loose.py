"""Scenes of many loose bodies: their bodies may sleep, and piles in them must not sag."""

from __future__ import annotations

from usdsim.parser.description import BodyDescription

from .bodies import is_free
from .context import Build

__all__ = ["MANY", "has_many", "loose_bodies"]

MANY = 64
"""Smallest number of loose bodies of a scene that counts as one of many."""


def loose_bodies(build: Build) -> list[tuple[int, BodyDescription]]:
    """Index in the scene and description of each body that has all six degrees of freedom."""
    return [(i, body) for i, body in enumerate(build.scene.bodies) if is_free(build, body)]


def has_many(build: Build) -> bool:
    """Whether the scene has at least `MANY` loose bodies."""
    return len(loose_bodies(build)) >= MANY
