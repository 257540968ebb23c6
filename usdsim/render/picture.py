"""Pictures of what is simulated, by ray casting or OpenGL."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pxr import Usd

from usdsim.core.arguments import choice, whole
from usdsim.core.errors import InvalidValueError, ShapeError, StageError, UnsupportedError
from usdsim.engine.base import Engine

from .framing import VIEW_DIRECTION, box_sphere, frame_points
from .opengl.drawing import OpenGLDrawing
from .raycast.drawing import RayDrawing
from .recordings import Recording
from .shown import ShownWorld
from .sources import DrawableModel, DrawableSimulation, DrawableWorlds, world_indices
from .views import Lens, View

__all__ = ["Renderer", "render_picture"]

Source: TypeAlias = (
    DrawableSimulation | DrawableModel | Recording | Usd.Stage | str | os.PathLike[str]
)
Backend: TypeAlias = Literal["rays", "opengl"]

_FOVY = 32.0
_LARGEST = 8192
_NEAR, _FAR = 0.02, 40.0
"""Range of what is seen, of the distance to the middle of it."""


class Renderer:
    """Takes pictures of worlds.

    It shows what the stage shows: visual geometry in its colours and nothing invisible; of guides,
    those of `guides`, of `debug_vis` and of visualization markers alone.
    Bodies are where the world has them at the time of each picture and look as `world_looks` says;
    sizes and what is fixed to the world are those of the stage when the renderer was made. Shapes
    that collide look as they collide. Use it in a ``with`` block, or call `close`: with OpenGL, it
    holds memory of the GPU.

    Args:
        source: a `SimulationContext`, a `SceneModel` that was read from a stage, a `Recording`, a
            stage, or the path of one.
        data: of a `SceneModel` or stage, the worlds, as `SceneData` or engine; None: the authored
            state.
        world: index of the world, of all worlds if `data` is a view. Of a simulation with
            environments it may be several, which are shown in the places they have on the stage.
        size: width and height [pixels].
        backend: ``"rays"`` casts rays on the CPU and works everywhere; ``"opengl"`` uses MuJoCo's
            renderer.
        guides: marks that are drawn too: ``"contacts"``, ``"forces"``, ``"frames"``, ``"centres"``,
            ``"inertias"`` and ``"joints"``.
        colliders: whether what collides is shown instead of what is seen.
        floor: whether a stage without ground gets a neutral floor.

    Raises:
        StageError: there is no stage.
        InvalidValueError: there is no such world, or `size` or `backend` is not allowed.
        UnsupportedError: no OpenGL context can be made.
    """

    def __init__(
        self,
        source: Source,
        data: DrawableWorlds | Engine | None = None,
        *,
        world: int | Sequence[int] = 0,
        size: tuple[int, int] = (640, 480),
        backend: Backend = "rays",
        guides: Sequence[str] = (),
        colliders: bool = False,
        floor: bool = True,
    ):
        self._drawings: dict[Any, tuple[ShownWorld, RayDrawing | OpenGLDrawing]] = {}
        self._drawing: RayDrawing | OpenGLDrawing | None = None
        self._size = _checked_size(size)
        choice("backend", backend, get_args(Backend))
        self._open = partial(
            ShownWorld, source, data, guides=guides, colliders=colliders, floor=floor
        )
        self._backend = RayDrawing if backend == "rays" else OpenGLDrawing
        self._has_places = bool(getattr(source, "env_paths", ()))
        self._draw(world)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of pictures [pixels]."""
        return self._size

    @property
    def fovy(self) -> float:
        """Angle between the top and bottom of pictures without named camera [deg]."""
        return _FOVY

    @property
    def middle(self) -> NDArray[np.float64]:
        """Middle of what a picture is about now, in world [m], shape (3,)."""
        self._shown.move()
        return box_sphere(self._scene.points)[0]

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
        self._shown.move()
        aspect = self._size[0] / self._size[1]
        points = self._scene.points
        return frame_points(points, direction, fovy=_FOVY, aspect=aspect, margin=margin)

    def show(self, world: int) -> None:
        """Show another world of the same model in the pictures to come.

        Raises:
            InvalidValueError: there is no such world.
        """
        if self._has_places:
            self._draw(world)
        else:
            self._shown.follow(world)

    def render(self, camera: str | ArrayLike | View | None = None) -> NDArray[np.uint8]:
        """Take a picture.

        Args:
            camera: prim path or name of a camera on the stage; or a pose in world, position [m]
                and orientation xyzw, shape (7,), looking along its -z axis with +y up, as `look_at`
                gives it; or a pose with a lens; None: as `frame` gives it.

        Returns:
            Red, green and blue, top row first, shape (height, width, 3).

        Raises:
            StageError: the renderer is closed.
            UnknownNameError: the stage has no such camera.
            ShapeError: `camera` is neither text nor seven numbers.
        """
        return self._opened().draw(self.view(camera))

    def depth(self, camera: str | ArrayLike | View | None = None) -> NDArray[np.float32]:
        """Distances to the image plane [m], infinite for nothing, shape (height, width).

        Args:
            camera: see `render`.

        Raises:
            StageError: the renderer is closed.
            UnsupportedError: the backend is not ``"rays"``.
        """
        drawing = self._opened()
        if not isinstance(drawing, RayDrawing):
            raise UnsupportedError('OpenGL draws colours alone here. Use backend="rays".')
        return drawing.depth(self.view(camera))

    def view(self, camera: str | ArrayLike | View | None = None) -> View:
        """View and lens from which `render` looks now; see there."""
        scene = self._scene
        if isinstance(camera, View):
            self._shown.move()
            return camera
        if isinstance(camera, str):
            self._shown.move()
            return View.of_camera(scene.model, scene.data, scene.camera(camera), self._size)
        pose = _pose(self.frame() if camera is None else camera)
        self._shown.move()
        distance = float(np.linalg.norm(scene.points - pose[:3], axis=1).max())
        distance = max(distance, 1e-6)
        return View(pose, Lens.of_fovy(_FOVY, self._size, _NEAR * distance, _FAR * distance))

    def close(self) -> None:
        """Give back what it holds."""
        for _, drawing in self._drawings.values():
            drawing.close()
        self._drawings, self._drawing = {}, None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _opened(self) -> RayDrawing | OpenGLDrawing:
        if self._drawing is None:
            raise StageError("The renderer is closed. Make another one.")
        return self._drawing

    def _draw(self, world: int | Sequence[int]) -> None:
        """Select the renderer of a world, and of all that stands still there; made on first use."""
        key = tuple(world_indices(world))
        if key not in self._drawings:
            shown = self._open(world)
            shown.move()
            self._drawings[key] = shown, self._backend(shown.scene, self._size)
        self._shown, self._drawing = self._drawings[key]
        self._scene = self._shown.scene


def render_picture(
    source: Source,
    data: DrawableWorlds | Engine | None = None,
    *,
    world: int | Sequence[int] = 0,
    camera: str | ArrayLike | None = None,
    size: tuple[int, int] = (640, 480),
    backend: Backend = "rays",
    guides: Sequence[str] = (),
) -> NDArray[np.uint8]:
    """Take one picture; see `Renderer` for several, and for all arguments.

    Returns:
        Red, green and blue, top row first, shape (height, width, 3); `write_png` writes it.
    """
    with Renderer(source, data, world=world, size=size, backend=backend, guides=guides) as renderer:
        return renderer.render(camera)


def _checked_size(size: tuple[int, int]) -> tuple[int, int]:
    if not isinstance(size, Sequence) or len(size) != 2:
        raise InvalidValueError("size", size, f"two whole numbers from 1 to {_LARGEST}")
    return whole("size", size[0], 1, _LARGEST), whole("size", size[1], 1, _LARGEST)


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
