"""USD files as assets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pxr import Sdf, Usd, UsdGeom

from usdsim.core.boundary import boundary
from usdsim.core.errors import MissingFileError, StageError, UnknownNameError
from usdsim.core.shipped import located
from usdsim.schemas import (
    ArticulationRootBaseCfg,
    DeformableBodyBaseCfg,
    JointDriveBaseCfg,
    MujocoJointDrivePropertiesCfg,
    MujocoRigidBodyPropertiesCfg,
    PhysxFixedTendonPropertiesCfg,
    PhysxSpatialTendonPropertiesCfg,
    RigidBodyBaseCfg,
    define_deformable_body_properties,
    modify_articulation_root_properties,
    modify_collision_properties,
    modify_fixed_tendon_properties,
    modify_joint_drive_properties,
    modify_mass_properties,
    modify_rigid_body_properties,
    modify_spatial_tendon_properties,
)
from usdsim.usd.layers import open_layers
from usdsim.usd.prims import define_prim

from .bind import bind_physics_material, bind_visual_material
from .cfg import RigidObjectSpawnerCfg
from .materials import PhysicsMaterialCfg, RigidBodyMaterialCfg, VisualMaterialCfg
from .place import exists, place
from .rigid import material_path
from .spawner import SpawnPoint, spawner

__all__ = [
    "FileCfg",
    "UsdFileCfg",
    "UsdFileWithCompliantContactCfg",
    "reference_file",
    "select_usd_variants",
    "spawn_from_usd",
    "spawn_from_usd_with_compliant_contact_material",
]

_log = logging.getLogger("usdsim")

_WRITERS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("rigid_props", modify_rigid_body_properties),
    ("collision_props", modify_collision_properties),
    ("mass_props", modify_mass_properties),
    ("articulation_props", modify_articulation_root_properties),
    ("fixed_tendons_props", modify_fixed_tendon_properties),
    ("spatial_tendons_props", modify_spatial_tendon_properties),
    ("joint_drive_props", modify_joint_drive_properties),
)
"""Properties of a file's prims, in the order they are written."""


def select_usd_variants(prim: Usd.Prim, variants: Mapping[str, str] | object | None) -> None:
    """Select variants of a prim.

    Args:
        prim: the prim.
        variants: variant by variant set, or an object with an attribute per variant set.

    Raises:
        UnknownNameError: the prim has no such variant set or variant.
    """
    if variants is None:
        return
    wanted = dict(variants) if isinstance(variants, Mapping) else dict(vars(variants))
    sets = prim.GetVariantSets()
    for name, variant in wanted.items():
        if not sets.HasVariantSet(name):
            raise UnknownNameError("variant set", name, sets.GetNames(), str(prim.GetPath()))
        chosen = sets.GetVariantSet(name)
        if variant not in chosen.GetVariantNames():
            raise UnknownNameError(
                "variant", variant, chosen.GetVariantNames(), f"{prim.GetPath()}, set {name!r}"
            )
        chosen.SetVariantSelection(variant)


def reference_file(
    at: SpawnPoint,
    usd_path: str,
    cfg: FileCfg,
    variants: Mapping[str, str] | object | None = None,
) -> Usd.Prim:
    """Refer to a USD file from a prim and write the configured properties over it.

    Raises:
        FileNotFoundError: the file does not exist.
        FileError: it is damaged, or no USD file.
    """
    stage, prim_path, usd_path = at.stage, at.path, located(usd_path)
    if "://" not in usd_path and not Path(usd_path).is_file():
        raise MissingFileError(f"No such file: {usd_path!r} (to be spawned at {prim_path}).")
    if exists(stage, prim_path):
        _log.warning("A prim at %s exists already; it is kept as it is.", prim_path)
        prim = stage.GetPrimAtPath(prim_path)
    else:
        with boundary(f"Cannot open {usd_path!r} (to be spawned at {prim_path})"):
            remote = "://" in usd_path
            layers = [Sdf.Layer.FindOrOpen(usd_path)] if remote else open_layers(usd_path)
            layer = layers[0]
            root = _root_prim(usd_path, layer)
            if layer is not None and cfg.scale is None:
                _warn_about_lengths(layer, stage, prim_path)
        # A type here would win over that of the file, which may be a mesh.
        prim = define_prim(stage, prim_path, "")
        with boundary(f"Cannot refer to {usd_path!r} at {prim_path}", StageError):
            prim.GetReferences().AddReference(*((usd_path,) if root is None else (usd_path, root)))
        if not prim.IsA(UsdGeom.Xformable):
            prim.SetTypeName("Xform")
        if at.translation is not None or at.orientation is not None or cfg.scale is not None:
            place(prim, at.translation, at.orientation, cfg.scale)
    select_usd_variants(prim, variants)
    for field, write in _WRITERS:
        props = getattr(cfg, field)
        if props is not None:
            write(prim_path, props, stage)
    if _compensates_gravity(cfg):
        floating = MujocoRigidBodyPropertiesCfg(gravcomp=1.0)
        modify_rigid_body_properties(prim_path, floating, stage, subtree=True)
    if cfg.deformable_props is not None:
        define_deformable_body_properties(prim_path, cfg.deformable_props, stage)
    if cfg.visual_material is not None:
        path = material_path(prim_path, cfg.visual_material_path)
        cfg.visual_material.func(path, cfg.visual_material, stage=stage)
        bind_visual_material(prim_path, path, stage)
    if cfg.physics_material is not None:
        path = material_path(prim_path, cfg.physics_material_path)
        cfg.physics_material.func(path, cfg.physics_material, stage=stage)
        if not bind_physics_material(prim_path, path, stage):
            _log.warning(
                "Nothing below %s takes the physics material: there is no collider or deformable "
                "body that is not part of an instance.",
                prim_path,
            )
    return prim


def _compensates_gravity(cfg: FileCfg) -> bool:
    """Whether actuators bear the weight of bodies whose compensation nobody configured."""
    drive = cfg.joint_drive_props
    if not isinstance(drive, MujocoJointDrivePropertiesCfg) or not drive.actuatorgravcomp:
        return False
    rigid = cfg.rigid_props
    given = [rigid] if isinstance(rigid, RigidBodyBaseCfg) else list(rigid or ())
    return not any(isinstance(one, MujocoRigidBodyPropertiesCfg) for one in given)


def _warn_about_lengths(layer: Sdf.Layer, stage: Usd.Stage, prim_path: str) -> None:
    """Warn that a file counts lengths in another unit, which references do not convert."""
    if not layer.pseudoRoot.HasInfo("metersPerUnit"):
        return
    ours, theirs = UsdGeom.GetStageMetersPerUnit(stage), layer.pseudoRoot.GetInfo("metersPerUnit")
    if not UsdGeom.LinearUnitsAre(ours, theirs):
        factor = theirs / ours
        _log.warning(
            "%s, spawned at %s, counts lengths in units of %g m, the stage in units of %g m, and a "
            "reference converts nothing. Set scale=(%g, %g, %g) if it is to have its own size.",
            layer.identifier, prim_path, theirs, ours, factor, factor, factor,
        )  # fmt: skip


def _root_prim(usd_path: str, layer: Sdf.Layer | None) -> Sdf.Path | None:
    """Prim of a file to refer to: None for its default prim, else its only root prim."""
    if layer is None or layer.defaultPrim:
        return None
    roots = [spec.path for spec in layer.rootPrims if spec.specifier == Sdf.SpecifierDef]
    if len(roots) != 1:
        names = ", ".join(map(str, roots)) or "none"
        raise StageError(
            f"{usd_path} has no default prim to refer to. Set `defaultPrim` to one of: {names}."
        )
    return roots[0]


@spawner
def spawn_from_usd(at: SpawnPoint, cfg: UsdFileCfg) -> Usd.Prim:
    """Spawn a USD file. A prim that is there already stays; poses left out are as authored.

    Raises:
        FileNotFoundError: the file does not exist.
        LookupError: the file has no such variant.
    """
    return reference_file(at, str(cfg.usd_path), cfg, cfg.variants)


@spawner
def spawn_from_usd_with_compliant_contact_material(
    at: SpawnPoint, cfg: UsdFileWithCompliantContactCfg
) -> Usd.Prim:
    """Spawn a USD file some of whose colliders are compliant; see `spawn_from_usd`."""
    prim = reference_file(at, str(cfg.usd_path), cfg, cfg.variants)
    if cfg.compliant_contact_stiffness is None and cfg.compliant_contact_damping is None:
        return prim
    material = RigidBodyMaterialCfg(
        compliant_contact_stiffness=cfg.compliant_contact_stiffness or 0.0,
        compliant_contact_damping=cfg.compliant_contact_damping or 0.0,
    )
    path = f"{at.path}/compliant_material"
    material.func(path, material, stage=at.stage)
    below = cfg.physics_material_prim_path
    for part in [below] if isinstance(below, str) else list(below or ("",)):
        bind_physics_material(f"{at.path}/{part}".rstrip("/"), path, at.stage)
    return prim


@dataclass(kw_only=True)
class FileCfg(RigidObjectSpawnerCfg):
    """A file, and properties to write over its own."""

    scale: Sequence[float] | None = None
    """Scale per axis; None: as authored."""
    articulation_props: ArticulationRootBaseCfg | None = None
    fixed_tendons_props: PhysxFixedTendonPropertiesCfg | None = None
    spatial_tendons_props: PhysxSpatialTendonPropertiesCfg | None = None
    joint_drive_props: JointDriveBaseCfg | None = None
    deformable_props: DeformableBodyBaseCfg | None = None
    visual_material_path: str = "material"
    """Path of the display material; relative: below the prim."""
    visual_material: VisualMaterialCfg | None = None
    """Display material of everything in the file; None: as authored."""
    physics_material_path: str = "material"
    """Path of the physics material; relative: below the prim."""
    physics_material: PhysicsMaterialCfg | None = None
    """Physics material of all colliders and deformable bodies in the file; None: as authored."""


@dataclass(kw_only=True)
class UsdFileCfg(FileCfg):
    """A USD file."""

    func: Callable[..., Usd.Prim] = spawn_from_usd
    usd_path: str | Path
    """The file."""
    variants: Mapping[str, str] | object | None = None
    """Variant by variant set, or an object with an attribute per variant set."""


@dataclass(kw_only=True)
class UsdFileWithCompliantContactCfg(UsdFileCfg):
    """A USD file some of whose colliders are compliant."""

    func: Callable[..., Usd.Prim] = spawn_from_usd_with_compliant_contact_material
    compliant_contact_stiffness: float | None = None
    """[N/m]"""
    compliant_contact_damping: float | None = None
    """[N s/m]"""
    physics_material_prim_path: str | Sequence[str] | None = None
    """Prims below the file's root whose colliders are compliant; None: all."""
