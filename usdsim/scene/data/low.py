"""Low-level data: the engine, with public names and orders of a few of its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.arguments import number, whole
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.scene.arrays import FloatArray

if TYPE_CHECKING:
    from usdsim.engine import Engine
    from usdsim.scene.model.scene_model import SceneModel

    from .scene_data import SceneData

    _Names = Engine  # what `LowData` finds by name: type checkers see it, and take it for an engine
else:
    _Names = object

__all__ = [
    "LowContact",
    "LowData",
    "Ray",
    "RaycastInfo",
    "RaycastResult",
    "enable_immediate_raycast",
    "is_immediate_raycast_enabled",
    "raycast_closest",
]

_FARTHEST = 1e30
"""Distance beyond which there is no limit [m]."""


@dataclass(frozen=True)
class LowContact:
    """Contact of two geoms by their indices."""

    collider_index_a: int
    """Index of the first geom; -1: a deformable body."""
    collider_index_b: int
    """Index of the second geom, likewise."""
    normal: list[float]
    """Direction from the first to the second, in world."""
    depth: float
    """Penetration depth, negative if they are apart [m]."""


class LowData(_Names):
    """Engine of data: all names that `Engine` has, and positions in the order of `SceneData`.

    Args:
        data: the data.
        engine: its engine.
    """

    __slots__ = ("_data", "_engine")

    def __init__(self, data: SceneData, engine: Engine):
        object.__setattr__(self, "_data", data)
        object.__setattr__(self, "_engine", engine)

    @property
    def dof_positions(self) -> FloatArray:
        """The same as `SceneData.dof_pos`."""
        return self._data.dof_pos

    @property
    def dof_velocities(self) -> FloatArray:
        """The same as `SceneData.dof_vel`."""
        return self._data.dof_vel

    def set_dof_positions_unchecked(self, pos: ArrayLike) -> None:
        """Set `SceneData.dof_pos`; limits of joints are not looked at."""
        self._data.dof_pos = pos

    def get_contacts(self) -> list[LowContact]:
        """Contacts of a single world.

        Raises:
            ShapeError: there are several worlds.
        """
        if self._data.shape:
            raise ShapeError("data", self._data.shape, "(), one world; choose it: data[i]")
        found = self._data.model.get_contacts(self._data)
        return [
            LowContact(int(a), int(b), normal.tolist(), float(depth))
            for a, b, normal, depth in zip(
                found.geom1, found.geom2, found.normal, found.depth, strict=True
            )
        ]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "dof_velocities":
            self._data.dof_vel = value
        elif name == "dof_positions":
            self._data.dof_pos = value
        else:
            setattr(self._engine, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._engine, name)

    def __dir__(self) -> list[str]:
        """Names of both."""
        return sorted({*super().__dir__(), *dir(self._engine)})

    def __repr__(self) -> str:
        return repr(self._engine)


class Ray:
    """Ray in world.

    Args:
        origin: its start [m], shape (3,).
        direction: of any length but zero, shape (3,).
    """

    def __init__(self, origin: ArrayLike, direction: ArrayLike):
        self.origin: list[float] = np.asarray(origin, np.float64).tolist()
        length = float(np.linalg.norm(np.asarray(direction, np.float64)))
        for name, value in (("origin", origin), ("direction", direction)):
            if np.shape(value) != (3,):
                raise ShapeError(name, np.shape(value), "(3,)")
        if not 0.0 < length < np.inf:
            raise InvalidValueError("direction", direction, "three finite numbers, not all zero")
        self.direction: list[float] = (np.asarray(direction, np.float64) / length).tolist()


class RaycastInfo:
    """Question for `raycast_closest`.

    Args:
        ray: the ray.
        max_distance: farthest hit [m].
        enable_inside_hit: whether a ray that starts inside a shape hits its far side, as all do.
    """

    def __init__(self, ray: Ray, max_distance: float = np.inf, enable_inside_hit: bool = False):
        self.ray = ray
        whole_way = isinstance(max_distance, float) and max_distance > _FARTHEST
        self.max_distance = np.inf if whole_way else number("max_distance", max_distance)
        self.enable_inside_hit = enable_inside_hit

    def raycast_closest(
        self, model: SceneModel, data: SceneData, world_index: int = 0
    ) -> RaycastResult | None:
        """The same as the function `raycast_closest`."""
        return raycast_closest(model, data, self, world_index)


@dataclass(frozen=True)
class RaycastResult:
    """Hit of a ray."""

    collider_index: int
    """Index of the geom; -1: a deformable body."""
    distance: float
    """Way from the origin to the hit [m]."""
    normal: list[float]
    """Outward normal of the surface there, in world."""


def raycast_closest(
    model: SceneModel, data: SceneData, raycast_info: RaycastInfo, world_index: int = 0
) -> RaycastResult | None:
    """First hit of a ray in one world; None: there is none.

    For many rays, or in many worlds, see `SceneModel.cast_rays`.

    Raises:
        OutOfRangeError: there is no such world.
    """
    own = data[whole("world_index", world_index)] if data.shape else data
    ray = raycast_info.ray
    hits = model.cast_rays(own, [ray.origin], [ray.direction], raycast_info.max_distance)
    if not hits.hit[0]:
        return None
    return RaycastResult(int(hits.geom[0]), float(hits.distance[0]), hits.normal[0].tolist())


def enable_immediate_raycast(model: SceneModel) -> None:
    """Rays after a step meet the new state: here they always do, so this changes nothing."""


def is_immediate_raycast_enabled(model: SceneModel) -> bool:
    """Whether rays after a step meet the new state, as they always do."""
    return True
