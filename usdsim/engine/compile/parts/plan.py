"""Plan of a partition: bodies that nothing refers to can be compiled by themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain

from usdsim.core.dialects.mjc_tokens import JOINT_VELOCITIES
from usdsim.engine.compile.bodies import axes_of, is_under_world
from usdsim.engine.compile.context import Build
from usdsim.engine.compile.memory import sizes_arena
from usdsim.parser.description import ActuatorDescription, GenericDescription, SceneDescription

from .partition import Partition, Span

__all__ = ["plan"]

LEAST = 512
"""Such bodies from which on parts are faster than the whole."""
SIZE = 128
"""Bodies of a part. The engine's effort for one grows with the square of it."""
_COPIED = 20_000
"""Vertices of meshes that may be compiled more than once, all together."""
_WHOLE = frozenset({"key", "flex", "skin"})
"""Kinds of elements that are about all bodies."""
_PLAIN = frozenset({"plane", "sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh"})


def plan(build: Build) -> Partition | None:
    """Partition of a scene that is compiled in parts; None: it is compiled as a whole.

    What deformable bodies and keyframes have is about the whole.

    Args:
        build: the compilation, whose spec has what is set for the whole scene.
    """
    scene = build.scene
    if scene.deformables or any(e.kind in _WHOLE for e in scene.elements):
        return None
    if not sizes_arena(scene, len(scene.bodies) + 1):
        return None
    lone = _lone_bodies(build)
    size = _size(scene, lone) if len(lone) >= LEAST else None
    if size is None:
        return None
    homes = {index: 1 + place // size for place, index in enumerate(lone)}
    return Partition(build.spec, _spans(build), homes)


def _lone_bodies(build: Build) -> list[int]:
    """Indices of bodies without joints to others that nothing refers to."""
    scene, named = build.scene, _referred(build.scene)
    others = set(chain.from_iterable((j.parent, j.child) for j in scene.joints))
    others |= {body.parent for body in scene.bodies} | {site.body for site in scene.sites}
    others |= {element.body for element in scene.elements}
    others |= set(chain.from_iterable(scene.body_filters))
    others |= set(chain.from_iterable(a.bodies for a in scene.articulations))
    for geom in scene.geoms:
        mesh = scene.meshes.get(str(geom.mesh))
        if (
            geom.path in named
            or geom.kind not in _PLAIN
            or "plugin" in geom.overrides
            or (mesh is not None and mesh.overrides)
        ):
            others.add(geom.body)
    return [
        index
        for index, body in enumerate(scene.bodies)
        if index not in others
        and body.path not in named
        and is_under_world(build, body)
        and "plugin" not in body.overrides
    ]


def _referred(scene: SceneDescription) -> set[str]:
    """Paths that elements and actuators refer to."""
    users: tuple[GenericDescription | ActuatorDescription, ...]
    users = (*scene.elements, *scene.actuators)
    return {path for user in users for paths in user.targets.values() for path in paths}


def _size(scene: SceneDescription, lone: list[int]) -> int | None:
    """Bodies of a part, so many that not too much of meshes is compiled again; None: all."""
    places = {index: place for place, index in enumerate(lone)}
    users: dict[str, list[int]] = defaultdict(list)
    for geom in scene.geoms:
        if geom.mesh is not None and geom.body in places:
            users[geom.mesh].append(places[geom.body])
    size = SIZE
    while size < len(lone):
        copies = {(key, place // size) for key, found in users.items() for place in found}
        numbers = Counter(key for key, _ in copies)
        if sum(n * len(scene.meshes[key].points) for key, n in numbers.items()) <= _COPIED:
            return size
        size *= 2
    return None


def _spans(build: Build) -> dict[int, Span]:
    """Degrees of freedom of each body under the world, with those below it."""
    counts: dict[int, int] = {}
    roots: list[int] = []
    for index, body in enumerate(build.scene.bodies):
        root = index if is_under_world(build, body) else roots[body.parent]
        roots.append(root)
        axes = axes_of(build, body)
        own = 6 if axes is None else sum(JOINT_VELOCITIES[dof.kind] for _, dof in axes)
        counts[root] = counts.get(root, 0) + own
    spans, start = {}, 0
    for root, count in counts.items():
        spans[root] = Span(start, count)
        start += count
    return spans
