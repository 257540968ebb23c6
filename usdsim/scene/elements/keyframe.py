"""Keyframes: named states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data

from .element import Element

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["Keyframe"]


class Keyframe(Element):
    """A state of the whole scene, stored in the model."""

    __slots__ = ()

    kind = "keyframe"

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self._model.low.key_time[self._id])

    @property
    def dof_pos(self) -> FloatArray:
        """Positions, laid out as `SceneData.dof_pos`, shape (num_dof_pos,)."""
        qpos = self._model.low.key_qpos[self._id]
        return self._model.layout.dof_pos_from_engine(qpos)

    @property
    def dof_vel(self) -> FloatArray:
        """Velocities, laid out as `SceneData.dof_vel`, shape (num_dof_vel,)."""
        return self._model.low.key_qvel[self._id].astype(np.float32)

    @property
    def ctrl(self) -> FloatArray:
        """Controls, shape (num_ctrls,)."""
        return self._model.low.key_ctrl[self._id, self._model.control_columns].astype(np.float32)

    def apply(self, data: SceneData) -> None:
        """Put all worlds of `data` into this state: time, positions, velocities and controls."""
        check_data(data, self._model)
        data.reset_to_keyframe(self._id)
