"""Camera elements: where they are, where they look, and how a renderer should use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import choice, number, truth
from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import quat_apply, quat_from_matrix, quat_from_wxyz, quat_multiply
from usdsim.render.views import camera_lens
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data, engine_array
from usdsim.scene.elements.element import Element
from usdsim.usd import authored, is_authored

from .render_target import RenderTarget

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.elements.link import Link
    from usdsim.scene.model.scene_model import SceneModel

    from .images import Kind

__all__ = ["Camera", "PositionTrack", "RotationTrack"]

PositionTrack = Literal["free", "fixed_local", "fixed_world", "fixed_world_com"]
RotationTrack = Literal["free", "fixed_local", "fixed_world", "look_at_link", "look_at_subtree"]

_MODE = mujoco.mjtCamLight
_MODES: dict[int, tuple[PositionTrack, RotationTrack]] = {
    int(_MODE.mjCAMLIGHT_FIXED): ("fixed_local", "fixed_local"),
    int(_MODE.mjCAMLIGHT_TRACK): ("fixed_world", "fixed_world"),
    int(_MODE.mjCAMLIGHT_TRACKCOM): ("fixed_world_com", "fixed_world"),
    int(_MODE.mjCAMLIGHT_TARGETBODY): ("fixed_local", "look_at_link"),
    int(_MODE.mjCAMLIGHT_TARGETBODYCOM): ("fixed_local", "look_at_subtree"),
}
"""Tracking of position and orientation by the engine's modes."""
_LOOKING = ("look_at_link", "look_at_subtree")
_SETTINGS = (
    "_depth_only",
    "_planes",
    "_position",
    "_rotation",
    "_segmentation",
    "_target",
    "_tracked",
)


class Camera(Element):
    """A camera of the model. It looks along its -z axis, with +y up in the image.

    What may be set is kept for renderers and shared by all data of the model; nothing of it
    influences the simulation.
    """

    __slots__ = _SETTINGS

    kind = "camera"

    def __init__(self, model: SceneModel, index: int, engine_id: int):
        super().__init__(model, index, engine_id)
        low = model.low
        self._position, self._rotation = _MODES[int(low.cam_mode[engine_id])]
        self._tracked = int(low.cam_targetbodyid[engine_id])
        if self._rotation in _LOOKING and self._tracked < 0:
            # With nothing to look at, the engine turns it with its link.
            self._rotation = "fixed_local"
        self._planes: tuple[float, float] | None = None
        self._depth_only = self._segmentation = False
        self._target = RenderTarget()

    @property
    def link(self) -> Link | None:
        """The link it is attached to; None: the world."""
        return self._model.link_of_body(int(self._model.low.cam_bodyid[self._id]))

    # Lens ----------------------------------------------------------------------------------------

    @property
    def fovy(self) -> float:
        """Vertical field of view [deg], the angle between the top and bottom of the image.

        Of an orthographic camera, the height of what it sees [m].
        """
        return float(self._model.low.cam_fovy[self._id])

    @property
    def orthographic(self) -> bool:
        """Whether lines of sight are parallel."""
        return bool(
            self._model.low.cam_projection[self._id] == mujoco.mjtProjection.mjPROJ_ORTHOGRAPHIC
        )

    @property
    def near_plane(self) -> float:
        """Distance below which it sees nothing [m]."""
        return self._near_far[0]

    @property
    def far_plane(self) -> float:
        """Distance beyond which it sees nothing [m]."""
        return self._near_far[1]

    def set_near_far(self, near: float, far: float) -> None:
        """Set both planes.

        Args:
            near: nearest visible distance, above 0 [m].
            far: farthest visible distance, above `near` [m].
        """
        nearest = number(f"near plane of {self.title}", near)
        self._planes = nearest, number(f"far plane of {self.title}", far, nearest)

    # Rendering -----------------------------------------------------------------------------------

    @property
    def depth_only(self) -> bool:
        """Whether a renderer should compute distances and no colours."""
        return self._depth_only

    @depth_only.setter
    def depth_only(self, value: bool) -> None:
        self._depth_only = truth(f"depth_only of {self.title}", value)

    @property
    def segmentation(self) -> bool:
        """Whether a renderer should tell apart what it shows instead of colouring it."""
        return self._segmentation

    @segmentation.setter
    def segmentation(self, value: bool) -> None:
        self._segmentation = truth(f"segmentation of {self.title}", value)

    @property
    def render_target(self) -> str:
        """Target of its picture: ``"window"`` or ``"image"``."""
        return self._target.kind

    @property
    def render_size(self) -> tuple[int, int] | None:
        """Width and height of its image [pixels]; None in a window."""
        return self._target.size

    def set_render_target(self, target: str, w: int = 400, h: int = 300) -> None:
        """Set where its picture goes.

        Args:
            target: ``"window"`` or ``"image"``.
            w: width of an image [pixels].
            h: height of an image [pixels].
        """
        self._target = RenderTarget.checked(f"render target of {self.title}", target, w, h)

    def render(self, data: SceneData) -> NDArray[Any]:
        """Take its image in all worlds of `data`.

        It sees what the stage shows: visual geometry in its colours. Rays are cast where the worlds
        are, without OpenGL.

        Args:
            data: the worlds.

        Returns:
            Red, green and blue, uint8, top row first, shape (*B, h, w, 3). With `depth_only`,
            depth along the optical axis [m], inf where nothing is, float32, shape (*B, h, w). With
            `segmentation`, numbers of what `segmentation_paths` lists, -1 for nothing, int32,
            shape (*B, h, w).

        Raises:
            InvalidValueError: its render target is a window.
            StageError: the model has no stage.
        """
        if self.render_size is None:
            raise InvalidValueError(
                f"render target of {self.title}",
                "window",
                "an image",
                'Call set_render_target("image", w, h) first.',
            )
        # What casts rays is loaded for whoever takes a picture.
        from .images import images_in

        check_data(data, self._model)
        kind: Kind = "depth" if self._depth_only else "labels" if self._segmentation else "colour"
        lens = camera_lens(self._model.low, self._id, self.render_size, *self._near_far)
        pose = self.get_pose(data)
        return images_in(self._model, data, self.render_size, kind, pose, lens)

    def segmentation_paths(self, data: SceneData) -> tuple[str, ...]:
        """Prim paths of what `render` with `segmentation` numbers."""
        from .images import images_of

        check_data(data, self._model)
        return images_of(self._model, data, self.render_size or (1, 1)).paths

    # Following -----------------------------------------------------------------------------------

    @property
    def position_track(self) -> PositionTrack:
        """Mode in which its position follows `link`.

        ``"fixed_local"``: at a fixed point of the link; ``"fixed_world"``: at a fixed distance from
        its origin along world axes; ``"fixed_world_com"``: the same from the centre of mass of the
        link and all that hangs on it; ``"free"``: not at all. The distances are those of the
        model's reference pose.
        """
        return self._position

    @position_track.setter
    def position_track(self, value: PositionTrack) -> None:
        choice(f"position_track of {self.title}", value, get_args(PositionTrack))
        self._position = value

    @property
    def rotation_track(self) -> RotationTrack:
        """Mode in which its orientation follows `link` or `track_target_link`.

        ``"fixed_local"``: it turns with its link; ``"fixed_world"`` and ``"free"``: it keeps the
        orientation of the reference pose; ``"look_at_link"``: at the origin of the target, upright;
        ``"look_at_subtree"``: at the centre of mass of the target and all that hangs on it.
        Without a target, a camera that is to look at one turns with its link.
        """
        return self._rotation

    @rotation_track.setter
    def rotation_track(self, value: RotationTrack) -> None:
        choice(f"rotation_track of {self.title}", value, get_args(RotationTrack))
        self._rotation = value

    @property
    def track_target_link(self) -> Link | None:
        """The link it looks at when `rotation_track` says so; None: no link."""
        return self._model.link_of_body(self._tracked)

    @track_target_link.setter
    def track_target_link(self, value: Link | None) -> None:
        if value is not None and getattr(value, "model", None) is not self._model:
            raise InvalidValueError(
                f"track_target_link of {self.title}", value, "a link of the same model"
            )
        self._tracked = -1 if value is None else value.engine_id

    def get_pose(self, data: SceneData) -> FloatArray:
        """World position [m] and orientation (x, y, z, w), shape (*B, 7)."""
        position = self._get_position(data)
        pose = np.concatenate([position, self._get_rotation(data, position)], axis=-1)
        return pose.astype(np.float32)

    @property
    def settings(self) -> dict[str, Any]:
        """All that may be set, for another camera like this one; see `CameraMgr.settings`."""
        return {name: getattr(self, name) for name in _SETTINGS} | {"_planes": self._near_far}

    @settings.setter
    def settings(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            setattr(self, name, value)

    # Internals -----------------------------------------------------------------------------------

    @property
    def _near_far(self) -> tuple[float, float]:
        """Both planes: as set, else as authored on the prim, else the model's own [m]."""
        if self._planes is None:
            low, stage = self._model.low, self._model.stage
            extent = float(low.stat.extent)
            near, far = extent * float(low.vis.map.znear), extent * float(low.vis.map.zfar)
            prim = None if stage is None else stage.GetPrimAtPath(self.path)
            if prim and is_authored(prim, "clippingRange"):
                unit = self._model.description.meters_per_unit
                near, far = (unit * float(value) for value in authored(prim, "clippingRange"))
            self._planes = near, far
        return self._planes

    def _of(self, data: SceneData, field: str, body: int) -> NDArray[np.float64]:
        values: NDArray[np.float64] = engine_array(data, self._model, field)[..., body, :]
        return values

    def _get_position(self, data: SceneData) -> NDArray[np.float64]:
        model, camera = self._model, self._id
        body = int(model.low.cam_bodyid[camera])
        if self._position == "free":
            origin = model.low.cam_pos0[camera] + model.reference_positions[body]
            return np.broadcast_to(origin, (*data.shape, 3))
        if self._position == "fixed_world_com":
            return self._of(data, "subtree_com", body) + data.param("cam_poscom0")[..., camera, :]
        origin = self._of(data, "xpos", body)
        if self._position == "fixed_world":
            return origin + data.param("cam_pos0")[..., camera, :]
        turn = quat_from_wxyz(self._of(data, "xquat", body))
        return origin + quat_apply(turn, data.param("cam_pos")[..., camera, :])

    def _get_rotation(self, data: SceneData, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Quaternions xyzw, shape (*B, 4)."""
        if self._rotation == "fixed_local" or (self._rotation in _LOOKING and self._tracked < 0):
            body = int(self._model.low.cam_bodyid[self._id])
            local = quat_from_wxyz(data.param("cam_quat")[..., self._id, :])
            return quat_multiply(quat_from_wxyz(self._of(data, "xquat", body)), local)
        if self._rotation in _LOOKING:
            field = "xpos" if self._rotation == "look_at_link" else "subtree_com"
            return _looking(position - self._of(data, field, self._tracked))
        matrix = data.param("cam_mat0")[..., self._id, :]
        return quat_from_matrix(matrix.reshape(*data.shape, 3, 3))


def _looking(backward: NDArray[np.float64]) -> NDArray[np.float64]:
    """Orientations with -z along the reverse of `backward` and x level, shape (*B, 4)."""
    z = backward / np.maximum(np.linalg.norm(backward, axis=-1, keepdims=True), 1e-15)
    x = np.cross(np.array([0.0, 0.0, 1.0]), z)
    size = np.linalg.norm(x, axis=-1, keepdims=True)
    x = np.where(size > 1e-12, x / np.maximum(size, 1e-15), np.array([1.0, 0.0, 0.0]))
    return quat_from_matrix(np.stack([x, np.cross(z, x), z], axis=-1))
