"""Pairs of geoms that need a contact pair because the surface of one may change."""

from __future__ import annotations

from itertools import product
from typing import Any

from usdsim.engine.compile.context import Build
from usdsim.engine.compile.filters import CollisionFilter, Pair

__all__ = ["varied_geoms", "varied_pairs"]


def varied_geoms(build: Build) -> frozenset[int]:
    """Description indices of the geoms whose surface is to be changed."""
    wanted, geoms = build.scene.varied_surfaces, build.scene.geoms
    if not wanted:
        return frozenset()
    return frozenset(i for i in build.geoms if geoms[i].collides and geoms[i].path in wanted)


def varied_pairs(build: Build, rules: CollisionFilter) -> set[Pair]:
    """Pairs of geoms that collide and of which one has a surface that may change.

    The engine's own mixing has no combine modes, so what differs between worlds has to be mixed
    beforehand. Shapes of one articulation are left to the engine, which takes the larger friction
    and the smaller restitution: their pairs would be many, and cost time in every step.
    """
    scene, varied = build.scene, varied_geoms(build)
    if not varied:
        return set()
    group = _articulations(build)
    authored, excluded = _authored(build)

    def wanted(a: int, b: int) -> bool:
        bodies = scene.geoms[a].body, scene.geoms[b].body
        if group.get(bodies[0], -1) == group.get(bodies[1], -2) or not rules.collides(a, b):
            return False
        if frozenset(scene.geoms[i].path for i in (a, b)) in authored:
            return False
        apart = frozenset(build.body_path(i) for i in bodies) in excluded
        return not apart and _meet(build.geoms[a], build.geoms[b])

    others = [index for index in build.geoms if scene.geoms[index].collides]
    pairs = {(min(pair), max(pair)) for pair in product(varied, others)}
    return {pair for pair in pairs if wanted(*pair)}


def _meet(a: Any, b: Any) -> bool:
    """Whether the engine's masks let two geoms collide."""
    return bool(a.contype & b.conaffinity or b.contype & a.conaffinity)


def _articulations(build: Build) -> dict[int, int]:
    """Articulation of each body that is part of one."""
    found: dict[int, int] = {}
    for index, articulation in enumerate(build.scene.articulations):
        found |= dict.fromkeys(articulation.bodies, index)
    return found


def _authored(build: Build) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """Pairs of geoms, and of bodies that do not collide, that the stage itself spells out."""
    pairs: set[frozenset[str]] = set()
    excludes: set[frozenset[str]] = set()
    kinds = {"pair": (pairs, "geomname"), "exclude": (excludes, "bodyname")}
    for element in build.scene.elements:
        if element.kind in kinds:
            into, name = kinds[element.kind]
            into.add(frozenset(str(element.overrides.get(f"{name}{i}", "/")) for i in (1, 2)))
    return pairs, excludes
