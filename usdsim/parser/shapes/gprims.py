"""Gprim shapes: kind and size in its own axes, or a mesh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from usdsim.math.inertia import MassProperties, shape_mass_properties
from usdsim.math.transforms import Pose
from usdsim.parser.description import GeomKind
from usdsim.parser.prims import PrimView
from usdsim.usd.converted import edited

from .solids import box_points, cone_points, frustum_mass, frustum_points, pill_mass, round_points

__all__ = ["AXIS_QUATS", "SHAPES", "Solid", "read_solid"]

Array = NDArray[np.float64]

_HALF = 0.5**0.5
AXIS_QUATS = {
    "X": np.array([0.0, _HALF, 0.0, _HALF]),
    "Y": np.array([-_HALF, 0.0, 0.0, _HALF]),
    "Z": np.array([0.0, 0.0, 0.0, 1.0]),
}
"""Rotation that takes z to the axis, xyzw."""
_PERMUTATION = {"X": (2, 1, 0), "Y": (0, 2, 1), "Z": (0, 1, 2)}
"""The prim's axes that become x, y and z of the shape."""


_ROUND = 1e-4
"""Tolerance of points on an ellipsoid, relative to it."""


@dataclass(slots=True, eq=False)
class Solid:
    """A shape in the prim's units, along z, before scale."""

    kind: str
    """A `GeomKind`, or ``cone``, ``frustum``, ``pill`` for what becomes a mesh."""
    size: Array
    """Half sizes as in `GeomDescription`; of a frustum or pill: bottom radius, half, top radius."""
    axis: str = "Z"
    """Prim axis that is the shape's z."""

    @property
    def is_empty(self) -> bool:
        """Whether it has no extent to collide with."""
        needed = {"sphere": 1, "plane": 0, "box": 3, "ellipsoid": 3}.get(self.kind, 2)
        if self.kind in ("frustum", "pill"):
            return self.size[1] == 0.0 or not self.size[[0, 2]].any()
        return not self.size[:needed].all()

    @property
    def mass(self) -> MassProperties:
        """Mass properties at density 1, in the prim's axes and units."""
        a, b, c = self.size
        if self.kind == "frustum":
            mass = frustum_mass(a, c, b)
        elif self.kind == "pill":
            mass = pill_mass(a, c, b)
        else:
            mass = shape_mass_properties(self.kind, self.size, 1.0)
        return mass if self.axis == "Z" else mass.moved(Pose(quat=AXIS_QUATS[self.axis]))

    def points(self) -> Array:
        """Points whose hull is the solid, in the prim's axes."""
        a, b, c = self.size
        points = {
            "sphere": lambda: round_points(a, a, 0.0),
            "ellipsoid": lambda: round_points(1.0, 1.0, 0.0) * self.size,
            "box": lambda: box_points(self.size),
            "capsule": lambda: round_points(a, a, b),
            "cylinder": lambda: frustum_points(a, a, b),
            "cone": lambda: cone_points(a, b),
            "frustum": lambda: frustum_points(a, c, b),
            "pill": lambda: round_points(a, c, b),
        }[self.kind]()
        return Pose(quat=AXIS_QUATS[self.axis]).apply(points)

    def scaled(self, scale: Array) -> tuple[GeomKind, Array, bool] | None:
        """Kind, size [m] after scaling, and whether that is only nearly the scaled shape.

        None where only a mesh has that shape.
        """
        factor = np.abs(scale)
        if self.kind == "box":
            return "box", self.size * factor, False
        if self.kind == "ellipsoid":
            return "ellipsoid", self.size * factor, False
        if self.kind == "sphere":
            radii = self.size[0] * factor
            if np.ptp(radii) <= 1e-9 * radii.max():
                return "sphere", np.array([radii[0], 0.0, 0.0]), False
            return "ellipsoid", radii, False
        if self.kind in ("capsule", "cylinder"):
            x, y, z = factor[list(_PERMUTATION[self.axis])]
            size = np.array([self.size[0] * max(x, y), self.size[1] * z, 0.0])
            uneven = abs(x - y) > 1e-6 * max(x, y)
            round_ends = self.kind == "capsule" and abs(z - max(x, y)) > 1e-6 * z
            kind: GeomKind = "capsule" if self.kind == "capsule" else "cylinder"
            return kind, size, uneven or round_ends
        if self.kind == "plane":
            x, y, _ = factor[list(_PERMUTATION[self.axis])]
            return "plane", np.array([self.size[0] * x, self.size[1] * y, 0.0]), False
        return None


def read_solid(view: PrimView) -> Solid | None:
    """The shape of a primitive; None where its type is none.

    A mesh that says it is an ellipsoid is one while its points lie on one.
    """
    if view.type_name == "Mesh" and view.raw("mjc:type") == "ellipsoid":
        return _meshed_ellipsoid(view)
    reader = SHAPES.get(view.type_name)
    return None if reader is None else reader(view)


def _size(view: PrimView, name: str, fallback: float) -> float:
    value = view.number(name, fallback)
    if not 0.0 <= value < np.inf:
        view.invalid(name, value, "a positive number")
        return fallback
    return float(value)


def _axis(view: PrimView) -> str:
    axis = view.value("axis", "Z")
    if axis not in AXIS_QUATS:
        view.invalid("axis", axis, "X, Y or Z", code="unknown-token")
        return "Z"
    return str(axis)


def _cube(view: PrimView) -> Solid:
    half = 0.5 * _size(view, "size", 2.0)
    return Solid("box", np.full(3, half))


def _sphere(view: PrimView) -> Solid:
    radius = _size(view, "radius", 1.0)
    if view.raw("mjc:type") == "ellipsoid":
        return Solid("ellipsoid", np.full(3, radius))
    return Solid("sphere", np.array([radius, 0.0, 0.0]))


def _meshed_ellipsoid(view: PrimView) -> Solid | None:
    points = view.array("points", 3)
    if edited(view.prim, "physics:approximation"):
        return None
    if points is None:
        return None
    half = np.abs(points).max(axis=0, initial=0.0)
    if not half.all() or np.abs(np.linalg.norm(points / half, axis=1) - 1.0).max() > _ROUND:
        return None
    view.read.add("physics:approximation")
    return Solid("ellipsoid", half)


def _capsule(view: PrimView) -> Solid:
    # The schema's fallbacks differ from those of the cylinder.
    half = 0.5 * view.number("height", 1.0)
    if half < 0.0:
        view.invalid("height", 2.0 * half, "zero or a positive number")
        half = 0.5
    radius, axis = _size(view, "radius", 0.5), _axis(view)
    if half == 0.0 and radius > 0.0:
        return Solid("sphere", np.array([radius, 0.0, 0.0]), axis)
    return Solid("capsule", np.array([radius, half, 0.0]), axis)


def _cylinder(view: PrimView) -> Solid:
    sizes = [_size(view, "radius", 1.0), 0.5 * _size(view, "height", 2.0), 0.0]
    return Solid("cylinder", np.array(sizes), _axis(view))


def _cone(view: PrimView) -> Solid:
    sizes = [_size(view, "radius", 1.0), 0.5 * _size(view, "height", 2.0), 0.0]
    return Solid("cone", np.array(sizes), _axis(view))


def _tapered(view: PrimView, kind: str, even: str, radius: float, height: float) -> Solid:
    bottom, top = _size(view, "radiusBottom", radius), _size(view, "radiusTop", radius)
    half, axis = 0.5 * _size(view, "height", height), _axis(view)
    if bottom == top:
        return Solid(even, np.array([bottom, half, 0.0]), axis)
    return Solid(kind, np.array([bottom, half, top]), axis)


def _capsule_1(view: PrimView) -> Solid:
    return _tapered(view, "pill", "capsule", 0.5, 1.0)


def _cylinder_1(view: PrimView) -> Solid:
    return _tapered(view, "frustum", "cylinder", 1.0, 2.0)


def _plane(view: PrimView) -> Solid:
    half = [0.5 * _size(view, "width", 2.0), 0.5 * _size(view, "length", 2.0), 0.0]
    return Solid("plane", np.array(half), _axis(view))


SHAPES: dict[str, Callable[[PrimView], Solid]] = {
    "Cube": _cube,
    "Sphere": _sphere,
    "Capsule": _capsule,
    "Capsule_1": _capsule_1,
    "Cylinder": _cylinder,
    "Cylinder_1": _cylinder_1,
    "Cone": _cone,
    "Plane": _plane,
}
"""Readers of primitives by prim type."""
