"""Display and physics materials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike
from pxr import Sdf, Usd, UsdShade

from usdsim.core.configuration import Configuration
from usdsim.core.errors import StageError
from usdsim.schemas import (
    CurvesDeformableMaterialBaseCfg,
    DeformableMaterialBaseCfg,
    NewtonMaterialPropertiesCfg,
    PhysxMaterialPropertiesCfg,
    SurfaceDeformableMaterialBaseCfg,
    define_material_properties,
)
from usdsim.schemas.authoring.forms import check_forms
from usdsim.schemas.authoring.table import with_default
from usdsim.schemas.cfg import SchemaCfg
from usdsim.usd.attributes import author
from usdsim.usd.prims import define_prim
from usdsim.usd.stage import stage_or_current

from .rollback import rolled_back_on_error

__all__ = [
    "CurvesDeformableBodyMaterialCfg",
    "DeformableBodyMaterialCfg",
    "GlassMdlCfg",
    "MdlFileCfg",
    "NewtonRigidBodyMaterialCfg",
    "PhysicsMaterialCfg",
    "PreviewSurfaceCfg",
    "RigidBodyMaterialCfg",
    "SurfaceDeformableBodyMaterialCfg",
    "VisualMaterialCfg",
    "spawn_from_mdl_file",
    "spawn_physics_material",
    "spawn_preview_surface",
]


@contextmanager
def _material(
    prim_path: str, cfg: VisualMaterialCfg | SchemaCfg, stage: Usd.Stage | None, fresh: bool
) -> Iterator[UsdShade.Material]:
    """A material to write a configuration on; an error leaves nothing of it."""
    cfg.validate()
    where = stage_or_current(stage)
    existing = where.GetPrimAtPath(prim_path)
    exists = existing and existing.IsDefined()
    if exists and fresh:
        raise StageError(f"A prim at {prim_path} exists already. Remove it first.")
    if exists and not existing.IsA(UsdShade.Material):
        raise StageError(f"{prim_path} is a {existing.GetTypeName()}, not a Material.")
    with rolled_back_on_error(where, prim_path):
        yield UsdShade.Material(existing if exists else define_prim(where, prim_path, "Material"))


def spawn_preview_surface(
    prim_path: str,
    cfg: PreviewSurfaceCfg,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    *,
    stage: Usd.Stage | None = None,
) -> Usd.Prim:
    """Define a ``UsdPreviewSurface`` material.

    Args:
        prim_path: the material; there is none at this path yet.
        cfg: its look.
        translation: not used; materials have no place.
        orientation: not used.
        stage: where to define it; None: the current stage.

    Returns:
        The shader, which is below the material.

    Raises:
        ValueError: there is a prim at the path already.
    """
    with _material(prim_path, cfg, stage, fresh=True) as material:
        shader = UsdShade.Shader.Define(material.GetPrim().GetStage(), f"{prim_path}/Shader")
        shader.CreateIdAttr("UsdPreviewSurface")
        for name, kind, value in (
            ("diffuseColor", "color3f", cfg.diffuse_color),
            ("emissiveColor", "color3f", cfg.emissive_color),
            ("roughness", "float", cfg.roughness),
            ("metallic", "float", cfg.metallic),
            ("opacity", "float", cfg.opacity),
        ):
            author(shader.GetPrim(), f"inputs:{name}", kind, value)
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        return shader.GetPrim()


def spawn_from_mdl_file(
    prim_path: str,
    cfg: MdlFileCfg,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    *,
    stage: Usd.Stage | None = None,
) -> Usd.Prim:
    """Define a material from an MDL file, for renderers that have MDL.

    Returns:
        The shader, which is below the material.

    Raises:
        ValueError: there is a prim at the path already.
    """
    with _material(prim_path, cfg, stage, fresh=True) as material:
        shader = UsdShade.Shader.Define(material.GetPrim().GetStage(), f"{prim_path}/Shader")
        path = cfg.mdl_path.format(NVIDIA_NUCLEUS_DIR="")
        shader.SetSourceAsset(Sdf.AssetPath(path), "mdl")
        name = path.rsplit("/", 1)[-1].removesuffix(".mdl")
        shader.SetSourceAssetSubIdentifier(name, "mdl")
        for name, kind, value in cfg.inputs():
            if value is not None:
                author(shader.GetPrim(), f"inputs:{name}", kind, value)
        for output in (
            material.CreateSurfaceOutput("mdl"),
            material.CreateDisplacementOutput("mdl"),
            material.CreateVolumeOutput("mdl"),
        ):
            output.ConnectToSource(shader.ConnectableAPI(), "out")
        return shader.GetPrim()


def spawn_physics_material(
    prim_path: str,
    cfg: SchemaCfg,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    *,
    stage: Usd.Stage | None = None,
) -> Usd.Prim:
    """Define a physics material, or make an existing material a physical one.

    Args:
        prim_path: the material.
        cfg: its properties.
        translation: not used; materials have no place.
        orientation: not used.
        stage: where to define it; None: the current stage.

    Raises:
        ValueError: the prim at the path is no material, or a value is not allowed.
    """
    with _material(prim_path, cfg, stage, fresh=False) as material:
        define_material_properties(prim_path, cfg, material.GetPrim().GetStage())
        return material.GetPrim()


@dataclass(kw_only=True)
class VisualMaterialCfg(Configuration):
    """A display material."""

    func: Callable[..., Usd.Prim]
    """Function that spawns it."""

    def validate(self) -> None:
        """Check the values.

        Raises:
            InvalidValueError: a value is not of its field's form.
        """
        check_forms(self)


@dataclass(kw_only=True)
class PreviewSurfaceCfg(VisualMaterialCfg):
    """A ``UsdPreviewSurface`` material, which every renderer has."""

    func: Callable[..., Usd.Prim] = spawn_preview_surface
    diffuse_color: Sequence[float] = (0.18, 0.18, 0.18)
    """Linear RGB."""
    emissive_color: Sequence[float] = (0.0, 0.0, 0.0)
    """Linear RGB."""
    roughness: float = 0.5
    metallic: float = 0.0
    opacity: float = 1.0


@dataclass(kw_only=True)
class MdlFileCfg(VisualMaterialCfg):
    """A material from an MDL file."""

    func: Callable[..., Usd.Prim] = spawn_from_mdl_file
    mdl_path: str
    """File with the material."""
    project_uvw: bool | None = None
    albedo_brightness: float | None = None
    texture_scale: Sequence[float] | None = None

    def inputs(self) -> list[tuple[str, str, Any]]:
        """Shader inputs: name, type and value."""
        return [
            ("project_uvw", "bool", self.project_uvw),
            ("albedo_brightness", "float", self.albedo_brightness),
            ("texture_scale", "float2", self.texture_scale),
        ]


@dataclass(kw_only=True)
class GlassMdlCfg(MdlFileCfg):
    """Glass."""

    mdl_path: str = "OmniGlass.mdl"
    glass_color: Sequence[float] = (1.0, 1.0, 1.0)
    """Linear RGB."""
    frosting_roughness: float = 0.0
    thin_walled: bool = False
    glass_ior: float = 1.491

    def inputs(self) -> list[tuple[str, str, Any]]:
        """Shader inputs: name, type and value."""
        return [
            *super().inputs(),
            ("glass_color", "color3f", self.glass_color),
            ("frosting_roughness", "float", self.frosting_roughness),
            ("thin_walled", "bool", self.thin_walled),
            ("glass_ior", "float", self.glass_ior),
        ]


@dataclass(kw_only=True)
class RigidBodyMaterialCfg(PhysxMaterialPropertiesCfg):
    """A physics material of rigid colliders; unlike elsewhere, its values are real defaults."""

    func: Callable[..., Usd.Prim] = spawn_physics_material

    static_friction: float | None = with_default(PhysxMaterialPropertiesCfg, "static_friction", 0.5)
    dynamic_friction: float | None = with_default(
        PhysxMaterialPropertiesCfg, "dynamic_friction", 0.5
    )
    restitution: float | None = with_default(PhysxMaterialPropertiesCfg, "restitution", 0.0)
    friction_combine_mode: str | None = with_default(
        PhysxMaterialPropertiesCfg, "friction_combine_mode", "average"
    )
    restitution_combine_mode: str | None = with_default(
        PhysxMaterialPropertiesCfg, "restitution_combine_mode", "average"
    )
    compliant_contact_stiffness: float | None = with_default(
        PhysxMaterialPropertiesCfg, "compliant_contact_stiffness", 0.0
    )
    compliant_contact_damping: float | None = with_default(
        PhysxMaterialPropertiesCfg, "compliant_contact_damping", 0.0
    )


@dataclass(kw_only=True)
class NewtonRigidBodyMaterialCfg(NewtonMaterialPropertiesCfg):
    """A physics material of rigid colliders in the Newton dialect."""

    func: Callable[..., Usd.Prim] = spawn_physics_material


@dataclass(kw_only=True)
class DeformableBodyMaterialCfg(DeformableMaterialBaseCfg):
    """A physics material of deformable bodies."""

    func: Callable[..., Usd.Prim] = spawn_physics_material

    dynamic_friction: float | None = with_default(
        DeformableMaterialBaseCfg, "dynamic_friction", 0.25
    )
    youngs_modulus: float | None = with_default(DeformableMaterialBaseCfg, "youngs_modulus", 5.0e7)
    poissons_ratio: float | None = with_default(DeformableMaterialBaseCfg, "poissons_ratio", 0.45)
    elasticity_damping: float | None = with_default(
        DeformableMaterialBaseCfg, "elasticity_damping", 0.005
    )


@dataclass(kw_only=True)
class SurfaceDeformableBodyMaterialCfg(SurfaceDeformableMaterialBaseCfg):
    """A physics material of surface bodies."""

    func: Callable[..., Usd.Prim] = spawn_physics_material


@dataclass(kw_only=True)
class CurvesDeformableBodyMaterialCfg(CurvesDeformableMaterialBaseCfg):
    """A physics material of bodies of curves, such as cables."""

    func: Callable[..., Usd.Prim] = spawn_physics_material


PhysicsMaterialCfg = (
    RigidBodyMaterialCfg
    | NewtonRigidBodyMaterialCfg
    | DeformableBodyMaterialCfg
    | SurfaceDeformableBodyMaterialCfg
    | CurvesDeformableBodyMaterialCfg
)
"""Any physics material."""
