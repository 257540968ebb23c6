"""Compilation of the parts of a scene, and of what refers to their elements."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import mujoco

from usdsim.engine.compile.context import Build

from .join import joined
from .partition import GeomAlias, NotJoinable, Partition
from .places import Places

__all__ = ["Placed", "join_parts"]


class Placed(NamedTuple):
    """An element of a compiled model, instead of that of a spec."""

    id: int


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
    try:
        models = [first, *(part.spec.compile() for part in partition.parts[1:])]
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise NotJoinable(str(error)) from error
    aliases = [
        GeomAlias(stand_in.id, partition.home(build.scene.geoms[i].body), build.geoms[i].id)
        for i, stand_in in partition.stand_ins.items()
    ]
    _release(build, partition)
    model, places = joined(partition.parts, models, aliases)
    _settle(build, partition, places)
    return model


def _release(build: Build, partition: Partition) -> None:
    """Keep indices of elements instead of specs, whose memory the joined model can use."""
    build.bodies = [Placed(element.id) for element in build.bodies]
    build.geoms = {i: Placed(element.id) for i, element in build.geoms.items()}
    for kind in ("body", "geom", "joint"):
        build.elements[kind] = {p: Placed(e.id) for p, e in build.elements[kind].items()}
    for part in partition.parts[1:]:
        del part.spec


def _settle(build: Build, partition: Partition, places: Places) -> None:
    """Let elements of the build have their indices in the joined model."""
    scene, tables, count = build.scene, build.elements, len(partition.parts)
    bodies, geoms, joints = (
        [[Placed(row) for row in places.references(size, part).tolist()] for part in range(count)]
        for size in ("nbody", "ngeom", "njnt")
    )
    homes = {scene.bodies[index].path: home for index, home in partition.homes.items()}
    tables["joint"] = {p: joints[homes.get(p, 0)][e.id] for p, e in tables["joint"].items()}
    build.bodies = [bodies[partition.home(i)][body.id] for i, body in enumerate(build.bodies)]
    tables["body"] = {b.path: e for b, e in zip(scene.bodies, build.bodies, strict=True)}
    for i, geom in build.geoms.items():
        body = scene.geoms[i].body
        build.geoms[i] = tables["geom"][scene.geoms[i].path] = geoms[partition.home(body)][geom.id]
    pairs = places.references("npair", 0).tolist()
    build.pairs = [replace(pair, element=Placed(pairs[pair.element.id])) for pair in build.pairs]
    build.stand_ins = [(bodies[0][e.id], owner, pose) for e, owner, pose in build.stand_ins]
