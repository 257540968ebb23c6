"""Mass, centre of mass and inertia of solids."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import atan, cos, hypot, isfinite, pi, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError

from .rotations import quat_to_matrix
from .transforms import Pose

__all__ = [
    "MassProperties",
    "box_mass",
    "capsule_mass",
    "combine",
    "cone_mass",
    "cylinder_mass",
    "ellipsoid_mass",
    "is_physical",
    "mesh_mass",
    "principal",
    "shape_mass_properties",
    "sphere_mass",
    "surface_mass",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class MassProperties:
    """Mass, centre of mass and inertia of a rigid solid, in some frame."""

    mass: float = 0.0
    """[kg]"""
    com: Array = field(default_factory=lambda: np.zeros(3))
    """Centre of mass [m], shape (3,)."""
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    """Inertia tensor about the centre of mass [kg m^2], shape (3, 3)."""

    def moved(self, pose: Pose) -> MassProperties:
        """The same solid seen from frame a, given `pose_ab` of the frame b it is described in."""
        if not pose.quat[:3].any():  # most shapes stand as their bodies do, thousands of times
            return MassProperties(self.mass, pose.pos + self.com, self.inertia)
        rotation = quat_to_matrix(pose.quat)
        return MassProperties(self.mass, pose.apply(self.com), rotation @ self.inertia @ rotation.T)

    def about(self, point: ArrayLike) -> Array:
        """Inertia tensor about a point [m] of the frame [kg m^2], shape (3, 3)."""
        return self.inertia + self.mass * _point_inertia(self.com - np.asarray(point, np.float64))

    def with_mass(self, mass: float) -> MassProperties:
        """The same shape with another mass [kg]; without mass there is no shape to scale."""
        factor = mass / self.mass if self.mass > 0.0 else 0.0
        return MassProperties(mass, self.com, self.inertia * factor)


def combine(parts: Iterable[MassProperties]) -> MassProperties:
    """One solid made of several, all in one frame."""
    parts = list(parts)
    if len(parts) == 1 and parts[0].mass > 0.0:
        return parts[0]
    mass = sum(part.mass for part in parts)
    if mass <= 0.0:
        return MassProperties()
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / mass
    return MassProperties(mass, com, sum((part.about(com) for part in parts), np.zeros((3, 3))))


def sphere_mass(density: float, radius: float) -> MassProperties:
    """A ball: density [kg/m^3], radius [m]."""
    return ellipsoid_mass(density, [radius, radius, radius])


def ellipsoid_mass(density: float, half_extents: ArrayLike) -> MassProperties:
    """An ellipsoid: density [kg/m^3], semi-axes [m], shape (3,)."""
    a, b, c = np.asarray(half_extents, np.float64).tolist()
    mass = density * 4.0 / 3.0 * pi * a * b * c
    return _solid(mass, [mass / 5.0 * (v * v + w * w) for v, w in ((b, c), (a, c), (a, b))])


def box_mass(density: float, half_extents: ArrayLike) -> MassProperties:
    """A box: density [kg/m^3], half extents [m], shape (3,)."""
    a, b, c = np.asarray(half_extents, np.float64).tolist()
    mass = density * 8.0 * a * b * c
    return _solid(mass, [mass / 3.0 * (v * v + w * w) for v, w in ((b, c), (a, c), (a, b))])


def cylinder_mass(density: float, radius: float, half_length: float) -> MassProperties:
    """A cylinder along z, centred: density [kg/m^3], lengths [m]."""
    mass = density * pi * radius**2 * 2.0 * half_length
    across = mass * (radius**2 / 4.0 + half_length**2 / 3.0)
    return _solid(mass, [across, across, mass * radius**2 / 2.0])


def capsule_mass(density: float, radius: float, half_length: float) -> MassProperties:
    """A capsule along z, centred; `half_length` [m] is of its cylindrical part."""
    cylinder = cylinder_mass(density, radius, half_length)
    ball = density * 4.0 / 3.0 * pi * radius**3
    # The half balls' centres of mass lie 3/8 r beyond the ends of the cylinder.
    across = ball * (0.4 * radius**2 + half_length**2 + 0.75 * half_length * radius)
    return _solid(
        cylinder.mass + ball,
        np.diag(cylinder.inertia) + np.array([across, across, 0.4 * ball * radius**2]),
    )


def cone_mass(density: float, radius: float, half_length: float) -> MassProperties:
    """A cone along z, apex at +half_length [m], base of `radius` [m] at -half_length."""
    mass = density * pi * radius**2 * 2.0 * half_length / 3.0
    across = mass * (0.15 * radius**2 + 0.15 * half_length**2)
    return _solid(
        mass, [across, across, 0.3 * mass * radius**2], np.array([0.0, 0.0, -0.5 * half_length])
    )


def mesh_mass(
    density: float, points: ArrayLike, faces: ArrayLike, *, signed: bool = True
) -> MassProperties:
    """A closed triangle mesh, as the sum of signed tetrahedra.

    Faces all wound inwards give the same result. A mesh without volume has mass zero and its
    centre of mass at its surface centroid.

    Args:
        density: [kg/m^3]
        points: [m], shape (n, 3).
        faces: corner indices, shape (m, 3).
        signed: whether tetrahedra of faces that look at the centroid count as negative. If not,
            winding means nothing, and hollows count as full.

    Raises:
        ShapeError: an array has the wrong shape.
        InvalidValueError: an index is out of range.
    """
    points, faces = _checked_mesh(points, faces)
    if not len(faces):
        return MassProperties(com=points.mean(axis=0) if len(points) else np.zeros(3))
    a, b, c = (points[faces[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    if not area.sum() > 0.0:
        return MassProperties(com=points[faces].mean(axis=(0, 1)))
    # Tetrahedra start at the surface's centroid, then at the centre of mass found from there:
    # little cancels, and a mesh with holes gets the values the engine gives it.
    centroid = area @ (a + b + c) / (3.0 * area.sum())
    smallest = 1e-12 * float(np.ptp(points, axis=0).max()) ** 3
    tetrahedra = np.stack([a, b, c]) - centroid
    six_volumes = _six_volumes(tetrahedra, signed)
    if abs(six_volumes.sum()) <= smallest:
        return MassProperties(com=centroid)
    shift = six_volumes @ tetrahedra.sum(axis=0) / (4.0 * six_volumes.sum())
    tetrahedra -= shift
    six_volumes = _six_volumes(tetrahedra, signed)
    corner_sum = tetrahedra.sum(axis=0)
    second = (six_volumes[:, None] * corner_sum).T @ corner_sum
    for corner in tetrahedra:
        second += (six_volumes[:, None] * corner).T @ corner
    second /= 120.0
    inertia = np.trace(second) * np.eye(3) - second
    volume = float(six_volumes.sum()) / 6.0
    scale = density if volume > 0.0 else -density
    return MassProperties(density * abs(volume), centroid + shift, scale * inertia)


def surface_mass(density: float, points: ArrayLike, faces: ArrayLike) -> MassProperties:
    """The triangles of a mesh as a thin shell.

    Args:
        density: of area [kg/m^2]
        points: [m], shape (n, 3).
        faces: corner indices, shape (m, 3).

    Raises:
        ShapeError: an array has the wrong shape.
        InvalidValueError: an index is out of range.
    """
    points, faces = _checked_mesh(points, faces)
    corners = points[faces]
    sides = corners[:, 1:] - corners[:, :1]
    weight = 0.5 * density * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    mass = float(weight.sum())
    if not mass > 0.0:
        return MassProperties(com=points.mean(axis=0) if len(points) else np.zeros(3))
    com = weight @ corners.mean(axis=1) / mass
    corners = corners - com
    total = corners.sum(axis=1)
    second = np.einsum("m,mki,mkj->ij", weight, corners, corners)
    second = (second + np.einsum("m,mi,mj->ij", weight, total, total)) / 12.0
    return MassProperties(mass, com, np.trace(second) * np.eye(3) - second)


_SOLIDS: dict[str, Callable[[float, Array], MassProperties]] = {
    "sphere": lambda density, size: sphere_mass(density, size[0]),
    "box": box_mass,
    "ellipsoid": ellipsoid_mass,
    "capsule": lambda density, size: capsule_mass(density, size[0], size[1]),
    "cylinder": lambda density, size: cylinder_mass(density, size[0], size[1]),
    "cone": lambda density, size: cone_mass(density, size[0], size[1]),
}


def shape_mass_properties(
    kind: str,
    size: ArrayLike,
    density: float,
    points: ArrayLike | None = None,
    faces: ArrayLike | None = None,
) -> MassProperties:
    """Mass properties of a geom in its own frame.

    Args:
        kind: of `GeomDescription`, or ``cone``; planes and height fields have no mass.
        size: half sizes as in `GeomDescription` [m], shape (3,).
        density: [kg/m^3]
        points: of a mesh [m], shape (n, 3).
        faces: of a mesh, shape (m, 3).

    Raises:
        InvalidValueError: unknown kind, or a mesh without triangles.
    """
    if kind in ("plane", "hfield"):
        return MassProperties()
    if kind in ("mesh", "sdf"):
        if points is None or faces is None:
            raise InvalidValueError(f"points of a {kind}", None, "points and faces")
        return mesh_mass(density, points, faces)
    if kind not in _SOLIDS:
        allowed = ", ".join([*_SOLIDS, "mesh", "sdf", "plane", "hfield"])
        raise InvalidValueError("shape kind", kind, allowed)
    return _SOLIDS[kind](density, np.asarray(size, dtype=np.float64))


def principal(inertia: ArrayLike) -> tuple[Array, Array]:
    """Principal moments and axes of an inertia tensor.

    The axes are the ones closest to the frame's own: a diagonal tensor comes back as it is with the
    identity, and a small product of inertia gives a small rotation.

    Args:
        inertia: symmetric [kg m^2], shape (3, 3).

    Returns:
        Moments [kg m^2], shape (3,), and the rotation from principal axes to the frame, xyzw
        (right-handed), shape (4,).
    """
    # Plain floats: this runs for every body, and small arrays cost many times as much.
    a = np.asarray(inertia, dtype=np.float64).tolist()
    moments = [a[0][0], a[1][1], a[2][2]]
    # Products of inertia, each by the axis it turns about.
    products = [0.5 * (a[1][2] + a[2][1]), 0.5 * (a[0][2] + a[2][0]), 0.5 * (a[0][1] + a[1][0])]
    quat = [0.0, 0.0, 0.0, 1.0]
    floor = 1e-17 * max(map(abs, moments))
    for _ in range(20):  # Jacobi converges quadratically; four or five sweeps are typical.
        if max(map(abs, products)) <= floor:
            break
        for axis in (2, 1, 0):
            if abs(products[axis]) > floor:
                _annul(axis, moments, products, quat)
    if not all(map(isfinite, quat)):
        return np.full(3, np.nan), np.full(4, np.nan)
    length = hypot(*quat) if quat[3] >= 0.0 else -hypot(*quat)
    return np.array(moments), np.array([v / length for v in quat])


def _annul(axis: int, moments: list[float], products: list[float], quat: list[float]) -> None:
    """Turn about one axis, in place, so that its product of inertia vanishes."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    product = products[axis]
    ratio = (moments[j] - moments[i]) / (2.0 * product)
    # The smaller of the two angles that do it keeps axes near their own.
    tangent = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + hypot(1.0, ratio))
    cosine = 1.0 / sqrt(1.0 + tangent * tangent)
    sine = tangent * cosine
    moments[i] -= tangent * product
    moments[j] += tangent * product
    at_i, at_j = products[j], products[i]
    products[axis] = 0.0
    products[j], products[i] = cosine * at_i - sine * at_j, sine * at_i + cosine * at_j
    half = -0.5 * atan(tangent)
    turn, keep = sin(half), cos(half)
    x, w = quat[axis], quat[3]
    y, z = quat[i], quat[j]
    quat[axis], quat[3] = keep * x + turn * w, keep * w - turn * x
    quat[i], quat[j] = keep * y + turn * z, keep * z - turn * y


def is_physical(moments: ArrayLike, tolerance: float = 1e-6) -> bool:
    """Whether principal moments [kg m^2], shape (3,), can belong to a body.

    They must be finite and not negative, and none larger than the sum of the others (by more than
    `tolerance` times the largest: single precision rounds).
    """
    values = np.asarray(moments, dtype=np.float64)
    if not np.isfinite(values).all() or values.min() < 0.0:
        return False
    largest = values.max()
    return bool(2.0 * largest - values.sum() <= tolerance * largest)


def _six_volumes(tetrahedra: Array, signed: bool) -> Array:
    """Six times the volumes of tetrahedra with the origin, from corners (3, m, 3)."""
    a, b, c = tetrahedra
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    return volumes if signed else np.abs(volumes)


def _solid(mass: float, moments: ArrayLike, com: Array | None = None) -> MassProperties:
    inertia = np.zeros((3, 3))
    inertia.flat[::4] = moments
    return MassProperties(float(mass), np.zeros(3) if com is None else com, inertia)


def _point_inertia(offset: Array) -> Array:
    return offset @ offset * np.eye(3) - np.outer(offset, offset)


def _checked_mesh(points: ArrayLike, faces: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
    vertices = np.asarray(points, dtype=np.float64)
    corners = np.asarray(faces)
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise ShapeError("mesh points", vertices.shape, "(n, 3)")
    corners = corners.reshape(0, 3) if corners.size == 0 else corners
    if corners.ndim != 2 or corners.shape[1] != 3:
        raise ShapeError("mesh faces", corners.shape, "(m, 3)", "Triangulate the mesh first.")
    if len(corners) and (corners.min() < 0 or corners.max() >= len(vertices)):
        raise InvalidValueError(
            "mesh face indices",
            (int(corners.min()), int(corners.max())),
            f"0 to {len(vertices) - 1}",
        )
    return vertices, corners.astype(np.int64)
