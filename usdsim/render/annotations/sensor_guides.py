"""Sensor guides: marks for rays of rangefinders, frames of sensors and views of cameras."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_from_matrix

from .marks import Marks

__all__ = ["camera_marks", "sensor_marks"]

Array = NDArray[np.float64]

_SITE = int(mujoco.mjtObj.mjOBJ_SITE)
_RANGEFINDER = int(mujoco.mjtSensor.mjSENS_RANGEFINDER)
_RAY, _VIEW = (0.05, 0.75, 0.75, 1.0), (0.9, 0.5, 0.8, 1.0)
_CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def sensor_marks(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    """Frames of the sites that measure, and of rangefinders the ray to what it hits.

    A ray that hits nothing is half as long as the model's extent [m], and has no ball at its end.
    """
    measuring = model.sensor_objtype == _SITE
    sites = np.unique(model.sensor_objid[measuring])
    turns = quat_from_matrix(data.site_xmat[sites].reshape(-1, 3, 3))
    frames = Marks.frames(data.site_xpos[sites], turns, 0.03 * extent)
    rays = model.sensor_objid[measuring & (model.sensor_type == _RANGEFINDER)]
    start = data.site_xpos[rays].reshape(-1, 3)
    along = data.site_xmat[rays].reshape(-1, 3, 3)[:, :, 2]
    reach = np.array([_reach(model, data, int(site)) for site in rays]).reshape(-1, 1)
    hit = reach[:, 0] >= 0.0
    end = start + np.where(reach >= 0.0, reach, 0.5 * extent) * along
    thick = 0.002 * extent
    balls = Marks.balls(end[hit], 3.0 * thick, _RAY)
    return Marks.joined([frames, Marks.segments(start, end, thick, _RAY), balls])


def camera_marks(model: mujoco.MjModel, data: mujoco.MjData, extent: float) -> Marks:
    """Edges of what cameras see, up to a depth of a tenth of the model's extent."""
    turns = data.cam_xmat.reshape(-1, 3, 3)
    corners = [
        data.cam_xpos[i] + _frustum(model, i, 0.1 * extent) @ turns[i].T for i in range(model.ncam)
    ]
    ends = np.array(corners).reshape(-1, 4, 3)
    start = np.repeat(data.cam_xpos[:, None], 4, axis=1)
    lines = ((start, ends), (ends, np.roll(ends, -1, axis=1)))
    return Marks.joined(Marks.segments(a, b, 0.002 * extent, _VIEW) for a, b in lines)


def _reach(model: mujoco.MjModel, data: mujoco.MjData, site: int) -> float:
    """Distance to what a rangefinder hits [m], by the engine's rule; -1: nothing."""
    along = np.ascontiguousarray(data.site_xmat[site].reshape(3, 3)[:, 2])
    body = int(model.site_bodyid[site])
    return float(mujoco.mj_ray(model, data, data.site_xpos[site], along, None, 1, body,
                               np.zeros(1, np.int32)))  # fmt: skip


def _frustum(model: mujoco.MjModel, camera: int, depth: float) -> Array:
    """Corners of a camera's picture at a depth, in its frame [m], shape (4, 3)."""
    width, height = (float(v) for v in model.cam_resolution[camera])
    tall = depth * np.tan(np.radians(float(model.cam_fovy[camera])) / 2.0)
    across = np.array([tall * width / height, tall])
    return np.concatenate([_CORNERS * across, np.full((4, 1), -depth)], axis=1)
