"""Points on the surface of solids that no engine has as a primitive."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from usdsim.math.inertia import MassProperties, shape_mass_properties
from usdsim.math.meshes.hull import convex_hull
from usdsim.math.transforms import Pose

__all__ = [
    "box_points",
    "closed_form",
    "cone_points",
    "frustum_mass",
    "frustum_points",
    "pill_mass",
    "round_points",
    "solid_mesh",
    "stretched",
]

Array = NDArray[np.float64]

_AROUND = 32
"""Points on a circle: the inscribed polygon is 0.5 % short of the radius."""


def _circle(radius: float, height: float, count: int = _AROUND) -> Array:
    angle = np.arange(count) * (2.0 * np.pi / count)
    return np.stack(
        [radius * np.cos(angle), radius * np.sin(angle), np.full(count, height)], axis=1
    )


def frustum_points(bottom: float, top: float, half: float) -> Array:
    """A cone cut off, along z, with its radii at -half and +half."""
    rings = [
        _circle(radius, z) if radius > 0.0 else np.array([[0.0, 0.0, z]])
        for radius, z in ((bottom, -half), (top, half))
    ]
    return np.vstack(rings)


def cone_points(radius: float, half: float) -> Array:
    """A cone along z with its apex at +half."""
    return frustum_points(radius, 0.0, half)


def box_points(half: Array) -> Array:
    """Corners of a box."""
    signs = np.array(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0])).reshape(3, -1).T
    return signs * half


def round_points(bottom: float, top: float, half: float) -> Array:
    """A sphere at -half and one at +half along z, of these radii; `half` 0 is one sphere."""
    rings = []
    for sign, radius in ((-1.0, bottom), (1.0, top)):
        for latitude in np.linspace(0.0, 0.5 * np.pi, 7):
            ring = _circle(radius * np.cos(latitude), sign * (half + radius * np.sin(latitude)), 24)
            rings.append(ring if latitude < 1.5 else ring[:1])
        if half > 0.0 and bottom != top:
            # The tangent cone of two unequal spheres touches beyond their equators.
            for latitude in np.linspace(-0.4 * np.pi, 0.0, 6, endpoint=False):
                rings.append(
                    _circle(
                        radius * np.cos(latitude), sign * (half + radius * np.sin(latitude)), 24
                    )
                )
    return np.vstack(rings)


def solid_mesh(points: Array) -> tuple[Array, NDArray[np.int32]]:
    """The convex solid with these corners."""
    corners, faces = convex_hull(points)
    return corners, faces.astype(np.int32)


def frustum_mass(bottom: float, top: float, half: float) -> MassProperties:
    """Mass properties at density 1 of a cone cut off."""
    slope = (top - bottom) / (2.0 * half)
    return _revolved([(-half, half, lambda z: (bottom + slope * (z + half)) ** 2)])


def pill_mass(bottom: float, top: float, half: float) -> MassProperties:
    """Mass properties at density 1 of two spheres and the cone that touches both."""
    if abs(bottom - top) >= 2.0 * half:
        radius, centre = max((bottom, -half), (top, half))
        return _revolved([(centre - radius, centre + radius, _ball(radius, centre))])
    sine = (bottom - top) / (2.0 * half)
    low, high = -half + bottom * sine, half + top * sine
    cosine = (1.0 - sine * sine) ** 0.5
    slope = (top - bottom) * cosine / (high - low)
    return _revolved(
        [
            (-half - bottom, low, _ball(bottom, -half)),
            (low, high, lambda z: (bottom * cosine + slope * (z - low)) ** 2),
            (high, half + top, _ball(top, half)),
        ]
    )


def _ball(radius: float, centre: float) -> Callable[[Array], Array]:
    return lambda z: radius**2 - (z - centre) ** 2


def _revolved(pieces: list[tuple[float, float, Callable[[Array], Array]]]) -> MassProperties:
    """A solid of revolution about z, from the squared radius over z.

    Five Gauss points integrate the polynomials of spheres and cones without error.
    """
    nodes, weights = np.polynomial.legendre.leggauss(5)
    mass = first = second = polar = 0.0
    for start, end, squared in pieces:
        z = 0.5 * (start + end) + 0.5 * (end - start) * nodes
        share = np.pi * 0.5 * (end - start) * weights * squared(z)
        mass += share.sum()
        first += (share * z).sum()
        second += (share * z * z).sum()
        polar += (share * squared(z)).sum() / 2.0
    height = first / mass
    across = polar / 2.0 + second - mass * height**2
    return MassProperties(
        float(mass), np.array([0.0, 0.0, height]), np.diag([across, across, polar])
    )


def closed_form(kind: str, size: Array, pose: Pose) -> Callable[[], MassProperties]:
    """Mass properties of a primitive at a pose and unit density, computed when called.

    Args:
        kind: of the primitive; see `shape_mass_properties`.
        size: of the primitive [m].
        pose: of the primitive in the frame of the result.
    """
    return lambda: shape_mass_properties(kind, size, 1.0).moved(pose)


def stretched(mass: MassProperties, linear: Array) -> MassProperties:
    """Mass properties of a solid after a linear map of its points, at the same density."""
    volume = abs(float(np.linalg.det(linear)))
    second = 0.5 * np.trace(mass.inertia) * np.eye(3) - mass.inertia
    second = volume * linear @ second @ linear.T
    return MassProperties(
        mass.mass * volume, linear @ mass.com, np.trace(second) * np.eye(3) - second
    )
