"""Collision filters: groups and pairs as the engine's masks and excludes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, product

import mujoco

from usdsim.engine.compile.context import Build
from usdsim.parser.description import WORLD, GeomDescription

from .filter_classes import FilterClasses, Pair
from .masks import BITS

__all__ = ["CollisionFilter"]

_LOOSE, _STILL = -1, -2
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
        colliding = chain.from_iterable(self.geoms.values())
        self._classes = FilterClasses(scene, colliding, self.geom_filters, self._silent)
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
        for index, kind in self._classes.of.items():
            if index < 0 or self.masked(index):
                soft = self._build.soft
                element = soft[-1 - index].flex if index < 0 else self._build.geoms[index]
                element.contype, element.conaffinity = self._classes.masks[kind]
        left = list(self._classes.left())
        wanted |= {_pair(*pair) for pair in left if min(pair) >= 0 and self.collides(*pair)}
        self._note_soft({index for pair in left for index in pair if min(pair) < 0})
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
        return self._classes.allows(a, b)

    def masked(self, index: int) -> bool:
        """Whether the masks of a geom are made of what filters say."""
        return index in self._classes.of and not _brings_masks(self._build.scene.geoms[index])

    def stands(self, index: int) -> bool:
        """Whether a geom stands still, as part of the world or joined rigidly to it."""
        return self._weld(self._build.scene.geoms[index].body) == WORLD

    def candidates(
        self, first: Iterable[int], second: Iterable[int] | None = None
    ) -> Iterator[Pair]:
        """Pairs of geoms to ask `collides`, without those that never meet as a whole.

        Those are of classes that filters keep apart, of one articulation that `silent` keeps apart,
        or stand still: a surface may be thousands of solids of the world.

        Args:
            first: geoms.
            second: others, to pair the first with; None: all two of the first.
        """
        ours = self._companies(first)
        theirs = ours if second is None else self._companies(second)
        groups = list(theirs.items())
        kinds = [kind for _, kind in theirs]
        for place, ((company, kind), geoms) in enumerate(ours.items()):
            for index in self._classes.meeting(kind, kinds):
                (other, _), others = groups[index]
                if company == other != _LOOSE or (second is None and index < place):
                    continue
                same = second is None and index == place
                yield from combinations(geoms, 2) if same else product(geoms, others)

    def _companies(self, geoms: Iterable[int]) -> dict[tuple[int, int], list[int]]:
        """Geoms by what keeps them apart: silent articulations, `_STILL`, or `_LOOSE`: nothing.

        With each of these goes a class of the filters.
        """
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index in geoms:
            company = _STILL if self.stands(index) else self._silent(index)
            found[company, self._classes.of.get(index, 0)].append(index)
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

    def _silent(self, geom: int) -> int:
        """Silent articulation of a geom; -1: none."""
        return -1 if geom < 0 else self.silent.get(self._build.scene.geoms[geom].body, -1)

    def _note_soft(self, indices: Iterable[int]) -> None:
        """Report deformable bodies that do not meet all they should."""
        for index in sorted(indices):
            if index < 0:
                self._build.note(
                    self._build.soft[-1 - index].description.path,
                    f"is in one of more than {BITS} different collision groups, and passes through "
                    "what some of them hold. Use fewer groups",
                )
