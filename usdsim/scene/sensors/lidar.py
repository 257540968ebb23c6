"""Lidar readings: where beams meet what collides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.lidar import LidarScan
from usdsim.engine.colliding import colliding
from usdsim.engine.trees import subtree
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import engine_array
from usdsim.scene.terrain.rays import cast_rays

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["Lidar", "lidars_of"]

_USER = int(mujoco.mjtSensor.mjSENS_USER)
_STEP = 1e-5
"""Distance behind a hit at which a beam goes on that passes through a shape [m]."""
_MOST = 64
"""Number of shapes that a beam passes through at most."""


def lidars_of(model: SceneModel) -> dict[int, Lidar]:
    """Lidars of a model, by engine id of the sensor."""
    low = model.low
    found = {}
    for sensor in np.flatnonzero(low.sensor_type == _USER):
        scan = LidarScan.of_numbers(low.sensor_user[sensor])
        if scan is not None and int(low.sensor_dim[sensor]) == 3 * scan.count:
            found[int(sensor)] = Lidar(model, scan, int(low.sensor_objid[sensor]))
    return found


class Lidar:
    """Beams from a site, which pass through shapes of their carrier and through visual ones.

    Args:
        model: the model.
        scan: the beams.
        site: engine id of the site they start at.
    """

    def __init__(self, model: SceneModel, scan: LidarScan, site: int):
        self._model, self.scan, self._site = model, scan, site
        self._directions = scan.directions()
        passed = _passed(model.low, scan, int(model.low.site_bodyid[site]))
        # By public index; what the engine does not hold is never hit.
        self._passed = np.append(passed[model.geom_ids], False)

    def read(self, data: SceneData) -> FloatArray:
        """World points of the hits [m], zero where nothing is hit, shape (*B, 3 count)."""
        rotation = engine_array(data, self._model, "site_xmat")[..., self._site, :]
        rotation = rotation.reshape(*data.shape, 3, 3)
        toward = self._directions @ np.swapaxes(rotation, -1, -2)
        origin = engine_array(data, self._model, "site_xpos")[..., self._site, None, :]
        start = np.broadcast_to(origin, toward.shape).astype(np.float64)
        travelled = np.zeros(toward.shape[:-1])
        points = np.zeros(toward.shape, dtype=np.float32)
        going = np.ones(toward.shape[:-1], dtype=np.bool_)
        for _ in range(_MOST):
            hits = cast_rays(self._model, data, start, toward)
            travelled = travelled + np.where(hits.hit, hits.distance, np.inf)
            passes = self._passed[hits.geom] & hits.hit & going
            ends = going & ~passes & (travelled <= self.scan.cutoff)
            points[ends] = hits.point[ends]
            going = passes & (travelled <= self.scan.cutoff)
            if not going.any():
                break
            travelled = travelled + _STEP
            ahead = np.where(hits.hit, hits.distance, 0.0) + _STEP
            start = np.where(going[..., None], start + ahead[..., None] * toward, start)
        return points.reshape(*data.shape, -1)


def _passed(low: mujoco.MjModel, scan: LidarScan, body: int) -> NDArray[np.bool_]:
    """Geoms that beams pass through; False at the end, for index -1."""
    passed = np.zeros(low.ngeom + 1, dtype=np.bool_)
    passed[:-1] = ~colliding(low)
    if scan.exclude == "parentbody":
        passed[:-1] |= low.geom_bodyid == body
    elif scan.exclude == "parentsubtree":
        passed[:-1] |= subtree(low, body)[low.geom_bodyid]
    return passed
