"""Kinematic bodies on a Warp device, moved by the host between recorded steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.warp.growth import WarpRoom

from .stepping import SURFACE, KinematicSteps

__all__ = ["WarpKinematics"]


class WarpKinematics(WarpRoom, KinematicSteps):
    """The part of `WarpEngine` that moves kinematic bodies.

    Scenes whose kinematic bodies stand still are stepped as if they had none.
    """

    def _plain_steps(self, n: int, ids: NDArray[Any] | None) -> list[Any]:
        if self.on_overflow == "grow":
            self._step_roomy(ids, n)
        else:
            self._advance(ids, n)
        return []

    def _meet(self, ids: NDArray[Any] | None, *, early: bool) -> None:
        self._program.meet(ids, early)

    def _approached(self, worlds: NDArray[Any]) -> NDArray[np.intp]:
        self._renew_motion(worlds)
        return np.intersect1d(worlds, self._program.approached())

    def _renew_motion(self, worlds: NDArray[Any]) -> None:
        self.send("mocap_pos")
        self._program.motion()

    def _write_surfaces(self, values: NDArray[Any], geoms: NDArray[np.intp]) -> NDArray[Any]:
        target = self._parameters.batch.expand(SURFACE)
        target[:, geoms] = values
        self._parameters.push([SURFACE], own=True)
        return np.asarray(target[:, geoms])

    def _reset_motion(self, ids: Any) -> None:
        if not len(self.kinematics.table) and not len(self._targets.columns):
            return
        if isinstance(ids, wp.array):
            ids = np.flatnonzero(ids.numpy())
        super()._reset_motion(ids)

    def _fill_velocities(self) -> None:
        """Add the velocities of kinematic bodies to those of all bodies."""
        values = np.array(self._worlds.numpy("cvel"))
        centres, origins = self._worlds.numpy("subtree_com"), self._worlds.numpy("xpos")
        self.kinematics.fill(values, centres, origins)
        self._worlds.upload("cvel", values)
