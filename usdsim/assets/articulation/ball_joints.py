"""Ball joints of an articulation: orientations instead of single coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.common.data import AssetData
from usdsim.assets.common.part import AssetPart
from usdsim.views import AssetView
from usdsim.views.fields.parameters import unit_quaternions
from usdsim.views.fields.table import StateColumns
from usdsim.views.memory import part_of
from usdsim.views.selection import Indices, selected
from usdsim.views.values import Values, broadcast

__all__ = ["BallJointData", "BallJointWriters", "BallJoints"]


_QPOS = StateColumns("qpos", "ball_qpos")
_DOFS = StateColumns("qvel", "ball_dofs")


class BallJoints:
    """The ball joints of an articulation in the engine.

    Args:
        view: window of the articulation on the engine.
        names: the joints.
        qpos: first position coordinate of each, shape (matches, num_ball_joints).
        dofs: first degree of freedom of each, same shape.
    """

    def __init__(
        self, view: AssetView, names: tuple[str, ...], qpos: NDArray[Any], dofs: NDArray[Any]
    ):
        self._view, self.names = view, names
        shape = view.layout.num_instances, len(names)
        # Components in the order of the public quaternion, which begins with x.
        view.define(_QPOS.table, _spread(qpos, np.array([1, 2, 3, 0])))
        view.define(_DOFS.table, _spread(dofs, np.arange(3)))
        self._quat = wp.zeros(shape, dtype=wp.quatf, device=view.device)
        self._velocity = wp.zeros(shape, dtype=wp.vec3f, device=view.device)
        self._fills: dict[str, Callable[[], object]] = {}
        self._version = view.engine.versions.arrays

    def quat(self) -> wp.array:
        """Orientations for the present state, shape (num_instances, num_ball_joints) of quatf."""
        return self._read(_QPOS, self._quat)

    def velocity(self) -> wp.array:
        """Angular velocities [rad/s], shape (num_instances, num_ball_joints) of vec3f."""
        return self._read(_DOFS, self._velocity)

    def write(self, quat: Values, velocity: Values, ids: Indices, env_ids: Indices) -> None:
        """Set orientations and angular velocities; nothing is written on an error."""
        rows = selected("env_ids", env_ids, self._view.layout.num_instances)
        joints = selected("ball_joint_ids", ids, len(self.names))
        size = (
            self._view.layout.num_instances if rows is None else len(rows),
            len(self.names) if joints is None else len(joints),
        )
        title = self._view.layout.title
        turned = broadcast(f"ball joint orientations of {title}", quat, (*size, 4))
        turned = unit_quaternions(turned, title)
        speed = broadcast(f"ball joint velocities of {title}", velocity, (*size, 3))
        chosen = np.arange(len(self.names)) if joints is None else joints
        self._write(_QPOS, turned, rows, chosen)
        self._write(_DOFS, speed, rows, chosen)

    def _read(self, state: StateColumns, out: wp.array) -> wp.array:
        if not self.names:
            return out
        version = self._view.engine.versions.arrays
        if version != self._version:
            self._fills.clear()
            self._version = version
        fill = self._fills.get(state.field)
        if fill is None:
            shape = out.shape[0], out.strides[0] // 4
            numbers = part_of(out, wp.float32, shape, (out.strides[0], 4))
            fill = self._view.copies.gatherer(state.field, state.table, numbers)
            self._fills[state.field] = fill
        fill()
        return out

    def _write(
        self,
        state: StateColumns,
        values: NDArray[Any],
        rows: NDArray[np.intp] | None,
        joints: NDArray[np.intp],
    ) -> None:
        width = values.shape[-1]
        where = _spread(joints[None] * width, np.arange(width))[0]
        if values.size:
            state.write(self._view, values.reshape(len(values), -1), rows, where)


def _spread(first: NDArray[Any], components: NDArray[np.intp]) -> NDArray[np.intp]:
    """Columns of all components of each joint, shape (matches, joints * components)."""
    every = np.asarray(first, np.intp)[..., None] + components
    return every.reshape(len(every), -1)


class BallJointData(AssetData):
    """State of ball joints."""

    ball_joints: BallJoints
    """The ball joints in the engine."""

    @property
    def ball_joint_names(self) -> list[str]:
        """Names of the ball joints, in the order of arrays."""
        return list(self.ball_joints.names)

    @property
    def ball_joint_quat(self) -> wp.array:
        """Orientations of ball joints from the reference pose, in the parents' frames.

        [unit quaternion xyzw], shape (num_instances, num_ball_joints) of quatf.
        """
        return self.ball_joints.quat()

    @property
    def ball_joint_ang_vel(self) -> wp.array:
        """Angular velocities of children relative to parents, in the children's axes.

        [rad/s], shape (num_instances, num_ball_joints) of vec3f.
        """
        return self.ball_joints.velocity()


class BallJointWriters(AssetPart):
    """Writer of the state of ball joints."""

    def write_ball_joint_state_to_sim(
        self,
        quat: Values,
        ang_vel: Values,
        ball_joint_ids: Indices = None,
        env_ids: Indices = None,
    ) -> None:
        """Set orientations and angular velocities of ball joints.

        Args:
            quat: orientations [unit quaternion xyzw], shape
                (len(env_ids), len(ball_joint_ids), 4) or what broadcasts to it.
            ang_vel: angular velocities in the children's axes [rad/s], shape
                (len(env_ids), len(ball_joint_ids), 3) or what broadcasts to it.
            ball_joint_ids: ball joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        self._data.ball_joints.write(quat, ang_vel, ball_joint_ids, env_ids)
