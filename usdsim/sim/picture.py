"""Pictures of what is simulated."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError, StageError
from usdsim.math.rotations import quat_apply

from .picture_context import open_context
from .picture_framing import VIEW_DIRECTION, frame_points
from .picture_lights import add_lights, prepare_lights
from .picture_model import PictureModel
from .picture_sources import find_sources

if TYPE_CHECKING:
    from pxr import Usd

    from usdsim.engine import Engine
    from usdsim.scene import SceneData, SceneModel

    from .context import SimulationContext

__all__ = ["Renderer", "render_picture"]

_FOVY = 32.0
_LARGEST = 8192
_NEAR, _FAR = 0.02, 40.0
"""Range of what is seen, of the distance to the middle of it."""


class Renderer:
    """Takes pictures of worlds.

    It shows what the stage shows: visual geometry in its colours, no guides and nothing invisible.
    Bodies are where the world has them at the time of each picture; sizes, colours and what is
    fixed to the world are those of the stage when the renderer was made. Shapes that collide look
    as they collide. Use it in a ``with`` block, or call `close`: it holds memory of the GPU.

    Args:
        source: a `SimulationContext`, a `SceneModel` that was read from a stage, a stage, or the
            path of one.
        data: of a `SceneModel` or stage, the worlds, as `SceneData` or engine; None: the authored
            state.
        world: index of the world, of all worlds if `data` is a view. Of a simulation with
            environments it may be several, which are shown in the places they have on the stage.
        size: width and height [pixels].

    Raises:
        StageError: there is no stage.
        InvalidValueError: there is no such world, or `size` is out of range.
        UnsupportedError: no OpenGL context can be made.
    """

    def __init__(
        self,
        source: SimulationContext | SceneModel | Usd.Stage | str | os.PathLike[str],
        data: SceneData | Engine | None = None,
        *,
        world: int | Sequence[int] = 0,
        size: tuple[int, int] = (640, 480),
    ):
        self._context: Any = None
        self._size = _checked_size(size)
        stage, self._readers, hidden = find_sources(source, data, world)
        self._picture = PictureModel(stage, hidden)
        self._move()
        prepare_lights(self._picture.model, self._picture.points, self._size)
        model = self._picture.model
        self._scene = mujoco.MjvScene(model=model, maxgeom=2 * model.ngeom + 5000)
        self._context, self._resources = open_context(model, *self._size)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of pictures [pixels]."""
        return self._size

    @property
    def fovy(self) -> float:
        """Angle between the top and bottom of pictures without named camera [deg]."""
        return _FOVY

    def frame(
        self, direction: ArrayLike = VIEW_DIRECTION, *, margin: float = 0.12
    ) -> NDArray[np.float64]:
        """Pose of a camera that shows all that moves now, and what is near it.

        Args:
            direction: in which it looks, in world, shape (3,).
            margin: part of the picture that stays free.

        Returns:
            Position [m] and orientation xyzw, shape (7,).
        """
        self._move()
        aspect = self._size[0] / self._size[1]
        points = self._picture.points
        return frame_points(points, direction, fovy=_FOVY, aspect=aspect, margin=margin)

    def render(self, camera: str | ArrayLike | None = None) -> NDArray[np.uint8]:
        """Take a picture.

        Args:
            camera: prim path or name of a camera on the stage; or a pose in world, position [m]
                and orientation xyzw, shape (7,), looking along its -z axis with +y up, as `look_at`
                gives it; None: as `frame` gives it.

        Returns:
            Red, green and blue, top row first, shape (height, width, 3).

        Raises:
            StageError: the renderer is closed.
            UnknownNameError: the stage has no such camera.
            ShapeError: `camera` is neither text nor seven numbers.
        """
        if self._context is None:
            raise StageError("The renderer is closed. Make another one.")
        named = isinstance(camera, str)
        pose = None if named else _pose(self.frame() if camera is None else camera)
        self._move()
        model, scene = self._picture.model, self._scene
        view = mujoco.MjvCamera()
        if isinstance(camera, str):
            view.type = mujoco.mjtCamera.mjCAMERA_FIXED
            view.fixedcamid = self._picture.camera(camera)
        mujoco.mjv_updateScene(
            model, self._picture.data, _options(), None, view, mujoco.mjtCatBit.mjCAT_ALL, scene
        )
        if pose is not None:
            _aim(scene, pose, self._picture.points)
        add_lights(scene, self._picture.points)
        width, height = self._size
        image = np.empty((height, width, 3), np.uint8)
        view_port = mujoco.MjrRect(0, 0, width, height)
        with self._context.as_current():
            mujoco.mjr_render(view_port, scene, self._resources)
            mujoco.mjr_readPixels(image, None, view_port, self._resources)
        return np.ascontiguousarray(image[::-1])

    def close(self) -> None:
        """Give back what it holds."""
        if self._context is not None:
            with self._context.as_current():
                self._resources.free()
            self._context.free()
            self._context = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _move(self) -> None:
        for reader in self._readers:
            self._picture.move(reader())


def render_picture(
    source: SimulationContext | SceneModel | Usd.Stage | str | os.PathLike[str],
    data: SceneData | Engine | None = None,
    *,
    world: int | Sequence[int] = 0,
    camera: str | ArrayLike | None = None,
    size: tuple[int, int] = (640, 480),
) -> NDArray[np.uint8]:
    """Take one picture; see `Renderer` for several, and for all arguments.

    Returns:
        Red, green and blue, top row first, shape (height, width, 3); `write_png` writes it.
    """
    with Renderer(source, data, world=world, size=size) as renderer:
        return renderer.render(camera)


def _checked_size(size: tuple[int, int]) -> tuple[int, int]:
    edges = size if isinstance(size, Sequence) else ()
    if len(edges) != 2 or any(
        isinstance(edge, bool) or not isinstance(edge, int | np.integer) or not 0 < edge <= _LARGEST
        for edge in edges
    ):
        raise InvalidValueError("size", size, f"two whole numbers from 1 to {_LARGEST}")
    return int(size[0]), int(size[1])


def _pose(camera: ArrayLike) -> NDArray[np.float64]:
    pose = np.asarray(camera, dtype=np.float64)
    if pose.shape != (7,):
        raise ShapeError("camera", pose.shape, "(7,), or the name of a camera")
    length = np.linalg.norm(pose[3:])
    if not np.isfinite(pose).all() or not 0.99 < length < 1.01:
        raise InvalidValueError(
            "camera", pose.tolist(), "a position and a unit quaternion, both finite"
        )
    return pose


def _options() -> mujoco.MjvOption:
    """Shapes and tendons; sites are marks for whoever builds a model."""
    options = mujoco.MjvOption()
    options.sitegroup[:] = 0
    options.flags[mujoco.mjtVisFlag.mjVIS_RANGEFINDER] = False
    for mark in ("VERT", "EDGE", "FACE"):
        options.flags[getattr(mujoco.mjtVisFlag, f"mjVIS_FLEX{mark}")] = False
    options.flags[mujoco.mjtVisFlag.mjVIS_FLEXSKIN] = True
    return options


def _aim(scene: mujoco.MjvScene, pose: NDArray[np.float64], points: NDArray[np.float64]) -> None:
    """Look from a pose, with the range of distances that the points need."""
    ahead, up = quat_apply(pose[3:], np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]))
    distance = max(float(np.linalg.norm(points - pose[:3], axis=1).max()), 1e-6)
    near = _NEAR * distance
    for camera in scene.camera:
        camera.pos, camera.forward, camera.up = pose[:3], ahead, up
        camera.orthographic = 0
        camera.frustum_center = camera.frustum_width = 0.0
        camera.frustum_top = near * np.tan(np.radians(_FOVY) / 2.0)
        camera.frustum_bottom = -camera.frustum_top
        camera.frustum_near, camera.frustum_far = near, _FAR * distance
