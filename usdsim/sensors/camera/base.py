"""Camera base class: counted images, and places and lenses that programs give to instances."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.assets.participation import Simulation
from usdsim.core.arguments import table
from usdsim.math.rotations import quat_multiply
from usdsim.render.framing import look_at
from usdsim.sensors.common.kernel_pass import Rows
from usdsim.sensors.common.sensor import SensorBase
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.selection import selected
from usdsim.views.usable import usable

from .conventions import Convention, axes_in

__all__ = ["CameraBase"]


class CameraBase(SensorBase, ABC):
    """Camera that knows how many images it took of each instance, and can be put elsewhere."""

    _axes: Convention
    """Axes of the frame whose poses the camera keeps."""

    @property
    def frame(self) -> wp.array:
        """Number of samples since the last reset, int64, shape (N,).

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return usable(wp.array(self._frame, dtype=wp.int64, device="cpu"))

    def initialize(self, simulation: Simulation) -> None:
        """Bind to the engine; see `SensorBase.initialize`."""
        super().initialize(simulation)
        self._frame = np.zeros(self._num_instances, np.int64)

    def set_world_poses(
        self,
        positions: ArrayLike | None = None,
        orientations: ArrayLike | None = None,
        env_ids: ArrayLike | None = None,
        convention: Convention = "ros",
    ) -> None:
        """Set the poses of some instances in world, until the simulation stops.

        A `Camera` stays there; a `RayCasterCamera` is fixed to its body from then on.

        Args:
            positions: where they are [m], shape (n, 3); None: as they are.
            orientations: xyzw, shape (n, 4); None: as they are.
            env_ids: instances; None: all.
            convention: axes of the orientations; see the configuration's `offset`.

        Raises:
            StageError: the simulation was not started.
            ShapeError: there is not one row per instance.
            InvalidValueError: there is no such convention.
        """
        rows = self._instances(env_ids)
        poses = self._poses(None)[rows]
        if positions is not None:
            poses[:, :3] = table("positions", positions, (len(rows), 3))
        if orientations is not None:
            given = table("orientations", orientations, (len(rows), 4))
            poses[:, 3:] = quat_multiply(given, axes_in(self._axes, convention))
        self._place(rows, poses)
        self._take_again(rows)

    def set_world_poses_from_view(
        self, eyes: ArrayLike, targets: ArrayLike, env_ids: ArrayLike | None = None
    ) -> None:
        """Set the poses of some instances so that they see a point; see `set_world_poses`.

        Args:
            eyes: where they are [m], shape (n, 3).
            targets: what is in the middle of their images [m], shape (n, 3).
            env_ids: instances; None: all.
        """
        shape = (len(self._instances(env_ids)), 3)
        pairs = zip(table("eyes", eyes, shape), table("targets", targets, shape), strict=True)
        poses = np.array([look_at(*pair) for pair in pairs]).reshape(-1, 7)
        self.set_world_poses(poses[:, :3], poses[:, 3:], env_ids, "opengl")

    def set_intrinsic_matrices(
        self,
        matrices: ArrayLike,
        focal_length: float | None = None,
        env_ids: ArrayLike | None = None,
    ) -> None:
        """Set lenses of some instances until the simulation stops.

        Args:
            matrices: focal lengths and principal point [pixels], shape (n, 3, 3).
            focal_length: has no effect: matrices say everything.
            env_ids: instances; None: all.

        Raises:
            StageError: the simulation was not started.
            ShapeError: there is not one matrix per instance.
        """
        rows = self._instances(env_ids)
        self._set_lenses(rows, table("matrices", matrices, (len(rows), 3, 3)))
        self._take_again(rows)

    # -- inside --------------------------------------------------------------------------------

    @abstractmethod
    def _poses(self, rows: Rows) -> NDArray[np.float64]:
        """Poses of all instances, of which those of some are of now, world, shape (N, 7)."""
        ...

    @abstractmethod
    def _place(self, rows: NDArray[np.intp], poses: NDArray[np.float64]) -> None:
        """Set the poses of instances in world, shape (n, 7)."""
        ...

    @abstractmethod
    def _set_lenses(self, rows: NDArray[np.intp], matrices: NDArray[np.float64]) -> None:
        """Give instances intrinsic matrices [pixels], shape (n, 3, 3)."""
        ...

    def _instances(self, env_ids: ArrayLike | None) -> NDArray[np.intp]:
        """Rows of some instances; None: all."""
        self._running()
        rows = selected("env_ids", env_ids, self._num_instances)
        return np.arange(self._num_instances) if rows is None else rows

    def _take_again(self, rows: NDArray[np.intp]) -> None:
        """Take images of instances anew when they are read."""
        self._pending[rows] = True
        self._seen = -1

    @property
    def _forgets_on_device(self) -> bool:
        return False

    def _forget(self, rows: Rows | DeviceSelection) -> None:
        super()._forget(rows)
        if not isinstance(rows, DeviceSelection):
            self._frame[slice(None) if rows is None else rows] = 0

    def _mark_current(self, rows: Rows) -> None:
        super()._mark_current(rows)
        self._frame[slice(None) if rows is None else rows] += 1
