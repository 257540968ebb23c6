"""Statistics of a model: its centre, its extent, means over bodies, and what is placed by them."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "FIELDS",
    "VIEWS",
    "at_rest",
    "place_views",
    "statistics",
    "sum_in_order",
    "views_of_world",
]

FIELDS = ("meaninertia", "meanmass", "meansize", "extent", "center")
VIEWS = ("cam", "light")
"""Prefixes of fields of what is placed relative to centres of mass."""
_PLANE, _FIELD = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD)
_LEAST = 1e-5
"""Least size [m]."""
_SHARE = 0.1
"""Part of the size of a ground that counts."""
_INFINITE = 0.01
"""Share of a ground without end [m]."""


def at_rest(model: mujoco.MjModel) -> mujoco.MjData:
    """The reference pose of a model."""
    data = mujoco.MjData(model)
    for stage in ("mj_kinematics", "mj_comPos", "mj_tendon", "mj_makeM"):
        getattr(mujoco, stage)(model, data)
    return data


def statistics(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, Any]:
    """Statistics of a model in its reference pose by name, as the engine's compiler has them.

    Sums are made in its order, so they round alike.

    Args:
        model: the model.
        data: what `at_rest` makes of it.
    """
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


def views_of_world(model: mujoco.MjModel, kind: str) -> NDArray[np.intp]:
    """Indices of cameras or lights that are placed relative to the centre of mass of all bodies.

    Args:
        model: the model.
        kind: ``cam`` or ``light``.
    """
    owner, target = (getattr(model, f"{kind}_{name}bodyid") for name in ("", "target"))
    return np.flatnonzero((owner == 0) & (target < 0))


def place_views(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Place the cameras and lights of `views_of_world` relative to that centre of mass.

    Args:
        model: the model.
        data: what `at_rest` makes of it.
    """
    for kind in VIEWS:
        rows = views_of_world(model, kind)
        places = getattr(model, f"{kind}_pos")[rows]
        getattr(model, f"{kind}_poscom0")[rows] = places - data.subtree_com[0]


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
