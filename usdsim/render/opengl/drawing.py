"""Pictures of a drawable scene by MuJoCo's OpenGL renderer."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply, quat_to_matrix
from usdsim.render.annotations.marks import Marks
from usdsim.render.drawable import DrawableScene
from usdsim.render.views import View

from .context import open_context
from .lights import add_lights, prepare_lights

__all__ = ["OpenGLDrawing"]


class OpenGLDrawing:
    """Draws one scene, whose parts may move between pictures.

    Args:
        scene: what is drawn.
        size: width and height of pictures [pixels].

    Raises:
        UnsupportedError: no OpenGL context can be made.
    """

    def __init__(self, scene: DrawableScene, size: tuple[int, int]):
        self._context: Any = None
        self._drawable, self._size = scene, size
        model = scene.model
        prepare_lights(model, scene.points, size)
        self._scene = mujoco.MjvScene(model=model, maxgeom=2 * model.ngeom + 5000)
        self._context, self._resources = open_context(model, *size)

    def draw(self, view: View) -> NDArray[np.uint8]:
        """Take a picture: red, green and blue, top row first, shape (height, width, 3)."""
        model, scene = self._drawable.model, self._scene
        mujoco.mjv_updateScene(
            model,
            self._drawable.data,
            _options(faded=self._drawable.faded),
            None,
            mujoco.MjvCamera(),
            mujoco.mjtCatBit.mjCAT_ALL,
            scene,
        )
        _add_marks(scene, self._drawable.marks)
        _aim(scene, view, self._size)
        add_lights(scene, self._drawable.points)
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


def _add_marks(scene: mujoco.MjvScene, marks: Marks) -> None:
    """Marks behind what is drawn, as many as there is room for."""
    turns = quat_to_matrix(marks.quat).reshape(-1, 9)
    for index in range(min(len(marks), scene.maxgeom - scene.ngeom)):
        mujoco.mjv_initGeom(
            scene.geoms[scene.ngeom],
            int(marks.kind[index]),
            marks.size[index],
            marks.pos[index],
            turns[index],
            marks.rgba[index].astype(np.float32),
        )
        scene.ngeom += 1


def _options(*, faded: bool) -> mujoco.MjvOption:
    """Shapes and tendons; sites are marks for whoever builds a model."""
    options = mujoco.MjvOption()
    options.flags[mujoco.mjtVisFlag.mjVIS_TRANSPARENT] = faded
    options.sitegroup[:] = 0
    options.flags[mujoco.mjtVisFlag.mjVIS_RANGEFINDER] = False
    for mark in ("VERT", "EDGE", "FACE"):
        options.flags[getattr(mujoco.mjtVisFlag, f"mjVIS_FLEX{mark}")] = False
    options.flags[mujoco.mjtVisFlag.mjVIS_FLEXSKIN] = True
    return options


def _aim(scene: mujoco.MjvScene, view: View, size: tuple[int, int]) -> None:
    """Look as a view does, which must not be a fisheye."""
    pose, lens = view.pose, view.lens
    ahead, up = quat_apply(pose[3:], np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]))
    parallel = lens.kind == "orthographic"
    depth = 1.0 if parallel else lens.near
    for camera in scene.camera:
        camera.pos, camera.forward, camera.up = pose[:3], ahead, up
        camera.orthographic = int(parallel)
        camera.frustum_near, camera.frustum_far = lens.near, lens.far
        camera.frustum_top = lens.centre[1] / lens.focal[1] * depth
        camera.frustum_bottom = (lens.centre[1] - size[1]) / lens.focal[1] * depth
        camera.frustum_center = (size[0] / 2.0 - lens.centre[0]) / lens.focal[0] * depth
        camera.frustum_width = size[0] / 2.0 / lens.focal[0] * depth
