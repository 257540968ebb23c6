"""Statistics of a model: its centre, its extent, and means over bodies."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["FIELDS", "statistics", "sum_in_order"]

FIELDS = ("meaninertia", "meanmass", "meansize", "extent", "center")
_PLANE, _FIELD = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD)
_LEAST = 1e-5
"""Least size [m]."""
_SHARE = 0.1
"""Part of the size of a ground that counts."""
_INFINITE = 0.01
"""Share of a ground without end [m]."""


def statistics(model: mujoco.MjModel) -> dict[str, Any]:
    """Statistics of a model in its reference pose by name, as the engine's compiler has them.

    Sums are made in its order, so they round alike.
    """
    data = mujoco.MjData(model)
    for stage in ("mj_kinematics", "mj_comPos", "mj_tendon", "mj_makeM"):
        getattr(mujoco, stage)(model, data)
    low, high = _bounds(model, data)
    sizes = np.maximum(_sizes(model, data)[1:], _LEAST)
    bodies = model.nbody - 1
    meansize = sum_in_order(sizes / bodies)
    extent = max(_LEAST, float((high - low).max()))
    diagonal = data.M[model.M_rowadr + model.M_rownnz - 1]
    return {
        "meaninertia": sum_in_order(diagonal) / model.nv if model.nv else 1.0,
        "meanmass": sum_in_order(model.body_mass[1:]) / bodies,
        "meansize": meansize,
        "extent": max(extent, 2.0 * meansize),
        "center": (low + high) * 0.5,
    }


def sum_in_order(values: ArrayLike) -> float:
    """Sum from the first to the last, as the engine rounds it."""
    return float(np.add.accumulate(values)[-1])


def _bounds(
    model: mujoco.MjModel, data: mujoco.MjData
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Corners of the box around bodies, joints, sites and shapes [m], each shape (3,)."""
    points = np.concatenate([data.xpos[1:], data.xipos[1:], data.xanchor, data.site_xpos])
    reach = np.where(model.geom_rbound > 0.0, model.geom_rbound, 0.0)
    for geom in np.flatnonzero(model.geom_rbound <= 0.0):
        if model.geom_type[geom] == _PLANE:
            side = float(model.geom_size[geom, :2].max())
            reach[geom] = _SHARE * side if side else _INFINITE
        elif model.geom_type[geom] == _FIELD:
            reach[geom] = _SHARE * float(model.hfield_size[model.geom_dataid[geom]].max())
    low = np.concatenate([points, data.geom_xpos - reach[:, None]]).min(axis=0)
    high = np.concatenate([points, data.geom_xpos + reach[:, None]]).max(axis=0)
    return low, high


def _sizes(model: mujoco.MjModel, data: mujoco.MjData) -> NDArray[np.float64]:
    """Distance from each body's centre of mass to what is farthest of its joints and shapes [m]."""
    found = np.zeros(model.nbody)
    for body, anchor in zip(model.jnt_bodyid.tolist(), data.xanchor, strict=True):
        for one in (body, model.body_parentid[body]):
            found[one] = max(found[one], mujoco.mju_dist3(data.xipos[one], anchor))
    geoms = zip(model.geom_bodyid.tolist(), data.geom_xpos, model.geom_rbound.tolist(), strict=True)
    for body, place, reach in geoms:
        if reach > 0.0:
            found[body] = max(found[body], reach + mujoco.mju_dist3(data.xipos[body], place))
    return found
