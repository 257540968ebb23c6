"""Starts outside of limits: axes are brought to where their limits are."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["within_limits"]

Floats = NDArray[np.float64]

_OUTSIDE = 1e-3
"""Distance from limits [m, rad] from which axes are brought back."""
_SETTLED = 1e-9
_ROUNDS = 20
"""Projections at most: they converge as Newton's method does, a turn of a radian in four."""
_AXES = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE


def within_limits(model: mujoco.MjModel, qpos: Floats, data: mujoco.MjData | None = None) -> None:
    """Bring axes that start outside of their limits to these, in place.

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
        mujoco.mj_fwdPosition(model, data)
        rows = _equalities(model, data)
        held = np.zeros(len(rows))
        pushed = np.zeros((np.count_nonzero(moved), model.nv))
        pushed[np.arange(len(pushed)), dofs[moved]] = 1.0
        rows, change = np.concatenate([rows, pushed]), np.concatenate([held, short[moved]])
        response = np.zeros_like(rows)
        mujoco.mj_solveM(model, data, response, rows)
        if not np.isfinite(response).all():
            return  # Masses are beyond what can be calculated with; worlds say so when they step.
        push, *_ = np.linalg.lstsq(rows @ response.T, change, rcond=None)
        mujoco.mj_integratePos(model, qpos, push @ response, 1.0)


def _equalities(model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
    """Jacobian of loops and couplings, which are kept as they are, shape (rows, nv)."""
    rows, unit = np.zeros((data.ne, model.nv)), np.zeros(data.nefc)
    for row in range(data.ne):
        unit[row] = 1.0
        mujoco.mj_mulJacTVec(model, data, rows[row], unit)
        unit[row] = 0.0
    return rows
