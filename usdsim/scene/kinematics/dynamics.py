"""Equations of motion of all worlds: M a + bias = forces + passive forces, constraints aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from .jacobian import subtree_velocities

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["accelerations", "gravity_forces", "mass_matrix", "required_forces"]

Floats = NDArray[np.float64]

_NO_GRAVITY = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)


def mass_matrix(model: SceneModel, data: SceneData) -> Floats:
    """Joint-space inertia, armature included, shape (*B, nv, nv)."""
    values = data.field(model, "M")
    layout = model.low
    if values.shape[-1] != layout.M_colind.shape[0]:
        # The engine has given up its shortcut for lone bodies, and stores more.
        layout = model.compiled.loose
    count = len(layout.M_colind)
    rows, columns = np.repeat(np.arange(layout.nv), layout.M_rownnz), layout.M_colind
    # Copying along an index is faster than scattering: what has no entry takes an added zero.
    places = np.full((layout.nv, layout.nv), count)
    places[rows, columns] = places[columns, rows] = np.arange(count)
    padded = np.zeros((*data.shape, count + 1))
    padded[..., :count] = values
    dense = padded.take(places.reshape(-1), axis=-1, mode="clip")
    return dense.reshape(*data.shape, layout.nv, layout.nv)


def gravity_forces(model: SceneModel, data: SceneData) -> Floats:
    """Forces that hold all weight where it is, without motion, shape (*B, nv)."""
    low = model.low
    masses = np.take(data.param("body_subtreemass"), low.dof_bodyid, axis=-1)
    weight = -data.param("opt.gravity")
    on = (np.asarray(data.param("opt.disableflags")) & _NO_GRAVITY) == 0
    along = (subtree_velocities(model, data) @ weight[..., None])[..., 0]
    return np.where(on[..., None], masses * along, 0.0)


def required_forces(
    model: SceneModel, data: SceneData, acceleration: Floats, passive: bool
) -> Floats:
    """Forces that give accelerations of shape (nv,) or (*B, nv), shape (*B, nv)."""
    inertial = (mass_matrix(model, data) @ acceleration[..., None])[..., 0]
    forces = inertial + data.field(model, "qfrc_bias")
    return forces - data.field(model, "qfrc_passive") if passive else forces


def accelerations(model: SceneModel, data: SceneData, forces: Floats, passive: bool) -> Floats:
    """Accelerations that forces of shape (nv,) or (*B, nv) give, shape (*B, nv)."""
    total = forces - data.field(model, "qfrc_bias")
    if passive:
        total = total + data.field(model, "qfrc_passive")
    return np.linalg.solve(mass_matrix(model, data), total[..., None])[..., 0]
