"""Compilation of the parts of a scene, and of what refers to their elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import mujoco

from usdsim.engine.compile.context import Build
from usdsim.engine.compile.drives import driven_axes

from .join import joined
from .partition import GeomAlias, NotJoinable, Partition
from .places import Places

__all__ = ["Placed", "join_parts"]

_SIZES = ("nbody", "njnt", "ngeom", "nactuator", "neq")
"""Sizes that indices of elements of the build count."""


class Placed(NamedTuple):
    """An element of a compiled model, instead of that of a spec."""

    id: int


class _Entry(NamedTuple):
    """An element of a part that the build knows."""

    size: str
    """Size that its index counts."""
    table: Any
    key: Any

    def place(self, index: int) -> None:
        """Set the index."""
        self.table[self.key] = Placed(index)

    @property
    def current(self) -> int:
        """Index of the element."""
        return int(self.table[self.key].id)


def join_parts(build: Build, partition: Partition, first: mujoco.MjModel) -> mujoco.MjModel:
    """Compile the other parts of a scene and join all.

    From then on, elements of the build have their indices in the joined model, and the parts have
    no specs.

    Args:
        build: the compilation.
        partition: its parts.
        first: the model of the first.

    Raises:
        NotJoinable: the scene has to be compiled as a whole.
    """
    entries = _entries(build, partition)
    _rank(build, partition)
    try:
        models = [first, *_compiled(partition, entries)]
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise NotJoinable(str(error)) from error
    aliases = [
        GeomAlias(stand_in.id, partition.home(build.scene.geoms[i].body), build.geoms[i].id)
        for i, stand_in in partition.stand_ins.items()
    ]
    model, places, build.parts = joined(partition.parts, models, aliases)
    _settle(build, entries, places)
    for index, name in partition.materials.items():
        model.geom_matid[build.geoms[index].id] = model.material(name).id
    return model


def _compiled(partition: Partition, entries: list[list[_Entry]]) -> Iterator[mujoco.MjModel]:
    """Models of the parts after the first, whose specs go: the joined model needs their memory."""
    for part, known in zip(partition.parts[1:], entries[1:], strict=True):
        yield part.spec.compile()
        for entry in known:
            entry.place(entry.current)
        del part.spec


def _entries(build: Build, partition: Partition) -> list[list[_Entry]]:
    """Elements that the build knows by the part that has them."""
    scene, tables = build.scene, build.elements
    homes = {scene.bodies[index].path: home for index, home in partition.homes.items()}
    shapes = {scene.geoms[i].path: partition.home(scene.geoms[i].body) for i in build.geoms}
    found: list[list[_Entry]] = [[] for _ in partition.parts]
    for index in range(len(build.bodies)):
        found[partition.home(index)].append(_Entry("nbody", build.bodies, index))
    for index in build.geoms:
        home = partition.home(scene.geoms[index].body)
        found[home].append(_Entry("ngeom", build.geoms, index))
    for kind, size, where in (
        ("body", "nbody", homes),
        ("joint", "njnt", {**homes, **_homes_of_joints(build, partition)}),
        ("geom", "ngeom", shapes),
        *_ordered(build, partition),
    ):
        for path in tables[kind]:
            found[where.get(path, 0)].append(_Entry(size, tables[kind], path))
    return found


def _homes_of_joints(build: Build, partition: Partition) -> dict[str, int]:
    """Part of each joint and axis by path."""
    paths = (
        (joint, {joint.path, *(dof.path for dof in joint.dofs)}) for joint in build.scene.joints
    )
    return {path: partition.home(joint.child) for joint, found in paths for path in found}


def _ordered(build: Build, partition: Partition) -> Iterator[tuple[str, str, dict[str, int]]]:
    """Kinds of elements that are in the order of the stage, their sizes, and parts by path."""
    drives = {driven.path: partition.home(driven.body) for driven in driven_axes(build)}
    yield "actuator", "nactuator", drives
    homes = _homes_of_joints(build, partition)
    # The second constraint of a joint has a number behind its path.
    joints = {path: path.rpartition(":")[0] for path in build.elements["equality"]}
    beside = {path: homes[joint] for path, joint in joints.items() if joint in homes}
    yield "equality", "neq", beside | homes


def _rank(build: Build, partition: Partition) -> None:
    """Number drives and coupled axes of the parts as they are in the whole."""
    for kind, size, homes in _ordered(build, partition):
        for rank, path in enumerate(build.elements[kind]):
            partition.parts[homes.get(path, 0)].orders[size].append(rank)


def _settle(build: Build, entries: list[list[_Entry]], places: Places) -> None:
    """Set the indices of the build's elements in the joined model."""
    for part, known in enumerate(entries):
        rows = {name: places.references(name, part).tolist() for name in _SIZES}
        for entry in known:
            entry.place(rows[entry.size][entry.current])
    bodies, pairs = (places.references(name, 0).tolist() for name in ("nbody", "npair"))
    build.pairs = [replace(pair, element=Placed(pairs[pair.element.id])) for pair in build.pairs]
    build.stand_ins = [
        (Placed(bodies[element.id]), owner, pose) for element, owner, pose in build.stand_ins
    ]
