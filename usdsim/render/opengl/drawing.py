"""Pictures of a drawable scene by MuJoCo's OpenGL renderer, with light, shadows and haze."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply, quat_to_matrix
from usdsim.render.annotations.marks import Marks
from usdsim.render.drawable import DrawableScene
from usdsim.render.framing import box_sphere
from usdsim.render.views import View

from .context import open_context

__all__ = ["OpenGLDrawing", "add_lights", "prepare_lights"]

Array = NDArray[np.float64]

_SUN = np.array([-0.42, 0.30, -0.86])
"""Direction in which sunlight falls: past the camera's left shoulder."""
_HORIZON = (0.93, 0.94, 0.95, 1.0)


def prepare_lights(model: mujoco.MjModel, points: Array, size: tuple[int, int]) -> None:
    """Set what a model says of quality, shadows and haze.

    Args:
        model: changed in place.
        points: what the picture shows, in world [m], shape (n, 3).
        size: width and height of the picture [pixels].
    """
    centre, radius = box_sphere(points)
    model.stat.center, model.stat.extent = centre, 2.0 * radius
    visual = model.vis
    visual.global_.offwidth, visual.global_.offheight = size
    visual.quality.offsamples, visual.quality.shadowsize = 8, 8192
    visual.map.shadowclip = 1.3
    visual.map.zfar = 40.0
    visual.rgba.haze = _HORIZON


def add_lights(scene: mujoco.MjvScene, points: Array) -> None:
    """Light a scene with a sun that casts shadows and a soft light from everywhere.

    Args:
        scene: its lights are replaced.
        points: what the picture shows, in world [m], shape (n, 3).
    """
    centre, radius = box_sphere(points)
    direction = _SUN / np.linalg.norm(_SUN)
    sun, fill = scene.lights[0], scene.lights[1]
    for light, cast in ((sun, True), (fill, False)):
        light.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
        light.headlight, light.castshadow = 0, cast
        light.attenuation = (1.0, 0.0, 0.0)
        light.texid = -1
    # From further away, shadows at the edges of the picture are grainy.
    sun.pos, sun.dir = centre - 1.5 * radius * direction, direction
    sun.ambient, sun.diffuse, sun.specular = (0.36,) * 3, (0.58,) * 3, (0.25,) * 3
    across = np.array([-direction[0], -direction[1], direction[2]])
    fill.pos, fill.dir = centre - 1.5 * radius * across, across
    fill.ambient, fill.diffuse, fill.specular = (0.08,) * 3, (0.16, 0.17, 0.19), (0.0,) * 3
    scene.nlight = 2
    scene.flags[mujoco.mjtRndFlag.mjRND_HAZE] = True


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
    """Aim the camera as a view, which must not be a fisheye."""
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
