"""Mass properties of links, put right where no body can have them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError, UsdsimError
from usdsim.math.inertia import (
    MassProperties,
    combine,
    is_physical,
    principal,
    shape_mass_properties,
)
from usdsim.math.mesh_files.raw_mesh import RawMesh
from usdsim.math.meshes.operations import volume_properties
from usdsim.math.repair import LEAST_MOMENT, moments_text, repair_moments
from usdsim.math.rotations import quat_to_matrix

from .reading.model import UrdfInertial, UrdfLink, UrdfShape

__all__ = ["MeshSource", "Solid", "density_mass", "link_mass", "point_mass"]

Array = NDArray[np.float64]
Solid = Callable[[UrdfLink], MassProperties]

_LEAST = 1e-6
"""Smallest moment, relative to the largest: a body that resists no rotation at all about an axis
cannot be simulated."""
_DUST = 1e-13
"""Smallest moment per mass that is one [m^2], that of a ball half a micrometre wide: below it lies
what rounding leaves of zeros, above it the balls that CAD programs export for marks."""
_POINT = 1e-9
"""Moment per mass of a point [m^2]: zero means "not specified" in USD."""


class MeshSource(Protocol):
    """Whoever has read the mesh files."""

    def load(self, shape: UrdfShape) -> list[RawMesh] | None:
        """The meshes of a shape; None if there are none."""


def point_mass(link: UrdfLink) -> MassProperties | None:
    """A mass whose moments of inertia are given as zero, as a point; None: it is none."""
    inertial = link.inertial
    if inertial is None or inertial.mass <= 0.0 or not inertial.has_tensor:
        return None
    if np.abs(inertial.inertia).max() >= _DUST * inertial.mass:
        return None
    moment = max(_POINT * inertial.mass, LEAST_MOMENT)
    return MassProperties(inertial.mass, inertial.origin.pos, moment * np.eye(3))


def link_mass(
    link: UrdfLink, solid: Solid, report: ConversionReport, *, refuse: bool = False
) -> MassProperties | None:
    """Mass properties of a link in its frame; None if the file gives none.

    A mass without moments of inertia has those of the collision shapes, scaled to the mass, about
    the centre of mass that the file gives.

    Args:
        link: the link.
        solid: mass properties of its collision shapes at some density.
        report: receives a warning for each repair.
        refuse: raise instead of repairing.

    Raises:
        ConversionError: `refuse`, and no body can have the values.
    """
    inertial = link.inertial
    if inertial is None:
        return None
    mass = inertial.mass
    if mass < 0.0:
        message = f"mass {mass} kg is negative; taken as {-mass} kg"
        _complain(inertial, "mass-negative", message, report, refuse)
        mass = -mass
    if mass == 0.0:
        if inertial.inertia.any():
            message = f"link {link.name!r}: moments of inertia without a mass are left out"
            report.warn("inertia-left-out", inertial.where, message)
        return MassProperties(0.0, inertial.origin.pos, np.zeros((3, 3)))
    given = inertial.inertia
    if np.abs(given).max() < _DUST * mass:
        given = np.zeros((3, 3))
    zero = not given.any()
    if zero and not refuse and link.collisions and (shapes := solid(link)).mass > 0.0:
        tensor = shapes.with_mass(mass).inertia
        message = (
            f"link {link.name!r}: {mass:.6g} kg without moments of inertia; taken as "
            f"{moments_text(principal(tensor)[0])} kg m^2, those of its collision shapes"
        )
        report.warn("inertia-from-shapes", inertial.where, message)
        return MassProperties(mass, inertial.origin.pos, tensor)
    moments, axes = principal(given)
    fixed = repair_moments(moments, mass)
    if zero or not is_physical(moments) or moments.min() < _LEAST * moments.max():
        reason = "are all zero" if zero else "are impossible"
        _complain(
            inertial,
            "inertia-repaired",
            f"link {link.name!r}: principal moments {moments_text(moments)} kg m^2 {reason}; "
            f"taken as {moments_text(fixed)}",
            report,
            refuse,
        )
    tensor = given
    if not np.array_equal(fixed, moments):
        tensor = quat_to_matrix(axes) @ np.diag(fixed) @ quat_to_matrix(axes).T
    turn = quat_to_matrix(inertial.origin.quat)
    return MassProperties(mass, inertial.origin.pos, turn @ tensor @ turn.T)


def density_mass(
    link: UrdfLink, density: float, meshes: MeshSource, collider_type: str
) -> MassProperties:
    """Mass properties of a link made of its collision shapes at a density [kg/m^3].

    The link's own density comes first. Meshes count as their hulls, unless they collide as they
    are; flat ones weigh nothing.
    """
    density = link.density or density
    parts = []
    for shape in link.collisions:
        geometry = shape.geometry
        if geometry.kind != "mesh":
            solid = shape_mass_properties(geometry.kind, geometry.size, density)
            parts.append(solid.moved(shape.origin))
            continue
        exact = collider_type in ("mesh", "sdf") and not geometry.convex
        for mesh in meshes.load(shape) or ():
            faces = mesh.faces[:, ::-1] if geometry.scale.prod() < 0.0 else mesh.faces
            points = mesh.points * geometry.scale
            with suppress(UsdsimError):
                solid = volume_properties(points, faces, density, hull=not exact)
                parts.append(solid.moved(shape.origin))
    return combine(part for part in parts if part.mass > 0.0)


def _complain(
    inertial: UrdfInertial, code: str, message: str, report: ConversionReport, refuse: bool
) -> None:
    if refuse:
        raise ConversionError(
            f"{inertial.where}: {message}. Correct it, or convert with "
            "nonphysical_inertia='repair'."
        )
    report.warn(code, inertial.where, message)
