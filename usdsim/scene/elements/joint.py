"""Joints: hinges, slides and balls."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from usdsim.math.rotations import quat_apply
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data, read_dof_pos, read_dof_vel
from usdsim.scene.parameters.engine_fields import PhysicalParameter
from usdsim.scene.parameters.joints import JOINT
from usdsim.scene.parameters.overrides import (
    InvalidPolicy,
    accessors,
    read_override,
    write_override,
)

from .element import Element

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .link import Link

__all__ = ["Joint"]

_DOF_COUNTS = {
    int(mujoco.mjtJoint.mjJNT_FREE): (7, 6),
    int(mujoco.mjtJoint.mjJNT_BALL): (4, 3),
    int(mujoco.mjtJoint.mjJNT_SLIDE): (1, 1),
    int(mujoco.mjtJoint.mjJNT_HINGE): (1, 1),
}
_TYPES = {
    int(mujoco.mjtJoint.mjJNT_BALL): "ball",
    int(mujoco.mjtJoint.mjJNT_SLIDE): "slide",
    int(mujoco.mjtJoint.mjJNT_HINGE): "hinge",
}


class Joint(Element):
    """A hinge, slide or ball joint. Floating bases are not joints: see `FloatingBase`."""

    __slots__ = ()

    kind = "joint"

    @property
    def typ(self) -> str:
        """``"hinge"``, ``"slide"`` or ``"ball"``."""
        return _TYPES[int(self._model.low.jnt_type[self._id])]

    @property
    def link(self) -> Link:
        """The link this joint moves."""
        return self._model.catalog("link").items[self.link_index]

    @property
    def link_index(self) -> int:
        """Index of the link this joint moves."""
        return self._model.link_index_of_body(self._body)

    @property
    def axis(self) -> FloatArray:
        """Unit axis in the frame of `link`, shape (3,); without meaning for a ball."""
        axis = self._model.low.jnt_axis[self._id]
        stand_in = self._model.compiled.stand_ins.get(self._body)
        if stand_in is not None:
            axis = quat_apply(stand_in.pose.quat, axis)
        return axis.astype(np.float32)

    @property
    def range(self) -> FloatArray:
        """Lower and upper limit [m or rad], infinite where there is none, shape (1, 2)."""
        return self._model.joint_limits[:, self._index][None]

    @property
    def armature(self) -> float:
        """Inertia of the drive train in the model [kg or kg m^2]."""
        return float(self._model.low.dof_armature[self.dof_vel_index])

    @property
    def frictionloss(self) -> float:
        """Dry friction in the model [N or N m]."""
        return float(self._model.low.dof_frictionloss[self.dof_vel_index])

    @property
    def dof_pos_index(self) -> int:
        """Start of its positions in `SceneData.dof_pos`."""
        return int(self._model.low.jnt_qposadr[self._id])

    @property
    def dof_vel_index(self) -> int:
        """Start of its velocities in `SceneData.dof_vel`."""
        return int(self._model.low.jnt_dofadr[self._id])

    @property
    def num_dof_pos(self) -> int:
        """Number of positions: 4 for a ball, else 1."""
        return _DOF_COUNTS[int(self._model.low.jnt_type[self._id])][0]

    @property
    def num_dof_vel(self) -> int:
        """Number of velocities: 3 for a ball, else 1."""
        return _DOF_COUNTS[int(self._model.low.jnt_type[self._id])][1]

    @property
    def _body(self) -> int:
        return int(self._model.low.jnt_bodyid[self._id])

    @property
    def _pos(self) -> slice:
        return slice(self.dof_pos_index, self.dof_pos_index + self.num_dof_pos)

    @property
    def _vel(self) -> slice:
        return slice(self.dof_vel_index, self.dof_vel_index + self.num_dof_vel)

    def get_dof_pos(self, data: SceneData) -> FloatArray:
        """Position [m or rad], of a ball its quaternion (x, y, z, w), shape (*B, num_dof_pos)."""
        return read_dof_pos(data, self._model, self._pos)

    def get_dof_vel(self, data: SceneData) -> FloatArray:
        """Velocity [m/s or rad/s], of a ball in the link's frame, shape (*B, num_dof_vel)."""
        return read_dof_vel(data, self._model, self._vel)

    def set_dof_pos(self, data: SceneData, position: ArrayLike) -> None:
        """Write the position [m or rad], shape (num_dof_pos,) or (*B, num_dof_pos).

        Where that is one number, shapes () and (*B,) will do.
        """
        check_data(data, self._model)
        data.write_dof_pos(self._pos, self._numbers(data, position), "dof_pos")

    def set_dof_vel(self, data: SceneData, velocity: ArrayLike) -> None:
        """Write the velocity [m/s or rad/s], shape (num_dof_vel,) or (*B, num_dof_vel).

        Where that is one number, shapes () and (*B,) will do.
        """
        check_data(data, self._model)
        data.write_dof_vel(self._vel, self._numbers(data, velocity), "dof_vel")

    def _numbers(self, data: SceneData, values: ArrayLike) -> ArrayLike:
        """Add the axis of a single degree of freedom to what was given, where it was left out."""
        try:
            bare = self.num_dof_vel == 1 and np.shape(values) in ((), data.shape)
        except ValueError:
            bare = False
        return np.asarray(values)[..., None] if bare else values

    get_armature_override, set_armature_override = accessors(JOINT["armature"])
    get_damping_override, set_damping_override = accessors(JOINT["damping"])
    get_damping_poly_override, set_damping_poly_override = accessors(JOINT["damping_poly"])
    get_frictionloss_override, set_frictionloss_override = accessors(JOINT["frictionloss"])
    get_friction_solref_override, set_friction_solref_override = accessors(JOINT["friction_solref"])
    get_friction_solimp_override, set_friction_solimp_override = accessors(JOINT["friction_solimp"])
    get_stiffness_override, set_stiffness_override = accessors(JOINT["stiffness"])
    get_stiffness_poly_override, set_stiffness_poly_override = accessors(JOINT["stiffness_poly"])
    get_range_override, set_range_override = accessors(JOINT["range"])
    get_limit_margin_override, set_limit_margin_override = accessors(JOINT["limit_margin"])
    get_limit_solref_override, set_limit_solref_override = accessors(JOINT["limit_solref"])
    get_limit_solimp_override, set_limit_solimp_override = accessors(JOINT["limit_solimp"])
    get_actuator_force_range_override, set_actuator_force_range_override = accessors(
        JOINT["actuator_force_range"]
    )

    def get_springref_override(self, data: SceneData) -> FloatArray:
        """Reference at which its spring is relaxed in each world [m or rad], shape (*B,).

        Of a ball joint the quaternion (x, y, z, w), shape (*B, 4).
        """
        return read_override(self._springref, self, data)

    def set_springref_override(
        self, data: SceneData, springref: ArrayLike, invalid: InvalidPolicy = "raise"
    ) -> None:
        """Set where its spring is relaxed.

        Args:
            data: the worlds.
            springref: [m or rad], shape () or (*B,); of a ball joint a unit quaternion
                (x, y, z, w), shape (4,) or (*B, 4).
            invalid: ``"ignore"`` leaves worlds with values that are not allowed as they are;
                ``"raise"`` refuses the call.

        Raises:
            ShapeError: the values have another shape.
            InvalidValueError: a value is not allowed; nothing is changed then.
        """
        write_override(self._springref, self, data, springref, invalid)

    def parameter(self, name: str) -> PhysicalParameter:
        """Parameter that `set_override` sets: where it is stored and what is allowed."""
        return self._springref if name == "springref" else super().parameter(name)

    @property
    def _springref(self) -> PhysicalParameter:
        return JOINT["ball_springref" if self.num_dof_pos == 4 else "springref"]

    def rows(self, field: str) -> builtins.range:
        """Rows of the joint in an array of the engine's model."""
        if field.startswith("dof_"):
            return builtins.range(self._vel.start, self._vel.stop)
        if field.startswith("qpos_"):
            return builtins.range(self._pos.start, self._pos.stop)
        return super().rows(field)
