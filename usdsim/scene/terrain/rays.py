"""Ray casting into worlds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import number, of_kind, truth, whole
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import points, require_finite
from usdsim.scene.data.given import check_data
from usdsim.scene.elements.link import Link

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["RayHits", "cast_rays"]

_GROUPS = int(mujoco.mjNGROUP)


@dataclass(frozen=True)
class RayHits:
    """Hits of rays, the first ones; R is the number of rays per world."""

    distance: FloatArray
    """Way from the origin to the hit [m], infinite where nothing is hit, shape (*B, R)."""
    geom: NDArray[np.int32]
    """Index of the geom hit; -1: nothing, or a deformable body, shape (*B, R)."""
    point: FloatArray
    """Point of the hit, in world [m], NaN where nothing is, shape (*B, R, 3)."""
    normal: FloatArray
    """Outward normal of the surface there, in world, NaN where nothing is, shape (*B, R, 3)."""

    @property
    def hit(self) -> NDArray[np.bool_]:
        """Whether anything is hit, shape (*B, R)."""
        return np.isfinite(self.distance)


def cast_rays(
    model: SceneModel,
    data: SceneData,
    origins: ArrayLike,
    directions: ArrayLike,
    max_distance: float = np.inf,
    exclude: Link | None = None,
    groups: Iterable[int] | None = None,
    include_static: bool = True,
) -> RayHits:
    """Find what rays hit first; see `SceneModel.cast_rays`."""
    check_data(data, model)
    start = _vectors(data, origins, "origins")
    toward = _vectors(data, directions, "directions")
    if start.shape[-2] != toward.shape[-2] and 1 not in (start.shape[-2], toward.shape[-2]):
        raise ShapeError("directions", toward.shape, f"as many rays as origins, {start.shape[-2]}")
    length = np.linalg.norm(toward, axis=-1, keepdims=True)
    if (length == 0.0).any():
        where = [int(i) for i in np.argwhere(length[..., 0] == 0.0)[0]]
        raise InvalidValueError(f"directions{where}", [0.0, 0.0, 0.0], "vectors that are not zero")
    if not isinstance(max_distance, float) or max_distance != np.inf:
        max_distance = number("max_distance", max_distance)
    body = -1
    if exclude is not None:
        if not isinstance(exclude, Link) or exclude.model is not model:
            raise InvalidValueError("exclude", exclude, "a link of the model, or None")
        body = exclude.engine_id
    static, mask = truth("include_static", include_static), _mask(groups)
    return _cast(data, start, toward / length, max_distance, body, mask, static)


def _cast(
    data: SceneData,
    start: NDArray[np.float64],
    toward: NDArray[np.float64],
    farthest: float,
    body: int,
    mask: NDArray[np.uint8] | None,
    include_static: bool,
) -> RayHits:
    ids, order = np.unique(data.all_worlds, return_inverse=True)
    back = order.reshape(-1)
    per_world = [start, toward]
    if data.ndim and len(ids) and not np.array_equal(back, np.arange(len(ids))):
        # The engine wants worlds in ascending order.
        place = np.empty_like(back)
        place[back] = np.arange(len(back))
        per_world = [v[place] if v.ndim == 3 and len(v) > 1 else v for v in per_world]
    distance, geom, normal = data.engine.batch.ray(
        *per_world, mask, include_static, body, ids, True
    )
    distance, geom, normal = distance[back], geom[back], normal[back]
    batch = data.shape
    count = distance.shape[1]
    distance, geom = distance.reshape(*batch, count), geom.reshape(*batch, count)
    normal = normal.reshape(*batch, count, 3)
    missed = (distance < 0.0) | (distance > farthest)
    distance[missed], geom[missed], normal[missed] = np.inf, -1, np.nan
    with np.errstate(invalid="ignore"):
        point = start + distance[..., None] * toward
    point[missed] = np.nan
    return RayHits(
        distance.astype(np.float32),
        data.model.public_geoms(geom),
        point.astype(np.float32),
        normal.astype(np.float32),
    )


def _vectors(data: SceneData, values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Checked vectors, shape (R, 3) or (*B, R, 3)."""
    array = points(values, data.shape, 3, what)
    require_finite(array, array.shape[-2:], what, data.world_ids)
    return array


def _mask(groups: Iterable[int] | None) -> NDArray[np.uint8] | None:
    """Mask of the engine's geom groups that take part."""
    if groups is None:
        return None
    mask = np.zeros(_GROUPS, dtype=np.uint8)
    for group in of_kind("groups", groups, Iterable, "numbers of groups, or None"):
        mask[whole("geom group", group, 0, _GROUPS - 1)] = 1
    return mask
