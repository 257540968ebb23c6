"""Shape kinds: of collision and visual geoms."""

from __future__ import annotations

from enum import IntEnum

import mujoco

__all__ = ["ENGINE_TYPES", "Shape"]

_G = mujoco.mjtGeom


class Shape(IntEnum):
    """Shape of a geom; as a number, its place in `types`."""

    Sphere = 0
    Cylinder = 1
    Capsule = 2
    Cuboid = 3
    Ellipsoid = 4
    InfinitePlane = 5
    HField = 6
    Mesh = 7
    Sdf = 8
    Plane = 9

    def __str__(self) -> str:
        return f"Shape.{self.name}"

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)

    @staticmethod
    def types() -> list[Shape]:
        """All shapes."""
        return list(Shape)

    @staticmethod
    def type_names() -> list[str]:
        """Names of all shapes."""
        return [shape.name for shape in Shape]

    @classmethod
    def of_geom(cls, model: mujoco.MjModel, geom: int) -> Shape:
        """Shape of a compiled geom."""
        kind = int(model.geom_type[geom])
        if kind == _G.mjGEOM_PLANE:
            return cls.Plane if model.geom_size[geom, :2].min() > 0.0 else cls.InfinitePlane
        return _BY_TYPE[kind]


_BY_TYPE = {
    int(_G.mjGEOM_SPHERE): Shape.Sphere,
    int(_G.mjGEOM_CAPSULE): Shape.Capsule,
    int(_G.mjGEOM_CYLINDER): Shape.Cylinder,
    int(_G.mjGEOM_BOX): Shape.Cuboid,
    int(_G.mjGEOM_ELLIPSOID): Shape.Ellipsoid,
    int(_G.mjGEOM_HFIELD): Shape.HField,
    int(_G.mjGEOM_MESH): Shape.Mesh,
    int(_G.mjGEOM_SDF): Shape.Sdf,
}

ENGINE_TYPES = {shape: kind for kind, shape in _BY_TYPE.items()}
"""The engine's numbers of shapes, but for planes."""
