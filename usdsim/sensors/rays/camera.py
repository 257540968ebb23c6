"""Ray caster camera: images of depth and normals by rays at chosen shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field
from typing import Any, Literal

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.assets.participation import Simulation
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine.base import Engine
from usdsim.math.rotations import quat_conjugate, quat_multiply
from usdsim.math.transforms import Pose
from usdsim.render.framing import look_at
from usdsim.sensors.camera.outputs import CONVENTIONS
from usdsim.sensors.common.cfg import OffsetCfg
from usdsim.sensors.common.counted import CountedSensor
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.kernels import image_depths
from usdsim.sensors.patterns import PinholeCameraPatternCfg, pinhole_camera_pattern
from usdsim.views.memory import part_of
from usdsim.views.usable import usable

from .cfg import RayCasterCfg
from .data import RayCasterData
from .ray_caster import RayCaster

__all__ = ["RayCasterCamera", "RayCasterCameraCfg", "RayCasterCameraData"]

_TYPES = ("distance_to_camera", "distance_to_image_plane", "normals")


@dataclass(kw_only=True, eq=False)
class RayCasterCameraData(RayCasterData):
    """Arrays of a ray caster camera. N instances; images are H high and W wide, top row first.

    `pos_w` and `quat_w` are those of the camera, which looks along +x with +z up.
    """

    image_shape: tuple[int, int]
    """Height and width of images [pixels]."""
    intrinsic_matrices: wp.array
    """Focal lengths and principal point [pixels], mat33f, shape (N,)."""
    output: dict[str, wp.array]
    """Images by data type, shape (N, H, W, channels); lengths in m, normals in world."""
    info: dict[str, Any] = field(default_factory=dict)
    """Further facts on images by data type: none."""
    image_mesh_ids: wp.array | None = None
    """`ray_mesh_ids` by pixel, int16, shape (N, H, W, 1)."""

    @property
    def quat_w_world(self) -> wp.array:
        """Orientation of the frame that looks along +x with +z up, world, xyzw, shape (N,)."""
        return self.quat_w

    @property
    def quat_w_ros(self) -> wp.array:
        """Orientation of the frame that looks along +z with -y up, world, xyzw, shape (N,)."""
        return self._turned("ros")

    @property
    def quat_w_opengl(self) -> wp.array:
        """Orientation of the frame that looks along -z with +y up, world, xyzw, shape (N,)."""
        return self._turned("opengl")

    def _turned(self, convention: str) -> wp.array:
        turned = quat_multiply(
            self.quat_w.numpy().astype(np.float64), quat_conjugate(_looking(convention))
        )
        return usable(wp.array(turned, dtype=wp.quatf, device=self.quat_w.device))


def _looking(convention: str) -> NDArray[np.float64]:
    """Orientation of the frame that looks along +x with +z up in that of a convention, xyzw."""
    looking: NDArray[np.float64] = quat_multiply(
        CONVENTIONS[convention], quat_conjugate(CONVENTIONS["world"])
    )
    return looking


class RayCasterCamera(CountedSensor, RayCaster):
    """Takes images of shapes by casting a ray through each pixel; see `RayCaster`.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: RayCasterCameraCfg

    @property
    def image_shape(self) -> tuple[int, int]:
        """Height and width of images [pixels]."""
        return self.cfg.pattern_cfg.height, self.cfg.pattern_cfg.width

    @property
    def data(self) -> RayCasterCameraData:
        """Images and where they were taken.

        Raises:
            StageError: the simulation was not started.
        """
        self._refresh()
        found: RayCasterCameraData = self._data
        return found

    def set_world_poses(
        self,
        positions: ArrayLike | None = None,
        orientations: ArrayLike | None = None,
        env_ids: Sequence[int] | None = None,
        convention: Literal["opengl", "ros", "world"] = "ros",
    ) -> None:
        """Put some instances at places in world, fixed to their bodies from then on.

        Args:
            positions: where they are [m], shape (n, 3); None: as they are.
            orientations: xyzw, shape (n, 4); None: as they are.
            env_ids: instances; None: all.
            convention: axes of the orientations; see `RayCasterCameraCfg.offset`.

        Raises:
            StageError: the simulation was not started.
            ShapeError: there is not one row per instance.
        """
        self._running()
        rows = np.arange(self._num_instances) if env_ids is None else np.asarray(env_ids, np.intp)
        self._frames.run()
        poses = self._frames.poses.numpy()[:, 0].astype(np.float64)
        fixed = self._frames.offsets.numpy().astype(np.float64)
        turn = None
        if orientations is not None:
            turn = quat_multiply(np.asarray(orientations, np.float64), _looking(convention))
        for name, values, width in (("positions", positions, 3), ("orientations", turn, 4)):
            if values is not None and np.shape(values) != (len(rows), width):
                raise ShapeError(name, np.shape(values), f"({len(rows)}, {width})")
        for k, row in enumerate(rows):
            old, local = Pose(poses[row, :3], poses[row, 3:]), fixed[row, 0]
            place = old.pos if positions is None else np.asarray(positions, np.float64)[k]
            new = Pose(place, old.quat if turn is None else turn[k])
            moved = Pose(local[:3], local[3:]) @ old.inverse() @ new
            fixed[row, 0] = [*moved.pos, *moved.quat]
        self._frames.offsets.assign(fixed.astype(np.float32))
        self._pending[rows] = True
        self._seen = -1

    def set_world_poses_from_view(
        self, eyes: ArrayLike, targets: ArrayLike, env_ids: Sequence[int] | None = None
    ) -> None:
        """Put some instances where they see a point; see `set_world_poses`.

        Args:
            eyes: where they are [m], shape (n, 3).
            targets: what is in the middle of their images [m], shape (n, 3).
            env_ids: instances; None: all.
        """
        pairs = zip(np.asarray(eyes, np.float64), np.asarray(targets, np.float64), strict=True)
        poses = np.array([look_at(*pair) for pair in pairs])
        self.set_world_poses(poses[:, :3], poses[:, 3:], env_ids, "opengl")

    def set_intrinsic_matrices(
        self,
        matrices: ArrayLike,
        env_ids: ArrayLike | None = None,
        *,
        focal_length: float | None = None,
    ) -> None:
        """Set lenses of some instances until the simulation stops.

        Args:
            matrices: focal lengths and principal point [pixels], shape (n, 3, 3).
            env_ids: instances; None: all.
            focal_length: has no effect: matrices say everything.

        Raises:
            StageError: the simulation was not started.
            ShapeError: there is not one matrix per instance.
        """
        self._running()
        rows = np.arange(self._num_instances) if env_ids is None else np.asarray(env_ids, np.intp)
        values = np.asarray(matrices, np.float64)
        if values.shape != (len(rows), 3, 3):
            raise ShapeError("matrices", values.shape, f"({len(rows)}, 3, 3)")
        directions = pinhole_camera_pattern(self.cfg.pattern_cfg, values)[1]
        for array, new in ((self._local[1], directions), (self._data.intrinsic_matrices, values)):
            kept = array.numpy()
            kept[rows] = new
            array.assign(kept)
        self._pending[rows] = True
        self._seen = -1

    # -- inside --------------------------------------------------------------------------------

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        count = super()._bind(simulation, engine)
        # The offset is part of the frame, as an image is seen from the camera, not from its prim.
        offset = self.cfg.offset.pose("offset")
        fixed = self._frames.offsets.numpy().astype(np.float64)
        for row in fixed[:, 0]:
            pose = Pose(row[:3], row[3:]) @ offset
            row[:] = [*pose.pos, *pose.quat]
        self._frames.offsets.assign(fixed.astype(np.float32))
        self._images = KernelPass(
            engine,
            image_depths,
            count,
            (self._num_rays,),
            [self._data.distances, self._local[1], self._missed()],
            [self._lengths, self._depths],
        )
        return count

    def _local_rays(self, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        matrices = np.tile(self.cfg.pattern_cfg.intrinsic_matrix(), (count, 1, 1))
        starts, directions = pinhole_camera_pattern(self.cfg.pattern_cfg, matrices)
        return starts, directions

    def _missed(self) -> float:
        reach = float(self.cfg.max_distance)
        return {"none": np.inf, "max": reach, "zero": 0.0}[self.cfg.depth_clipping_behavior]

    def _allocate(
        self, size: tuple[int, int], pos: wp.array, quat: wp.array, device: str
    ) -> RayCasterCameraData:
        made = super()._allocate(size, pos, quat, device)
        count, shape = size[0], (size[0], *self.image_shape)
        pattern = self.cfg.pattern_cfg
        self._lengths = wp.zeros(size, dtype=wp.float32, device=device)
        self._depths = wp.zeros(size, dtype=wp.float32, device=device)
        height, width = self.image_shape
        strides = (12 * height * width, 12 * width, 12, 4)
        images = {
            "distance_to_camera": self._lengths.reshape((*shape, 1)),
            "distance_to_image_plane": self._depths.reshape((*shape, 1)),
            "normals": part_of(made.normals, wp.float32, (*shape, 3), strides),
        }
        matrices = np.tile(pattern.intrinsic_matrix(), (count, 1, 1)).astype(np.float32)
        return RayCasterCameraData(
            **vars(made),
            image_shape=self.image_shape,
            intrinsic_matrices=wp.array(matrices, dtype=wp.mat33f, device=device),
            output={name: usable(images[name]) for name in self.cfg.data_types},
            info=dict.fromkeys(self.cfg.data_types),
        )

    def _evaluate(self, rows: Rows) -> None:
        super()._evaluate(rows)
        self._images.run(rows)


@dataclass(kw_only=True)
class _RayCameraOffsetCfg(OffsetCfg):
    """Pose of a camera in the frame of its prim."""

    convention: Literal["opengl", "ros", "world"] = "ros"
    """Axes of the orientation: ``opengl`` looks along -z with +y up, ``ros`` along +z with -y up,
    ``world`` along +x with +z up."""

    def pose(self, where: str) -> Pose:
        """The offset of the frame that looks along +x with +z up; see `OffsetCfg.pose`."""
        return super().pose(where) @ Pose(np.zeros(3), _looking(self.convention))


@dataclass(kw_only=True)
class RayCasterCameraCfg(RayCasterCfg):
    """Cameras on bodies, or on prims fixed to bodies or to the world, that see chosen shapes."""

    OffsetCfg = _RayCameraOffsetCfg

    class_type: type[Any] | None = RayCasterCamera
    """Class of the sensor."""
    offset: _RayCameraOffsetCfg = field(default_factory=_RayCameraOffsetCfg)
    """Pose of the camera on the prim."""
    pattern_cfg: PinholeCameraPatternCfg = field(default_factory=lambda: MISSING)  # type: ignore[assignment]
    """The lens."""
    data_types: list[str] = field(default_factory=lambda: ["distance_to_image_plane"])
    """Images: ``distance_to_image_plane``, ``distance_to_camera`` and ``normals``."""
    depth_clipping_behavior: Literal["none", "max", "zero"] = "none"
    """Depth where nothing is within reach: infinite, `max_distance`, or 0."""

    def validate(self) -> None:
        """Check every value; see `RayCasterCfg.validate`."""
        super().validate()
        if not isinstance(self.pattern_cfg, PinholeCameraPatternCfg):
            raise InvalidValueError(
                "RayCasterCameraCfg.pattern_cfg", self.pattern_cfg, "a PinholeCameraPatternCfg"
            )
        unknown = [name for name in self.data_types if name not in _TYPES]
        if unknown:
            allowed = ", ".join(map(repr, _TYPES))
            raise InvalidValueError("RayCasterCameraCfg.data_types", unknown, allowed)
        if self.depth_clipping_behavior not in ("none", "max", "zero"):
            raise InvalidValueError(
                "RayCasterCameraCfg.depth_clipping_behavior",
                self.depth_clipping_behavior,
                "'none', 'max', 'zero'",
            )
