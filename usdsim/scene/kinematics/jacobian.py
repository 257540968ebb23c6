"""Jacobians of points and centres of mass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.trees import ancestry, moving_dofs, subtree
from usdsim.math.rotations import cross
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import engine_array

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = [
    "com_jacobian",
    "link_jacobians",
    "point_jacobian",
    "subtree_velocities",
]

Floats = NDArray[np.float64]


def point_jacobian(model: SceneModel, data: SceneData, body: int, point: Floats) -> FloatArray:
    """Jacobian of a world point [m] fixed to a body: angular, then linear rows, shape (*B, 6, k).

    Args:
        model: the model.
        data: the worlds.
        body: engine id of the body.
        point: shape (*B, 3).
    """
    low = model.low
    axes = engine_array(data, model, "cdof")[..., moving_dofs(low, body), :]
    centre = engine_array(data, model, "subtree_com")[..., int(low.body_rootid[body]), :]
    arm = (point - centre)[..., None, :]
    linear = axes[..., 3:] + cross(axes[..., :3], arm)
    jacobian = np.concatenate([axes[..., :3], linear], axis=-1)
    return np.swapaxes(jacobian, -1, -2).astype(np.float32)


def link_jacobians(model: SceneModel, data: SceneData, bodies: NDArray[np.intp]) -> FloatArray:
    """Jacobians of the origins of bodies: angular, then linear rows, shape (*B, L, 6, nv)."""
    low = model.low
    axes = engine_array(data, model, "cdof")
    centres = np.take(engine_array(data, model, "subtree_com"), low.body_rootid[bodies], axis=-2)
    arms = np.take(engine_array(data, model, "xpos"), bodies, axis=-2) - centres
    jacobians = np.zeros((*arms.shape[:-1], 6, low.nv), dtype=np.float32)
    moved = ancestry(low)[bodies]
    for row in range(len(bodies)):
        # Only what moves a link is computed: most velocities belong to other limbs.
        dofs = np.flatnonzero(moved[row])
        angular, linear = axes[..., dofs, :3], axes[..., dofs, 3:]
        velocity = linear + cross(angular, arms[..., row, None, :])
        jacobians[..., row, :3, dofs] = np.moveaxis(angular, -2, 0)
        jacobians[..., row, 3:, dofs] = np.moveaxis(velocity, -2, 0)
    return jacobians


def subtree_velocities(model: SceneModel, data: SceneData) -> Floats:
    """Jacobian of the centre of mass of all that each velocity moves [m], shape (*B, nv, 3)."""
    low = model.low
    axes = engine_array(data, model, "cdof")
    coms = engine_array(data, model, "subtree_com")
    roots = np.take(coms, low.body_rootid[low.dof_bodyid], axis=-2)
    arms = np.take(coms, low.dof_bodyid, axis=-2) - roots
    return axes[..., 3:] + cross(axes[..., :3], arms)


def com_jacobian(model: SceneModel, data: SceneData, body: int) -> FloatArray:
    """Jacobian of the centre of mass of a body and all that hangs on it, shape (*B, 3, nv).

    Args:
        model: the model.
        data: the worlds.
        body: engine id of the body; 0: everything.
    """
    low = model.low
    masses = data.param("body_subtreemass")
    total = masses[..., body, None]
    # A velocity inside the subtree moves part of its mass; one further up moves all of it.
    below = subtree(low, body)[low.dof_bodyid]
    share = np.take(masses, low.dof_bodyid, axis=-1) / np.where(total > 0.0, total, 1.0)
    columns = np.where(below[:, None], share[..., None] * subtree_velocities(model, data), 0.0)
    above = moving_dofs(low, int(low.body_parentid[body]))
    if body and len(above):
        axes = engine_array(data, model, "cdof")[..., above, :]
        coms = engine_array(data, model, "subtree_com")
        arm = coms[..., body, :] - coms[..., int(low.body_rootid[body]), :]
        columns[..., above, :] = axes[..., 3:] + cross(axes[..., :3], arm[..., None, :])
    return np.swapaxes(columns, -1, -2).astype(np.float32)
