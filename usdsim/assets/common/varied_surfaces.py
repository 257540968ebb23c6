"""Varied surfaces: a request that they may change while they are simulated."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from usdsim.parser.description import SceneDescription

__all__ = ["vary_bodies", "vary_prims"]


def vary_prims(scene: SceneDescription, prims: Iterable[str]) -> SceneDescription:
    """The scene, with surfaces of the colliders at or below prims free to change."""
    wanted = tuple(prims)
    return _vary(scene, {g.path for g in scene.geoms if any(g.is_below(prim) for prim in wanted)})


def vary_bodies(scene: SceneDescription, bodies: Collection[int]) -> SceneDescription:
    """The scene, with surfaces of the colliders of bodies free to change."""
    return _vary(scene, {g.path for g in scene.geoms if g.body in bodies})


def _vary(scene: SceneDescription, paths: Iterable[str]) -> SceneDescription:
    return replace(scene, varied_surfaces=scene.varied_surfaces.union(paths))
