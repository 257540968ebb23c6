"""Mass properties."""

from __future__ import annotations

from collections.abc import Sequence

from usdsim.schemas.authoring.family import Family, function_of
from usdsim.schemas.authoring.table import attribute

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "MassPropertiesCfg",
    "define_mass_properties",
    "modify_mass_properties",
    "read_mass_properties",
]


_API = "PhysicsMassAPI"


@schema_cfg
class MassPropertiesCfg(SchemaCfg):
    """Mass properties of a rigid body or collider.

    USD's rule: a mass that is not 0 wins over a density; 0 means "not specified".
    """

    mass: float | None = attribute(
        "physics:mass",
        _API,
        "float",
        "Mass [kg]; 0: from the density.",
        unit="mass",
        range="[0, inf)",
    )
    density: float | None = attribute(
        "physics:density",
        _API,
        "float",
        "Density [kg/m^3]; 0: of the material, or 1000.",
        unit="mass/distance^3",
        range="[0, inf)",
    )
    center_of_mass: Sequence[float] | None = attribute(
        "physics:centerOfMass",
        _API,
        "point3f",
        "Centre of mass in the prim's frame [m].",
        unit="distance",
    )
    diagonal_inertia: Sequence[float] | None = attribute(
        "physics:diagonalInertia",
        _API,
        "float3",
        "Principal moments of inertia about the centre of mass [kg m^2].",
        unit="mass*distance^2",
        range="[0, inf)",
    )
    principal_axes: Sequence[float] | None = attribute(
        "physics:principalAxes",
        _API,
        "quatf",
        "Orientation of the principal axes in the prim's frame, xyzw.",
    )


MASS = Family("prim with mass properties", "PhysicsMassAPI", cfg=MassPropertiesCfg)

define_mass_properties = function_of(MASS.define)
modify_mass_properties = function_of(MASS.modify)
read_mass_properties = function_of(MASS.read)
