"""Authoring physics on prims: configurations and the functions that write and read them.

`define_*` makes a prim something and sets its properties; `modify_*` changes what is there already,
at and below a prim; `read_*` gives the configuration back. A field that is None stays as authored.
"""

from __future__ import annotations

from usdsim.schemas.authoring.family import SchemaConflictError
from usdsim.schemas.authoring.result import SchemaResult, Skipped

from .actuator import ActuatorBaseCfg, MujocoActuatorCfg, NewtonActuatorCfg, define_actuator, modify_actuator, read_actuator, replace_actuators
from .articulation import ArticulationRootBaseCfg, NewtonArticulationRootPropertiesCfg, PhysxArticulationRootPropertiesCfg, define_articulation_root_properties, modify_articulation_root_properties, read_articulation_root_properties
from .cfg import SchemaCfg
from .collision import CollisionBaseCfg, MujocoCollisionPropertiesCfg, NewtonCollisionPropertiesCfg, PhysxCollisionPropertiesCfg, define_collision_properties, modify_collision_properties, read_collision_properties
from .contact_sensor import activate_contact_sensors
from .deformable import define_deformable_body_properties, modify_deformable_body_properties, read_deformable_body_properties
from .deformable_cfg import DeformableBodyBaseCfg, PhysxDeformableBodyPropertiesCfg, PhysxSurfaceDeformableBodyPropertiesCfg
from .deprecated import ArticulationRootPropertiesCfg, CollisionPropertiesCfg, DeformableBodyPropertiesCfg, FixedTendonPropertiesCfg, JointDrivePropertiesCfg, RigidBodyPropertiesCfg, SpatialTendonPropertiesCfg
from .fix_root import create_world_fixed_joint, find_global_fixed_joint_prim, find_root_link, fix_root_link, move_articulation_root_to_parent
from .joint import JointPropertiesCfg, modify_joint_properties, read_joint_properties
from .joint_drive import JointDriveBaseCfg, MujocoJointDrivePropertiesCfg, NewtonJointDrivePropertiesCfg, PhysxJointDrivePropertiesCfg, modify_joint_drive_properties, read_joint_drive_properties
from .joint_state import JointStateCfg, modify_joint_state, read_joint_state
from .mass import MassPropertiesCfg, define_mass_properties, modify_mass_properties, read_mass_properties
from .material import DeformableMaterialBaseCfg, NewtonMaterialPropertiesCfg, PhysicsMaterialBaseCfg, PhysxMaterialPropertiesCfg, SurfaceDeformableMaterialBaseCfg, define_material_properties, modify_material_properties, read_material_properties
from .mesh_collision import APPROXIMATIONS, BoundingCubePropertiesCfg, BoundingSpherePropertiesCfg, ConvexDecompositionPropertiesCfg, ConvexHullPropertiesCfg, MeshCollisionBaseCfg, MujocoMeshCollisionPropertiesCfg, NewtonMeshCollisionPropertiesCfg, NewtonSDFCollisionPropertiesCfg, PhysxConvexDecompositionPropertiesCfg, PhysxConvexHullPropertiesCfg, PhysxSDFMeshPropertiesCfg, PhysxTriangleMeshPropertiesCfg, PhysxTriangleMeshSimplificationPropertiesCfg, SDFMeshPropertiesCfg, TriangleMeshPropertiesCfg, TriangleMeshSimplificationPropertiesCfg, define_mesh_collision_properties, modify_mesh_collision_properties, read_mesh_collision_properties
from .mimic import MimicJointPropertiesCfg, define_mimic_joint_properties, modify_mimic_joint_properties, read_mimic_joint_properties
from .rigid_body import MujocoRigidBodyPropertiesCfg, NewtonRigidBodyPropertiesCfg, PhysxRigidBodyPropertiesCfg, RigidBodyBaseCfg, define_rigid_body_properties, modify_rigid_body_properties, read_rigid_body_properties
from .scene import MujocoScenePropertiesCfg, NewtonScenePropertiesCfg, PhysicsSceneBaseCfg, PhysxScenePropertiesCfg, define_physics_scene, modify_physics_scene, read_physics_scene
from .site import SitePropertiesCfg, define_site_properties, modify_site_properties, read_site_properties
from .tendon import MujocoTendonPropertiesCfg, PhysxFixedTendonPropertiesCfg, PhysxSpatialTendonPropertiesCfg, PhysxTendonAxisCfg, TendonBaseCfg, modify_fixed_tendon_properties, modify_spatial_tendon_properties, modify_tendon_axis_properties, read_fixed_tendon_properties, read_spatial_tendon_properties, read_tendon_axis_properties
from .validation import Finding, Rule, Severity, validate_stage, validation_rules

__all__ = [
    "APPROXIMATIONS",
    "ActuatorBaseCfg",
    "ArticulationRootBaseCfg",
    "ArticulationRootPropertiesCfg",
    "BoundingCubePropertiesCfg",
    "BoundingSpherePropertiesCfg",
    "CollisionBaseCfg",
    "CollisionPropertiesCfg",
    "ConvexDecompositionPropertiesCfg",
    "ConvexHullPropertiesCfg",
    "DeformableBodyBaseCfg",
    "DeformableBodyPropertiesCfg",
    "DeformableMaterialBaseCfg",
    "Finding",
    "FixedTendonPropertiesCfg",
    "JointDriveBaseCfg",
    "JointDrivePropertiesCfg",
    "JointPropertiesCfg",
    "JointStateCfg",
    "MassPropertiesCfg",
    "MeshCollisionBaseCfg",
    "MimicJointPropertiesCfg",
    "MujocoActuatorCfg",
    "MujocoCollisionPropertiesCfg",
    "MujocoJointDrivePropertiesCfg",
    "MujocoMeshCollisionPropertiesCfg",
    "MujocoRigidBodyPropertiesCfg",
    "MujocoScenePropertiesCfg",
    "MujocoTendonPropertiesCfg",
    "NewtonActuatorCfg",
    "NewtonArticulationRootPropertiesCfg",
    "NewtonCollisionPropertiesCfg",
    "NewtonJointDrivePropertiesCfg",
    "NewtonMaterialPropertiesCfg",
    "NewtonMeshCollisionPropertiesCfg",
    "NewtonRigidBodyPropertiesCfg",
    "NewtonSDFCollisionPropertiesCfg",
    "NewtonScenePropertiesCfg",
    "PhysicsMaterialBaseCfg",
    "PhysicsSceneBaseCfg",
    "PhysxArticulationRootPropertiesCfg",
    "PhysxCollisionPropertiesCfg",
    "PhysxConvexDecompositionPropertiesCfg",
    "PhysxConvexHullPropertiesCfg",
    "PhysxDeformableBodyPropertiesCfg",
    "PhysxFixedTendonPropertiesCfg",
    "PhysxJointDrivePropertiesCfg",
    "PhysxMaterialPropertiesCfg",
    "PhysxRigidBodyPropertiesCfg",
    "PhysxSDFMeshPropertiesCfg",
    "PhysxScenePropertiesCfg",
    "PhysxSpatialTendonPropertiesCfg",
    "PhysxSurfaceDeformableBodyPropertiesCfg",
    "PhysxTendonAxisCfg",
    "PhysxTriangleMeshPropertiesCfg",
    "PhysxTriangleMeshSimplificationPropertiesCfg",
    "RigidBodyBaseCfg",
    "RigidBodyPropertiesCfg",
    "Rule",
    "SDFMeshPropertiesCfg",
    "SchemaCfg",
    "SchemaConflictError",
    "SchemaResult",
    "Severity",
    "SitePropertiesCfg",
    "Skipped",
    "SpatialTendonPropertiesCfg",
    "SurfaceDeformableMaterialBaseCfg",
    "TendonBaseCfg",
    "TriangleMeshPropertiesCfg",
    "TriangleMeshSimplificationPropertiesCfg",
    "activate_contact_sensors",
    "create_world_fixed_joint",
    "define_actuator",
    "define_articulation_root_properties",
    "define_collision_properties",
    "define_deformable_body_properties",
    "define_mass_properties",
    "define_material_properties",
    "define_mesh_collision_properties",
    "define_mimic_joint_properties",
    "define_physics_scene",
    "define_rigid_body_properties",
    "define_site_properties",
    "find_global_fixed_joint_prim",
    "find_root_link",
    "fix_root_link",
    "modify_actuator",
    "modify_articulation_root_properties",
    "modify_collision_properties",
    "modify_deformable_body_properties",
    "modify_fixed_tendon_properties",
    "modify_joint_drive_properties",
    "modify_joint_properties",
    "modify_joint_state",
    "modify_mass_properties",
    "modify_material_properties",
    "modify_mesh_collision_properties",
    "modify_mimic_joint_properties",
    "modify_physics_scene",
    "modify_rigid_body_properties",
    "modify_site_properties",
    "modify_spatial_tendon_properties",
    "modify_tendon_axis_properties",
    "move_articulation_root_to_parent",
    "read_actuator",
    "read_articulation_root_properties",
    "read_collision_properties",
    "read_deformable_body_properties",
    "read_fixed_tendon_properties",
    "read_joint_drive_properties",
    "read_joint_properties",
    "read_joint_state",
    "read_mass_properties",
    "read_material_properties",
    "read_mesh_collision_properties",
    "read_mimic_joint_properties",
    "read_physics_scene",
    "read_rigid_body_properties",
    "read_site_properties",
    "read_spatial_tendon_properties",
    "read_tendon_axis_properties",
    "replace_actuators",
    "validate_stage",
    "validation_rules",
]
