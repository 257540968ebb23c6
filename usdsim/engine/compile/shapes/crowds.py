"""Geoms of the world by the thousand, such as solids behind the triangles of a terrain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from usdsim.engine.compile.context import Build

__all__ = ["GROUP", "world_geoms"]

GROUP = 1_000
"""Geoms that are added together."""


def world_geoms(build: Build, count: int) -> Iterator[Any]:
    """Geoms of the world that have nothing yet but what all geoms start from.

    The effort to add one grows with the elements of its spec, so beyond one group they are made in
    empty specs. The effort to attach these grows with the elements as well: meshes come later. What
    a geom gets is set once it is attached, as that changes names.

    Args:
        build: the compilation.
        count: how many.
    """
    world = build.spec.worldbody
    if count <= GROUP or not build.divisible:
        return iter([world.add_geom() for _ in range(count)])
    geoms: list[Any] = []
    for start in range(0, count, GROUP):
        group = build.template.copy()
        frame = group.worldbody.add_frame()
        for _ in range(min(GROUP, count - start)):
            geoms.append(group.worldbody.add_geom())
            geoms[-1].set_frame(frame)
        build.spec.attach(group, frame=world.add_frame(), prefix=f"{start}_")
    return iter(geoms)
