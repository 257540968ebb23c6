"""Spawners: shapes, files, materials, lights, cameras and environments put on a stage.

A configuration says what; ``cfg.func(prim_path, cfg, translation, orientation)`` puts it there,
once or below every parent that matches a pattern.
"""

from __future__ import annotations

from .bind import bind_physics_material, bind_visual_material
from .cfg import DeformableObjectSpawnerCfg, RigidObjectSpawnerCfg, SpawnerCfg
from .clone import clone_environments, filter_collisions, grid_origins
from .files import FileCfg, MissingFileError, UsdFileCfg, UsdFileWithCompliantContactCfg, select_usd_variants, spawn_from_usd, spawn_from_usd_with_compliant_contact_material
from .ground import GroundPlaneCfg, spawn_ground_plane
from .lights import CylinderLightCfg, DiskLightCfg, DistantLightCfg, DomeLightCfg, LightCfg, SphereLightCfg, spawn_light
from .materials import DeformableBodyMaterialCfg, GlassMdlCfg, MdlFileCfg, NewtonRigidBodyMaterialCfg, PhysicsMaterialCfg, PreviewSurfaceCfg, RigidBodyMaterialCfg, SurfaceDeformableBodyMaterialCfg, VisualMaterialCfg, spawn_from_mdl_file, spawn_physics_material, spawn_preview_surface
from .meshes import MeshCapsuleCfg, MeshCfg, MeshConeCfg, MeshCuboidCfg, MeshCylinderCfg, MeshSphereCfg, MeshSquareCfg, spawn_mesh_capsule, spawn_mesh_cone, spawn_mesh_cuboid, spawn_mesh_cylinder, spawn_mesh_sphere, spawn_mesh_square
from .place import ENV_REGEX_NS, NoParentError, place
from .sensors import FisheyeCameraCfg, PinholeCameraCfg, spawn_camera
from .shapes import CapsuleCfg, ConeCfg, CuboidCfg, CylinderCfg, ShapeCfg, SphereCfg, spawn_capsule, spawn_cone, spawn_cuboid, spawn_cylinder, spawn_sphere
from .wrappers import MultiAssetSpawnerCfg, MultiUsdFileCfg, spawn_multi_asset, spawn_multi_usd_file

__all__ = [
    "ENV_REGEX_NS",
    "CapsuleCfg",
    "ConeCfg",
    "CuboidCfg",
    "CylinderCfg",
    "CylinderLightCfg",
    "DeformableBodyMaterialCfg",
    "DeformableObjectSpawnerCfg",
    "DiskLightCfg",
    "DistantLightCfg",
    "DomeLightCfg",
    "FileCfg",
    "FisheyeCameraCfg",
    "GlassMdlCfg",
    "GroundPlaneCfg",
    "LightCfg",
    "MdlFileCfg",
    "MeshCapsuleCfg",
    "MeshCfg",
    "MeshConeCfg",
    "MeshCuboidCfg",
    "MeshCylinderCfg",
    "MeshSphereCfg",
    "MeshSquareCfg",
    "MissingFileError",
    "MultiAssetSpawnerCfg",
    "MultiUsdFileCfg",
    "NewtonRigidBodyMaterialCfg",
    "NoParentError",
    "PhysicsMaterialCfg",
    "PinholeCameraCfg",
    "PreviewSurfaceCfg",
    "RigidBodyMaterialCfg",
    "RigidObjectSpawnerCfg",
    "ShapeCfg",
    "SpawnerCfg",
    "SphereCfg",
    "SphereLightCfg",
    "SurfaceDeformableBodyMaterialCfg",
    "UsdFileCfg",
    "UsdFileWithCompliantContactCfg",
    "VisualMaterialCfg",
    "bind_physics_material",
    "bind_visual_material",
    "clone_environments",
    "filter_collisions",
    "grid_origins",
    "place",
    "select_usd_variants",
    "spawn_camera",
    "spawn_capsule",
    "spawn_cone",
    "spawn_cuboid",
    "spawn_cylinder",
    "spawn_from_mdl_file",
    "spawn_from_usd",
    "spawn_from_usd_with_compliant_contact_material",
    "spawn_ground_plane",
    "spawn_light",
    "spawn_mesh_capsule",
    "spawn_mesh_cone",
    "spawn_mesh_cuboid",
    "spawn_mesh_cylinder",
    "spawn_mesh_sphere",
    "spawn_mesh_square",
    "spawn_multi_asset",
    "spawn_multi_usd_file",
    "spawn_physics_material",
    "spawn_preview_surface",
    "spawn_sphere",
]
