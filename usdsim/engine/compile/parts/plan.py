"""Plan of a partition: trees that nothing refers to can be compiled by themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from usdsim.core.dialects.mjc_tokens import JOINT_VELOCITIES
from usdsim.engine.compile.bodies import axes_of, is_under_world
from usdsim.engine.compile.constraints import ties_points
from usdsim.engine.compile.context import Build
from usdsim.engine.compile.memory import sizes_arena
from usdsim.parser.description import (
    WORLD,
    ActuatorDescription,
    GenericDescription,
    SceneDescription,
)

from .partition import Partition, Span

__all__ = ["plan"]

LEAST = 512
"""Bodies of such trees from which on parts are faster than the whole."""
SIZE = 128
"""Bodies of a part. The engine's effort for one grows with the square of it."""
_COPIED = 20_000
"""Vertices of meshes that may be compiled more than once, all together."""
_WHOLE = frozenset({"key", "flex", "skin"})
"""Kinds of elements that are about all bodies."""
_PLAIN = frozenset({"plane", "sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh"})


def plan(build: Build) -> Partition | None:
    """Partition of a scene that is compiled in parts; None: it is compiled as a whole.

    A tree is in one part, with its drives and coupled axes, the trees that filters keep it apart
    from, and those that it follows. What deformable bodies and keyframes have is about the whole.

    Args:
        build: the compilation, whose spec has what is set for the whole scene.
    """
    scene = build.scene
    if scene.deformables or any(e.kind in _WHOLE for e in scene.elements):
        return None
    if not sizes_arena(scene, len(scene.bodies) + 1):
        return None
    roots = _roots(build)
    starts = _starts(build, roots)
    size = _size(scene, starts) if len(starts) >= LEAST else None
    if size is None or max(starts.values()) < size:
        return None
    homes = {index: 1 + start // size for index, start in starts.items()}
    return Partition(build.spec, _spans(build, roots), homes)


def _roots(build: Build) -> list[int]:
    """The body under the world that carries each body, as description indices."""
    roots: list[int] = []
    for index, body in enumerate(build.scene.bodies):
        roots.append(index if is_under_world(build, body) else roots[body.parent])
    return roots


def _starts(build: Build, roots: list[int]) -> dict[int, int]:
    """Number of bodies before the trees of each body's company, of those that nothing refers to."""
    companies = _companies(build, roots)
    bound = {companies[roots[i]] for i in _bound_bodies(build, roots) if i != WORLD}
    trees: dict[int, list[int]] = defaultdict(list)
    for index, root in enumerate(roots):
        if companies[root] not in bound:
            trees[companies[root]].append(index)
    starts: dict[int, int] = {}
    for tree in trees.values():
        starts |= dict.fromkeys(tree, len(starts))
    return starts


def _companies(build: Build, roots: list[int]) -> list[int]:
    """The first of the trees that filters keep apart, or joints that follow others, by any."""
    first = list(range(len(roots)))

    def found(tree: int) -> int:
        while first[tree] != tree:
            first[tree] = tree = first[first[tree]]
        return tree

    for bodies in chain(_filtered(build.scene), _coupled(build.scene)):
        trees = sorted({found(roots[index]) for index in bodies if index != WORLD})
        for tree in trees[1:]:
            first[tree] = trees[0]
    return [found(tree) for tree in range(len(roots))]


def _filtered(scene: SceneDescription) -> Iterator[Sequence[int]]:
    """Bodies that filters keep apart from each other."""
    yield from scene.body_filters
    yield from ([scene.geoms[i].body for i in pair] for pair in scene.geom_filters)
    yield from (articulation.bodies for articulation in scene.articulations)


def _coupled(scene: SceneDescription) -> Iterator[Sequence[int]]:
    """Bodies of joints that follow others, and of those."""
    children = {dof.path: joint.child for joint in scene.joints for dof in joint.dofs}
    for joint in scene.joints:
        if joint.mimic is not None and joint.mimic.joint in children:
            yield joint.child, children[joint.mimic.joint]


def _bound_bodies(build: Build, roots: list[int]) -> set[int]:
    """Bodies that something of the first part refers to."""
    scene, named = build.scene, _referred(build.scene)
    apart = [i for i, body in enumerate(scene.bodies) if roots[i] == i and body.parent != WORLD]
    bound = {*apart, *(scene.bodies[i].parent for i in apart)}
    bound |= {site.body for site in scene.sites} | {e.body for e in scene.elements}
    bound |= {index for bodies in _filtered(scene) if WORLD in bodies for index in bodies}
    for joint in scene.joints:
        paths = {joint.path, *(dof.path for dof in joint.dofs)}
        if ties_points(joint) or not named.isdisjoint(paths):
            bound |= {joint.parent, joint.child}
    for geom in scene.geoms:
        mesh = scene.meshes.get(str(geom.mesh))
        if (
            geom.path in named
            or geom.kind not in _PLAIN
            or "plugin" in geom.overrides
            or (mesh is not None and mesh.overrides)
        ):
            bound.add(geom.body)
    return bound | {
        index
        for index, body in enumerate(scene.bodies)
        if body.path in named or "plugin" in body.overrides
    }


def _referred(scene: SceneDescription) -> set[str]:
    """Paths that elements and actuators refer to."""
    users: tuple[GenericDescription | ActuatorDescription, ...]
    users = (*scene.elements, *scene.actuators)
    return {path for user in users for paths in user.targets.values() for path in paths}


def _size(scene: SceneDescription, starts: dict[int, int]) -> int | None:
    """Bodies of a part, so many that not too much of meshes is compiled again; None: all."""
    users: dict[str, list[int]] = defaultdict(list)
    for geom in scene.geoms:
        if geom.mesh is not None and geom.body in starts:
            users[geom.mesh].append(starts[geom.body])
    size = SIZE
    while size < len(starts):
        copies = {(key, start // size) for key, found in users.items() for start in found}
        numbers = Counter(key for key, _ in copies)
        if sum(n * len(scene.meshes[key].points) for key, n in numbers.items()) <= _COPIED:
            return size
        size *= 2
    return None


def _spans(build: Build, roots: list[int]) -> dict[int, Span]:
    """Degrees of freedom of each body under the world, with those below it."""
    counts: dict[int, int] = {}
    for root, body in zip(roots, build.scene.bodies, strict=True):
        axes = axes_of(build, body)
        own = 6 if axes is None else sum(JOINT_VELOCITIES[dof.kind] for _, dof in axes)
        counts[root] = counts.get(root, 0) + own
    spans, start = {}, 0
    for root, count in counts.items():
        spans[root] = Span(start, count)
        start += count
    return spans
