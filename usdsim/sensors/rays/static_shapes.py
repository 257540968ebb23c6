"""Static shapes: those at one place in all worlds, of one size, whatever worlds do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.base import Engine

__all__ = ["BODIES", "SHAPES", "is_static", "static_values"]

BODIES = ("body_pos", "body_quat")
"""Parameters of bodies that say where shapes fixed to the world are."""
SHAPES = ("geom_aabb", "geom_dataid", "geom_margin", "geom_pos", "geom_quat", "geom_size")
"""Parameters of shapes that say whether and where they are on their bodies, and how large."""


def is_static(engine: Engine, geoms: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether each of an engine's shapes is at one place in all worlds."""
    model = engine.compiled.mj
    bodies = model.geom_bodyid[geoms]
    still = (model.body_weldid[bodies] == 0) & (model.body_mocapid[model.body_rootid[bodies]] < 0)
    for name in SHAPES:
        still &= _alike(engine.param(name))[geoms]
    steady = np.logical_and.reduce([_alike(engine.param(name)) for name in BODIES])
    while bodies.any():
        still &= steady[bodies] | (bodies == 0)
        bodies = model.body_parentid[bodies]
    return np.asarray(still)


def static_values(engine: Engine, geoms: NDArray[np.intp]) -> list[NDArray[Any]]:
    """Numbers that say which static shapes these are, where, and how large."""
    model = engine.compiled.mj
    found = [np.array(engine.param(name)[0, geoms]) for name in SHAPES]
    return [*found, *(engine.param(name)[0][model.body_weldid == 0] for name in BODIES), geoms]


def _alike(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Elements with one value in all worlds; values are (num_envs, elements, ...)."""
    if values.strides[0] == 0:
        return np.ones(values.shape[1], np.bool_)
    same = values == values[:1]
    found: NDArray[np.bool_] = same.all(axis=(0, *range(2, values.ndim)))
    return found
