"""Deformable bodies in the dialects that have them: the older and newer PhysX one, and the draft.

The columns are those of `usdsim.core.dialects.physx`. The newer PhysX dialect (``omniphysics:`` and
``physxDeformableBody:``) comes before the older one (``physxDeformable:``), which came before it.
"""

from __future__ import annotations

from .base import DialectRow

__all__ = [
    "BODY_APIS",
    "DRAFT_DEFORMABLE",
    "FOREIGN_DEFORMABLE",
    "MATERIAL_APIS",
    "PHYSX_DEFORMABLE",
    "PREFIXES",
    "SIM_APIS",
    "SURFACE_API",
    "VOLUME_API",
]

PREFIXES = ("omniphysics:", "physics:")
"""Namespaces of the properties of simulation meshes, poses and attachments."""
BODY_APIS = ("OmniPhysicsDeformableBodyAPI", "PhysicsDeformableBodyAPI")
"""Roots of deformable bodies with a simulation mesh of their own."""
SIM_APIS = {
    "OmniPhysicsVolumeDeformableSimAPI": "volume",
    "PhysicsVolumeDeformableSimAPI": "volume",
    "OmniPhysicsSurfaceDeformableSimAPI": "surface",
    "PhysicsSurfaceDeformableSimAPI": "surface",
    "OmniPhysicsCurvesDeformableSimAPI": "curves",
    "PhysicsCurvesDeformableSimAPI": "curves",
}
"""Simulation meshes, and what they are."""
VOLUME_API = "PhysxDeformableBodyAPI"
SURFACE_API = "PhysxDeformableSurfaceAPI"
"""API of the older dialect: meshes that are seen and simulated through data on the same prim."""
MATERIAL_APIS = (
    "OmniPhysicsDeformableMaterialAPI",
    "OmniPhysicsSurfaceDeformableMaterialAPI",
    "OmniPhysicsCurvesDeformableMaterialAPI",
    "PhysicsDeformableMaterialAPI",
    "PhysicsSurfaceDeformableMaterialAPI",
    "PhysicsCurvesDeformableMaterialAPI",
    "PhysicsVolumeDeformableMaterialAPI",
    "PhysxDeformableBodyMaterialAPI",
    "PhysxDeformableSurfaceMaterialAPI",
    "PhysxDeformableMaterialAPI",
)

_OMNI_BODY = "OmniPhysicsDeformableBodyAPI"
_OMNI_MATERIAL = "OmniPhysicsDeformableMaterialAPI"
_OMNI_SURFACE = "OmniPhysicsSurfaceDeformableMaterialAPI"
_OMNI_CURVES = "OmniPhysicsCurvesDeformableMaterialAPI"
_DRAFT_CURVES = "PhysicsCurvesDeformableMaterialAPI"
_PHYSX_BODY = "PhysxBaseDeformableBodyAPI"
_OLD = "PhysxDeformableAPI"
_OLD_MATERIALS = ("PhysxDeformableBodyMaterialAPI", "PhysxDeformableSurfaceMaterialAPI")


def _rows(
    kind: str, quantity: str, doc: str, *named: tuple[str, str, object], unit: str = ""
) -> list[DialectRow]:
    """A quantity under each of its names, the one that wins first: name, schema and fallback."""
    return [
        DialectRow(name, kind, quantity, api, unit=unit, doc=doc, default=default)
        for name, api, default in named
    ]


def _material(name: str, quantity: str, doc: str, unit: str = "") -> list[DialectRow]:
    """A quantity of materials in the newer dialect and in both materials of the older one."""
    old = ((f"{api[0].lower()}{api[1:-3]}:{name}", api, None) for api in _OLD_MATERIALS)
    named = ((f"omniphysics:{name}", _OMNI_MATERIAL, None), *old)
    return _rows("float", f"soft_material.{quantity}", doc, *named, unit=unit)


def _drafted(name: str) -> tuple[str, ...]:
    """Names of an attribute in the draft, the later one first."""
    if "curve" in name:
        return (name.replace("curve", "curves"),)
    head, surface, quantity = name.partition("surface")
    return (f"{head}{quantity[0].lower()}{quantity[1:]}", name) if surface else (name,)


PHYSX_DEFORMABLE: tuple[DialectRow, ...] = (
    *_rows(
        "bool", "deformable.enabled", "Whether it deforms.",
        ("omniphysics:deformableBodyEnabled", _OMNI_BODY, True),
        ("physxDeformable:deformableEnabled", _OLD, True),
    ),
    *_rows(
        "bool", "deformable.kinematic", "Whether it is moved by the user.",
        ("omniphysics:kinematicEnabled", _OMNI_BODY, False),
        ("physxDeformable:kinematicEnabled", VOLUME_API, False),
    ),
    *_rows(
        "float", "deformable.mass", "Mass; 0: from the density.",
        ("omniphysics:mass", _OMNI_BODY, 0.0),
        unit="kg",
    ),
    *_rows(
        "float", "deformable.linear_damping", "Rate of velocity decay.",
        ("physxDeformableBody:linearDamping", _PHYSX_BODY, 0.0),
        ("physxDeformable:vertexVelocityDamping", _OLD, 0.005),
        unit="1/s",
    ),
    *_rows(
        "bool", "deformable.disable_gravity", "Whether it floats.",
        ("physxDeformableBody:disableGravity", _PHYSX_BODY, False),
        ("physxDeformable:disableGravity", VOLUME_API, False),
    ),
    *_rows(
        "bool", "deformable.self_collision", "Whether it collides with itself.",
        ("physxDeformableBody:selfCollision", _PHYSX_BODY, False),
        ("physxDeformable:selfCollision", _OLD, False),
    ),
    *_rows(
        "uint", "deformable.resolution", "Cells along the longest side.",
        ("physxDeformable:simulationHexahedralResolution", VOLUME_API, 10),
    ),
    *_material("density", "density", "Density; 0: not specified.", "kg/m^3"),
    *_material("dynamicFriction", "friction", "Dynamic friction coefficient."),
    *_material("youngsModulus", "youngs_modulus", "Young's modulus.", "Pa"),
    *_material("poissonsRatio", "poissons_ratio", "Poisson's ratio."),
    *_rows(
        "float", "soft_material.static_friction", "Static friction coefficient.",
        ("omniphysics:staticFriction", _OMNI_MATERIAL, 0.0),
    ),
    *_rows(
        "float", "soft_material.elasticity_damping", "Damping of elasticity.",
        ("physxDeformableMaterial:elasticityDamping", "PhysxDeformableMaterialAPI", 0.0),
        ("physxDeformableBodyMaterial:elasticityDamping", _OLD_MATERIALS[0], None),
        ("physxDeformableSurfaceMaterial:elasticityDamping", _OLD_MATERIALS[1], None),
        unit="s",
    ),
    *_rows(
        "float", "soft_material.thickness", "Thickness.",
        ("omniphysics:surfaceThickness", _OMNI_SURFACE, 0.0),
        ("omniphysics:curveThickness", _OMNI_CURVES, 0.0),
        ("physxDeformableSurfaceMaterial:thickness", _OLD_MATERIALS[1], 0.0),
        unit="m",
    ),
    *_rows(
        "float", "soft_material.stretch_modulus", "Modulus of stretching; 0: Young's.",
        ("omniphysics:surfaceStretchStiffness", _OMNI_SURFACE, 0.0),
        unit="Pa",
    ),
    *_rows(
        "float", "soft_material.bend_modulus", "Modulus of bending; 0: Young's.",
        ("omniphysics:surfaceBendStiffness", _OMNI_SURFACE, 0.0),
        unit="Pa",
    ),
)  # fmt: skip
"""One row per attribute; of two rows for one quantity the earlier one wins."""

DRAFT_DEFORMABLE: tuple[DialectRow, ...] = (
    *(
        DialectRow(
            name,
            row.type,
            row.spec,
            row.api.replace("OmniPhysics", "Physics"),
            unit=row.unit,
            doc=row.doc,
        )
        for row in PHYSX_DEFORMABLE
        if row.usd.startswith("omniphysics:")
        for name in _drafted(row.usd.removeprefix("omni").replace("deformableBody", "body"))
    ),
    *_rows(
        "float", "soft_material.bend_rigidity", "Moment per curvature; 0: from the modulus.",
        ("physics:curvesBendStiffness", _DRAFT_CURVES, None),
        unit="N m^2",
    ),
    *_rows(
        "float", "soft_material.twist_rigidity", "Torque per twist; 0: from the moduli.",
        ("physics:curvesTwistStiffness", _DRAFT_CURVES, None),
        unit="N m^2",
    ),
)  # fmt: skip
"""The draft of the standard: the same names under ``physics:``; later ones, of materials of
surfaces, without the word that the name of their schema has already. Of curves it has stiffnesses
of the whole section."""

FOREIGN_DEFORMABLE: tuple[str, ...] = (
    "physxAutoAttachment:",
    "physxAutoDeformable",
    "physxDeformable:collision",
    "physxDeformable:enableCCD",
    "physxDeformable:maxDepenetrationVelocity",
    "physxDeformable:numberOfTetsPerHex",
    "physxDeformable:settlingThreshold",
    "physxDeformable:sleep",
    "physxDeformable:solver",
    "physxDeformable:tetMeshCrc",
    "physxDeformableBody:collision",
    "physxDeformableBody:enableSpeculativeCCD",
    "physxDeformableBody:maxDepenetrationVelocity",
    "physxDeformableBody:settling",
    "physxDeformableBody:sleepThreshold",
    "physxDeformableBody:solver",
    "physxDeformableBodyMaterial:dampingScale",
    "physxDeformableSurface:collision",
)
"""Settings of PhysX's solver and of how it makes its meshes."""
