"""Ray casters: distances to shapes along rays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.participation import Simulation
from usdsim.core.arguments import choice, entries, interval, of_kind
from usdsim.core.errors import InvalidValueError
from usdsim.engine import device as devices
from usdsim.engine.base import Engine
from usdsim.math.rotations import quat_apply
from usdsim.parser.description import SceneDescription
from usdsim.sensors.common.cfg import OffsetCfg, SensorBaseCfg
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.kernels import aim_rays, ray_hits
from usdsim.sensors.common.matching import find_frames
from usdsim.sensors.common.sensor import SensorBase
from usdsim.sensors.frames.frame_poses import FramePoses, pose_parts
from usdsim.sensors.patterns import PatternBaseCfg
from usdsim.spawners.place import check_path
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.usable import UsableArray, usable

from .arrays import RayArrays
from .host import HostRays
from .scene import RayScene, find_targets, target_geoms, with_targets
from .static_rays import StaticRays

if TYPE_CHECKING:
    from .device import DeviceRays

__all__ = ["ALIGNMENTS", "RayCaster", "RayCasterCfg", "RayCasterData"]

ALIGNMENTS = {"world": 0, "yaw": 1, "base": 2}
"""Ways rays follow a prim, with the numbers kernels know them by."""


@dataclass(kw_only=True, eq=False)
class RayCasterData:
    """Arrays of a ray caster. N instances, R rays."""

    pos_w: UsableArray
    """Position of the prim, with the drift but without the offset, world [m], vec3f, shape (N,)."""
    quat_w: UsableArray
    """Orientation of the prim, world, xyzw, quatf, shape (N,)."""
    ray_hits_w: UsableArray
    """Hit points of the rays in world [m], infinite where they hit nothing, vec3f, shape (N, R)."""
    distances: UsableArray
    """Lengths of the rays [m], infinite where they hit nothing, shape (N, R)."""
    normals: UsableArray
    """Outward normals of what they hit, world, zero where they hit nothing, vec3f, shape (N, R)."""
    ray_mesh_ids: UsableArray | None = None
    """Place of what each ray hits among `MultiMeshRayCasterCfg.mesh_prim_paths`, -1 for nothing,
    int16, shape (N, R, 1); None unless `update_mesh_ids`."""


class RayCaster(SensorBase):
    """Casts rays at shapes and tells where they end.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: RayCasterCfg
    data: RayCasterData
    yaw_turns_directions: bool = True
    """Whether directions of rays follow the rotation about z where `ray_alignment` is ``yaw``;
    otherwise only the places where they start do."""
    offset_turns_starts: bool = True
    """Whether the orientation of `offset` turns the places where rays start, too, and not only
    their directions."""
    _follows = "motion"

    def __init__(self, cfg: RayCasterCfg):
        super().__init__(cfg)
        self._random = np.random.default_rng(self.cfg.seed)

    @property
    def num_rays(self) -> int:
        """Number of rays of an instance.

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return self._num_rays

    @property
    def drift(self) -> wp.array:
        """Errors of positions, world [m], vec3f, shape (N,).

        What is written acts from the next sample on, and where `drift_range` is set, until the
        instance is reset.

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return usable(self._frames.shift)

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """A scene that has what the rays hit; see `Participant.prepare`."""
        simulation = self._simulation
        return with_targets(scene, self.cfg.mesh_prim_paths, simulation.env_paths, simulation.stage)

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        scene = engine.compiled.scene
        frames = find_frames(type(self).__name__, simulation, self.cfg.prim_path)
        targets = find_targets(scene, self.cfg.mesh_prim_paths, simulation.env_paths)
        self._frames = FramePoses(engine, frames.bodies[:, None], frames.poses[:, :, None])
        self._matches, count, device = len(frames.paths), self._frames.count, engine.device
        local = [np.atleast_3d(a.T).T.astype(np.float32) for a in self._local_rays(count)]
        self._local = [wp.array(a, dtype=wp.vec3f, device=device) for a in local]
        self._num_rays = local[0].shape[1]
        self._cast_shift = wp.zeros(count, dtype=wp.vec3f, device=device)
        self._draw(None)
        pos, quat = pose_parts(self._frames.poses, flat=True)
        self._data = self._allocate((count, self._num_rays), pos, quat, device)
        self._open(engine, (count, self._num_rays))
        self._caster = self._make_caster(engine, target_geoms(engine, targets))
        return count

    def _local_rays(self, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Starts [m] and directions of the rays in the frame of the prim.

        Args:
            count: number of instances.

        Returns:
            Arrays of shape (R, 3), or with a row for each instance, (N, R, 3).
        """
        offset = self.cfg.offset.pose("offset")
        starts, directions = self.cfg.pattern_cfg.rays()
        placed = offset.apply(starts) if self.offset_turns_starts else starts + offset.pos
        return placed, quat_apply(offset.quat, directions)

    def _allocate(
        self, size: tuple[int, int], pos: wp.array, quat: wp.array, device: str
    ) -> RayCasterData:
        return RayCasterData(
            pos_w=pos,
            quat_w=quat,
            ray_hits_w=wp.zeros(size, dtype=wp.vec3f, device=device),
            distances=wp.zeros(size, dtype=wp.float32, device=device),
            normals=wp.zeros(size, dtype=wp.vec3f, device=device),
        )

    def _open(self, engine: Engine, size: tuple[int, int]) -> None:
        """Prepare the launches that aim rays, and that bring their hits into the data."""
        count, number = size
        self._arrays = arrays = RayArrays.zeros(size, engine.device)
        # Rays not aimed yet are cast beside others of their world, so they need a direction.
        arrays.direction.fill_(wp.vec3d(0.0, 0.0, -1.0))
        follows = ALIGNMENTS[self.cfg.alignment]
        # The host has one thread for all of them, and to start a ray there costs more than to aim.
        block = max(number, 1) if devices.is_shared(engine.device) else 1
        self._aim = KernelPass(
            engine,
            aim_rays,
            count,
            (number // block,),
            [
                *(self._frames.poses, *self._local, self._cast_shift),
                *(follows, self.yaw_turns_directions, block),
            ],
            arrays.rays,
        )
        self._finish = KernelPass(
            engine,
            ray_hits,
            count,
            (number // block,),
            [*arrays.rays, *arrays.hits, self._cast_shift, float(self.cfg.max_distance), block],
            [self._data.ray_hits_w, self._data.distances, self._data.normals],
        )

    def _make_caster(
        self, engine: Engine, geoms: NDArray[np.intp]
    ) -> HostRays | StaticRays | DeviceRays:
        """Caster of the rays: the device the worlds are on, where it can."""
        arrays, reach = self._arrays, self.cfg.max_distance

        def in_worlds() -> HostRays:
            return HostRays(RayScene(engine, geoms), self._matches, arrays)

        if engine.on_device is not None:
            # It needs packages that only devices do.
            from .device import DeviceRays, casts_on_device

            if casts_on_device(engine, geoms):
                return DeviceRays(engine, geoms, self._matches, arrays, reach)
            return in_worlds()
        return StaticRays(engine, geoms, arrays, reach, in_worlds)

    def _follow(self) -> Hashable | None:
        return self._caster.follow()

    def _evaluate(self, rows: Rows) -> None:
        self._frames.run(rows)
        self._aim.run(rows)
        self._caster.run(rows)
        self._finish.run(rows)

    def _forget(self, rows: Rows | DeviceSelection) -> None:
        if not isinstance(rows, DeviceSelection):
            self._draw(rows)

    @property
    def _forgets_on_device(self) -> bool:
        still = not np.any(self.cfg.drift_range) and not self._cast_bounds().any()
        return super()._forgets_on_device and still

    def _cast_bounds(self) -> NDArray[np.float64]:
        """Bounds of the error of rays along each axis [m], shape (2, 3)."""
        ranges = self.cfg.ray_cast_drift_range
        return np.array([ranges.get(axis, (0.0, 0.0)) for axis in "xyz"], float).T

    def _draw(self, rows: Rows) -> None:
        """Draw the drifts of some instances."""
        low, high = self.cfg.drift_range
        bounds = self._cast_bounds()
        for shift, least, most in (
            (self._frames.shift, np.full(3, low), np.full(3, high)),
            (self._cast_shift, *bounds),
        ):
            if not (least.any() or most.any()):
                continue
            which = np.arange(len(shift)) if rows is None else rows
            drawn = self._random.uniform(least, most, (len(which), 3)).astype(np.float32)
            places = wp.array(which, dtype=wp.int32, device=shift.device)
            new = wp.array(drawn, dtype=wp.vec3f, device=shift.device)
            wp.copy(wp.indexedarray(shift, [places]), new)


@dataclass(kw_only=True)
class RayCasterCfg(SensorBaseCfg):
    """Rays from bodies, or from prims fixed to bodies or to the world."""

    class_type: type[Any] | None = RayCaster
    """Class of the sensor."""
    mesh_prim_paths: list[str] = field(default_factory=list)
    """Expressions for what the rays hit: all colliders at or below the prims, or where there are
    none, all visible shapes. Nothing else is hit."""
    offset: OffsetCfg = field(default_factory=OffsetCfg)
    """Pose of the pattern on the prim."""
    ray_alignment: Literal["base", "yaw", "world"] = "base"
    """Orientation that rays follow: all of the prim's orientation, its rotation about z,
    or none of it."""
    attach_yaw_only: bool | None = None
    """Older form of `ray_alignment`: True stands for ``yaw``, False for ``base``."""
    pattern_cfg: PatternBaseCfg = field(default_factory=lambda: MISSING)  # type: ignore[assignment]
    """Pattern of the rays."""
    max_distance: float = 1e6
    """Reach of the rays [m]."""
    drift_range: tuple[float, float] = (0.0, 0.0)
    """Bounds of the error of each coordinate of the position, drawn at every reset [m]."""
    ray_cast_drift_range: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Bounds of the error of rays along ``x``, ``y`` and ``z`` of the frame they follow, drawn at
    every reset [m]: that along x and y moves where rays start, that along z where they end."""
    seed: int | None = None
    """Seed of those errors; None: other ones in every run."""

    @property
    def alignment(self) -> str:
        """`ray_alignment`, unless `attach_yaw_only` says something else."""
        if self.attach_yaw_only is None:
            return self.ray_alignment
        return "yaw" if self.attach_yaw_only else "base"

    def validate(self) -> None:
        """Check every value; see `SensorBaseCfg.validate`."""
        super().validate()
        title = type(self).__name__
        paths = entries(f"{title}.mesh_prim_paths", self.mesh_prim_paths, "a list of expressions")
        for index, path in enumerate(paths):
            check_path(f"{title}.mesh_prim_paths[{index}]", path)
        of_kind(f"{title}.offset", self.offset, OffsetCfg).pose(f"{title}.offset")
        choice(f"{title}.ray_alignment", self.ray_alignment, ALIGNMENTS)
        words = "a pattern of usdsim.sensors.patterns"
        of_kind(f"{title}.pattern_cfg", self.pattern_cfg, PatternBaseCfg, words).validate()
        reach = self.max_distance
        if not isinstance(reach, int | float) or math.isnan(reach) or reach <= 0.0:
            raise InvalidValueError(f"{title}.max_distance", reach, "a distance above 0 m")
        interval(f"{title}.drift_range", self.drift_range)
        drifts = self.ray_cast_drift_range
        of_kind(f"{title}.ray_cast_drift_range", drifts, Mapping, "{axis: (least, most)}")
        for axis, bounds in drifts.items():
            choice(f"axis of {title}.ray_cast_drift_range", axis, ("x", "y", "z"))
            interval(f"{title}.ray_cast_drift_range[{axis!r}]", bounds)
