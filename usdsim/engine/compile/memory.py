"""Memory of large scenes: an arena that grows with the bodies, not with their square."""

from __future__ import annotations

from usdsim.parser.description import SceneDescription

from .context import Build

__all__ = ["set_memory", "sizes_arena"]

_LARGE = 200
"""Bodies from which on the engine's own choice, which grows with their square, is replaced."""
_PAIRS = 5
"""Bytes for each pair of bodies: the broad phase keeps an index of 4 bytes for each."""
_BODY = 128 << 10
"""Bytes for each body: some 64 contacts of 2 kB; boxes in piles have 4 to 8."""
_AUTHORED = ("memory", "njmax", "nconmax", "nstack")


def sizes_arena(scene: SceneDescription, bodies: int) -> bool:
    """Whether the memory for contacts is sized here.

    Args:
        scene: the description; what it authors counts.
        bodies: number of bodies of the engine, vertices of deformable ones included.
    """
    return bodies >= _LARGE and not any(name in scene.options for name in _AUTHORED)


def set_memory(build: Build, memory: int | None) -> None:
    """Set the memory of a world for contacts and constraints.

    Args:
        build: a complete spec.
        memory: what it shall be [bytes]; None: sized from the scene, if that is large.
    """
    bodies = build.num_bodies
    if memory is None and sizes_arena(build.scene, bodies):
        memory = _PAIRS * bodies**2 + _BODY * bodies
    if memory is not None:
        build.spec.memory = memory
