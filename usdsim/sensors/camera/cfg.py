"""Camera configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from usdsim.core.arguments import choice, entries, number, of_kind, whole
from usdsim.core.errors import InvalidValueError
from usdsim.sensors.common.cfg import SensorBaseCfg
from usdsim.spawners import PinholeCameraCfg

from .camera import Camera
from .conventions import CameraOffsetCfg
from .outputs import DATA_TYPES

__all__ = ["CameraCfg", "TiledCameraCfg"]

_LARGEST = 8192


@dataclass(kw_only=True)
class CameraCfg(SensorBaseCfg):
    """Cameras on a prim in every environment."""

    OffsetCfg = CameraOffsetCfg

    class_type: type[Any] | None = Camera
    """Class of the sensor."""
    width: int = 0
    """Width of images [pixels]."""
    height: int = 0
    """Height of images [pixels]."""
    data_types: list[str] = field(default_factory=lambda: ["rgb"])
    """Images that are taken: ``rgb``, ``rgba``, ``albedo`` without light, ``depth`` or
    ``distance_to_image_plane``, ``distance_to_camera``, ``normals``, ``motion_vectors``,
    ``semantic_segmentation``, ``instance_segmentation_fast``, ``instance_id_segmentation_fast``.
    ``simple_shading_constant_diffuse``, ``..._diffuse_mdl`` and ``..._full_mdl`` are ``rgb``."""
    spawn: PinholeCameraCfg | None = None
    """The camera prim to spawn; None: there is one on the stage."""
    offset: CameraOffsetCfg = field(default_factory=CameraOffsetCfg)
    """Pose it is spawned at, in the frame of the prim above it."""
    depth_clipping_behavior: Literal["none", "max", "zero"] = "none"
    """Depth where nothing is within the clipping range: infinite, the far plane's, or 0."""

    renderer_cfg: Any = None
    """Settings of a renderer, of which `depth_clipping_behavior`, `semantic_segmentation_mapping`
    and those that begin with ``colorize_`` win over the ones here; rays are cast in any case."""
    semantic_filter: str | list[str] = "*:*"
    """Has no effect: all labels count."""
    colorize_semantic_segmentation: bool = False
    """Whether segmentations are colours, four bytes per pixel; otherwise they are numbers, which
    `CameraData.info` explains as it does colours."""
    semantic_segmentation_mapping: dict[str, Any] = field(default_factory=dict)
    """Colours by label, ``{"class:cube": (255, 0, 0, 255)}``; others are chosen."""
    colorize_instance_segmentation: bool = False
    """See `colorize_semantic_segmentation`."""
    colorize_instance_id_segmentation: bool = False
    """See `colorize_semantic_segmentation`."""
    update_latest_camera_pose: bool = True
    """Has no effect: poses are those of the images."""
    depth_noise: float = 0.0
    """Standard deviation of depths, as part of them: stereo cameras have some 0.01."""
    colour_noise: float = 0.0
    """Standard deviation of colours, of 255."""
    latency: int = 0
    """Number of samples by which images are late; the first image stands for those before it."""

    def setting(self, name: str) -> Any:
        """Value of a field, or of `renderer_cfg` where it says something of it."""
        stated = getattr(self.renderer_cfg, name, None)
        return getattr(self, name) if stated is None else stated

    def validate(self) -> None:
        """Check every value; see `SensorBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        for name in ("depth_noise", "colour_noise"):
            number(f"{title}.{name}", getattr(self, name), above=False)
        whole(f"{title}.latency", self.latency)
        for name in ("width", "height"):
            whole(f"{title}.{name}", getattr(self, name), 1, _LARGEST)
        for name in entries(f"{title}.data_types", self.data_types, "a list of types"):
            choice(f"{title}.data_types", name, DATA_TYPES)
        clipping = self.setting("depth_clipping_behavior")
        choice(f"{title}.depth_clipping_behavior", clipping, ("none", "max", "zero"))
        where = f"{title}.offset"
        of_kind(where, self.offset, CameraOffsetCfg).pose_of("opengl", where)
        spawn = of_kind(f"{title}.spawn", self.spawn, PinholeCameraCfg | None)
        if spawn is not None:
            near, far = spawn.clipping_range
            if not 0.0 < near < far:
                raise InvalidValueError(
                    f"{title}.spawn.clipping_range", (near, far), "0 < nearest < farthest"
                )


@dataclass(kw_only=True)
class TiledCameraCfg(CameraCfg):
    """The same under the name of renderers that draw many cameras as tiles of one image."""
