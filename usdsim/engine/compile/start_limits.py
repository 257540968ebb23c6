"""Starts outside of limits: axes are brought to where their limits are."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["within_limits"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_OUTSIDE = 1e-3
"""Distance from limits [m, rad] from which axes are brought back."""
_SETTLED = 1e-9
_ROUNDS = 20
"""Projections at most: they converge as Newton's method does, a turn of a radian in four."""
_STAGES = (
    *("mj_kinematics", "mj_comPos", "mj_flex", "mj_tendon", "mj_makeM", "mj_factorM"),
    "mj_makeConstraint",
)
"""Stages of `mj_fwdPosition` without contacts, which are most of it where many things lie."""
_AXES = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE


def within_limits(model: mujoco.MjModel, qpos: Floats, data: mujoco.MjData | None = None) -> None:
    """Clip axes that start outside of their limits to these, in place.

    All that hangs together moves by its mass, as if the limits had pushed it there at once and
    left it no speed: Gauss's principle for positions. That is what PhysX does within the first
    steps; the limits of the engine would throw it back with a speed.

    Args:
        model: the model.
        qpos: generalized positions, shape (nq,).
        data: of the model, to calculate in; None: made where it is needed.
    """
    axes = np.flatnonzero(np.isin(model.jnt_type, _AXES) & (model.jnt_limited != 0))
    places, dofs = model.jnt_qposadr[axes], model.jnt_dofadr[axes]
    lower, upper = model.jnt_range[axes].T

    def missing() -> Floats:
        """Signed distance of each axis to the nearer limit, zero within limits."""
        return np.asarray(np.clip(qpos[places], lower, upper) - qpos[places])

    if not (np.abs(missing()) > _OUTSIDE).any():
        return
    data = data or mujoco.MjData(model)
    moved = np.zeros(len(axes), np.bool_)
    for _ in range(_ROUNDS):
        short = missing()
        if (np.abs(short) <= _SETTLED).all():
            return
        moved |= np.abs(short) > _SETTLED
        data.qpos[:] = qpos
        for stage in _STAGES:
            getattr(mujoco, stage)(model, data)
        change = _change(model, data, dofs[moved], short[moved])
        if change is None:
            return  # Masses are beyond what can be calculated with; worlds say so when they step.
        mujoco.mj_integratePos(model, qpos, change, 1.0)


def _change(model: mujoco.MjModel, data: mujoco.MjData, dofs: Ids, short: Floats) -> Floats | None:
    """Change of positions of least action that takes axes some way, shape (nv,).

    Trees that nothing couples move by themselves: their rows share the space of one.

    Args:
        model: the model.
        data: at the positions.
        dofs: of the axes, shape (axes,).
        short: way of each [m or rad].
    """
    held = _equalities(model, data)
    groups = _coupled(model, held)
    of_held, of_axes = groups[(held != 0.0).argmax(axis=1)], groups[dofs]
    members = {
        group: (np.flatnonzero(of_held == group), np.flatnonzero(of_axes == group))
        for group in np.unique(of_axes).tolist()
    }
    rows = np.zeros((max(len(h) + len(own) for h, own in members.values()), model.nv))
    for kept, own in members.values():
        rows[: len(kept)] += held[kept]
        rows[len(kept) + np.arange(len(own)), dofs[own]] = 1.0
    response = np.zeros_like(rows)
    mujoco.mj_solveM(model, data, response, rows)
    if not np.isfinite(response).all():
        return None
    change = np.zeros(model.nv)
    for group, (kept, own) in members.items():
        way, inside = np.concatenate([np.zeros(len(kept)), short[own]]), groups == group
        pushes, answers = (v[: len(way)].compress(inside, axis=1) for v in (rows, response))
        push, *_ = np.linalg.lstsq(pushes @ answers.T, way, rcond=None)
        change[inside] = push @ answers
    return change


def _coupled(model: mujoco.MjModel, rows: Floats) -> Ids:
    """Number of what each degree of freedom hangs together with, by trees and rows, shape (nv,)."""
    groups = np.array(model.dof_treeid, np.intp)
    for row in rows:
        met = np.unique(groups[row != 0.0])
        groups[np.isin(groups, met[1:])] = met[:1]
    return groups


def _equalities(model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
    """Jacobian of loops and couplings, which are kept as they are, shape (rows, nv)."""
    rows, unit = np.zeros((data.ne, model.nv)), np.zeros(data.nefc)
    for row in range(data.ne):
        unit[row] = 1.0
        mujoco.mj_mulJacTVec(model, data, rows[row], unit)
        unit[row] = 0.0
    return rows
