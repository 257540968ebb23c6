"""Dynamics of a `SceneModel`: Jacobians, masses and forces of all worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.dense_inertia import dense_inertia
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data, engine_array
from usdsim.scene.kinematics.jacobian import com_jacobian, link_jacobians, subtree_velocities
from usdsim.scene.model.part import ModelPart

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["ModelDynamics", "gravity_forces", "mass_matrix"]

Floats = NDArray[np.float64]

_NO_GRAVITY = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)


def mass_matrix(model: SceneModel, data: SceneData) -> Floats:
    """Joint-space inertia, armature included, shape (*B, nv, nv)."""
    values = engine_array(data, model, "M")
    layout = model.low
    if values.shape[-1] != layout.M_colind.shape[0]:
        # The engine has given up its shortcut for lone bodies, and stores more.
        layout = model.compiled.loose
    return dense_inertia(layout, values)


def gravity_forces(model: SceneModel, data: SceneData) -> Floats:
    """Forces that hold all weight where it is, without motion, shape (*B, nv)."""
    low = model.low
    masses = np.take(data.param("body_subtreemass"), low.dof_bodyid, axis=-1)
    weight = -data.param("opt.gravity")
    on = (np.asarray(data.param("opt.disableflags")) & _NO_GRAVITY) == 0
    along = (subtree_velocities(model, data) @ weight[..., None])[..., 0]
    return np.where(on[..., None], masses * along, 0.0)


class ModelDynamics(ModelPart):
    """The equations of motion in the current state, for every world at once.

    Velocities and forces are laid out as `SceneData.dof_vel`: forces are [N] along slides and
    linear motions, [N m] about hinges, balls and angular motions. All of it is about the mechanism
    alone: contacts, limits, dry friction and equality constraints are left out.
    """

    def get_link_jacobians(
        self, data: SceneData, indices: ArrayLike | slice | None = None
    ) -> FloatArray:
        """Jacobians from ``dof_vel`` to link origins in world, shape (*B, L, 6, num_dof_vel).

        The first three rows give the angular, the last three the linear velocity.

        Args:
            data: the worlds.
            indices: which links, shape (L,), or a slice; None: all.
        """
        check_data(data, self._model)
        bodies = self._model.link_bodies(indices)
        return link_jacobians(self._model, data, np.arange(self._model.low.nbody)[bodies])

    def get_com(self, data: SceneData) -> FloatArray:
        """Centre of mass of everything in world [m], shape (*B, 3)."""
        return engine_array(data, self._model, "subtree_com")[..., 0, :].astype(np.float32)

    def get_com_jacobian(self, data: SceneData) -> FloatArray:
        """Jacobian from ``dof_vel`` to the centre of mass, shape (*B, 3, num_dof_vel)."""
        check_data(data, self._model)
        return com_jacobian(self._model, data, 0)

    def get_mass_matrix(self, data: SceneData) -> FloatArray:
        """Inertia of all degrees of freedom, armature included, shape (*B, nv, nv)."""
        check_data(data, self._model)
        return mass_matrix(self._model, data).astype(np.float32)

    def get_bias_forces(self, data: SceneData) -> FloatArray:
        """Coriolis, centrifugal and gravity forces, as to be balanced, shape (*B, nv)."""
        return engine_array(data, self._model, "qfrc_bias").astype(np.float32)

    def get_gravity_forces(self, data: SceneData) -> FloatArray:
        """The part of `get_bias_forces` due to weight: what holds everything, shape (*B, nv)."""
        check_data(data, self._model)
        return gravity_forces(self._model, data).astype(np.float32)

    def get_coriolis_forces(self, data: SceneData) -> FloatArray:
        """The part of `get_bias_forces` due to motion, shape (*B, nv)."""
        motion = engine_array(data, self._model, "qfrc_bias") - gravity_forces(self._model, data)
        return motion.astype(np.float32)

    def get_passive_forces(self, data: SceneData) -> FloatArray:
        """Forces of springs, dampers and gravity compensation, shape (*B, nv)."""
        return engine_array(data, self._model, "qfrc_passive").astype(np.float32)

    def inverse_dynamics(
        self, data: SceneData, acceleration: ArrayLike, passive: bool = True
    ) -> FloatArray:
        """Forces that give an acceleration in the current state, shape (*B, nv).

        Args:
            data: the worlds.
            acceleration: [m/s^2 or rad/s^2], shape (nv,) or (*B, nv).
            passive: let springs and dampers do their part; without, forces have to replace them.

        Raises:
            ShapeError: `acceleration` has another shape.
            InvalidValueError: it is not finite.
        """
        values = self._motion(data, acceleration, "acceleration")
        inertial = (mass_matrix(self._model, data) @ values[..., None])[..., 0]
        forces = inertial + engine_array(data, self._model, "qfrc_bias")
        if passive:
            forces = forces - engine_array(data, self._model, "qfrc_passive")
        return forces.astype(np.float32)

    def forward_dynamics(
        self, data: SceneData, forces: ArrayLike, passive: bool = True
    ) -> FloatArray:
        """Acceleration that forces give in the current state, shape (*B, nv).

        Args:
            data: the worlds.
            forces: [N or N m], shape (nv,) or (*B, nv).
            passive: count the forces of springs and dampers.

        Raises:
            ShapeError: `forces` has another shape.
            InvalidValueError: they are not finite.
        """
        values = self._motion(data, forces, "forces")
        total = values - engine_array(data, self._model, "qfrc_bias")
        if passive:
            total = total + engine_array(data, self._model, "qfrc_passive")
        inertia = mass_matrix(self._model, data)
        return np.linalg.solve(inertia, total[..., None])[..., 0].astype(np.float32)

    def _motion(self, data: SceneData, values: ArrayLike, what: str) -> NDArray[np.float64]:
        check_data(data, self._model)
        tail, title = (self._model.num_dof_vel,), self._model.dof_title
        return data.finite(values, tail, what, lambda i: f"{what} of {title(i)}")
