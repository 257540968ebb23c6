"""Cameras of applications: the viewer's own, and those of the model, with captures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.math.rotations import quat_apply, quat_from_wxyz, quat_multiply, quat_to_wxyz
from usdsim.render import Lens, look_at
from usdsim.scene import Camera, SceneData, SceneModel
from usdsim.scene.cameras.images import images_in

from .errors import InvalidArgumentError
from .images import CaptureTask

if TYPE_CHECKING:
    from .application import RenderApp

__all__ = ["RenderCamera", "SystemCamera", "aim_pages"]

Array = NDArray[np.float64]

_SIZE = (400, 300)
"""Width and height of the system camera's image where nobody chose one [pixels]."""
_FLIP = np.array([1.0, 0.0, 0.0, 0.0])
"""Turn between cameras that look along -z and a page's, which look along +z, xyzw."""


class RenderCamera:
    """Camera of the model that takes images for a program.

    Args:
        app: the application.
        camera: of the model.
    """

    def __init__(self, app: RenderApp, camera: Camera):
        self._app, self.camera = app, camera

    def capture(self) -> CaptureTask:
        """Take an image in each world at the next `RenderApp.sync`.

        The camera needs an image as its render target, see `Camera.set_render_target`; several
        worlds make an image of four dimensions.
        """
        return self._app.capture(lambda data: np.asarray(self.camera.render(data)))


class SystemCamera:
    """Camera of nobody, which looks at all worlds in the places where they are shown.

    Args:
        app: the application.
    """

    def __init__(self, app: RenderApp):
        self._app = app
        self._pose: Array | None = None

    @property
    def active(self) -> bool:
        """Whether the page shows what it sees, as no main camera was chosen."""
        return self._app.main_camera is None

    @property
    def pose(self) -> NDArray[np.float32]:
        """World position [m] and orientation xyzw, looking along -z with +y up, shape (7,)."""
        server = self._app.server
        clients = {} if server is None else server.get_clients()
        for client in clients.values():
            camera = client.camera
            turn = quat_from_wxyz(camera.wxyz)
            found = np.concatenate([camera.position, quat_multiply(turn, _FLIP)])
            return found.astype(np.float32)
        return self._aim().astype(np.float32)

    def set_pose(
        self, position: ArrayLike | None = None, rotation: ArrayLike | None = None
    ) -> None:
        """Set the world position [m] or orientation xyzw, or both."""
        pose = self._aim().copy()
        for part, value, name in ((slice(3), position, "position"), (slice(3, 7), rotation,
                                                                     "rotation")):  # fmt: skip
            if value is None:
                continue
            array = np.asarray(value, np.float64)
            if array.shape != pose[part].shape or not np.isfinite(array).all():
                raise InvalidArgumentError(
                    name, array.tolist(), f"{pose[part].size} finite numbers"
                )
            pose[part] = array
        self._set(pose)

    def set_view(
        self, lookat: Sequence[float], distance: float, elevation: float, azimuth: float
    ) -> None:
        """Look at a point from a distance.

        Args:
            lookat: the point in world [m], shape (3,).
            distance: of the camera from it [m].
            elevation: of the line of sight above the ground [deg]; negative: it looks down.
            azimuth: of the line of sight about the world's z [deg].
        """
        self._set(_view(lookat, distance, elevation, azimuth))

    def capture(self) -> CaptureTask:
        """Take an image at the next `RenderApp.sync`, of the size of its render target.

        See `CameraMgr.set_system_render_target`; 400 x 300 pixels by default.
        """
        return self._app.capture(self._take)

    def _take(self, data: SceneData) -> NDArray[Any]:
        """Nearest of what is seen in any world, each seen from where it is shown."""
        model = self._app.model
        size = model.cameras.system_render_size or _SIZE
        low = model.low
        near, far = (float(low.stat.extent * plane) for plane in (low.vis.map.znear,
                                                                 low.vis.map.zfar))  # fmt: skip
        lens = Lens.of_fovy(float(low.vis.global_.fovy), size, near, far)
        poses = np.tile(np.asarray(self.pose, np.float64), (*data.shape, 1))
        if not data.shape:
            return images_in(model, data, size, "colour", poses, lens)
        poses[:, :3] -= self._app.offsets
        shown = self._app.visible
        colours = images_in(model, data, size, "colour", poses, lens)[shown]
        depths = images_in(model, data, size, "depth", poses, lens)[shown]
        if not len(shown):
            return np.zeros((size[1], size[0], 3), np.uint8)
        nearest = depths.argmin(axis=0)
        rows, columns = np.indices(nearest.shape)
        return np.asarray(colours[nearest, rows, columns])

    def _aim(self) -> Array:
        if self._pose is None:
            model = self._app.model
            self._pose = _free_view(model)
        return self._pose

    def _set(self, pose: Array) -> None:
        self._pose = pose
        if self._app.server is not None:
            aim_pages(self._app.server, pose, new=True)


def aim_pages(server: Any, pose: Array, *, new: bool = False) -> None:
    """Aim the pages of a server as a camera at a pose [m, xyzw], and `new` ones too."""
    turn = quat_to_wxyz(quat_multiply(pose[3:], _FLIP))
    ahead = pose[:3] + quat_apply(pose[3:], np.array([0.0, 0.0, -1.0]))
    if new:
        server.initial_camera.position, server.initial_camera.look_at = pose[:3], ahead
    for client in server.get_clients().values():
        with client.atomic():
            client.camera.position, client.camera.wxyz = pose[:3], turn


def _free_view(model: SceneModel) -> Array:
    """View of MuJoCo's free camera, by ``visual/global`` and ``statistic`` of the model."""
    low = model.low
    view = low.vis.global_
    return _view(low.stat.center, 1.5 * float(low.stat.extent), view.elevation, view.azimuth)


def _view(lookat: ArrayLike, distance: float, elevation: float, azimuth: float) -> Array:
    up, around = np.radians(float(elevation)), np.radians(float(azimuth))
    level = np.cos(up)
    ahead = np.array([level * np.cos(around), level * np.sin(around), np.sin(up)])
    target = np.asarray(lookat, np.float64)
    return look_at(target - float(distance) * ahead, target)
