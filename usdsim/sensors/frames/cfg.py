"""Frame transformer configuration."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field
from typing import Any

from usdsim.core.errors import InvalidValueError
from usdsim.sensors.common.cfg import OffsetCfg, SensorBaseCfg, check_path

from .frame_transformer import FrameTransformer

__all__ = ["FrameTransformerCfg"]


@dataclass(kw_only=True)
class FrameTransformerCfg(SensorBaseCfg):
    """Poses of target frames with respect to a source frame, which the prim path matches."""

    @dataclass(kw_only=True)
    class FrameCfg:
        """Target frames."""

        prim_path: str = field(default_factory=lambda: MISSING)  # type: ignore[assignment]
        """Prim path or expression; each match in a world is a target frame."""
        name: str | None = None
        """Name of the frame; None: that of the prim. Only a single match can have one."""
        offset: OffsetCfg = field(default_factory=OffsetCfg)
        """Pose of the frame on the prim."""

    class_type: type[Any] | None = FrameTransformer
    """Class of the sensor."""
    source_frame_offset: OffsetCfg = field(default_factory=OffsetCfg)
    """Pose of the source frame on its prim."""
    target_frames: list[FrameCfg] = field(default_factory=list)
    """Target frames."""

    def validate(self) -> None:
        """Check every value; see `SensorBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        self.source_frame_offset.pose(f"{title}.source_frame_offset")
        if not self.target_frames:
            raise InvalidValueError(f"{title}.target_frames", [], "at least one frame")
        for index, frame in enumerate(self.target_frames):
            where = f"{title}.target_frames[{index}]"
            if not isinstance(frame, FrameTransformerCfg.FrameCfg):
                raise InvalidValueError(where, frame, "a FrameTransformerCfg.FrameCfg")
            check_path(f"{where}.prim_path", frame.prim_path)
            frame.offset.pose(f"{where}.offset")
