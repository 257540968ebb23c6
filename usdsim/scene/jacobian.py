"""Jacobians of points on links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from .arrays import FloatArray, frozen

if TYPE_CHECKING:
    from .data import SceneData
    from .model import SceneModel

__all__ = ["moving_dofs", "point_jacobian"]


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


def point_jacobian(
    model: SceneModel, data: SceneData, body: int, point: NDArray[np.float64]
) -> FloatArray:
    """Jacobian of a world point [m] fixed to a body: angular, then linear rows, shape (*B, 6, k).

    Args:
        model: the model.
        data: the worlds.
        body: engine id of the body.
        point: shape (*B, 3).
    """
    low = model.low
    axes = data.field(model, "cdof")[..., moving_dofs(low, body), :]
    centre = data.field(model, "subtree_com")[..., int(low.body_rootid[body]), :]
    arm = (point - centre)[..., None, :]
    linear = axes[..., 3:] + np.cross(axes[..., :3], arm)
    jacobian = np.concatenate([axes[..., :3], linear], axis=-1)
    return frozen(np.swapaxes(jacobian, -1, -2).astype(np.float32))
