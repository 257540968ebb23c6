"""Filter classes: shapes that the same filters hold for, and which of them meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.parser.description import SceneDescription

from .masks import collision_masks

__all__ = ["FilterClasses", "Pair"]

Pair = tuple[int, int]
_FIRST = 1e6
"""Weight of deformable bodies: only masks let them meet others, while geoms may have pairs."""


class FilterClasses:
    """Classes of colliding shapes: in the same groups, and kept apart from the same shapes.

    Deformable body i is the shape -1 - i.

    Args:
        scene: the description.
        geoms: the colliding geoms.
        geom_filters: geoms that are kept apart.
        silent: articulation of a shape that keeps apart from its others by masks; -1: none.

    Attributes:
        of: the class of each shape; empty: all shapes meet.
        allowed: which classes meet, shape (n, n).
        masks: types and affinities of each class; see `collision_masks`.
    """

    def __init__(
        self,
        scene: SceneDescription,
        geoms: Iterable[int],
        geom_filters: Iterable[Pair],
        silent: Callable[[int], int],
    ):
        self.of: dict[int, int] = {}
        self._shapes: dict[int, list[int]] = defaultdict(list)
        solid = sorted(geoms)
        filters = [*geom_filters, *_soft_filters(scene, set(solid))]
        shapes = [*solid, *(-1 - i for i, body in enumerate(scene.deformables) if body.collides)]
        grouped = any(group.filtered for group in scene.groups)
        apart = grouped or filters or any(silent(shape) >= 0 for shape in shapes)
        self._sort(scene, shapes if apart else [], filters, silent)
        soft = np.array([min(found) < 0 for found in self._shapes.values()], bool)
        sizes = np.array([len(found) for found in self._shapes.values()], float)
        types, affinities, self._left = collision_masks(
            self.allowed, np.where(soft, _FIRST, sizes), sizes == 1.0
        )
        self.masks = list(zip(types.tolist(), affinities.tolist(), strict=True))

    def allows(self, a: int, b: int) -> bool:
        """Whether the classes of two shapes meet."""
        return not self.of or bool(self.allowed[self.of[a], self.of[b]])

    def meeting(self, kind: int, kinds: Sequence[int]) -> Iterable[int]:
        """Places of those of some classes that a class meets."""
        if not self.of:
            return range(len(kinds))
        found: list[int] = np.flatnonzero(self.allowed[kind, list(kinds)]).tolist()
        return found

    def left(self) -> Iterator[Pair]:
        """Pairs of shapes that should meet, and do not by their masks."""
        for a, b in self._left.tolist():
            yield from (
                combinations(self._shapes[a], 2)
                if a == b
                else product(self._shapes[a], self._shapes[b])
            )

    def _sort(
        self,
        scene: SceneDescription,
        shapes: Iterable[int],
        filters: Iterable[Pair],
        silent: Callable[[int], int],
    ) -> None:
        groups: dict[int, set[int]] = defaultdict(set)
        for index, group in enumerate(scene.groups):
            for shape in (*group.geoms, *(-1 - soft for soft in group.deformables)):
                groups[shape].add(index)
        partners: dict[int, set[int]] = defaultdict(set)
        for a, b in filters:
            partners[a].add(b)
            partners[b].add(a)
        keys: dict[Any, int] = {}
        for shape in shapes:
            key = frozenset(groups[shape]), frozenset(partners[shape]), silent(shape)
            self.of[shape] = keys.setdefault(key, len(keys))
            self._shapes[self.of[shape]].append(shape)
        self.allowed = _meeting(scene, [grouped for grouped, *_ in keys])
        quiet = np.array([articulation for *_, articulation in keys], int)
        self.allowed &= (quiet[:, None] != quiet) | (quiet < 0)
        for kind, (_, others, _) in enumerate(keys):
            for other in others & self.of.keys():
                self.allowed[kind, self.of[other]] = False


def _meeting(scene: SceneDescription, kinds: list[frozenset[int]]) -> NDArray[np.bool_]:
    """Whether collision groups let shapes meet, by the groups of their classes, shape (n, n)."""
    filtered = np.zeros((len(scene.groups), len(scene.groups)), bool)
    for index, group in enumerate(scene.groups):
        filtered[index, list(group.filtered)] = True
    filtered |= filtered.T
    members = np.zeros((len(kinds), len(scene.groups)), bool)
    for kind, groups in enumerate(kinds):
        members[kind, list(groups)] = True
    apart = np.array([filtered[row].any(axis=0) for row in members]).reshape(members.shape)
    numbers = apart.astype(np.float32) @ members.T.astype(np.float32)
    return np.asarray(numbers == 0.0)


def _soft_filters(scene: SceneDescription, geoms: set[int]) -> list[Pair]:
    """Deformable bodies and what they never touch, of what is there and collides."""
    filters = scene.deformable_filters
    return sorted((-1 - i, other) for i, other in filters if other < 0 or other in geoms)
