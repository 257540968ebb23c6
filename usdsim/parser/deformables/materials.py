"""Elasticity and friction of deformable bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pxr import UsdShade

from usdsim.core.dialects.deformable import MATERIAL_APIS, PHYSX_DEFORMABLE
from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView
from usdsim.parser.soft_description import DeformableKind

__all__ = ["SoftMaterial", "soft_material"]

_MODULUS = {"volume": 5e7, "surface": 1e7}
"""Young's modulus where none is given [Pa]."""
_RATIO = {"volume": 0.45, "surface": 0.0}
"""Poisson's ratio where there is no material."""
_THICKNESS = 0.005
"""Thickness of surfaces where none is given [m]."""
_FRICTION = 0.5
"""Friction where there is no material, as of colliders."""
_SCHEMA_RATIO = 0.25
_NAMES = {row.spec.partition(".")[2]: row.usd for row in reversed(PHYSX_DEFORMABLE)}
_OLD_RATIO = {"PhysxDeformableBodyMaterialAPI": 0.45, "PhysxDeformableSurfaceMaterialAPI": 0.0}
_OLD_FRICTION, _OLD_DAMPING = 0.25, 0.005
"""Defaults of materials of the older dialect."""


@dataclass(frozen=True, slots=True)
class SoftMaterial:
    """Material of a deformable body."""

    youngs_modulus: float
    """[Pa]"""
    poissons_ratio: float
    friction: float
    elasticity_damping: float = 0.0
    """[s]"""
    density: float = 0.0
    """[kg/m^3]; 0: not specified."""
    thickness: float = 0.0
    """[m]; 0: not specified."""
    bend_modulus: float | None = None
    """[Pa]"""


def soft_material(
    context: ParseContext, views: list[PrimView], kind: DeformableKind
) -> SoftMaterial:
    """The material bound to the first of some prims that has one, with what it leaves open.

    Args:
        context: the stage.
        views: the simulation mesh and the body, in this order.
        kind: what the body is.
    """
    material = _bound(context, views)
    if material is None:
        context.report.default(views[-1].path, "omniphysics:youngsModulus", _MODULUS[kind])
        thickness = _THICKNESS if kind == "surface" else 0.0
        return SoftMaterial(_MODULUS[kind], _RATIO[kind], _FRICTION, thickness=thickness)

    def read(quantity: str, default: float = 0.0, most: float = float("inf")) -> float:
        value = context.quantities.read(material, "soft_material", quantity)
        if value is None:
            context.report.default(material.path, _NAMES[quantity], default)
            return default
        if not 0.0 <= value < most:
            limit = "" if most == float("inf") else f" below {most:g}"
            material.invalid(_NAMES[quantity], value, f"a number from 0{limit}")
            return default
        return float(value)

    old = next((api for api in _OLD_RATIO if material.has_api(api)), None)
    ratio = _SCHEMA_RATIO if old is None else _OLD_RATIO[old]
    modulus = read("youngs_modulus") or _MODULUS[kind]
    bend = read("bend_modulus")
    friction = read("friction", 0.0 if old is None else _OLD_FRICTION)
    static = context.quantities.read(material, "soft_material", "static_friction")
    if static is not None and static > friction:
        why = f"is greater than that of sliding, {friction:g}, which soft bodies have at rest too"
        material.without_effect(_NAMES["static_friction"], why)
    thickness = (read("thickness") or _THICKNESS) if kind == "surface" else 0.0
    stretch = read("stretch_modulus") if kind == "surface" else 0.0
    return SoftMaterial(
        youngs_modulus=stretch or modulus,
        poissons_ratio=read("poissons_ratio", ratio, 0.5),
        friction=friction,
        elasticity_damping=read("elasticity_damping", 0.0 if old is None else _OLD_DAMPING),
        density=read("density"),
        thickness=thickness,
        bend_modulus=(bend or modulus) if kind == "surface" and (bend or stretch) else None,
    )


def _bound(context: ParseContext, views: list[PrimView]) -> Any:
    for view in views:
        found, _ = UsdShade.MaterialBindingAPI(view.prim).ComputeBoundMaterial("physics")
        material = context.by_path.get(str(found.GetPath())) if found else None
        if material is not None and any(material.has_api(api) for api in MATERIAL_APIS):
            return material
    return None
