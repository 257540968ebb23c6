"""Elasticity and friction of deformable bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pxr import UsdShade

from usdsim.core.dialects.deformable import MATERIAL_APIS, PHYSX_DEFORMABLE
from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView
from usdsim.parser.soft_description import DeformableKind

__all__ = ["SoftMaterial", "soft_material"]

_MODULUS = {"volume": 5e7, "surface": 1e7, "curves": 5e7}
"""Young's modulus where none is given [Pa]."""
_RATIO = {"volume": 0.45, "surface": 0.0, "curves": 0.45}
"""Poisson's ratio where there is no material."""
_THICKNESS = 0.005
"""Thickness of surfaces, and of curves without widths, where none is given [m]."""
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
    twist_modulus: float | None = None
    """[Pa]; None: the shear modulus."""


def soft_material(
    context: ParseContext, views: list[PrimView], kind: DeformableKind, width: float | None = None
) -> SoftMaterial:
    """The material bound to the first of some prims that has one, with what it leaves open.

    Args:
        context: the stage.
        views: the simulation mesh and the body, in this order.
        kind: what the body is.
        width: of curves as they are drawn, which is their thickness unless the material has one
            [m].
    """
    usual = 0.0 if kind == "volume" else width or _THICKNESS
    material = _bound(context, views)
    if material is None:
        context.report.default(views[-1].path, "omniphysics:youngsModulus", _MODULUS[kind])
        return SoftMaterial(_MODULUS[kind], _RATIO[kind], _FRICTION, thickness=usual)

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
    thickness = (read("thickness") or usual) if usual else 0.0
    stretch = read("stretch_modulus") if kind == "surface" else 0.0
    bend_modulus = (bend or modulus) if kind == "surface" and (bend or stretch) else None
    twist_modulus = None
    if kind == "curves":
        # Second moments of area of a round section, for bending and for twisting.
        area = math.pi * thickness**4 / 64.0
        bend_modulus = _rigidity(context, material, "bend") / area or None
        twist_modulus = _rigidity(context, material, "twist") / (2.0 * area) or None
    return SoftMaterial(
        youngs_modulus=stretch or modulus,
        poissons_ratio=read("poissons_ratio", ratio, 0.5),
        friction=friction,
        elasticity_damping=read("elasticity_damping", 0.0 if old is None else _OLD_DAMPING),
        density=read("density"),
        thickness=thickness,
        bend_modulus=bend_modulus,
        twist_modulus=twist_modulus,
    )


def _rigidity(context: ParseContext, material: Any, way: str) -> float:
    """Resistance of the whole section of curves [N m^2]; 0: none given."""
    value = context.quantities.read(material, "soft_material", f"{way}_rigidity")
    if value is not None and not 0.0 <= value < math.inf:
        material.invalid(f"physics:curves{way.title()}Stiffness", value, "a number >= 0")
        return 0.0
    return float(value or 0.0)


def _bound(context: ParseContext, views: list[PrimView]) -> Any:
    for view in views:
        found, _ = UsdShade.MaterialBindingAPI(view.prim).ComputeBoundMaterial("physics")
        material = context.by_path.get(str(found.GetPath())) if found else None
        if material is not None and any(material.has_api(api) for api in MATERIAL_APIS):
            return material
    return None
