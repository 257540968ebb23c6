"""Frame transformers: poses of frames with respect to another frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field
from typing import Any

import numpy as np
import warp as wp

from usdsim.assets.common.matching import relative_names
from usdsim.assets.participation import Simulation
from usdsim.core.arguments import entries, of_kind
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.engine.base import Engine
from usdsim.sensors.common.body_sensor import BodySensor
from usdsim.sensors.common.cfg import OffsetCfg, SensorBaseCfg
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.kernels import relative_poses
from usdsim.sensors.common.matching import MatchedFrames, find_frames
from usdsim.spawners.place import check_path
from usdsim.views.usable import UsableArray

from .frame_poses import FramePoses, pose_parts

__all__ = ["FrameTransformer", "FrameTransformerCfg", "FrameTransformerData"]


@dataclass(kw_only=True, eq=False)
class FrameTransformerData:
    """Poses of a source frame and of target frames. N instances, M target frames."""

    target_frame_names: list[str]
    """Names of the target frames, in the order of arrays."""
    source_pos_w: UsableArray
    """Position of the source frame, world [m], vec3f, shape (N,)."""
    source_quat_w: UsableArray
    """Orientation of the source frame, world, xyzw, quatf, shape (N,)."""
    target_pos_w: UsableArray
    """Positions of the target frames, world [m], vec3f, shape (N, M)."""
    target_quat_w: UsableArray
    """Orientations of the target frames, world, xyzw, quatf, shape (N, M)."""
    target_pos_source: UsableArray
    """Positions of the target frames in the source frame [m], vec3f, shape (N, M)."""
    target_quat_source: UsableArray
    """Orientations of the target frames in the source frame, xyzw, quatf, shape (N, M)."""


class FrameTransformer(BodySensor):
    """Poses of target frames in world and in a source frame; one instance per world.

    What is called ``body`` is a target frame.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: FrameTransformerCfg
    data: FrameTransformerData
    _follows = "motion"
    _noun = "target frame"
    tells_apart = True
    """Whether names of target frames that their prims have in common are those of the prims above
    too; otherwise several frames may have one name."""

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        cfg, title = self.cfg, type(self).__name__
        source = find_frames(title, simulation, cfg.prim_path)
        if len(source.paths) > 1:
            raise StageError(
                f"{title}: {cfg.prim_path!r} matches {', '.join(source.paths)} in one world. "
                "Choose one of them as the source frame."
            )
        targets = [find_frames(title, simulation, f.prim_path) for f in cfg.target_frames]
        self._body_names = self._named(targets)
        offset = source.offset(cfg.source_frame_offset.pose("offset"))
        self._source = FramePoses(engine, source.bodies[:, None], offset[:, :, None])
        offsets = [
            found.offset(f.offset.pose("offset"))
            for f, found in zip(cfg.target_frames, targets, strict=True)
        ]
        bodies = np.concatenate([found.bodies for found in targets])
        self._targets = FramePoses(engine, bodies[None], np.concatenate(offsets, 1)[:, None])
        count = self._source.count
        size = self._targets.poses.shape
        relative = wp.zeros(size, dtype=wp.transformf, device=engine.device)
        self._relative = KernelPass(
            engine,
            relative_poses,
            count,
            size[1:],
            [self._source.poses, self._targets.poses],
            [relative],
        )
        source_pos, source_quat = pose_parts(self._source.poses, flat=True)
        target_pos, target_quat = pose_parts(self._targets.poses)
        pos, quat = pose_parts(relative)
        self._data = FrameTransformerData(
            target_frame_names=list(self._body_names),
            source_pos_w=source_pos,
            source_quat_w=source_quat,
            target_pos_w=target_pos,
            target_quat_w=target_quat,
            target_pos_source=pos,
            target_quat_source=quat,
        )
        return count

    def _named(self, targets: Sequence[MatchedFrames]) -> tuple[str, ...]:
        """Names of the target frames, by which they can be told apart where that is asked for."""
        unnamed = [
            path
            for cfg, found in zip(self.cfg.target_frames, targets, strict=True)
            if cfg.name is None
            for path in found.paths
        ]
        leaves = [path.rpartition("/")[2] for path in unnamed]
        own = relative_names(unnamed) if self.tells_apart else leaves
        names_of = dict(zip(unnamed, own, strict=True))
        names: list[str] = []
        for index, (cfg, found) in enumerate(zip(self.cfg.target_frames, targets, strict=True)):
            if cfg.name is not None and len(found.paths) > 1:
                raise InvalidValueError(
                    f"FrameTransformerCfg.target_frames[{index}].name",
                    cfg.name,
                    f"None: the expression matches {len(found.paths)} prims in one world",
                )
            names += [names_of[path] if cfg.name is None else cfg.name for path in found.paths]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None and self.tells_apart:
            raise InvalidValueError(
                "name of a target frame", twice, "a name that no other has", "Set FrameCfg.name."
            )
        return tuple(names)

    def _evaluate(self, rows: Rows) -> None:
        self._source.run(rows)
        self._targets.run(rows)
        self._relative.run(rows)


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
        where = f"{title}.source_frame_offset"
        of_kind(where, self.source_frame_offset, OffsetCfg).pose(where)
        frames = entries(f"{title}.target_frames", self.target_frames, "at least one frame")
        for index, frame in enumerate(frames):
            where = f"{title}.target_frames[{index}]"
            of_kind(where, frame, FrameTransformerCfg.FrameCfg)
            check_path(f"{where}.prim_path", frame.prim_path)
            of_kind(f"{where}.offset", frame.offset, OffsetCfg).pose(f"{where}.offset")
