"""Scenes of Isaac Sim: what is in a world, by name, and its ground."""

from __future__ import annotations

from typing import Any, cast

from pxr import Usd

from usdsim.core.errors import StageError, UnknownNameError
from usdsim.usd.stage import current_stage

from .materials import PhysicsMaterial
from .objects import GroundPlane

__all__ = ["Scene"]


class Scene:
    """Objects of a world by name."""

    def __init__(self) -> None:
        self._objects: dict[str, Any] = {}

    @property
    def stage(self) -> Usd.Stage:
        """The stage."""
        return current_stage()

    def add(self, obj: Any) -> Any:
        """Register an object under its name, and return it.

        Raises:
            StageError: there is one of this name.
        """
        if obj.name in self._objects:
            raise StageError(f"The scene has an object {obj.name!r} already. Give it another name.")
        self._objects[obj.name] = obj
        return obj

    def get_object(self, name: str) -> Any:
        """The object of a name; None: there is none."""
        return self._objects.get(name)

    def object_exists(self, name: str) -> bool:
        """Whether there is an object of a name."""
        return name in self._objects

    def remove_object(self, name: str, registry_only: bool = False) -> None:
        """Forget an object, and remove its prims from the stage.

        Args:
            name: that of the object.
            registry_only: whether the prims stay.

        Raises:
            UnknownNameError: there is none.
        """
        if name not in self._objects:
            raise UnknownNameError("object", name, list(self._objects), "the scene")
        gone = self._objects.pop(name)
        if not registry_only:
            paths = [gone.prim_path] if hasattr(gone, "prim_path") else gone.prim_paths
            for path in paths:
                current_stage().RemovePrim(path)

    def clear(self, registry_only: bool = False) -> None:
        """Forget all objects; see `remove_object`."""
        for name in list(self._objects):
            self.remove_object(name, registry_only)

    def add_default_ground_plane(
        self,
        z_position: float = 0.0,
        name: str = "default_ground_plane",
        prim_path: str = "/World/defaultGroundPlane",
        static_friction: float = 0.5,
        dynamic_friction: float = 0.5,
        restitution: float = 0.8,
    ) -> GroundPlane:
        """Add level ground.

        Args:
            z_position: height [stage units].
            name: what it is called.
            prim_path: its path.
            static_friction: friction at rest.
            dynamic_friction: friction in motion.
            restitution: bounce.
        """
        surface = static_friction, dynamic_friction, restitution
        return self.add_ground_plane(None, z_position, name, prim_path, *surface)

    def add_ground_plane(
        self,
        size: float | None = None,
        z_position: float = 0.0,
        name: str = "ground_plane",
        prim_path: str = "/World/groundPlane",
        static_friction: float = 0.5,
        dynamic_friction: float = 0.5,
        restitution: float = 0.8,
        color: Any = None,
        visual_material: Any = None,
    ) -> GroundPlane:
        """Add level ground; see `add_default_ground_plane` and `GroundPlane`."""
        surface = static_friction, dynamic_friction, restitution
        material = PhysicsMaterial(f"{prim_path}Material", "physics_material", *surface)
        plane = GroundPlane(
            prim_path, name, size, z_position, None, None, color, material, visual_material
        )
        return cast(GroundPlane, self.add(plane))

    def start(self) -> None:
        """Initialize all objects, and put them in their default states."""
        for each in self._objects.values():
            each.initialize()
        for each in self._objects.values():
            each.post_reset()
