"""Ray caster camera: images of depth and normals by rays at chosen shapes."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field
from typing import Any, Literal

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.participation import Simulation
from usdsim.core.arguments import choice, entries, of_kind
from usdsim.engine.base import Engine
from usdsim.engine.device import assign_rows
from usdsim.math.rotations import quat_multiply
from usdsim.math.transforms import compose_poses, invert_poses
from usdsim.sensors.camera.base import CameraBase
from usdsim.sensors.camera.conventions import CameraOffsetCfg, Convention, axes_in
from usdsim.sensors.camera.outputs import ImagesByType
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.kernels import image_depths
from usdsim.sensors.patterns import PinholeCameraPatternCfg, pinhole_camera_pattern
from usdsim.views.memory import part_of
from usdsim.views.usable import UsableArray, usable

from .ray_caster import RayCaster, RayCasterCfg, RayCasterData

__all__ = ["RayCasterCamera", "RayCasterCameraCfg", "RayCasterCameraData"]

_TYPES = ("distance_to_camera", "distance_to_image_plane", "normals")


@dataclass(kw_only=True, eq=False)
class RayCasterCameraData(RayCasterData):
    """Arrays of a ray caster camera. N instances; images are H high and W wide, top row first.

    `pos_w` and `quat_w` are those of the camera, which looks along +x with +z up.
    """

    image_shape: tuple[int, int]
    """Height and width of images [pixels]."""
    intrinsic_matrices: UsableArray
    """Focal lengths and principal point [pixels], mat33f, shape (N,)."""
    output: dict[str, wp.array]
    """Images by data type, shape (N, H, W, channels); lengths in m, normals in world."""
    info: dict[str, Any] = field(default_factory=dict)
    """Further facts on images by data type: none."""
    image_mesh_ids: wp.array | None = None
    """`ray_mesh_ids` by pixel, int16, shape (N, H, W, 1)."""

    @property
    def quat_w_world(self) -> UsableArray:
        """Orientation of the frame that looks along +x with +z up, world, xyzw, shape (N,)."""
        return self.quat_w

    @property
    def quat_w_ros(self) -> UsableArray:
        """Orientation of the frame that looks along +z with -y up, world, xyzw, shape (N,)."""
        return self._turned("ros")

    @property
    def quat_w_opengl(self) -> UsableArray:
        """Orientation of the frame that looks along -z with +y up, world, xyzw, shape (N,)."""
        return self._turned("opengl")

    def _turned(self, convention: Convention) -> UsableArray:
        turned = quat_multiply(self.quat_w.numpy().astype(np.float64), axes_in(convention, "world"))
        return usable(wp.array(turned, dtype=wp.quatf, device=self.quat_w.device))


class RayCasterCamera(CameraBase, RayCaster):
    """Takes images of shapes by casting a ray through each pixel; see `RayCaster`.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: RayCasterCameraCfg
    data: RayCasterCameraData
    _axes = "world"

    @property
    def image_shape(self) -> tuple[int, int]:
        """Height and width of images [pixels]."""
        return self.cfg.pattern_cfg.height, self.cfg.pattern_cfg.width

    # -- inside --------------------------------------------------------------------------------

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        count = super()._bind(simulation, engine)
        # The offset is part of the frame, as an image is seen from the camera, not from its prim.
        offset = self.cfg.offset.pose_of(self._axes, "offset")
        fixed = self._frames.offsets.numpy().astype(np.float64)
        self._frames.offsets.assign(compose_poses(fixed, offset.row).astype(np.float32))
        self._images = KernelPass(
            engine,
            image_depths,
            count,
            (self._num_rays,),
            [self._data.distances, self._local[1], self._missed()],
            [self._lengths, self._depths],
        )
        return count

    def _poses(self, rows: Rows) -> NDArray[np.float64]:
        self._frames.run(rows)
        return self._frames.poses.numpy()[:, 0].astype(np.float64)

    def _place(self, rows: NDArray[np.intp], poses: NDArray[np.float64]) -> None:
        fixed = self._frames.offsets.numpy()[rows, 0].astype(np.float64)
        change = compose_poses(invert_poses(self._poses(None)[rows]), poses)
        assign_rows(self._frames.offsets, rows, compose_poses(fixed, change)[:, None])

    def _set_lenses(self, rows: NDArray[np.intp], matrices: NDArray[np.float64]) -> None:
        directions = pinhole_camera_pattern(self.cfg.pattern_cfg, matrices)[1]
        assign_rows(self._local[1], rows, directions)
        assign_rows(self._data.intrinsic_matrices, rows, matrices)

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
            output=ImagesByType((name, usable(images[name])) for name in self.cfg.data_types),
            info=dict.fromkeys(self.cfg.data_types),
        )

    def _evaluate(self, rows: Rows) -> None:
        super()._evaluate(rows)
        self._images.run(rows)


@dataclass(kw_only=True)
class RayCasterCameraCfg(RayCasterCfg):
    """Cameras on bodies, or on prims fixed to bodies or to the world, that see chosen shapes."""

    OffsetCfg = CameraOffsetCfg

    class_type: type[Any] | None = RayCasterCamera
    """Class of the sensor."""
    offset: CameraOffsetCfg = field(default_factory=CameraOffsetCfg)
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
        title = type(self).__name__
        of_kind(f"{title}.pattern_cfg", self.pattern_cfg, PinholeCameraPatternCfg)
        of_kind(f"{title}.offset", self.offset, CameraOffsetCfg).pose_of("world", f"{title}.offset")
        for name in entries(f"{title}.data_types", self.data_types, "a list of types"):
            choice(f"{title}.data_types", name, _TYPES)
        clipping = self.depth_clipping_behavior
        choice(f"{title}.depth_clipping_behavior", clipping, ("none", "max", "zero"))
