"""Kinematic trees: bodies and the velocities that move them."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["ancestry", "last_dofs", "moving_dofs", "subtree"]


def last_dofs(model: mujoco.MjModel) -> NDArray[np.int32]:
    """The outermost velocity that moves each body, -1 for none, shape (bodies,)."""
    # Bodies without joints hang rigidly on the nearest ancestor that has some.
    holders = model.body_weldid
    counts = model.body_dofnum[holders]
    last = np.where(counts > 0, model.body_dofadr[holders] + counts - 1, -1)
    return np.asarray(last, np.int32)


def moving_dofs(model: mujoco.MjModel, body: int) -> NDArray[np.intp]:
    """Velocities that move a body, from the root outwards, shape (k,)."""
    # Bodies without joints hang rigidly on the nearest ancestor that has some.
    body = int(model.body_weldid[body])
    dofs = []
    last = int(model.body_dofadr[body]) + int(model.body_dofnum[body]) - 1 if body else -1
    while last >= 0:
        dofs.append(last)
        last = int(model.dof_parentid[last])
    return np.array(dofs[::-1], dtype=np.intp)


def ancestry(model: mujoco.MjModel) -> NDArray[np.bool_]:
    """Whether each body is moved by each velocity, shape (bodies, velocities)."""
    moved = np.zeros((model.nbody, model.nv), dtype=np.bool_)
    for body in range(1, model.nbody):
        first, count = int(model.body_dofadr[body]), int(model.body_dofnum[body])
        moved[body] = moved[int(model.body_parentid[body])]
        moved[body, first : first + count] = True
    return moved


def subtree(model: mujoco.MjModel, body: int) -> NDArray[np.bool_]:
    """Whether each body is this one or hangs on it, shape (bodies,)."""
    inside = np.zeros(model.nbody, dtype=np.bool_)
    inside[body] = True
    # Parents precede their children.
    for child in range(body + 1, model.nbody):
        inside[child] |= inside[int(model.body_parentid[child])]
    return inside
