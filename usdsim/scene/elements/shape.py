"""Kinds of collision and visual shapes."""

from __future__ import annotations

from enum import Enum

import mujoco

__all__ = ["Shape"]

_G = mujoco.mjtGeom


class Shape(Enum):
    """The shape of a geom as it was authored."""

    Sphere = "Sphere"
    Capsule = "Capsule"
    Cylinder = "Cylinder"
    Cuboid = "Cuboid"
    Ellipsoid = "Ellipsoid"
    Plane = "Plane"
    InfinitePlane = "InfinitePlane"
    HField = "HField"
    Mesh = "Mesh"
    Sdf = "Sdf"

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
