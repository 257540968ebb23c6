"""Aliases: names of Isaac Lab for one engine or another, or before 1.0, of what is here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from usdsim.schemas.mesh_collision import APPROXIMATIONS

_FOR_ANY_ENGINE = {
    "usdsim.assets": (
        *("Articulation", "ArticulationData", "DeformableObject", "DeformableObjectData"),
        *("RigidObject", "RigidObjectCollection", "RigidObjectCollectionData", "RigidObjectData"),
    ),
    "usdsim.sensors": (
        *("ContactSensor", "ContactSensorData", "FrameTransformer", "FrameTransformerData"),
        *("Imu", "ImuData", "JointWrenchSensor", "JointWrenchSensorData", "MultiMeshRayCaster"),
        *("MultiMeshRayCasterCamera", "Pva", "RayCaster", "RayCasterCamera"),
    ),
}
"""Classes that programs name with ``Base`` before them, by module."""

_ALIASES = {
    f"Base{name}": f"{module}:{name}" for module, names in _FOR_ANY_ENGINE.items() for name in names
} | {
    "BaseEnv": "usdsim.envs:ManagerBasedEnv",
    "BaseEnvCfg": "usdsim.envs:ManagerBasedEnvCfg",
    "BasePvaData": "usdsim.sensors:ImuData",
    "DeformableBodyMaterialBaseCfg": "usdsim.spawners:DeformableBodyMaterialCfg",
    "DeformableBodyPropertiesBaseCfg": "usdsim.schemas:DeformableBodyBaseCfg",
    "ISAACLAB_ASSETS_DATA_DIR": "usdsim.compat.server.paths:ISAACLAB_NUCLEUS_DIR",
    "ISAAC_ORBIT_NUCLEUS_DIR": "usdsim.compat.server.paths:ISAACLAB_NUCLEUS_DIR",
    "MultiMeshRayCasterCameraData": "usdsim.sensors:RayCasterCameraData",
    "MultiMeshRayCasterData": "usdsim.sensors:RayCasterData",
    "NewtonDeformableBodyPropertiesCfg": "usdsim.schemas:PhysxDeformableBodyPropertiesCfg",
    "OmniPhysicsDeformableBodyPropertiesCfg": "usdsim.schemas:PhysxDeformableBodyPropertiesCfg",
    "OmniPhysicsDeformableMaterialCfg": "usdsim.spawners:DeformableBodyMaterialCfg",
    "OmniPhysicsSurfaceDeformableMaterialCfg": "usdsim.spawners:SurfaceDeformableBodyMaterialCfg",
    "PhysXDeformableBodyPropertiesCfg": "usdsim.schemas:PhysxDeformableBodyPropertiesCfg",
    "PhysXDeformableMaterialCfg": "usdsim.spawners:DeformableBodyMaterialCfg",
    "PhysxDeformableBodyMaterialCfg": "usdsim.spawners:DeformableBodyMaterialCfg",
    "PhysxDeformableCollisionPropertiesCfg": "usdsim.schemas:PhysxCollisionPropertiesCfg",
    "PhysxSurfaceDeformableBodyMaterialCfg": "usdsim.spawners:SurfaceDeformableBodyMaterialCfg",
    "PvaData": "usdsim.sensors:ImuData",
    "RLTaskEnv": "usdsim.envs:ManagerBasedRLEnv",
    "RLTaskEnvCfg": "usdsim.envs:ManagerBasedRLEnvCfg",
    "RandomizationManager": "usdsim.envs.managers:EventManager",
    "RandomizationTermCfg": "usdsim.envs.managers:EventTermCfg",
    "RigidBodyMaterialBaseCfg": "usdsim.spawners:RigidBodyMaterialCfg",
    "SurfaceDeformableBodyMaterialBaseCfg": "usdsim.spawners:SurfaceDeformableBodyMaterialCfg",
    "convert_orientation_convention": (
        "usdsim.math.tensors:convert_camera_frame_orientation_convention"
    ),
    "set_seed": "usdsim.compat.tools.seeds:configure_seed",
    "spawn_deformable_body_material": "usdsim.spawners:spawn_physics_material",
    "spawn_rigid_body_material": "usdsim.spawners:spawn_physics_material",
}
"""Module and name of what an alias stands for."""

__all__ = ["MESH_APPROXIMATION_TOKENS", *_ALIASES]

MESH_APPROXIMATION_TOKENS = {name: name for name in APPROXIMATIONS}
"""Tokens of approximations of meshes for collisions by name."""


def __getattr__(name: str) -> Any:
    if name not in _ALIASES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, original = _ALIASES[name].partition(":")
    return getattr(import_module(module), original)
