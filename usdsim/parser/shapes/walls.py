"""Walls of hollow shapes: colliders whose mass lies in a shell at their surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.math.inertia import MassProperties, shape_mass_properties, surface_mass
from usdsim.parser.context import ParseContext
from usdsim.parser.description import MeshDescription
from usdsim.parser.prims import PrimView

__all__ = ["wall_of", "walled"]

Array = NDArray[np.float64]

_MODEL, _THICKNESS = "newton:massModel", "newton:shellThickness"
_MODELS = ("solid", "shell")
_THIN = 1e-3
"""Thickness of a wall that states none [m]."""
_SHRINKS = {
    "sphere": (1.0, 0.0, 0.0),
    "capsule": (1.0, 0.0, 0.0),
    "cylinder": (1.0, 1.0, 0.0),
    "box": (1.0, 1.0, 1.0),
    "ellipsoid": (1.0, 1.0, 1.0),
}
"""Sizes of a shape that are smaller for its cavity."""


def wall_of(context: ParseContext, view: PrimView) -> float | None:
    """Thickness of a collider's wall, inwards from its surface [m]; None: it is solid.

    Where it is not stated, it is that of the contact margin, as the schema suggests.
    """
    model = view.value(_MODEL, "solid")
    if model not in _MODELS:
        view.invalid(_MODEL, model, ", ".join(_MODELS), code="unknown-token")
    if model != "shell":
        return None
    stated = view.number(_THICKNESS, -np.inf)
    if stated == -np.inf:
        margin = max(view.number("newton:contactMargin", 0.0), 0.0)
        wall = margin * context.units.length or _THIN
        context.report.default(view.path, _THICKNESS, wall)
        return wall
    if not 0.0 < stated < np.inf:
        view.invalid(_THICKNESS, stated, "a positive number, or -inf for unspecified")
        return None
    return float(stated) * context.units.length


def walled(kind: str, size: Array, wall: float, mesh: MeshDescription | None) -> MassProperties:
    """Mass properties at density 1 of a shape's wall, in the shape's frame.

    The cavity of a primitive is the same primitive with smaller sizes; where there is no room for
    one, the shape is solid. Walls of meshes are thin: their area times the thickness.

    Args:
        kind: of `GeomDescription`.
        size: half sizes as in `GeomDescription` [m], shape (3,).
        wall: thickness [m].
        mesh: of shapes that have one.
    """
    if mesh is not None:
        return surface_mass(wall, mesh.points, mesh.faces)
    solid = shape_mass_properties(kind, size, 1.0)
    if kind not in _SHRINKS:
        return solid
    shrinks = np.array(_SHRINKS[kind])
    inner = size - wall * shrinks
    if inner[shrinks > 0.0].min() <= 0.0:
        return solid
    cavity = shape_mass_properties(kind, inner, 1.0)
    return MassProperties(solid.mass - cavity.mass, solid.com, solid.inertia - cavity.inertia)
