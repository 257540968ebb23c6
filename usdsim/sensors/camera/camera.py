"""Cameras that see what the stage shows, in all worlds at once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.assets.common.cfg import AssetBaseCfg
from usdsim.assets.common.spawning import spawn_asset
from usdsim.assets.participation import Simulation
from usdsim.core.errors import InvalidValueError, ShapeError, StageError
from usdsim.engine.base import Engine
from usdsim.math.rotations import quat_conjugate, quat_multiply
from usdsim.render.framing import look_at
from usdsim.render.raycast.motion import PixelMotion
from usdsim.render.raycast.tracer import LENS_KINDS
from usdsim.render.world_views import WorldViews
from usdsim.sensors.common.kernel_pass import Rows, row_array
from usdsim.sensors.common.matching import find_frames
from usdsim.sensors.common.sensor import SensorBase
from usdsim.sensors.frames.passes import FramePoses

from .data import CameraData
from .latency import LateImages
from .lenses import lens_of
from .outputs import CONVENTIONS, DATA_TYPES, segmentation

if TYPE_CHECKING:
    from .cfg import CameraCfg

__all__ = ["Camera"]


class Camera(SensorBase):
    """Images of every environment, taken by casting rays where the worlds are.

    It sees what the stage shows: visual geometry in its colours, no guides, nothing invisible.
    Light and shadows are the renderer's.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: CameraCfg
    _follows = "motion"

    def __init__(self, cfg: CameraCfg):
        super().__init__(cfg)
        spawn = self.cfg.spawn
        if spawn is not None:
            offset = self.cfg.offset.opengl_pose("offset")
            placed = AssetBaseCfg.InitialStateCfg(pos=tuple(offset.pos), rot=tuple(offset.quat))
            where = AssetBaseCfg(prim_path=self.cfg.prim_path, spawn=spawn, init_state=placed)
            spawn_asset(self._simulation.stage, where)
        self._placed: NDArray[np.float64] | None = None

    @property
    def data(self) -> CameraData:
        """Images of the camera.

        Raises:
            StageError: the simulation was not started.
        """
        self._refresh()
        found: CameraData = self._data
        return found

    @property
    def image_shape(self) -> tuple[int, int]:
        """Height and width of images [pixels]."""
        return self.cfg.height, self.cfg.width

    def set_intrinsic_matrices(self, matrices: ArrayLike, env_ids: ArrayLike | None = None) -> None:
        """Set lenses of some instances until the simulation stops.

        Args:
            matrices: focal lengths and principal point [pixels], shape (n, 3, 3).
            env_ids: instances; None: all.

        Raises:
            StageError: the simulation was not started.
            ShapeError: there is not one matrix per instance.
        """
        self._running()
        rows = np.arange(self._num_instances) if env_ids is None else np.asarray(env_ids, np.intp)
        values = np.asarray(matrices, dtype=np.float64)
        if values.shape != (len(rows), 3, 3):
            raise ShapeError("matrices", values.shape, f"({len(rows)}, 3, 3)")
        self._focal[rows] = values[:, [0, 1], [0, 1]]
        self._centre[rows] = values[:, :2, 2]
        self._publish_intrinsics()
        self._pending[rows] = True
        self._seen = -1

    def set_world_poses_from_view(
        self, eyes: ArrayLike, targets: ArrayLike, env_ids: ArrayLike | None = None
    ) -> None:
        """Put some instances at fixed places in world, until the simulation stops.

        Args:
            eyes: where they are [m], shape (n, 3).
            targets: what is in the middle of their images [m], shape (n, 3).
            env_ids: instances; None: all.

        Raises:
            StageError: the simulation was not started.
            ShapeError: there is not one row per instance.
        """
        self._running()
        rows = np.arange(self._num_instances) if env_ids is None else np.asarray(env_ids, np.intp)
        eyes, targets = np.asarray(eyes, np.float64), np.asarray(targets, np.float64)
        for name, values in (("eyes", eyes), ("targets", targets)):
            if values.shape != (len(rows), 3):
                raise ShapeError(name, values.shape, f"({len(rows)}, 3)")
        if self._placed is None:
            self._placed = np.full((self._num_instances, 7), np.nan)
        self._placed[rows] = [look_at(*pair) for pair in zip(eyes, targets, strict=True)]
        self._pending[rows] = True
        self._seen = -1

    # -- inside --------------------------------------------------------------------------------

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        cfg, stage = self.cfg, simulation.stage
        frames = find_frames(type(self).__name__, simulation, cfg.prim_path)
        if stage is None:
            raise StageError("Cameras need a stage to see.")
        self._frames = FramePoses(engine, frames.bodies[:, None], frames.poses[:, :, None])
        count, matches = self._frames.count, len(frames.paths)
        size = (cfg.width, cfg.height)
        unit = engine.compiled.scene.meters_per_unit
        lenses = [lens_of(stage.GetPrimAtPath(path), size, unit) for path in frames.paths]
        types = {name: DATA_TYPES[name] for name in cfg.data_types}
        sources = {kind.source for kind in types.values()}
        self._colours, self._everything = "colour" in sources, sources != {"depth"}
        worlds = np.arange(count) // matches
        self._views = WorldViews(
            stage, engine, size, worlds, env_paths=simulation.env_paths, colours=self._colours
        )
        self._lenses = [lenses[k % matches] for k in range(count)]
        self._focal = np.array([lens.focal for lens in self._lenses])
        self._centre = np.array([lens.centre for lens in self._lenses])
        self._placed = None
        self._data = self._allocate(count, engine.device)
        self._publish_intrinsics()
        self._motion = PixelMotion(self._views.tracer) if "motion" in sources else None
        self._seed, self._late = 0, LateImages(self._data.output, cfg.latency)
        self._tables = {}
        paths = self._views.tracer.parts.paths
        for name, kind in types.items():
            if kind.source == "shape":
                table, labels = segmentation(name, stage, paths)
                self._tables[name] = wp.array(table, dtype=wp.int32, device=engine.device)
                self._data.info[name] = {"idToLabels": labels}
        return count

    def _allocate(self, count: int, device: str) -> CameraData:
        cfg = self.cfg
        shape = (count, cfg.height, cfg.width)
        output = {}
        for name in cfg.data_types:
            kind = DATA_TYPES[name]
            output[name] = wp.zeros((*shape, kind.channels), dtype=kind.dtype, device=device)

        def turns() -> wp.array:
            return wp.zeros(count, dtype=wp.quatf, device=device)

        return CameraData(
            pos_w=wp.zeros(count, dtype=wp.vec3f, device=device),
            quat_w_opengl=turns(),
            quat_w_ros=turns(),
            quat_w_world=turns(),
            image_shape=self.image_shape,
            intrinsic_matrices=wp.zeros(count, dtype=wp.mat33f, device=device),
            output=output,
        )

    def _publish_intrinsics(self) -> None:
        matrices = np.zeros((len(self._focal), 3, 3), np.float32)
        matrices[:, [0, 1], [0, 1]], matrices[:, :2, 2] = self._focal, self._centre
        matrices[:, 2, 2] = 1.0
        self._data.intrinsic_matrices.assign(matrices)

    def _follow(self) -> Hashable | None:
        """Rays of images are aimed by the host."""
        return None

    def _evaluate(self, rows: Rows) -> None:
        self._frames.run(rows)
        poses = self._frames.poses.numpy()[:, 0].astype(np.float64)
        if self._placed is not None:
            poses = np.where(np.isnan(self._placed), poses, self._placed)
        chosen = np.arange(len(poses)) if rows is None else np.asarray(rows)
        self._publish_poses(poses, chosen)
        views = self._views
        views.tracer.aim(
            poses[:, :3],
            poses[:, 3:],
            self._focal,
            self._centre,
            [LENS_KINDS[lens.kind] for lens in self._lenses],
            [lens.near for lens in self._lenses],
            [lens.far for lens in self._lenses],
        )
        views.render(colours=self._colours, everything=self._everything)
        self._develop(row_array(chosen, views.tracer.device))

    def _publish_poses(self, poses: NDArray[np.float64], rows: NDArray[Any]) -> None:
        data = self._data
        for array, values in (
            (data.pos_w, poses[:, :3]),
            *(
                (
                    getattr(data, f"quat_w_{name}"),
                    quat_multiply(poses[:, 3:], quat_conjugate(turn)),
                )
                for name, turn in CONVENTIONS.items()
            ),
        ):
            table = array.numpy()
            table[rows] = values[rows]
            array.assign(table)

    def _develop(self, rows: wp.array) -> None:
        """Write the images of some instances."""
        images, beyond = self._views.images, np.inf
        if self.cfg.depth_clipping_behavior != "none":
            far = max(lens.far for lens in self._lenses)
            beyond = far if self.cfg.depth_clipping_behavior == "max" else 0.0
        noise = {"colour": self.cfg.colour_noise, "depth": self.cfg.depth_noise}
        for name, out in self._late.fresh.items():
            source = DATA_TYPES[name].source
            if source == "colour":
                images.colour(out, rows)
            elif source == "normal":
                images.normals(out, rows)
            elif source == "shape":
                images.labels(out, rows, self._tables[name])
            elif self._motion is not None and source == "motion":
                self._motion.write(out, rows)
            else:
                images.depth(out, rows, to_plane=name != "distance_to_camera", beyond=beyond)
            if noise.get(source, 0.0) > 0.0:
                self._seed += 1
                images.disturb(out, rows, noise[source], self._seed)
        self._late.publish(rows)

    # -- other worlds, other looks -------------------------------------------------------------

    def set_part_colours(
        self, path: str, rgba: ArrayLike, env_ids: ArrayLike | None = None
    ) -> None:
        """Give what a prim shows, and all below it, a colour of its own in some environments.

        Args:
            path: of a prim in the first environment, or outside of all.
            rgba: one colour, shape (4,), or one for each environment, shape (n, 4).
            env_ids: environments; None: all.

        Raises:
            StageError: the simulation was not started.
            InvalidValueError: nothing that is seen lies at or below the path.
        """
        tracer = self._running_views().tracer
        paths = tracer.parts.paths
        parts = [k for k, p in enumerate(paths) if p == path or p.startswith(f"{path}/")]
        if not parts:
            raise InvalidValueError("path", path, "a prim that shows something")
        worlds = self._worlds_of(env_ids)
        colours = np.broadcast_to(np.asarray(rgba, np.float32), (len(worlds), 4))
        table = tracer.part_colours()
        for part in parts:
            table[worlds, part] = colours
        tracer.colour_parts(table)
        self._look_again()

    def set_brightness(self, brightness: ArrayLike, env_ids: ArrayLike | None = None) -> None:
        """Scale the light of some environments.

        Args:
            brightness: factors for red, green and blue, shape (3,) or (n, 3).
            env_ids: environments; None: all.

        Raises:
            StageError: the simulation was not started.
            InvalidValueError: a factor is negative or not finite.
        """
        tracer = self._running_views().tracer
        worlds = self._worlds_of(env_ids)
        factors = np.broadcast_to(np.asarray(brightness, np.float32), (len(worlds), 3))
        if not np.isfinite(factors).all() or (factors < 0.0).any():
            raise InvalidValueError("brightness", factors.tolist(), "numbers from 0")
        tracer.brighten(worlds, factors)
        self._look_again()

    def _running_views(self) -> WorldViews:
        self._running()
        if not self._colours:
            raise InvalidValueError("data_types", self.cfg.data_types, "rgb or rgba among them")
        return self._views

    def _worlds_of(self, env_ids: ArrayLike | None) -> NDArray[np.intp]:
        count = self._views.num_worlds
        return np.arange(count) if env_ids is None else np.asarray(env_ids, np.intp)

    def _look_again(self) -> None:
        self._pending[:] = True
        self._seen = -1
