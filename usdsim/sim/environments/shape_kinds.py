"""Kinds of shapes: environments whose bodies have other shapes get those of all environments.

Worlds are of one model, so a body has in every world what it has in any. Shapes of other
environments are there without touching anything: their surfaces may overlap by any distance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from usdsim.parser.description import (
    APART,
    WORLD,
    ActuatorDescription,
    GenericDescription,
    GeomDescription,
    MaterialDescription,
    MeshDescription,
    SceneDescription,
)

__all__ = ["ShapeKinds"]

_Key = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class _Slot:
    """A shape that some environments have."""

    key: _Key
    geom: GeomDescription
    """As environments get it that have none."""
    material: MaterialDescription | None
    groups: frozenset[str]
    """Paths of its collision groups."""
    filtered: frozenset[str]
    """Paths of shapes that it never touches."""


class ShapeKinds:
    """Shapes of the bodies that have others in some environments than in the first one.

    Shapes are the same where prim, kind and mesh are: their sizes and places are numbers.

    Args:
        first: the scene of the first environment.
    """

    def __init__(self, first: SceneDescription):
        self._first, self._own = first, _by_body(first)
        self._taken = {geom.path for geom in first.geoms}
        self._slots: dict[str, list[_Slot]] = {}
        self._meshes: dict[str, MeshDescription] = dict(first.meshes)

    def add(self, scene: SceneDescription, label: str) -> None:
        """Add the shapes of an environment that none before it has.

        Args:
            scene: under the paths of the first environment.
            label: name of the environment.
        """
        for path, keys in _by_body(scene).items():
            if path in self._own and [*keys] != [*self._own[path]]:
                if path not in self._slots:
                    self._slots[path] = []
                    self._extend(self._first, path, self._own[path], "")
                self._extend(scene, path, keys, f"/{label}")

    def joined(self, scene: SceneDescription) -> SceneDescription:
        """A scene of an environment with the shapes that only others have.

        Args:
            scene: under the paths of the first environment.
        """
        if not self._slots:
            return scene
        bodies = {body.path: index for index, body in enumerate(scene.bodies)} | {"": WORLD}
        own = {path: keys for path, keys in _by_body(scene).items() if path in self._slots}
        moved = {index for keys in own.values() for index in keys.values()}
        order = [index for index in range(len(scene.geoms)) if index not in moved]
        geoms = [scene.geoms[index] for index in order]
        materials, absent = list(scene.materials), dict[int, _Slot]()
        for body, slots in self._slots.items():
            for slot in slots if body in bodies else ():
                index = own.get(body, {}).get(slot.key, -1)
                order.append(index)
                if index >= 0:
                    geom = scene.geoms[index]
                    geoms.append(replace(geom, path=slot.geom.path, mesh=slot.geom.mesh))
                    continue
                absent[len(geoms)] = slot
                material = None if slot.material is None else len(materials)
                geoms.append(replace(slot.geom, body=bodies[body], material=material))
                materials += [slot.material] if slot.material is not None else []
        kept = {old: new for new, old in enumerate(order) if old >= 0}
        used = {scene.geoms[index].mesh for index in range(len(scene.geoms)) if index not in moved}
        return replace(
            _renumbered(scene, kept, absent, [geom.path for geom in geoms]),
            geoms=tuple(geoms),
            materials=tuple(materials),
            meshes={**self._meshes, **{k: m for k, m in scene.meshes.items() if k in used}},
        )

    def _extend(
        self, scene: SceneDescription, body: str, keys: Mapping[_Key, int], suffix: str
    ) -> None:
        """Add the shapes of a body that are not there yet."""
        slots = self._slots[body]
        known = {slot.key: slot.geom.path for slot in slots}
        names = {index: geom.path for index, geom in enumerate(scene.geoms)}
        for key, index in keys.items():
            if key in known:
                names[index] = known[key]
            elif names[index] in self._taken:
                names[index] += suffix
        for key, index in keys.items():
            if key not in known:
                slots.append(self._slot(scene, key, index, names, suffix))
                self._taken.add(names[index])

    def _slot(
        self,
        scene: SceneDescription,
        key: _Key,
        index: int,
        names: Mapping[int, str],
        suffix: str,
    ) -> _Slot:
        geom, mesh = scene.geoms[index], scene.geoms[index].mesh
        if mesh is not None:
            own = scene.meshes[mesh]
            if mesh in self._meshes and _digest(self._meshes[mesh]) != _digest(own):
                mesh += suffix
            self._meshes.setdefault(mesh, replace(own, path=mesh))
        material = None if geom.material is None else scene.materials[geom.material]
        return _Slot(
            key,
            replace(geom, path=names[index], name=None, mesh=mesh, rest_offset=APART),
            material,
            frozenset(group.path for group in scene.groups if index in group.geoms),
            frozenset(
                names[a if b == index else b] for a, b in scene.geom_filters if index in (a, b)
            ),
        )


def _by_body(scene: SceneDescription) -> dict[str, dict[_Key, int]]:
    """Shapes by the path of their body, '' for the world, and by what makes them the same.

    Shapes without a size or with samples, and those that elements refer to, are left out.
    """
    found: dict[str, dict[_Key, int]] = {"": {}, **{body.path: {} for body in scene.bodies}}
    named = set(_referenced(scene))
    for index, geom in enumerate(scene.geoms):
        path = "" if geom.body == WORLD else scene.bodies[geom.body].path
        if geom.kind not in ("hfield", "plane", "sdf") and geom.path not in named:
            mesh = None if geom.mesh is None else _digest(scene.meshes[geom.mesh])
            found[path][geom.path, geom.kind, mesh, geom.collides] = index
    return found


def _referenced(scene: SceneDescription) -> Iterator[str]:
    users: tuple[GenericDescription | ActuatorDescription, ...]
    users = (*scene.elements, *scene.actuators)
    for element in users:
        yield from chain(*element.targets.values())


def _digest(mesh: MeshDescription) -> bytes:
    parts = (
        mesh.points.tobytes(),
        mesh.faces.tobytes(),
        repr(sorted(mesh.overrides.items())).encode(),
    )
    return hashlib.blake2b(b"|".join(parts), digest_size=16).digest()


def _renumbered(
    scene: SceneDescription,
    kept: Mapping[int, int],
    absent: Mapping[int, _Slot],
    paths: Sequence[str],
) -> SceneDescription:
    """A scene whose filters refer to geoms by their numbers among those of all environments.

    Args:
        scene: the scene.
        kept: new numbers of its own geoms by the old ones.
        absent: shapes that only others have, by number.
        paths: of the geoms, by number.
    """
    number = {path: index for index, path in enumerate(paths)}
    groups = tuple(
        replace(
            group,
            geoms=(
                *(kept[index] for index in group.geoms),
                *(index for index, slot in absent.items() if group.path in slot.groups),
            ),
        )
        for group in scene.groups
    )
    pairs = {(kept[a], kept[b]) for a, b in scene.geom_filters}
    for index, slot in absent.items():
        pairs |= {(index, number[path]) for path in slot.filtered if path in number}
    return replace(
        scene,
        groups=groups,
        geom_filters=frozenset((min(pair), max(pair)) for pair in pairs),
        deformable_filters=frozenset(
            (body, other if other < 0 else kept[other]) for body, other in scene.deformable_filters
        ),
    )
