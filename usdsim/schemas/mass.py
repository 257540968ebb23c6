"""Mass properties."""

from __future__ import annotations

from collections.abc import Sequence

from pxr import Usd

from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.table import attributes_of

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "MassPropertiesCfg",
    "define_mass_properties",
    "modify_mass_properties",
    "read_mass_properties",
]

MASS = Family("prim with mass properties", "PhysicsMassAPI")

_api = attributes_of("PhysicsMassAPI")


@schema_cfg
class MassPropertiesCfg(SchemaCfg):
    """Mass properties of a rigid body or collider.

    USD's rule: a mass that is not 0 wins over a density; 0 means "not specified".
    """

    mass: float | None = _api(
        "physics:mass", "Mass [kg]; 0: from the density.", unit="mass", range="[0, inf)"
    )
    density: float | None = _api(
        "physics:density",
        "Density [kg/m^3]; 0: of the material, or 1000.",
        unit="mass/distance^3",
        range="[0, inf)",
    )
    center_of_mass: Sequence[float] | None = _api(
        "physics:centerOfMass",
        "Centre of mass in the prim's frame [m].",
        type="point3f",
        unit="distance",
    )
    diagonal_inertia: Sequence[float] | None = _api(
        "physics:diagonalInertia",
        "Principal moments of inertia about the centre of mass [kg m^2].",
        type="float3",
        unit="mass*distance^2",
        range="[0, inf)",
    )
    principal_axes: Sequence[float] | None = _api(
        "physics:principalAxes",
        "Orientation of the principal axes in the prim's frame, xyzw.",
        type="quatf",
    )


def define_mass_properties(
    prim_path: str, cfg: MassPropertiesCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Give a prim mass properties.

    Args:
        prim_path: the prim.
        cfg: the properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    return MASS.define(prim_path, cfg, stage)


def modify_mass_properties(
    prim_path: str,
    cfg: MassPropertiesCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change mass properties at and below a prim.

    Args:
        prim_path: where to begin.
        cfg: the properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first matching prim of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Returns:
        What was changed and skipped; true if a prim had mass properties.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    return MASS.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_mass_properties(
    prim_path: str,
    cfg_type: type[MassPropertiesCfg] = MassPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> MassPropertiesCfg:
    """The configuration a prim's authored mass properties amount to."""
    return MASS.read(prim_path, cfg_type, stage)
