"""Partition of a scene: specs that hold some of the bodies under the world each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import mujoco
import numpy as np

__all__ = ["FILLER", "LANES", "GeomAlias", "NotJoinable", "Partition", "ScenePart", "Span"]

FILLER = -1
"""Rank of a body that is in no model that was joined."""
LANES = 8
"""Products that the engine sums side by side. Sums over degrees of freedom round alike in a part
and in the whole if each has the same lane in both, and none is in the remainder at the end of one
of them alone."""


class NotJoinable(Exception):
    """Models are not parts of one as it is understood here."""


class GeomAlias(NamedTuple):
    """A geom of the first part that stands for one of another, by their indices there."""

    stand_in: int
    part: int
    geom: int


class Span(NamedTuple):
    """Degrees of freedom of a body under the world and of all below it."""

    start: int
    width: int


@dataclass
class ScenePart:
    """A spec with some of the bodies under the world, in their order."""

    spec: mujoco.MjSpec
    ranks: list[int] = field(default_factory=list)
    """Rank of each body under the part's world among those of the whole, or `FILLER`."""
    end: int = 0
    """Degrees of freedom of the whole up to here."""
    orders: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Rank of each actuator and equality among those of the whole, by the size that counts them."""
    meshes: set[str] = field(default_factory=set)
    """Names of the copies of meshes."""

    def fill(self, until: int) -> None:
        """Stand in for degrees of freedom that other parts have, so that lanes stay the same."""
        gap = until - self.end
        slides = gap % LANES + (LANES if gap >= LANES else 0)
        for first in range(0, slides, 3):
            body = self.spec.worldbody.add_body(mass=1.0, inertia=np.ones(3), explicitinertial=True)
            for axis in np.eye(3)[: slides - first]:
                body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
            self.ranks.append(FILLER)
        self.end = until


class Partition:
    """Specs of the parts of a scene.

    The first has the world, and all that refers to bodies.

    Args:
        spec: the first; it has nothing yet but what is set for the whole scene.
        spans: of every body under the world, by description index, in their order.
        homes: part of each body that is not in the first, by description index.
    """

    def __init__(self, spec: mujoco.MjSpec, spans: Mapping[int, Span], homes: Mapping[int, int]):
        count = max(homes.values())
        self.parts = [ScenePart(spec), *(ScenePart(spec.copy()) for _ in range(count))]
        self.homes = homes
        self.stand_ins: dict[int, Any] = {}
        """Geoms of the first spec by description index of those that they stand for."""
        self.materials: dict[int, str] = {}
        """Names of materials, which the first spec has, of geoms in others by description index."""
        self._spans = spans
        self._ranks = {index: rank for rank, index in enumerate(spans)}

    def home(self, index: int) -> int:
        """The part that has a body of the description; the world is in the first."""
        return self.homes.get(index, 0)

    def spec_of(self, *bodies: int) -> mujoco.MjSpec:
        """The spec that has all of some bodies of the description, or else the first."""
        homes = {self.home(index) for index in bodies}
        return self.parts[homes.pop() if len(homes) == 1 else 0].spec

    def worldbody(self, index: int) -> Any:
        """The spec body to hold a body under the world, which is added next."""
        part, span = self.parts[self.home(index)], self._spans[index]
        part.fill(span.start)
        part.ranks.append(self._ranks[index])
        part.end = span.start + span.width
        return part.spec.worldbody

    def close(self) -> None:
        """Stand in for what follows the last bodies."""
        total = sum(span.width for span in self._spans.values())
        for part in self.parts:
            part.fill(total)

    def share(self, index: int, mesh: Any) -> None:
        """Share a mesh of the first part with the part of a body."""
        part = self.parts[self.home(index)]
        if part is self.parts[0] or mesh.name in part.meshes:
            return
        part.meshes.add(mesh.name)
        part.spec.add_mesh(
            name=mesh.name, uservert=mesh.uservert, userface=mesh.userface, inertia=mesh.inertia
        )

    def keep_material(self, index: int, body: int, geom: Any) -> None:
        """Record the material of a geom, for the joined model; its part has none.

        Args:
            index: of the geom in the description.
            body: that of its body.
            geom: the geom in a spec.
        """
        if self.home(body) and geom.material:
            self.materials[index] = geom.material
            geom.material = ""

    def refer(self, index: int, body: int, geom: Any) -> None:
        """Make a geom of the description known by its name to the first spec.

        Args:
            index: of the geom.
            body: that of its body.
            geom: the geom in a spec, with a name.
        """
        first = self.parts[0]
        if not self.home(body) or index in self.stand_ins:
            return
        if not self.stand_ins:
            self._stage = first.spec.worldbody.add_body()
            first.ranks.append(FILLER)
        self.stand_ins[index] = self._stage.add_geom(name=geom.name, size=np.ones(3))

    @property
    def num_bodies(self) -> int:
        """Bodies of the whole so far, the world included."""
        fillers = sum(part.ranks.count(FILLER) for part in self.parts)
        return sum(len(part.spec.bodies) - 1 for part in self.parts) - fillers + 1
