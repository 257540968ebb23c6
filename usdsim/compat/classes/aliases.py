"""Aliases: names of Isaac Lab's packages for one engine or another, of classes that are here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import Any

from pxr import Usd

from usdsim.assets import (
    Articulation,
    ArticulationData,
    DeformableObject,
    DeformableObjectData,
    RigidObject,
    RigidObjectCollection,
    RigidObjectCollectionData,
    RigidObjectData,
)
from usdsim.schemas import (
    DeformableBodyBaseCfg,
    PhysxCollisionPropertiesCfg,
    PhysxDeformableBodyPropertiesCfg,
)
from usdsim.schemas.authoring.table import with_default
from usdsim.sensors import (
    ContactSensor,
    ContactSensorData,
    FrameTransformer,
    FrameTransformerData,
    Imu,
    ImuData,
    JointWrenchSensor,
    JointWrenchSensorData,
    MultiMeshRayCaster,
    MultiMeshRayCasterCamera,
    Pva,
    RayCaster,
    RayCasterCamera,
    RayCasterCameraData,
    RayCasterData,
)
from usdsim.spawners import (
    DeformableBodyMaterialCfg,
    RigidBodyMaterialCfg,
    SurfaceDeformableBodyMaterialCfg,
    spawn_physics_material,
)

__all__ = [
    "MESH_APPROXIMATION_TOKENS",
    "BaseArticulation",
    "BaseArticulationData",
    "BaseContactSensor",
    "BaseContactSensorData",
    "BaseDeformableObject",
    "BaseDeformableObjectData",
    "BaseFrameTransformer",
    "BaseFrameTransformerData",
    "BaseImu",
    "BaseImuData",
    "BaseJointWrenchSensor",
    "BaseJointWrenchSensorData",
    "BaseMultiMeshRayCaster",
    "BaseMultiMeshRayCasterCamera",
    "BasePva",
    "BasePvaData",
    "BaseRayCaster",
    "BaseRayCasterCamera",
    "BaseRigidObject",
    "BaseRigidObjectCollection",
    "BaseRigidObjectCollectionData",
    "BaseRigidObjectData",
    "DeformableBodyMaterialBaseCfg",
    "DeformableBodyPropertiesBaseCfg",
    "MultiMeshRayCasterCameraData",
    "MultiMeshRayCasterData",
    "NewtonDeformableBodyMaterialCfg",
    "NewtonDeformableBodyPropertiesCfg",
    "NewtonDeformableMaterialCfg",
    "NewtonSurfaceDeformableBodyMaterialCfg",
    "OmniPhysicsDeformableBodyPropertiesCfg",
    "OmniPhysicsDeformableMaterialCfg",
    "OmniPhysicsSurfaceDeformableMaterialCfg",
    "PhysXDeformableBodyPropertiesCfg",
    "PhysXDeformableMaterialCfg",
    "PhysxDeformableBodyMaterialCfg",
    "PhysxDeformableCollisionPropertiesCfg",
    "PhysxSurfaceDeformableBodyMaterialCfg",
    "PvaData",
    "RigidBodyMaterialBaseCfg",
    "SurfaceDeformableBodyMaterialBaseCfg",
    "spawn_deformable_body_material",
    "spawn_rigid_body_material",
]

MESH_APPROXIMATION_TOKENS = {
    name: name
    for name in (
        "boundingCube", "boundingSphere", "convexDecomposition", "convexHull",
        "meshSimplification", "none", "sdf", "sphereFill",
    )
}  # fmt: skip
"""Tokens of approximations of meshes for collisions by name."""


@wraps(spawn_physics_material)
def spawn_deformable_body_material(*args: Any, **kwargs: Any) -> Usd.Prim:
    """Define a material of deformable bodies; see `usdsim.spawners.spawn_physics_material`."""
    return spawn_physics_material(*args, **kwargs)


@wraps(spawn_physics_material)
def spawn_rigid_body_material(*args: Any, **kwargs: Any) -> Usd.Prim:
    """Define a physics material; see `usdsim.spawners.spawn_physics_material`."""
    return spawn_physics_material(*args, **kwargs)


BaseArticulation, BaseArticulationData = Articulation, ArticulationData
"""Articulations and their quantities, for any engine."""
PvaData = ImuData
"""Measurements of a sensor of pose, velocity and acceleration."""
BaseRigidObjectData = RigidObjectData
"""Quantities of rigid objects."""
BaseRigidObjectCollectionData = RigidObjectCollectionData
"""Quantities of collections."""
BaseRigidObject, BaseRigidObjectCollection = RigidObject, RigidObjectCollection
"""Classes of rigid objects, for any engine."""
BaseDeformableObject, BaseDeformableObjectData = DeformableObject, DeformableObjectData
"""Classes of deformable objects."""
BaseContactSensor, BaseContactSensorData = ContactSensor, ContactSensorData
"""Classes of contact sensors."""
BaseFrameTransformer, BaseFrameTransformerData = FrameTransformer, FrameTransformerData
"""Classes of frame transformers."""
BaseImu, BaseImuData = Imu, ImuData
"""Classes of inertial units."""
BasePva, BasePvaData = Pva, PvaData
"""Classes of sensors of pose, velocity and acceleration."""
BaseJointWrenchSensor, BaseJointWrenchSensorData = JointWrenchSensor, JointWrenchSensorData
"""Classes of sensors of joint wrenches."""
BaseRayCaster, BaseRayCasterCamera = RayCaster, RayCasterCamera
"""Classes of ray casters."""
BaseMultiMeshRayCaster, BaseMultiMeshRayCasterCamera = MultiMeshRayCaster, MultiMeshRayCasterCamera
"""Those at several targets."""
MultiMeshRayCasterData, MultiMeshRayCasterCameraData = RayCasterData, RayCasterCameraData
"""Their measurements."""
DeformableBodyPropertiesBaseCfg = DeformableBodyBaseCfg
"""Properties of deformable bodies."""
NewtonDeformableBodyPropertiesCfg = PhysxDeformableBodyPropertiesCfg
"""Likewise."""
OmniPhysicsDeformableBodyPropertiesCfg = PhysxDeformableBodyPropertiesCfg
"""Likewise."""
PhysXDeformableBodyPropertiesCfg = PhysxDeformableBodyPropertiesCfg
"""Likewise."""
OmniPhysicsDeformableMaterialCfg = DeformableBodyMaterialCfg
"""Material of deformable bodies."""
OmniPhysicsSurfaceDeformableMaterialCfg = SurfaceDeformableBodyMaterialCfg
"""Material of surfaces."""
PhysxDeformableCollisionPropertiesCfg = PhysxCollisionPropertiesCfg
"""Collision properties of deformable bodies."""
DeformableBodyMaterialBaseCfg = PhysxDeformableBodyMaterialCfg = DeformableBodyMaterialCfg
"""Material of deformable bodies."""
SurfaceDeformableBodyMaterialBaseCfg = SurfaceDeformableBodyMaterialCfg
"""Material of surfaces."""
PhysxSurfaceDeformableBodyMaterialCfg = SurfaceDeformableBodyMaterialCfg
"""Likewise."""
RigidBodyMaterialBaseCfg = RigidBodyMaterialCfg
"""Material of rigid bodies."""


@dataclass(kw_only=True)
class NewtonDeformableBodyMaterialCfg(DeformableBodyMaterialCfg):
    """Material of deformable bodies by its Lamé parameters.

    Young's modulus and Poisson's ratio are mu (3 lambda + 2 mu) / (lambda + mu) and
    lambda / (2 (lambda + mu)).
    """

    density: float | None = with_default(DeformableBodyMaterialCfg, "density", 1.0)
    """Density [kg/m^3]."""
    k_mu: float | None = 1.0e5
    """Shear modulus mu [Pa]."""
    k_lambda: float | None = 1.0e5
    """First parameter lambda [Pa]."""

    def __post_init__(self) -> None:
        if self.k_mu is not None and self.k_lambda is not None:
            both = self.k_lambda + self.k_mu
            self.youngs_modulus = self.k_mu * (3.0 * self.k_lambda + 2.0 * self.k_mu) / both
            self.poissons_ratio = 0.5 * self.k_lambda / both


NewtonDeformableMaterialCfg = NewtonDeformableBodyMaterialCfg
"""Likewise."""
PhysXDeformableMaterialCfg = PhysxDeformableBodyMaterialCfg
"""Likewise."""


@dataclass(kw_only=True)
class NewtonSurfaceDeformableBodyMaterialCfg(
    NewtonDeformableBodyMaterialCfg, SurfaceDeformableBodyMaterialCfg
):
    """Material of surfaces by its Lamé parameters."""
