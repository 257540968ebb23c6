"""Contact pairs of surfaces that may change, so that materials go on combining as they say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import combinations_with_replacement, islice
from typing import Any

from usdsim.engine.compile.context import Build
from usdsim.engine.compile.shapes.filters import CollisionFilter, Pair

from .materials import friction_mode, mixes_natively, mixing_kind

__all__ = [
    "FEW_PAIRS",
    "fewer_pairs",
    "varied_geoms",
    "varied_pairs",
    "without_own",
    "yielding_geoms",
]

FEW_PAIRS = 32
"""Up to so many pairs every surface of a scene may change: they take at most 2 % of a step."""


def varied_geoms(build: Build, rules: CollisionFilter) -> frozenset[int]:
    """Description indices of the geoms whose surface may change while it is simulated.

    The engine's own mixing has no combine modes, so those geoms need a contact pair with each
    other. Where that takes only a few pairs all geoms get them, else the ones that
    `SceneDescription.varied_surfaces` names. A stage that brings its own solver settings also
    brings the engine's own mixing.
    """
    wanted, geoms = build.scene.varied_surfaces, build.scene.geoms
    every = frozenset(i for i in build.geoms if geoms[i].collides)
    named = frozenset(i for i in every if geoms[i].path in wanted)
    if build.owns_options:
        return named
    few = list(islice(_varied_pairs(build, rules, every), FEW_PAIRS + 1))
    return every if len(few) <= FEW_PAIRS else named


def varied_pairs(
    build: Build,
    rules: CollisionFilter,
    varied: Collection[int],
    yielding: Collection[int] = (),
) -> set[Pair]:
    """Pairs of geoms that collide and of which one has a surface that may change.

    Shapes of one articulation are left to the engine where they make more than a few pairs: they
    would cost time in every step. It takes the larger friction there, which is noted.

    Args:
        build: the compilation.
        rules: which geoms collide.
        varied: geoms whose surface may change.
        yielding: geoms that need no pair with those; see `yielding_geoms`.
    """
    return without_own(
        build,
        set(_varied_pairs(build, rules, varied, yielding)),
        "combine changed materials: once their friction changes, the larger one of two acts "
        "between them",
        later=True,
    )


def fewer_pairs(
    build: Build,
    rules: CollisionFilter,
    varied: Collection[int],
    yielding: Collection[int],
    most: int,
) -> set[Pair]:
    """Pairs as `varied_pairs` finds them, where a priority stands for some of them.

    Args:
        build: the compilation.
        rules: which geoms collide.
        varied: geoms whose surface may change; they get a higher priority.
        yielding: geoms that need no pair with those; see `yielding_geoms`.
        most: number of pairs beyond which priorities stay as they are.
    """
    raised = [build.geoms[index] for index in varied]
    for element in raised:
        element.priority += 1
    pairs = varied_pairs(build, rules, varied, yielding)
    if len(pairs) > most:
        for element in raised:
            element.priority -= 1
    return pairs


def yielding_geoms(build: Build, varied: Collection[int]) -> frozenset[int]:
    """Geoms whose contact with varied ones has the friction of these, and all else in common.

    Where frictions multiply, contact with a surface of friction 1 has that of the other one. The
    engine takes it without a pair from the geom of the higher priority, however many shapes a
    terrain has.
    """
    colliding = {i: e for i, e in build.geoms.items() if build.scene.geoms[i].collides}
    alike = {(mixing_kind(build, i), _settings(colliding[i])) for i in varied}
    if len(alike) != 1 or any(build.scene.geoms[i].native_mixing for i in colliding):
        return frozenset()
    ((_, settings),) = alike
    first = next(iter(varied))
    modes: dict[Any, str] = {}
    found = set()
    for index, element in colliding.items():
        kind = mixing_kind(build, index)
        if kind not in modes:
            modes[kind] = friction_mode(build, first, index)
        same = element.friction[0] == 1.0 and _settings(element) == settings
        if modes[kind] == "multiply" and same:
            found.add(index)
    return frozenset(found.difference(varied))


def _settings(element: Any) -> tuple[Any, ...]:
    """All but the friction that the engine takes from the geom of the higher priority."""
    solver = (*element.solref, *element.solimp)
    return element.priority, element.condim, element.solmix, *solver


def without_own(build: Build, pairs: set[Pair], does: str, *, later: bool = False) -> set[Pair]:
    """Pairs of geoms less those of one articulation, where these are more than a few.

    Args:
        build: the compilation.
        pairs: of geoms.
        does: what the few pairs do, and what happens without; said in a note.
        later: whether it only concerns values that are changed while it is simulated.
    """
    group, scene = _articulations(build), build.scene
    own = {
        (a, b) for a, b in pairs
        if group.get(scene.geoms[a].body, -1) == group.get(scene.geoms[b].body, -2)
    }  # fmt: skip
    if len(own) <= FEW_PAIRS:
        return pairs
    build.note(
        scene.geoms[min(own)[0]].path,
        f"is one of the shapes of an articulation that may touch each other in {len(own)} ways, "
        f"more than the {FEW_PAIRS} that {does}. Filter collisions that do not matter, such as "
        "those of neighbouring links",
        later=later,
    )
    return pairs - own


def _varied_pairs(
    build: Build,
    rules: CollisionFilter,
    varied: Collection[int],
    yielding: Collection[int] = (),
) -> Iterator[Pair]:
    """Pairs of geoms that collide and the engine would mix wrongly, one of `varied`, each once."""
    scene = build.scene
    authored, excluded = _authored(build)
    for first, second in _mismatched(build, rules, varied, yielding):
        for a, b in rules.candidates(first, None if first is second else second):
            if not rules.collides(a, b) or not _meet(*(_masks(build.geoms[i]) for i in (a, b))):
                continue
            if frozenset(scene.geoms[i].path for i in (a, b)) in authored:
                continue
            if frozenset(build.body_path(scene.geoms[i].body) for i in (a, b)) not in excluded:
                yield min(a, b), max(a, b)


def _mismatched(
    build: Build, rules: CollisionFilter, varied: Collection[int], yielding: Collection[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Two groups of geoms each, one of `varied`, of which the engine would mix any two wrongly.

    Scenes of thousands of geoms have few kinds of surfaces, which decide for all their pairs. Masks
    that filters gave may be as many as the geoms, and say what the filters say.
    """
    kinds: dict[Any, list[int]] = defaultdict(list)
    for index, element in build.geoms.items():
        if build.scene.geoms[index].collides and index not in yielding:
            masks = None if rules.masked(index) else _masks(element)
            kinds[index in varied, masks, mixing_kind(build, index)].append(index)
    for first, second in combinations_with_replacement(kinds, 2):
        ours, theirs = kinds[first], kinds[second]
        apart = first[1] and second[1] and not _meet(first[1], second[1])
        if (first[0] or second[0]) and not apart and not mixes_natively(build, ours[0], theirs[0]):
            yield ours, theirs


def _masks(element: Any) -> tuple[int, int]:
    return element.contype, element.conaffinity


def _meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether the engine lets two geoms collide, by their types and affinities."""
    return bool(a[0] & b[1] or b[0] & a[1])


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
