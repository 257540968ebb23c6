"""Initial overlaps: shapes that start inside each other, which the first steps push apart."""

from __future__ import annotations

import mujoco
import numpy as np

from usdsim.engine.compile.pipeline import CompiledModel

__all__ = ["initial_overlaps"]

_DEEP = 0.005
"""Depth [m] below which shapes merely touch."""
_MOST_SHAPES, _MOST_FOUND = 2000, 20
"""Shapes of a scene that is looked at, and overlaps that are told, the deepest ones."""


def initial_overlaps(compiled: CompiledModel) -> list[tuple[str, str]]:
    """Prim path and message of shapes that start deep inside others they collide with.

    Where a scene has thousands of shapes or deformable bodies, it is not looked at.
    """
    model, start = compiled.mj, compiled.initial
    if not model.ngeom or model.ngeom > _MOST_SHAPES or model.nflex:
        return []
    data = mujoco.MjData(model)
    data.qpos[:] = start.qpos
    if model.nmocap:
        data.mocap_pos[:], data.mocap_quat[:] = start.mocap_pos, start.mocap_quat
    mujoco.mj_kinematics(model, data)
    mujoco.mj_collision(model, data)
    paths, deepest = compiled.names.paths("geom"), dict[tuple[int, int], float]()
    pushed = data.contact.dist < data.contact.includemargin
    found = data.contact.geom[pushed].tolist(), data.contact.dist[pushed].tolist()
    for pair, distance in zip(*found, strict=True):
        key = (min(pair), max(pair))
        deepest[key] = min(distance, deepest.get(key, -_DEEP))
    worst = sorted((depth, pair) for pair, depth in deepest.items() if depth < -_DEEP)
    return [
        (
            paths[b] or "/",
            f"starts {np.round(-depth, 4):g} m inside {paths[a]}, which pushes it out at once; "
            "engines do that at different speeds",
        )
        for depth, (a, b) in worst[:_MOST_FOUND]
    ]
