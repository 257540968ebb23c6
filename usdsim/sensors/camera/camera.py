"""Camera sensors: images of what the stage shows, in all worlds at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.assets.common.cfg import AssetBaseCfg
from usdsim.assets.common.spawning import spawn_asset
from usdsim.assets.participation import Simulation
from usdsim.core.arguments import table
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.engine.base import Engine
from usdsim.engine.device import assign_rows
from usdsim.math.quaternion_order import written_rot
from usdsim.math.rotations import quat_multiply, quat_normalize
from usdsim.math.transforms import IDENTITY_POSE, compose_poses
from usdsim.parser.element import is_below
from usdsim.render.raycast.motion import PixelMotion
from usdsim.render.raycast.scene import LENS_KINDS
from usdsim.render.worlds.looks import Texture, WorldLooks
from usdsim.render.worlds.views import WorldViews
from usdsim.sensors.common.kernel_pass import Rows, row_array
from usdsim.sensors.common.matching import find_frames
from usdsim.sensors.frames.frame_poses import FramePoses
from usdsim.views.memory import part_of

from .base import CameraBase
from .conventions import CONVENTIONS, axes_in
from .data import CameraData
from .latency import LateImages
from .lenses import lens_of
from .outputs import DATA_TYPES, ImagesByType, coloured, segmentation

if TYPE_CHECKING:
    from .cfg import CameraCfg

__all__ = ["Camera"]


class Camera(CameraBase):
    """Images of every environment, taken by casting rays where the worlds are.

    It sees what the stage shows: visual geometry in its colours, no guides, nothing invisible.
    Light and shadows are the renderer's.

    Args:
        cfg: the configuration; the sensor works on a copy.
    """

    cfg: CameraCfg
    _follows = "motion"
    _axes = "opengl"

    def __init__(self, cfg: CameraCfg):
        super().__init__(cfg)
        spawn = self.cfg.spawn
        if spawn is not None:
            if spawn.vertical_aperture is None:
                # Other viewers of the stage show pixels as square as those of the images.
                height = spawn.horizontal_aperture * self.cfg.height / self.cfg.width
                spawn = self.cfg.spawn = replace(spawn, vertical_aperture=height)
            offset = self.cfg.offset.pose_of("opengl", "offset")
            placed = AssetBaseCfg.InitialStateCfg(
                pos=tuple(offset.pos), rot=written_rot(offset.quat)
            )
            where = AssetBaseCfg(prim_path=self.cfg.prim_path, spawn=spawn, init_state=placed)
            spawn_asset(self._simulation.stage, where)
        self._placed: NDArray[np.float64] | None = None
        self._looks_seen = 0

    @property
    def data(self) -> CameraData:
        """Images of the camera.

        Raises:
            StageError: the simulation was not started.
        """
        if self._engine is not None and self._looks_seen != self._views.looks.version:
            # Images that are taken when they are read; others wait for their next sample.
            self._seen, self._looks_seen = -1, self._views.looks.version
        self._refresh()
        found: CameraData = self._data
        return found

    @property
    def image_shape(self) -> tuple[int, int]:
        """Height and width of images [pixels]."""
        return self.cfg.height, self.cfg.width

    @property
    def default_intrinsic_matrices(self) -> NDArray[np.float64]:
        """Focal lengths and principal points that the stage has [pixels], shape (N, 3, 3).

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return _matrices([lens.focal for lens in self._lenses],
                         [lens.centre for lens in self._lenses])  # fmt: skip

    def set_offsets(
        self, pos: ArrayLike, quat: ArrayLike, env_ids: ArrayLike | None = None
    ) -> None:
        """Move some instances from where the stage has them, until the simulation stops.

        Args:
            pos: in the frame of the camera, which looks along -z with +y up [m], shape (n, 3).
            quat: orientations in that frame, xyzw, shape (n, 4).
            env_ids: instances; None: all.

        Raises:
            StageError: the simulation was not started.
            ShapeError: there is not one row per instance.
            InvalidValueError: a number is not finite, or an orientation zero.
        """
        rows = self._instances(env_ids)
        places, turns = table("pos", pos, (len(rows), 3)), table("quat", quat, (len(rows), 4))
        if not turns.any(axis=1).all():
            raise InvalidValueError("quat", turns.tolist(), "no zero rotation")
        self._offsets[rows] = np.concatenate([places, quat_normalize(turns)], axis=1)
        self._take_again(rows)

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
        self._colours = bool(sources & {"colour", "albedo"})
        self._everything = sources != {"depth"}
        worlds = np.arange(count) // matches
        self._views = WorldViews(
            stage, engine, size, worlds, env_paths=simulation.env_paths, colours=self._colours
        )
        self._looks_seen = self._views.looks.version
        self._lenses = [lenses[k % matches] for k in range(count)]
        self._focal = np.array([lens.focal for lens in self._lenses])
        self._centre = np.array([lens.centre for lens in self._lenses])
        self._placed = None
        self._offsets = np.tile(IDENTITY_POSE, (count, 1))
        self._data = self._allocate(count, engine.device)
        self._publish_intrinsics()
        self._motion = PixelMotion(self._views.tracer) if "motion" in sources else None
        self._seed, self._late = 0, LateImages(self._data.output, cfg.latency)
        self._tables = {}
        views = self._views
        for name, kind in types.items():
            if kind.source == "shape":
                labels: dict[Any, Any]
                table, labels = segmentation(name, stage, views.parts.paths, views.prims)
                if self._in_colours(name):
                    given = cfg.setting("semantic_segmentation_mapping")
                    table, labels = coloured(table, labels, given)
                self._tables[name] = wp.array(table, dtype=wp.int32, device=engine.device)
                self._data.info[name] = {"idToLabels": labels}
        return count

    def _allocate(self, count: int, device: str) -> CameraData:
        cfg = self.cfg
        shape = (count, cfg.height, cfg.width)
        output = ImagesByType()
        for name in cfg.data_types:
            kind = DATA_TYPES["rgba"] if self._in_colours(name) else DATA_TYPES[name]
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
            info=dict.fromkeys(output),
        )

    def _in_colours(self, name: str) -> bool:
        """Whether a data type is a segmentation in colours."""
        if DATA_TYPES[name].source != "shape":
            return False
        return bool(self.cfg.setting(f"colorize_{name.removesuffix('_fast')}"))

    def _publish_intrinsics(self) -> None:
        matrices = _matrices(self._focal, self._centre).astype(np.float32)
        self._data.intrinsic_matrices.assign(matrices)

    def _follow(self) -> Hashable | None:
        """Rays of images are aimed by the host."""
        return None

    def _place(self, rows: NDArray[np.intp], poses: NDArray[np.float64]) -> None:
        if self._placed is None:
            self._placed = np.full((self._num_instances, 7), np.nan)
        self._placed[rows] = poses

    def _set_lenses(self, rows: NDArray[np.intp], matrices: NDArray[np.float64]) -> None:
        self._focal[rows] = matrices[:, [0, 1], [0, 1]]
        self._centre[rows] = matrices[:, :2, 2]
        self._publish_intrinsics()

    def _poses(self, rows: Rows) -> NDArray[np.float64]:
        self._frames.run(rows)
        poses = self._frames.poses.numpy()[:, 0].astype(np.float64)
        poses = compose_poses(poses, self._offsets)
        if self._placed is not None:
            poses = np.where(np.isnan(self._placed), poses, self._placed)
        return poses

    def _evaluate(self, rows: Rows) -> None:
        poses = self._poses(rows)
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
        places, turns = poses[rows, :3], poses[rows, 3:]
        assign_rows(self._data.pos_w, rows, places)
        for name in CONVENTIONS:
            array = getattr(self._data, f"quat_w_{name}")
            assign_rows(array, rows, quat_multiply(turns, axes_in(name, self._axes)))

    def _develop(self, rows: wp.array) -> None:
        """Write the images of some instances."""
        images, beyond = self._views.images, np.inf
        clipping = self.cfg.setting("depth_clipping_behavior")
        if clipping != "none":
            far = max(lens.far for lens in self._lenses)
            beyond = far if clipping == "max" else 0.0
        noise = {"colour": self.cfg.colour_noise, "depth": self.cfg.depth_noise}
        for name, out in self._late.fresh.items():
            source = DATA_TYPES[name].source
            if source == "colour":
                images.colour(out, rows)
            elif source == "normal":
                images.normals(out, rows)
            elif source == "shape":
                images.labels(_numbers(out), rows, self._tables[name])
            elif source == "albedo":
                continue  # takes the place of colours
            elif self._motion is not None and source == "motion":
                self._motion.write(out, rows)
            else:
                images.depth(out, rows, to_plane=name != "distance_to_camera", beyond=beyond)
            if noise.get(source, 0.0) > 0.0:
                self._seed += 1
                images.disturb(out, rows, noise[source], self._seed)
        if "albedo" in self._late.fresh:
            self._views.tracer.paint(unlit=True)
            images.colour(self._late.fresh["albedo"], rows)
        self._late.publish(rows)

    # -- other worlds, other looks -------------------------------------------------------------

    def set_part_colours(
        self, path: str, rgba: ArrayLike, env_ids: ArrayLike | None = None
    ) -> None:
        """Set the colour of what a prim shows in some environments, for all cameras.

        Args:
            path: of a prim in the first environment, or outside of all.
            rgba: one colour, shape (4,), or one for each environment, shape (n, 4).
            env_ids: environments; None: all.

        Raises:
            StageError: the simulation was not started.
            InvalidValueError: nothing that is seen lies at or below the path; see `WorldLooks`.
        """
        self._looks_at(path).set_colours(path, rgba, env_ids)

    def set_part_textures(
        self,
        path: str,
        textures: Sequence[Texture],
        choice: ArrayLike,
        env_ids: ArrayLike | None = None,
    ) -> None:
        """Set the texture of what a prim shows in some environments, for all cameras.

        Args:
            path: of a prim in the first environment, or outside of all.
            textures: PNG files, or pictures, uint8, shape (height, width, 3).
            choice: index of the texture for each environment, shape () or (n,); -1: the stage's.
            env_ids: environments; None: all.

        Raises:
            StageError: the simulation was not started.
            InvalidValueError: nothing that is seen lies at or below the path; see `WorldLooks`.
            FileError: a file cannot be read.
        """
        self._looks_at(path).set_textures(path, textures, choice, env_ids)

    def set_light(
        self,
        *,
        direction: ArrayLike | None = None,
        sun: ArrayLike | None = None,
        ambient: ArrayLike | None = None,
        brightness: ArrayLike | None = None,
        env_ids: ArrayLike | None = None,
    ) -> None:
        """Set the light of some environments, as far as given, for all cameras.

        Args:
            direction: towards the sun, shape (3,) or (n, 3).
            sun: colour of the sun, shape (3,) or (n, 3).
            ambient: colour of the light from everywhere, shape (3,) or (n, 3).
            brightness: factors of all light, shape (3,) or (n, 3).
            env_ids: environments; None: all.

        Raises:
            StageError: the simulation was not started.
            InvalidValueError: see `WorldLooks.set_light`.
        """
        self._looks_at("").set_light(
            direction=direction, sun=sun, ambient=ambient, brightness=brightness, worlds=env_ids
        )

    def set_brightness(self, brightness: ArrayLike, env_ids: ArrayLike | None = None) -> None:
        """Scale the light of some environments; see `set_light`."""
        self.set_light(brightness=brightness, env_ids=env_ids)

    def _looks_at(self, path: str) -> WorldLooks:
        """Looks of the worlds, if this camera has colours and shows something there."""
        self._running()
        if not self._colours:
            raise InvalidValueError("data_types", self.cfg.data_types, "rgb or rgba among them")
        shown = self._views.tracer.parts.paths
        if not isinstance(path, str) or (path and not any(is_below(part, path) for part in shown)):
            raise InvalidValueError("path", path, "a prim that shows something")
        return self._views.looks


def _numbers(image: wp.array) -> wp.array:
    """Pixels of an image as one number each, int32, shape (N, H, W, 1)."""
    if image.dtype == wp.int32:
        return image
    return part_of(image, wp.int32, (*image.shape[:3], 1), (*image.strides[:3], 4))


def _matrices(focal: ArrayLike, centre: ArrayLike) -> NDArray[np.float64]:
    """Intrinsic matrices of focal lengths and principal points, shape (n, 2) each."""
    found = np.tile(np.eye(3), (len(np.asarray(focal)), 1, 1))
    found[:, [0, 1], [0, 1]], found[:, :2, 2] = focal, centre
    return found
