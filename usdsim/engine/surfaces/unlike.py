"""Pairs of surfaces whose materials ask for a friction that the engine would not mix by itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations_with_replacement, islice, product

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.context import Build
from usdsim.engine.compile.shapes.filters import CollisionFilter, Pair
from usdsim.parser.description import GeomDescription, MaterialDescription

from .materials import condim, friction, material_of, mix, patch_radius, stronger

__all__ = ["most_pairs", "soft", "unlike_pairs"]

_FEWEST = 4000
"""Explicit pairs bypass the engine's broad phase, so thousands of them cost more than they mend."""
_PAIRS_PER_SHAPE = 100
"""More pairs for each shape that moves, of which many cost more than those: a quarter of a step."""
_LIMIT = 40_000
"""Pairs that take about a second to load."""

_MIXING = (
    "static_friction",
    "dynamic_friction",
    "torsional_friction",
    "rolling_friction",
    "friction_combine",
    "restitution_combine",
    "contact_stiffness",
    "contact_damping",
    "damping_combine",
)
"""Values of a material that decide how its friction and compliance mix."""
_ACTING = {3: 1, 4: 2, 6: 3}
"""Coefficients that act in contacts of so many dimensions: sliding, torsional, rolling."""


def soft(a: MaterialDescription, b: MaterialDescription) -> bool:
    """Whether contact of two materials is compliant."""
    return bool(a.contact_stiffness or b.contact_stiffness)


def most_pairs(build: Build, rules: CollisionFilter) -> int:
    """Number of pairs that a scene bears: one of many moving shapes bears more."""
    moving = sum(build.scene.geoms[i].collides and not rules.stands(i) for i in build.geoms)
    return max(_FEWEST, min(_PAIRS_PER_SHAPE * moving, _LIMIT))


def unlike_pairs(build: Build, rules: CollisionFilter, most: int) -> tuple[list[Pair], list[Pair]]:
    """Colliding pairs whose materials the engine would mix wrongly, and those that may stick.

    Where these are too many, those with shapes that stand still come first: everything lies on
    something.
    """
    groups = _groups(build, rules)
    mixed: list[Pair] = []
    for which, meeting in _meeting(groups).items():
        found = list(islice(_pairs(rules, meeting, _differs), most + 1))
        if len(mixed) + len(found) <= most:
            mixed.extend(found)
        else:
            build.note("/", _too_many(most, which))
    every = chain.from_iterable(_meeting(groups).values())
    holding = _pairs(rules, every, lambda a, b: _holds(a.material) or _holds(b.material))
    return mixed, list(islice(holding, most + 1))


@dataclass(frozen=True, eq=False)
class _Group:
    """Geoms that mix with others alike."""

    material: MaterialDescription
    shape: GeomDescription
    """One of them."""
    still: bool
    geoms: list[int] = field(default_factory=list)

    @property
    def condim(self) -> int:
        """Dimensions of their contacts, as the engine has them."""
        return condim(self.material, patch_radius(self.shape, self.shape))

    @property
    def friction(self) -> NDArray[np.float64]:
        """Sliding, torsional [m] and rolling [m] coefficient, shape (3,)."""
        return np.array(friction(self.material, self.shape))


def _differs(a: _Group, b: _Group) -> bool:
    """Whether the engine's own mixing of two geoms is not what the materials ask for."""
    native = max(a.condim, b.condim)
    mode = stronger(a.material.friction_combine, b.material.friction_combine)
    mixed, radius = mix(mode, a.friction, b.friction), patch_radius(a.shape, b.shape)
    if radius:
        mixed[1] = radius * mixed[0]
        if native < 4:
            return True
    acting, larger = _ACTING[native], np.maximum(a.friction, b.friction)
    return bool(np.any(mixed[:acting] != larger[:acting])) or soft(a.material, b.material)


def _groups(build: Build, rules: CollisionFilter) -> list[_Group]:
    """Geoms by the values of their materials: many props have a material each, of equal values."""
    found: dict[Hashable, _Group] = {}
    for index in build.geoms:
        geom = build.scene.geoms[index]
        if geom.collides and not geom.native_mixing:
            material, still = material_of(build, geom), rules.stands(index)
            patch = geom.torsional_radius, geom.kind == "sphere"
            kind = (still, *patch, *(getattr(material, name) for name in _MIXING))
            found.setdefault(kind, _Group(material, geom, still)).geoms.append(index)
    return list(found.values())


def _meeting(groups: Sequence[_Group]) -> dict[str, Iterator[tuple[_Group, _Group]]]:
    """Two groups each of which geoms may meet, by which of them move."""
    still, moving = ([g for g in groups if g.still is kind] for kind in (True, False))
    return {
        "of which one stands still": product(still, moving),
        "that both move": combinations_with_replacement(moving, 2),
    }


def _pairs(
    rules: CollisionFilter,
    meeting: Iterable[tuple[_Group, _Group]],
    wanted: Callable[[_Group, _Group], bool],
) -> Iterator[Pair]:
    """Colliding pairs of wanted groups."""
    for a, b in meeting:
        if wanted(a, b):
            for pair in rules.candidates(a.geoms, None if a is b else b.geoms):
                if rules.collides(*pair):
                    yield min(pair), max(pair)


def _holds(material: MaterialDescription) -> bool:
    return material.static_friction > material.dynamic_friction


def _too_many(most: int, which: str) -> str:
    return (
        f"more than {most} pairs of shapes {which} would need a combination of materials that "
        "the engine does not make by itself; it uses the larger friction of the two. Use one "
        "material, or filter collisions"
    )
