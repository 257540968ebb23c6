"""Physics materials."""

from __future__ import annotations

from typing import Any

from pxr import Usd

from usdsim.core.dialects.physx import COMBINE
from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.table import Target, attribute, attributes_of
from usdsim.usd.schemas import has_api

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "CurvesDeformableMaterialBaseCfg",
    "DeformableMaterialBaseCfg",
    "NewtonMaterialPropertiesCfg",
    "PhysicsMaterialBaseCfg",
    "PhysxMaterialPropertiesCfg",
    "SurfaceDeformableMaterialBaseCfg",
    "define_material_properties",
    "modify_material_properties",
    "read_material_properties",
]

_PHYSICS = "PhysicsMaterialAPI"
_physics = attributes_of(_PHYSICS)
_physx = attributes_of("PhysxMaterialAPI")
_NEWTON = "NewtonMaterialAPI"
_newton = attributes_of(_NEWTON)
_OMNI = "OmniPhysicsDeformableMaterialAPI"
_omni = attributes_of(_OMNI)
_SURFACE = "OmniPhysicsSurfaceDeformableMaterialAPI"
_surface = attributes_of(_SURFACE)
_CURVES = "OmniPhysicsCurvesDeformableMaterialAPI"
_curves = attributes_of(_CURVES)

MATERIAL = Family("physics material", _PHYSICS)


class _DeformableMaterial(Family):
    def matches(self, prim: Usd.Prim, cfg: Any) -> bool:
        # Those of surfaces and curves bring the other with them, where they are registered.
        return any(has_api(prim, api) for api in (_OMNI, _SURFACE, _CURVES))


DEFORMABLE_MATERIAL = _DeformableMaterial("deformable material", _OMNI)


@schema_cfg
class PhysicsMaterialBaseCfg(SchemaCfg):
    """Surface properties of rigid colliders that every engine has."""

    static_friction: float | None = _physics(
        "physics:staticFriction", "Friction coefficient at rest.", range="[0, inf)"
    )
    dynamic_friction: float | None = _physics(
        "physics:dynamicFriction", "Friction coefficient while sliding.", range="[0, inf)"
    )
    restitution: float | None = _physics(
        "physics:restitution",
        "Bounce: speed after an impact per speed before. What is simulated is at most 1.",
        range="[0, inf)",
    )
    density: float | None = _physics(
        "physics:density",
        "Density [kg/m^3]; 0: not specified.",
        unit="mass/distance^3",
        range="[0, inf)",
    )


@schema_cfg
class PhysxMaterialPropertiesCfg(PhysicsMaterialBaseCfg):
    """Surface properties in the PhysX dialect."""

    friction_combine_mode: str | None = _physx(
        "physxMaterial:frictionCombineMode",
        "How the friction of two materials combines.",
        tokens=COMBINE,
    )
    restitution_combine_mode: str | None = _physx(
        "physxMaterial:restitutionCombineMode",
        "How the restitution of two materials combines.",
        tokens=COMBINE,
    )
    compliant_contact_stiffness: float | None = _physx(
        "physxMaterial:compliantContactStiffness",
        "Contact stiffness [N/m]; 0: rigid.",
        unit="force/distance",
        range="[0, inf)",
        also=(Target("newton:contactStiffness", _NEWTON, "float", "force/distance"),),
    )
    compliant_contact_damping: float | None = _physx(
        "physxMaterial:compliantContactDamping",
        "Contact damping [N s/m].",
        unit="force*second/distance",
        range="[0, inf)",
        also=(Target("newton:contactDamping", _NEWTON, "float", "force*second/distance"),),
    )


@schema_cfg
class NewtonMaterialPropertiesCfg(PhysicsMaterialBaseCfg):
    """Surface properties in the Newton dialect."""

    torsional_friction: float | None = _newton(
        "newton:torsionalFriction",
        "Friction against spinning [m].",
        unit="distance",
        range="[0, inf)",
    )
    rolling_friction: float | None = _newton(
        "newton:rollingFriction", "Friction against rolling [m].", unit="distance", range="[0, inf)"
    )
    contact_stiffness: float | None = _newton(
        "newton:contactStiffness",
        "Contact stiffness [N/m].",
        unit="force/distance",
        range="[0, inf)",
    )
    contact_damping: float | None = _newton(
        "newton:contactDamping",
        "Contact damping [N s/m].",
        unit="force*second/distance",
        range="[0, inf)",
    )


@schema_cfg
class DeformableMaterialBaseCfg(SchemaCfg):
    """Elasticity and friction of a deformable body."""

    density: float | None = _omni(
        "omniphysics:density", "Density [kg/m^3].", unit="mass/distance^3", range="[0, inf)"
    )
    static_friction: float | None = _omni(
        "omniphysics:staticFriction", "Friction coefficient at rest.", range="[0, inf)"
    )
    dynamic_friction: float | None = _omni(
        "omniphysics:dynamicFriction", "Friction coefficient while sliding.", range="[0, inf)"
    )
    youngs_modulus: float | None = _omni(
        "omniphysics:youngsModulus", "Young's modulus [Pa].", unit="pressure", range="[0, inf)"
    )
    poissons_ratio: float | None = _omni(
        "omniphysics:poissonsRatio", "Poisson's ratio.", range="[0, 0.5)"
    )
    elasticity_damping: float | None = attribute(
        "physxDeformableMaterial:elasticityDamping",
        "Damping of elasticity [s].",
        api="PhysxDeformableMaterialAPI",
        range="[0, inf)",
    )


@schema_cfg
class SurfaceDeformableMaterialBaseCfg(DeformableMaterialBaseCfg):
    """Elasticity and friction of a surface body."""

    surface_thickness: float | None = _surface(
        "omniphysics:surfaceThickness", "Thickness [m].", unit="distance", range="[0, inf)"
    )
    surface_stretch_stiffness: float | None = _surface(
        "omniphysics:surfaceStretchStiffness",
        "Replaces the stretch stiffness that follows from the modulus [Pa].",
        unit="pressure",
        range="[0, inf)",
    )
    surface_shear_stiffness: float | None = _surface(
        "omniphysics:surfaceShearStiffness",
        "Replaces the shear stiffness that follows from the modulus [Pa].",
        unit="pressure",
        range="[0, inf)",
    )
    surface_bend_stiffness: float | None = _surface(
        "omniphysics:surfaceBendStiffness",
        "Replaces the bend stiffness that follows from the modulus [Pa].",
        unit="pressure",
        range="[0, inf)",
    )
    bend_damping: float | None = attribute(
        "physxDeformableMaterial:bendDamping",
        "Damping of bending [s].",
        api="PhysxSurfaceDeformableMaterialAPI",
        range="[0, inf)",
    )


@schema_cfg
class CurvesDeformableMaterialBaseCfg(DeformableMaterialBaseCfg):
    """Elasticity and friction of a body of curves."""

    curve_thickness: float | None = _curves(
        "omniphysics:curveThickness",
        "Diameter [m]; None or 0: the widths of the curves.",
        unit="distance",
        range="[0, inf)",
    )


def _family(cfg: SchemaCfg) -> Family:
    return DEFORMABLE_MATERIAL if isinstance(cfg, DeformableMaterialBaseCfg) else MATERIAL


def define_material_properties(
    prim_path: str, cfg: SchemaCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Make a material prim a physics material.

    Args:
        prim_path: the material.
        cfg: its properties, rigid or deformable; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    return _family(cfg).define(prim_path, cfg, stage)


def modify_material_properties(
    prim_path: str,
    cfg: SchemaCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change physics materials at and below a prim; see `define_material_properties`."""
    return _family(cfg).modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_material_properties(
    prim_path: str,
    cfg_type: type[SchemaCfg] = PhysxMaterialPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> SchemaCfg:
    """The configuration a physics material's authored attributes amount to."""
    return MATERIAL.read(prim_path, cfg_type, stage)
