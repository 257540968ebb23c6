"""Position vector layout: public coordinates and the engine's."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.scene.arrays import FloatArray

__all__ = ["StateLayout"]

_FREE, _BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)


class StateLayout:
    """Order of the degrees of freedom.

    Public vectors differ from the engine's in one thing: quaternions are x, y, z, w there and
    w, x, y, z here.

    Args:
        model: the compiled model.
        joint_title: function from an engine joint id to what messages call the joint.
    """

    def __init__(self, model: mujoco.MjModel, joint_title: Callable[[int], str]):
        starts = []
        for kind, start in zip(model.jnt_type, model.jnt_qposadr, strict=True):
            if kind in (_FREE, _BALL):
                starts.append(int(start) + (3 if kind == _FREE else 0))
        self._starts = np.array(starts, dtype=np.intp)
        self._order: NDArray[np.intp] | None = None
        if starts:
            self._order = np.arange(model.nq)
            for start in starts:
                self._order[start : start + 4] = [start + 1, start + 2, start + 3, start]
        self._pos_joint = np.searchsorted(model.jnt_qposadr, np.arange(model.nq), "right") - 1
        self._vel_joint = model.dof_jntid
        self._joint_title = joint_title

    def dof_pos_from_engine(
        self, qpos: NDArray[np.float64], columns: slice = slice(None)
    ) -> FloatArray:
        """Selected public positions from the engine's, float32, shape (..., n)."""
        if self._order is None:
            return qpos[..., columns].astype(np.float32)
        return np.take(qpos, self._order[columns], axis=-1).astype(np.float32)

    def engine_columns(self, columns: slice) -> NDArray[np.intp]:
        """Columns of the engine for some public positions, shape (n,)."""
        count = len(self._pos_joint)
        order = np.arange(count, dtype=np.intp) if self._order is None else self._order
        return order[columns]

    def quaternions(self, columns: slice) -> list[int]:
        """Starts of quaternions within some columns of a position vector."""
        inside = (self._starts >= columns.start) & (self._starts < columns.stop)
        return [int(start) for start in self._starts[inside]]

    def pos_title(self, column: int) -> str:
        """Name of an entry of the position vector in messages."""
        return self._joint_title(int(self._pos_joint[column]))

    def vel_title(self, column: int) -> str:
        """Name of an entry of the velocity vector in messages."""
        return self._joint_title(int(self._vel_joint[column]))
