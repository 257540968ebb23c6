"""Collision filters: groups and pairs as the engine's masks and excludes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, product
from typing import Any

import mujoco

from usdsim.engine.compile.context import Build
from usdsim.parser.description import WORLD, GeomDescription

__all__ = ["CollisionFilter"]

Pair = tuple[int, int]
_LOOSE, _STILL = -1, -2
CLASSES = 31
"""The engine's collision masks have this many useful bits."""
MANY_LINKS = 48
"""Links of an articulation without self-collision from which on one bit of the masks keeps them
apart: excludes, one for every two links, would be more than a thousand."""


def _pair(a: int, b: int) -> Pair:
    return (a, b) if a <= b else (b, a)


def _brings_masks(geom: GeomDescription) -> bool:
    return "contype" in geom.overrides or "conaffinity" in geom.overrides


class CollisionFilter:
    """Decides for pairs of bodies and geoms, and tells the engine.

    Among geoms, -1 - i stands for the deformable body i.

    Bodies joined by fixed joints count as one when deciding who is adjacent, as they do for the
    engine. A stage with solver options of its own also brings MuJoCo's rule for adjacent bodies;
    otherwise jointed bodies collide only where their joint says so.
    """

    def __init__(self, build: Build):
        self._build = build
        scene = build.scene
        self.rigid = self._rigid_groups()
        self.weld = self._welds()
        self.members: dict[int, list[int]] = defaultdict(list)
        for index in range(len(scene.bodies)):
            self.members[self.rigid[index]].append(index)
        self.geoms: dict[int, list[int]] = defaultdict(list)
        for index in build.geoms:
            if scene.geoms[index].collides:
                self.geoms[scene.geoms[index].body].append(index)
        self.excluded: set[Pair] = {_pair(*pair) for pair in scene.body_filters}
        self.joined: set[Pair] = set()
        self._adjacent()
        self.geom_filters = self._split_geom_filters()
        self.silent = self._silent_bodies()
        self.classes, self.allowed_classes = self._classes()
        if len(self.allowed_classes) > CLASSES and self.silent:
            self.silent = {}
            self.classes, self.allowed_classes = self._classes()
        for articulation in scene.articulations:
            bodies = articulation.bodies
            if (
                not articulation.self_collision
                and len({self.silent.get(b, ~b) for b in bodies}) > 1
            ):
                self.excluded |= {_pair(a, b) for a, b in combinations(bodies, 2)}

    def apply(self) -> list[Pair]:
        """Add excludes and masks; returns the geom pairs that need an explicit contact pair."""
        self._add_excludes()
        wanted = self._joined_pairs()
        masks = self._masks()
        overflow = [i for i in self.classes if masks.get(self.classes[i]) is None]
        for index, kind in self.classes.items():
            if index < 0:
                self._mask_flex(-1 - index, masks.get(kind))
                continue
            if _brings_masks(self._build.scene.geoms[index]):
                continue
            element = self._build.geoms[index]
            element.contype, element.conaffinity = masks.get(kind) or (0, 0)
        for index in overflow:
            others = [other for other in self.classes if min(index, other) >= 0]
            wanted |= {_pair(index, other) for other in others if self.collides(index, other)}
        return sorted(wanted)

    def collides(self, a: int, b: int) -> bool:
        """Whether two colliding geoms are meant to collide."""
        geoms = self._build.scene.geoms
        bodies = geoms[a].body, geoms[b].body
        if a == b or self._inert(*bodies) or self._filtered(*bodies):
            return False
        if self._native(*bodies) and _pair(*bodies) not in self.joined:
            return False
        if _pair(a, b) in self.geom_filters:
            return False
        return not self.classes or self._class_allows(a, b)

    def stands(self, index: int) -> bool:
        """Whether a geom stands still, as part of the world or joined rigidly to it."""
        return self._weld(self._build.scene.geoms[index].body) == WORLD

    def candidates(
        self, first: Iterable[int], second: Iterable[int] | None = None
    ) -> Iterator[Pair]:
        """Pairs of geoms to ask `collides`, without those that never meet as a whole.

        Those are of one articulation that `silent` keeps apart, or stand still: a surface may be
        thousands of solids of the world.

        Args:
            first: geoms.
            second: others, to pair the first with; None: all two of the first.
        """
        ours = self._companies(first)
        if second is None:
            between = (product(a, b) for a, b in combinations(ours.values(), 2))
            return chain(combinations(ours.get(_LOOSE, ()), 2), *between)
        theirs = self._companies(second)
        return chain.from_iterable(
            product(ours[a], theirs[b]) for a in ours for b in theirs if a != b or a == _LOOSE
        )

    def _companies(self, geoms: Iterable[int]) -> dict[int, list[int]]:
        """Geoms by what keeps them apart: silent articulations, `_STILL`, or `_LOOSE`: nothing."""
        found: dict[int, list[int]] = defaultdict(list)
        for index in geoms:
            found[_STILL if self.stands(index) else self._silent(index)].append(index)
        return found

    # -- bodies --------------------------------------------------------------------------------

    def _fixed(self, index: int) -> bool:
        body = self._build.scene.bodies[index]
        if body.kinematic:
            return False
        joints = [self._build.scene.joints[j] for j in body.joints]
        return body.fixed or (bool(joints) and all(j.kind == "fixed" for j in joints))

    def _rigid_groups(self) -> list[int]:
        """First body of the rigid group of each body; the world is in none."""
        groups: list[int] = []
        for index, body in enumerate(self._build.scene.bodies):
            joined = self._fixed(index) and body.parent != WORLD
            groups.append(groups[body.parent] if joined else index)
        return groups

    def _welds(self) -> list[int]:
        """The engine's own groups: all that is rigid with the world or moved by the user is -1."""
        welds: list[int] = []
        for index, body in enumerate(self._build.scene.bodies):
            if body.kinematic:
                welds.append(WORLD)
            elif self._fixed(index):
                welds.append(WORLD if body.parent == WORLD else welds[body.parent])
            else:
                welds.append(index)
        return welds

    def _silent_bodies(self) -> dict[int, int]:
        """Articulation of each body whose geoms keep apart from its others by masks alone.

        Those are large articulations without self-collision, unless a geom brings its own masks.
        """
        scene = self._build.scene
        found: dict[int, int] = {}
        for index, articulation in enumerate(scene.articulations):
            if articulation.self_collision or len(articulation.bodies) < MANY_LINKS:
                continue
            geoms = (scene.geoms[i] for body in articulation.bodies for i in self.geoms[body])
            if not any(_brings_masks(geom) for geom in geoms):
                found.update(dict.fromkeys(articulation.bodies, index))
        return found

    def _filtered(self, a: int, b: int) -> bool:
        """Whether a filter keeps two bodies apart."""
        return self.silent.get(a, -1) == self.silent.get(b, -2) or _pair(a, b) in self.excluded

    def _weld(self, index: int) -> int:
        return WORLD if index == WORLD else self.weld[index]

    def _inert(self, a: int, b: int) -> bool:
        """Whether nothing can move two bodies against each other."""
        return self._weld(a) == self._weld(b)

    def _native(self, a: int, b: int) -> bool:
        """Whether the engine's rule for parent and child keeps two bodies apart."""
        off = int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
        if self._build.spec.option.disableflags & off:
            return False
        first, second = self._weld(a), self._weld(b)
        if WORLD in (first, second):
            return False
        bodies = self._build.scene.bodies
        return self._weld(bodies[first].parent) == second or (
            self._weld(bodies[second].parent) == first
        )

    def _adjacent(self) -> None:
        apart: set[Pair] = set()
        together: set[Pair] = set()
        for joint in self._build.scene.joints:
            if WORLD in (joint.parent, joint.child):
                continue
            a, b = self.rigid[joint.parent], self.rigid[joint.child]
            if a != b:
                (together if joint.collision_enabled else apart).add(_pair(a, b))
        for a, b in together - apart:
            self.joined |= {_pair(*p) for p in product(self.members[a], self.members[b])}
        if not self._build.owns_options:
            for a, b in apart:
                pairs = product(self.members[a], self.members[b])
                self.excluded |= {_pair(*p) for p in pairs}

    def _add_excludes(self) -> None:
        geoms = self.geoms
        for a, b in sorted(self.excluded):
            if not geoms.get(a) or not geoms.get(b) or self._inert(a, b) or self._native(a, b):
                continue
            if self.silent.get(a, -1) == self.silent.get(b, -2):
                continue
            first, second = self._path(a), self._path(b)
            self._build.spec_of(a, b).add_exclude(
                name=self._build.namer.take("exclude", None, f"{second} {first}"),
                bodyname1=self._name(a),
                bodyname2=self._name(b),
            )

    def _path(self, index: int) -> str:
        return self._build.body_path(index)

    def _name(self, index: int) -> str:
        if index == WORLD:
            return "world"
        return self._build.name_of("body", self._path(index), self._build.bodies[index])

    def _joined_pairs(self) -> set[Pair]:
        """Geoms of bodies whose joint lets them collide although the engine would not."""
        found: set[Pair] = set()
        for a, b in self.joined:
            if self._native(a, b):
                pairs = product(self.geoms.get(a, ()), self.geoms.get(b, ()))
                found |= {_pair(*p) for p in pairs if self.collides(*p)}
        return found

    # -- geoms ---------------------------------------------------------------------------------

    def _split_geom_filters(self) -> set[Pair]:
        """Geom filters, without those that amount to a filter between two bodies."""
        scene, by_bodies = self._build.scene, defaultdict(set)
        for a, b in scene.geom_filters:
            if a in self._build.geoms and b in self._build.geoms:
                bodies = _pair(scene.geoms[a].body, scene.geoms[b].body)
                by_bodies[bodies].add(_pair(a, b))
        left: set[Pair] = set()
        for (a, b), pairs in by_bodies.items():
            if a != b and len(pairs) == len(self.geoms[a]) * len(self.geoms[b]):
                self.excluded.add((a, b))
            else:
                left |= pairs
        return left

    def _classes(self) -> tuple[dict[int, int], dict[int, set[int]]]:
        """Class of each colliding geom, and the classes each class may touch.

        Geoms of one class are in the same groups and silent articulation, and have the same
        filters.
        """
        scene = self._build.scene
        grouped = any(group.filtered for group in scene.groups)
        filtered = self.geom_filters or grouped or scene.deformable_filters
        if not filtered and not self.silent:
            return {}, {}
        groups: dict[int, set[int]] = defaultdict(set)
        for index, group in enumerate(scene.groups):
            for geom in (*group.geoms, *(-1 - soft for soft in group.deformables)):
                groups[geom].add(index)
        partners: dict[int, set[int]] = defaultdict(set)
        soft = [-1 - i for i, body in enumerate(scene.deformables) if body.collides]
        for a, b in (*self.geom_filters, *((-1 - i, other) for i, other in self._soft_filters())):
            partners[a].add(b)
            partners[b].add(a)
        keys: dict[Any, int] = {}
        members: dict[int, int] = {}
        classes: dict[int, int] = {}
        for geom in [*sorted(i for found in self.geoms.values() for i in found), *soft]:
            key = frozenset(groups[geom]), frozenset(partners[geom]), self._silent(geom)
            kind = keys.setdefault(key, len(keys))
            members.setdefault(kind, geom)
            classes[geom] = kind
        allowed: dict[int, set[int]] = {kind: set() for kind in members}
        for (a, first), (b, second) in product(members.items(), repeat=2):
            apart = any(
                j in scene.groups[i].filtered or i in scene.groups[j].filtered
                for i, j in product(groups[first], groups[second])
            )
            apart |= self._silent(first) == self._silent(second) >= 0
            if not apart and second not in partners[first]:
                allowed[a].add(b)
        return classes, allowed

    def _silent(self, geom: int) -> int:
        """Silent articulation of a geom; -1: none."""
        return -1 if geom < 0 else self.silent.get(self._build.scene.geoms[geom].body, -1)

    def _soft_filters(self) -> list[Pair]:
        """Deformable bodies and what they never touch, of what is there and collides."""
        geoms = {i for found in self.geoms.values() for i in found}
        filters = self._build.scene.deformable_filters
        return sorted((i, other) for i, other in filters if other < 0 or other in geoms)

    def _mask_flex(self, index: int, masks: tuple[int, int] | None) -> None:
        body = self._build.soft[index]
        if masks is None:
            self._build.note(
                body.description.path,
                f"is in one of more than {CLASSES} different collision groups, and collides with "
                "nothing. Use fewer groups",
            )
        body.flex.contype, body.flex.conaffinity = masks or (0, 0)

    def _class_allows(self, a: int, b: int) -> bool:
        return self.classes[b] in self.allowed_classes[self.classes[a]]

    def _masks(self) -> dict[int, tuple[int, int] | None]:
        """Type and affinity bits of each class; None where the bits ran out."""
        masks: dict[int, tuple[int, int] | None] = {}
        for kind, allowed in self.allowed_classes.items():
            if kind >= CLASSES:
                masks[kind] = None
                continue
            masks[kind] = 1 << kind, sum(1 << other for other in allowed if other < CLASSES)
        return masks
