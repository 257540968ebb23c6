"""Light, shadows and haze of pictures, in proportion to what they show."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["add_lights", "prepare_lights"]

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
    centre, radius = _sphere(points)
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
    centre, radius = _sphere(points)
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


def _sphere(points: Array) -> tuple[Array, float]:
    """Centre and radius of a ball around the points' box [m]."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2.0, max(float(np.linalg.norm(high - low)) / 2.0, 1e-3)
