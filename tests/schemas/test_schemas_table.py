# ruff: noqa: E501
"""Every field of every configuration against what it has to write, spelled out by hand."""

import dataclasses
import math

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from usdsim import schemas
from usdsim.schemas.cfg import rows
from usdsim.usd.attributes import authored
from usdsim.usd.schemas import applied_schemas, apply_api
from usdsim.usd.stage import create_stage

DEG = 180.0 / math.pi
PER_DEG = math.pi / 180.0

BODY = "PhysicsRigidBodyAPI"
PX_BODY = "PhysxRigidBodyAPI"
PX_COL = "PhysxCollisionAPI"
NT_COL = "NewtonCollisionAPI"
MJ_COL = "MjcCollisionAPI"
PX_ART = "PhysxArticulationAPI"
HULL = "PhysxConvexHullCollisionAPI"
DECOMP = "PhysxConvexDecompositionCollisionAPI"
SDF = "PhysxSDFMeshCollisionAPI"
SPHERES = "PhysxSphereFillCollisionAPI"
NT_SDF = "NewtonSDFCollisionAPI"
MESH = "PhysicsMeshCollisionAPI"
ROOT = "PhysxTendonAxisRootAPI:t"
AXIS = "PhysxTendonAxisAPI:t"
ATT = "PhysxTendonAttachmentRootAPI:t"
PX_MAT = "PhysxMaterialAPI"
NT_MAT = "NewtonMaterialAPI"
OMNI_MAT = "OmniPhysicsDeformableMaterialAPI"
OMNI_SURF = "OmniPhysicsSurfaceDeformableMaterialAPI"
OMNI = "OmniPhysicsDeformableBodyAPI"
PX_DEF = "PhysxBaseDeformableBodyAPI"
PX_SURF = "PhysxSurfaceDeformableBodyAPI"
PX_SCENE = "PhysxSceneAPI"
NT_SCENE = "NewtonSceneAPI"
MJ_SCENE = "MjcSceneAPI"
NT_JOINT = "NewtonJointAPI"
DRIVE = "PhysicsDriveAPI:angular"
DC = "NewtonDCMotorClampingAPI"
PD = "NewtonPDControlAPI"
PID = "NewtonPIDControlAPI"

# (configuration, field, value) -> attribute, type, applied schema, stored value (None: the value)
TABLE = [
    ("RigidBodyBaseCfg", "rigid_body_enabled", False, "physics:rigidBodyEnabled", "bool", BODY, None),
    ("RigidBodyBaseCfg", "kinematic_enabled", True, "physics:kinematicEnabled", "bool", BODY, None),
    ("RigidBodyBaseCfg", "disable_gravity", True, "physxRigidBody:disableGravity", "bool", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "linear_damping", 0.1, "physxRigidBody:linearDamping", "float", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "angular_damping", 0.5, "physxRigidBody:angularDamping", "float", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "max_linear_velocity", 1000.0, "physxRigidBody:maxLinearVelocity", "float", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "max_angular_velocity", 1000.0, "physxRigidBody:maxAngularVelocity", "float", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "max_depenetration_velocity", 10.0, "physxRigidBody:maxDepenetrationVelocity", "float", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "max_contact_impulse", 3.0, "physxRigidBody:maxContactImpulse", "float", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "enable_gyroscopic_forces", True, "physxRigidBody:enableGyroscopicForces", "bool", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "retain_accelerations", False, "physxRigidBody:retainAccelerations", "bool", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "solver_position_iteration_count", 8, "physxRigidBody:solverPositionIterationCount", "int", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "solver_velocity_iteration_count", 0, "physxRigidBody:solverVelocityIterationCount", "int", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "sleep_threshold", 0.005, "physxRigidBody:sleepThreshold", "float", PX_BODY, None),
    ("PhysxRigidBodyPropertiesCfg", "stabilization_threshold", 0.001, "physxRigidBody:stabilizationThreshold", "float", PX_BODY, None),
    ("MujocoRigidBodyPropertiesCfg", "gravcomp", 0.5, "mjc:gravcomp", "double", "MjcBodyAPI", None),
    ("CollisionBaseCfg", "collision_enabled", False, "physics:collisionEnabled", "bool", "PhysicsCollisionAPI", None),
    ("CollisionBaseCfg", "contact_offset", 0.05, "physxCollision:contactOffset", "float", PX_COL, None),
    ("CollisionBaseCfg", "rest_offset", 0.001, "physxCollision:restOffset", "float", PX_COL, None),
    ("PhysxCollisionPropertiesCfg", "torsional_patch_radius", 1.0, "physxCollision:torsionalPatchRadius", "float", PX_COL, None),
    ("PhysxCollisionPropertiesCfg", "min_torsional_patch_radius", 0.1, "physxCollision:minTorsionalPatchRadius", "float", PX_COL, None),
    ("NewtonCollisionPropertiesCfg", "contact_margin", 0.002, "newton:contactMargin", "float", NT_COL, None),
    ("NewtonCollisionPropertiesCfg", "contact_gap", 0.01, "newton:contactGap", "float", NT_COL, None),
    ("MujocoCollisionPropertiesCfg", "margin", 0.01, "mjc:margin", "double", MJ_COL, None),
    ("MujocoCollisionPropertiesCfg", "gap", 0.02, "mjc:gap", "double", MJ_COL, None),
    ("MujocoCollisionPropertiesCfg", "solref", (0.01, 1.0), "mjc:solref", "double[]", MJ_COL, None),
    ("MujocoCollisionPropertiesCfg", "solimp", (0.9, 0.95, 0.001, 0.5, 2.0), "mjc:solimp", "double[]", MJ_COL, None),
    ("MujocoCollisionPropertiesCfg", "solmix", 2.0, "mjc:solmix", "double", MJ_COL, None),
    ("MujocoCollisionPropertiesCfg", "condim", 4, "mjc:condim", "int", MJ_COL, None),
    ("MujocoCollisionPropertiesCfg", "priority", 1, "mjc:priority", "int", MJ_COL, None),
    ("MujocoCollisionPropertiesCfg", "group", 3, "mjc:group", "int", MJ_COL, None),
    ("MujocoCollisionPropertiesCfg", "contype", 5, "mjc:contype", "int", MJ_COL, None),
    ("MujocoCollisionPropertiesCfg", "conaffinity", 6, "mjc:conaffinity", "int", MJ_COL, None),
    ("MassPropertiesCfg", "mass", 1.5, "physics:mass", "float", "PhysicsMassAPI", None),
    ("MassPropertiesCfg", "density", 100.0, "physics:density", "float", "PhysicsMassAPI", None),
    ("MassPropertiesCfg", "center_of_mass", (0.1, 0.2, 0.3), "physics:centerOfMass", "point3f", "PhysicsMassAPI", None),
    ("MassPropertiesCfg", "diagonal_inertia", (0.1, 0.2, 0.25), "physics:diagonalInertia", "float3", "PhysicsMassAPI", None),
    ("MassPropertiesCfg", "principal_axes", (0.0, 0.6, 0.0, 0.8), "physics:principalAxes", "quatf", "PhysicsMassAPI", None),
    ("ArticulationRootBaseCfg", "articulation_enabled", False, "physxArticulation:articulationEnabled", "bool", PX_ART, None),
    ("PhysxArticulationRootPropertiesCfg", "enabled_self_collisions", False, "physxArticulation:enabledSelfCollisions", "bool", PX_ART, None),
    ("PhysxArticulationRootPropertiesCfg", "solver_position_iteration_count", 4, "physxArticulation:solverPositionIterationCount", "int", PX_ART, None),
    ("PhysxArticulationRootPropertiesCfg", "solver_velocity_iteration_count", 1, "physxArticulation:solverVelocityIterationCount", "int", PX_ART, None),
    ("PhysxArticulationRootPropertiesCfg", "sleep_threshold", 1.0, "physxArticulation:sleepThreshold", "float", PX_ART, None),
    ("PhysxArticulationRootPropertiesCfg", "stabilization_threshold", 5.0, "physxArticulation:stabilizationThreshold", "float", PX_ART, None),
    ("NewtonArticulationRootPropertiesCfg", "self_collision_enabled", False, "newton:selfCollisionEnabled", "bool", "NewtonArticulationRootAPI", None),
    ("NewtonArticulationRootPropertiesCfg", "joints_add_mobility", True, "newton:jointsAddMobility", "bool", "NewtonArticulationRootAPI", None),
    ("JointDriveBaseCfg", "drive_type", "acceleration", "drive:angular:physics:type", "token", DRIVE, None),
    ("JointDriveBaseCfg", "max_force", 80.0, "drive:angular:physics:maxForce", "float", DRIVE, None),
    ("JointDriveBaseCfg", "stiffness", 10.0, "drive:angular:physics:stiffness", "float", DRIVE, 10.0 * PER_DEG),
    ("JointDriveBaseCfg", "damping", 0.1, "drive:angular:physics:damping", "float", DRIVE, 0.1 * PER_DEG),
    ("JointDriveBaseCfg", "target_position", 0.5, "drive:angular:physics:targetPosition", "float", DRIVE, 0.5 * DEG),
    ("JointDriveBaseCfg", "target_velocity", 2.0, "drive:angular:physics:targetVelocity", "float", DRIVE, 2.0 * DEG),
    ("JointDriveBaseCfg", "max_joint_velocity", 10.0, "physxJoint:maxJointVelocity", "float", "PhysxJointAPI", 10.0 * DEG),
    ("MujocoJointDrivePropertiesCfg", "actuatorgravcomp", True, "mjc:actuatorgravcomp", "bool", "MjcJointAPI", None),
    ("JointPropertiesCfg", "joint_enabled", False, "physics:jointEnabled", "bool", "", None),
    ("JointPropertiesCfg", "collision_enabled", True, "physics:collisionEnabled", "bool", "", None),
    ("JointPropertiesCfg", "lower_limit", -1.0, "physics:lowerLimit", "float", "", -DEG),
    ("JointPropertiesCfg", "upper_limit", 2.0, "physics:upperLimit", "float", "", 2.0 * DEG),
    ("JointPropertiesCfg", "armature", 0.2, "newton:armature", "float", NT_JOINT, None),
    ("JointPropertiesCfg", "friction", 0.3, "newton:friction", "float", NT_JOINT, None),
    ("JointPropertiesCfg", "damping", 0.4, "newton:damping", "float", NT_JOINT, 0.4 * PER_DEG),
    ("JointPropertiesCfg", "velocity_limit", 3.0, "newton:velocityLimit", "float", NT_JOINT, 3.0 * DEG),
    ("JointPropertiesCfg", "limit_stiffness", 100.0, "newton:limitStiffness", "float", NT_JOINT, 100.0 * PER_DEG),
    ("JointPropertiesCfg", "limit_damping", 5.0, "newton:limitDamping", "float", NT_JOINT, 5.0 * PER_DEG),
    ("JointStateCfg", "position", 0.25, "state:angular:physics:position", "float", "PhysicsJointStateAPI:angular", 0.25 * DEG),
    ("JointStateCfg", "velocity", -1.0, "state:angular:physics:velocity", "float", "PhysicsJointStateAPI:angular", -DEG),
    ("MeshCollisionBaseCfg", "mesh_approximation_name", "convexHull", "physics:approximation", "token", MESH, None),
    ("ConvexHullPropertiesCfg", "hull_vertex_limit", 32, "physxConvexHullCollision:hullVertexLimit", "int", HULL, None),
    ("ConvexHullPropertiesCfg", "min_thickness", 0.01, "physxConvexHullCollision:minThickness", "float", HULL, None),
    ("ConvexDecompositionPropertiesCfg", "hull_vertex_limit", 16, "physxConvexDecompositionCollision:hullVertexLimit", "int", DECOMP, None),
    ("ConvexDecompositionPropertiesCfg", "max_convex_hulls", 8, "physxConvexDecompositionCollision:maxConvexHulls", "int", DECOMP, None),
    ("ConvexDecompositionPropertiesCfg", "min_thickness", 0.02, "physxConvexDecompositionCollision:minThickness", "float", DECOMP, None),
    ("ConvexDecompositionPropertiesCfg", "voxel_resolution", 100000, "physxConvexDecompositionCollision:voxelResolution", "int", DECOMP, None),
    ("ConvexDecompositionPropertiesCfg", "error_percentage", 5.0, "physxConvexDecompositionCollision:errorPercentage", "float", DECOMP, None),
    ("ConvexDecompositionPropertiesCfg", "shrink_wrap", True, "physxConvexDecompositionCollision:shrinkWrap", "bool", DECOMP, None),
    ("TriangleMeshPropertiesCfg", "weld_tolerance", 0.01, "physxTriangleMeshCollision:weldTolerance", "float", "PhysxTriangleMeshCollisionAPI", None),
    ("TriangleMeshSimplificationPropertiesCfg", "simplification_metric", 0.7, "physxTriangleMeshSimplificationCollision:metric", "float", "PhysxTriangleMeshSimplificationCollisionAPI", None),
    ("TriangleMeshSimplificationPropertiesCfg", "weld_tolerance", 0.02, "physxTriangleMeshSimplificationCollision:weldTolerance", "float", "PhysxTriangleMeshSimplificationCollisionAPI", None),
    ("SphereFillPropertiesCfg", "max_spheres", 8, "physxSphereFillCollision:maxSpheres", "int", SPHERES, None),
    ("SphereFillPropertiesCfg", "voxel_resolution", 20000, "physxSphereFillCollision:voxelResolution", "int", SPHERES, None),
    ("SphereFillPropertiesCfg", "seed_count", 500, "physxSphereFillCollision:seedCount", "int", SPHERES, None),
    ("SphereFillPropertiesCfg", "fill_mode", "raycast", "physxSphereFillCollision:fillMode", "token", SPHERES, None),
    ("SDFMeshPropertiesCfg", "sdf_margin", 0.02, "physxSDFMeshCollision:sdfMargin", "float", SDF, None),
    ("SDFMeshPropertiesCfg", "sdf_narrow_band_thickness", 0.03, "physxSDFMeshCollision:sdfNarrowBandThickness", "float", SDF, None),
    ("SDFMeshPropertiesCfg", "sdf_resolution", 128, "physxSDFMeshCollision:sdfResolution", "int", SDF, None),
    ("SDFMeshPropertiesCfg", "sdf_subgrid_resolution", 4, "physxSDFMeshCollision:sdfSubgridResolution", "int", SDF, None),
    ("NewtonMeshCollisionPropertiesCfg", "max_hull_vertices", 24, "newton:maxHullVertices", "int", "NewtonMeshCollisionAPI", None),
    ("NewtonSDFCollisionPropertiesCfg", "sdf_max_resolution", 128, "newton:sdfMaxResolution", "int", NT_SDF, None),
    ("NewtonSDFCollisionPropertiesCfg", "sdf_target_voxel_size", 0.01, "newton:sdfTargetVoxelSize", "float", NT_SDF, None),
    ("NewtonSDFCollisionPropertiesCfg", "sdf_narrow_band_inner", -0.05, "newton:sdfNarrowBandInner", "float", NT_SDF, None),
    ("NewtonSDFCollisionPropertiesCfg", "sdf_narrow_band_outer", 0.06, "newton:sdfNarrowBandOuter", "float", NT_SDF, None),
    ("NewtonSDFCollisionPropertiesCfg", "sdf_texture_format", "float32", "newton:sdfTextureFormat", "token", NT_SDF, None),
    ("NewtonSDFCollisionPropertiesCfg", "sdf_padding", 0.03, "newton:sdfPadding", "float", NT_SDF, None),
    ("NewtonSDFCollisionPropertiesCfg", "hydroelastic_enabled", True, "newton:hydroelasticEnabled", "bool", NT_SDF, None),
    ("NewtonSDFCollisionPropertiesCfg", "hydroelastic_stiffness", 1e8, "newton:hydroelasticStiffness", "float", NT_SDF, None),
    ("MujocoMeshCollisionPropertiesCfg", "inertia", "exact", "mjc:inertia", "token", "MjcMeshCollisionAPI", None),
    ("MujocoMeshCollisionPropertiesCfg", "maxhullvert", 20, "mjc:maxhullvert", "int", "MjcMeshCollisionAPI", None),
    ("PhysxFixedTendonPropertiesCfg", "tendon_enabled", False, "physxTendon:t:tendonEnabled", "bool", ROOT, None),
    ("PhysxFixedTendonPropertiesCfg", "stiffness", 10.0, "physxTendon:t:stiffness", "float", ROOT, None),
    ("PhysxFixedTendonPropertiesCfg", "damping", 0.5, "physxTendon:t:damping", "float", ROOT, None),
    ("PhysxFixedTendonPropertiesCfg", "limit_stiffness", 20.0, "physxTendon:t:limitStiffness", "float", ROOT, None),
    ("PhysxFixedTendonPropertiesCfg", "offset", 0.1, "physxTendon:t:offset", "float", ROOT, None),
    ("PhysxFixedTendonPropertiesCfg", "rest_length", 0.2, "physxTendon:t:restLength", "float", ROOT, None),
    ("PhysxFixedTendonPropertiesCfg", "lower_limit", -0.3, "physxTendon:t:lowerLimit", "float", ROOT, None),
    ("PhysxFixedTendonPropertiesCfg", "upper_limit", 0.4, "physxTendon:t:upperLimit", "float", ROOT, None),
    ("PhysxTendonAxisCfg", "gearing", (1.0, -0.5), "physxTendon:t:gearing", "float[]", AXIS, None),
    ("PhysxTendonAxisCfg", "force_coefficient", (2.0, 0.25), "physxTendon:t:forceCoefficient", "float[]", AXIS, None),
    ("PhysxTendonAxisCfg", "joint_axis", ("rotX", "rotY"), "physxTendon:t:jointAxis", "token[]", AXIS, None),
    ("PhysxSpatialTendonPropertiesCfg", "tendon_enabled", False, "physxTendon:t:tendonEnabled", "bool", ATT, None),
    ("PhysxSpatialTendonPropertiesCfg", "stiffness", 11.0, "physxTendon:t:stiffness", "float", ATT, None),
    ("PhysxSpatialTendonPropertiesCfg", "damping", 0.6, "physxTendon:t:damping", "float", ATT, None),
    ("PhysxSpatialTendonPropertiesCfg", "limit_stiffness", 21.0, "physxTendon:t:limitStiffness", "float", ATT, None),
    ("PhysxSpatialTendonPropertiesCfg", "offset", 0.15, "physxTendon:t:offset", "float", ATT, None),
    ("MujocoTendonPropertiesCfg", "stiffness", 1.0, "mjc:stiffness", "double", "", None),
    ("MujocoTendonPropertiesCfg", "damping", 2.0, "mjc:damping", "double", "", None),
    ("MujocoTendonPropertiesCfg", "armature", 3.0, "mjc:armature", "double", "", None),
    ("MujocoTendonPropertiesCfg", "frictionloss", 4.0, "mjc:frictionloss", "double", "", None),
    ("MujocoTendonPropertiesCfg", "margin", 5.0, "mjc:margin", "double", "", None),
    ("MimicJointPropertiesCfg", "mimic_enabled", False, "newton:mimicEnabled", "bool", "NewtonMimicAPI", None),
    ("MimicJointPropertiesCfg", "reference_joint", "/leader", "newton:mimicJoint", "rel", "NewtonMimicAPI", None),
    ("MimicJointPropertiesCfg", "offset", 0.1, "newton:mimicCoef0", "float", "NewtonMimicAPI", 0.1 * DEG),
    ("MimicJointPropertiesCfg", "gearing", -0.5, "newton:mimicCoef1", "float", "NewtonMimicAPI", None),
    ("PhysicsMaterialBaseCfg", "static_friction", 0.6, "physics:staticFriction", "float", "PhysicsMaterialAPI", None),
    ("PhysicsMaterialBaseCfg", "dynamic_friction", 0.4, "physics:dynamicFriction", "float", "PhysicsMaterialAPI", None),
    ("PhysicsMaterialBaseCfg", "restitution", 0.3, "physics:restitution", "float", "PhysicsMaterialAPI", None),
    ("PhysicsMaterialBaseCfg", "density", 700.0, "physics:density", "float", "PhysicsMaterialAPI", None),
    ("PhysxMaterialPropertiesCfg", "friction_combine_mode", "max", "physxMaterial:frictionCombineMode", "token", PX_MAT, None),
    ("PhysxMaterialPropertiesCfg", "restitution_combine_mode", "min", "physxMaterial:restitutionCombineMode", "token", PX_MAT, None),
    ("PhysxMaterialPropertiesCfg", "compliant_contact_stiffness", 1e4, "physxMaterial:compliantContactStiffness", "float", PX_MAT, None),
    ("PhysxMaterialPropertiesCfg", "compliant_contact_damping", 10.0, "physxMaterial:compliantContactDamping", "float", PX_MAT, None),
    ("NewtonMaterialPropertiesCfg", "torsional_friction", 0.01, "newton:torsionalFriction", "float", NT_MAT, None),
    ("NewtonMaterialPropertiesCfg", "rolling_friction", 0.002, "newton:rollingFriction", "float", NT_MAT, None),
    ("NewtonMaterialPropertiesCfg", "contact_stiffness", 2e4, "newton:contactStiffness", "float", NT_MAT, None),
    ("NewtonMaterialPropertiesCfg", "contact_damping", 20.0, "newton:contactDamping", "float", NT_MAT, None),
    ("DeformableMaterialBaseCfg", "density", 1100.0, "omniphysics:density", "float", OMNI_MAT, None),
    ("DeformableMaterialBaseCfg", "static_friction", 0.5, "omniphysics:staticFriction", "float", OMNI_MAT, None),
    ("DeformableMaterialBaseCfg", "dynamic_friction", 0.25, "omniphysics:dynamicFriction", "float", OMNI_MAT, None),
    ("DeformableMaterialBaseCfg", "youngs_modulus", 5e5, "omniphysics:youngsModulus", "float", OMNI_MAT, None),
    ("DeformableMaterialBaseCfg", "poissons_ratio", 0.45, "omniphysics:poissonsRatio", "float", OMNI_MAT, None),
    ("DeformableMaterialBaseCfg", "elasticity_damping", 0.005, "physxDeformableMaterial:elasticityDamping", "float", "PhysxDeformableMaterialAPI", None),
    ("SurfaceDeformableMaterialBaseCfg", "surface_thickness", 0.001, "omniphysics:surfaceThickness", "float", OMNI_SURF, None),
    ("SurfaceDeformableMaterialBaseCfg", "surface_stretch_stiffness", 1e3, "omniphysics:surfaceStretchStiffness", "float", OMNI_SURF, None),
    ("SurfaceDeformableMaterialBaseCfg", "surface_shear_stiffness", 2e3, "omniphysics:surfaceShearStiffness", "float", OMNI_SURF, None),
    ("SurfaceDeformableMaterialBaseCfg", "surface_bend_stiffness", 3e3, "omniphysics:surfaceBendStiffness", "float", OMNI_SURF, None),
    ("CurvesDeformableMaterialBaseCfg", "curve_thickness", 0.002, "omniphysics:curveThickness", "float", "OmniPhysicsCurvesDeformableMaterialAPI", None),
    ("SurfaceDeformableMaterialBaseCfg", "bend_damping", 0.01, "physxDeformableMaterial:bendDamping", "float", "PhysxSurfaceDeformableMaterialAPI", None),
    ("PhysicsSceneBaseCfg", "gravity_direction", (0.0, -1.0, 0.0), "physics:gravityDirection", "vector3f", "", None),
    ("PhysicsSceneBaseCfg", "gravity_magnitude", 1.62, "physics:gravityMagnitude", "float", "", None),
    ("PhysxScenePropertiesCfg", "time_steps_per_second", 120, "physxScene:timeStepsPerSecond", "uint", PX_SCENE, None),
    ("PhysxScenePropertiesCfg", "solver_type", "PGS", "physxScene:solverType", "token", PX_SCENE, None),
    ("PhysxScenePropertiesCfg", "bounce_threshold", 0.5, "physxScene:bounceThreshold", "float", PX_SCENE, None),
    ("PhysxScenePropertiesCfg", "enable_ccd", True, "physxScene:enableCCD", "bool", PX_SCENE, None),
    ("PhysxScenePropertiesCfg", "enable_stabilization", True, "physxScene:enableStabilization", "bool", PX_SCENE, None),
    ("PhysxScenePropertiesCfg", "min_position_iteration_count", 2, "physxScene:minPositionIterationCount", "uint", PX_SCENE, None),
    ("PhysxScenePropertiesCfg", "max_position_iteration_count", 200, "physxScene:maxPositionIterationCount", "uint", PX_SCENE, None),
    ("PhysxScenePropertiesCfg", "min_velocity_iteration_count", 1, "physxScene:minVelocityIterationCount", "uint", PX_SCENE, None),
    ("PhysxScenePropertiesCfg", "max_velocity_iteration_count", 100, "physxScene:maxVelocityIterationCount", "uint", PX_SCENE, None),
    ("NewtonScenePropertiesCfg", "time_steps_per_second", 500, "newton:timeStepsPerSecond", "int", NT_SCENE, None),
    ("NewtonScenePropertiesCfg", "max_solver_iterations", 50, "newton:maxSolverIterations", "int", NT_SCENE, None),
    ("NewtonScenePropertiesCfg", "gravity_enabled", False, "newton:gravityEnabled", "bool", NT_SCENE, None),
    ("MujocoScenePropertiesCfg", "timestep", 0.002, "mjc:option:timestep", "double", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "integrator", "implicitfast", "mjc:option:integrator", "token", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "cone", "elliptic", "mjc:option:cone", "token", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "solver", "cg", "mjc:option:solver", "token", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "jacobian", "sparse", "mjc:option:jacobian", "token", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "iterations", 30, "mjc:option:iterations", "int", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "tolerance", 1e-9, "mjc:option:tolerance", "double", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "ls_iterations", 20, "mjc:option:ls_iterations", "int", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "noslip_iterations", 5, "mjc:option:noslip_iterations", "int", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "impratio", 10.0, "mjc:option:impratio", "double", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "density", 1.2, "mjc:option:density", "double", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "viscosity", 1.8e-5, "mjc:option:viscosity", "double", MJ_SCENE, None),
    ("MujocoScenePropertiesCfg", "wind", (1.0, 0.0, 2.0), "mjc:option:wind", "double3", MJ_SCENE, None),
    ("DeformableBodyBaseCfg", "deformable_body_enabled", False, "omniphysics:deformableBodyEnabled", "bool", OMNI, None),
    ("DeformableBodyBaseCfg", "kinematic_enabled", True, "omniphysics:kinematicEnabled", "bool", OMNI, None),
    ("DeformableBodyBaseCfg", "mass", 0.5, "omniphysics:mass", "float", OMNI, None),
    ("PhysxDeformableBodyPropertiesCfg", "solver_position_iteration_count", 20, "physxDeformableBody:solverPositionIterationCount", "uint", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "linear_damping", 0.1, "physxDeformableBody:linearDamping", "float", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "max_linear_velocity", 7.0, "physxDeformableBody:maxLinearVelocity", "float", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "settling_damping", 12.0, "physxDeformableBody:settlingDamping", "float", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "settling_threshold", 0.2, "physxDeformableBody:settlingThreshold", "float", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "sleep_threshold", 0.06, "physxDeformableBody:sleepThreshold", "float", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "max_depenetration_velocity", 2.0, "physxDeformableBody:maxDepenetrationVelocity", "float", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "self_collision", True, "physxDeformableBody:selfCollision", "bool", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "self_collision_filter_distance", 0.03, "physxDeformableBody:selfCollisionFilterDistance", "float", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "enable_speculative_c_c_d", True, "physxDeformableBody:enableSpeculativeCCD", "bool", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "disable_gravity", True, "physxDeformableBody:disableGravity", "bool", PX_DEF, None),
    ("PhysxDeformableBodyPropertiesCfg", "contact_offset", 0.02, "physxCollision:contactOffset", "float", PX_COL, None),
    ("PhysxDeformableBodyPropertiesCfg", "rest_offset", 0.01, "physxCollision:restOffset", "float", PX_COL, None),
    ("PhysxSurfaceDeformableBodyPropertiesCfg", "collision_pair_update_frequency", 2, "physxDeformableBody:collisionPairUpdateFrequency", "uint", PX_SURF, None),
    ("PhysxSurfaceDeformableBodyPropertiesCfg", "collision_iteration_multiplier", 3, "physxDeformableBody:collisionIterationMultiplier", "uint", PX_SURF, None),
    ("SitePropertiesCfg", "group", 4, "mjc:group", "int", "MjcSiteAPI", None),
    ("NewtonActuatorCfg", "targets", "/leader", "newton:targets", "rel", "", None),
    ("NewtonActuatorCfg", "const_effort", 1.0, "newton:constEffort", "float", PD, None),
    ("NewtonActuatorCfg", "kp", 2.0, "newton:kp", "float", PD, None),
    ("NewtonActuatorCfg", "kd", 3.0, "newton:kd", "float", PD, None),
    ("NewtonActuatorCfg", "ki", 4.0, "newton:ki", "float", PID, None),
    ("NewtonActuatorCfg", "integral_max", 5.0, "newton:integralMax", "float", PID, None),
    ("NewtonActuatorCfg", "delay_steps", 2, "newton:delaySteps", "int", "NewtonActuatorDelayAPI", None),
    ("NewtonActuatorCfg", "max_effort", 6.0, "newton:maxEffort", "float", "NewtonMaxEffortClampingAPI", None),
    ("NewtonActuatorCfg", "max_motor_effort", 7.0, "newton:maxMotorEffort", "float", DC, None),
    ("NewtonActuatorCfg", "saturation_effort", 8.0, "newton:saturationEffort", "float", DC, None),
    ("NewtonActuatorCfg", "velocity_limit", 9.0, "newton:velocityLimit", "float", DC, None),
    ("MujocoActuatorCfg", "target", "/leader", "mjc:target", "rel", "", None),
    ("MujocoActuatorCfg", "gear", (2.0, 0.0, 0.0, 0.0, 0.0, 0.0), "mjc:gear", "double[]", "", None),
    ("MujocoActuatorCfg", "dyn_type", "filter", "mjc:dynType", "token", "", None),
    ("MujocoActuatorCfg", "gain_type", "affine", "mjc:gainType", "token", "", None),
    ("MujocoActuatorCfg", "bias_type", "affine", "mjc:biasType", "token", "", None),
    ("MujocoActuatorCfg", "dyn_prm", (0.1,), "mjc:dynPrm", "double[]", "", None),
    ("MujocoActuatorCfg", "gain_prm", (10.0, 0.0), "mjc:gainPrm", "double[]", "", None),
    ("MujocoActuatorCfg", "bias_prm", (0.0, -10.0, -1.0), "mjc:biasPrm", "double[]", "", None),
    ("MujocoActuatorCfg", "ctrl_limited", "true", "mjc:ctrlLimited", "token", "", None),
    ("MujocoActuatorCfg", "ctrl_range_min", -1.0, "mjc:ctrlRange:min", "double", "", None),
    ("MujocoActuatorCfg", "ctrl_range_max", 1.0, "mjc:ctrlRange:max", "double", "", None),
    ("MujocoActuatorCfg", "force_limited", "false", "mjc:forceLimited", "token", "", None),
    ("MujocoActuatorCfg", "force_range_min", -2.0, "mjc:forceRange:min", "double", "", None),
    ("MujocoActuatorCfg", "force_range_max", 2.0, "mjc:forceRange:max", "double", "", None),
    ("MujocoActuatorCfg", "group", 1, "mjc:group", "int", "", None),
]  # fmt: skip
"""The two fields of a lookup table go together, and a file becomes an asset path: these have tests
of their own."""

PAIRED = {
    ("NewtonActuatorCfg", "lookup_positions"),
    ("NewtonActuatorCfg", "lookup_efforts"),
    ("NewtonActuatorCfg", "model_path"),
}


def _stage() -> Usd.Stage:
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/body")
    UsdGeom.Mesh.Define(stage, "/mesh")
    UsdPhysics.RevoluteJoint.Define(stage, "/joint")
    UsdPhysics.RevoluteJoint.Define(stage, "/leader")
    UsdShade.Material.Define(stage, "/material")
    stage.DefinePrim("/tendon", "MjcTendon")
    for name, path in (
        ("PhysxTendonAxisRootAPI", "/joint"),
        ("PhysxTendonAxisAPI", "/joint"),
        ("PhysxTendonAttachmentRootAPI", "/body"),
    ):
        apply_api(stage.GetPrimAtPath(path), name, "t")
    return stage


def _write(stage: Usd.Stage, cfg) -> tuple[str, object]:
    """Write a configuration with the function it is made for; the prim and the outcome."""
    families = (
        (schemas.RigidBodyBaseCfg, "/body", schemas.define_rigid_body_properties),
        (schemas.CollisionBaseCfg, "/mesh", schemas.define_collision_properties),
        (schemas.MeshCollisionBaseCfg, "/mesh", schemas.define_mesh_collision_properties),
        (schemas.MassPropertiesCfg, "/body", schemas.define_mass_properties),
        (schemas.ArticulationRootBaseCfg, "/body", schemas.define_articulation_root_properties),
        (schemas.JointDriveBaseCfg, "/joint", schemas.modify_joint_drive_properties),
        (schemas.JointPropertiesCfg, "/joint", schemas.modify_joint_properties),
        (schemas.JointStateCfg, "/joint", schemas.modify_joint_state),
        (schemas.PhysxFixedTendonPropertiesCfg, "/joint", schemas.modify_fixed_tendon_properties),
        (schemas.PhysxTendonAxisCfg, "/joint", schemas.modify_tendon_axis_properties),
        (
            schemas.PhysxSpatialTendonPropertiesCfg,
            "/body",
            schemas.modify_spatial_tendon_properties,
        ),
        (schemas.MujocoTendonPropertiesCfg, "/tendon", schemas.modify_fixed_tendon_properties),
        (schemas.MimicJointPropertiesCfg, "/joint", schemas.define_mimic_joint_properties),
        (schemas.PhysicsMaterialBaseCfg, "/material", schemas.define_material_properties),
        (schemas.DeformableMaterialBaseCfg, "/material", schemas.define_material_properties),
        (schemas.PhysicsSceneBaseCfg, "/scene", schemas.define_physics_scene),
        (schemas.SitePropertiesCfg, "/body", schemas.define_site_properties),
        (schemas.ActuatorBaseCfg, "/actuator", schemas.define_actuator),
    )
    if isinstance(cfg, schemas.DeformableBodyBaseCfg):
        apply_api(stage.GetPrimAtPath("/body"), OMNI)
        return "/body", schemas.modify_deformable_body_properties("/body", cfg, stage)
    for base, path, write in families:
        if isinstance(cfg, base):
            return path, write(path, cfg, stage)
    raise AssertionError(f"{type(cfg).__name__} belongs to no family")


@pytest.mark.parametrize(("name", "field", "value", "attribute", "kind", "api", "stored"), TABLE)
def test_a_field_writes_its_attribute(name, field, value, attribute, kind, api, stored):
    stage = _stage()
    path, result = _write(stage, getattr(schemas, name)(**{field: value}))
    prim = stage.GetPrimAtPath(path)
    assert result
    assert result.prims == (path,)
    assert f"{path}.{attribute}" in result.changed
    if kind == "rel":
        assert [str(t) for t in prim.GetRelationship(attribute).GetTargets()] == [value]
        return
    written = prim.GetAttribute(attribute)
    assert written.HasAuthoredValue()
    assert not written.IsCustom()
    assert str(written.GetTypeName()) == kind
    declared = prim.GetPrimDefinition().GetSchemaAttributeSpec(attribute)
    if declared is not None:
        (spec,) = written.GetPropertyStack()
        assert spec.variability == declared.variability
    expected = value if stored is None else stored
    found = authored(prim, attribute)
    if isinstance(expected, (bool, str)) or kind in ("int", "uint"):
        assert found == expected
        assert type(found) is type(expected)
    elif isinstance(expected, tuple) and isinstance(expected[0], str):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    if api:
        assert api in applied_schemas(prim)


def _all_cfgs():
    for name in schemas.__all__:
        found = getattr(schemas, name)
        if isinstance(found, type) and issubclass(found, schemas.SchemaCfg):
            yield found


def test_the_table_has_every_field_of_every_configuration():
    listed = {(name, field) for name, field, *_ in TABLE} | PAIRED
    missing = []
    for cls in _all_cfgs():
        for row in rows(cls):
            owners = [
                c.__name__ for c in cls.__mro__ if row.field in vars(c).get("__annotations__", {})
            ]
            if not any((owner, row.field) in listed for owner in owners):
                missing.append((cls.__name__, row.field))
    assert not missing


def test_a_lookup_table_writes_both_arrays():
    stage = _stage()
    cfg = schemas.NewtonActuatorCfg(
        targets="/joint", lookup_positions=(-1.0, 0.0, 1.0), lookup_efforts=(5.0, 6.0, 7.0)
    )
    schemas.define_actuator("/actuator", cfg, stage)
    prim = stage.GetPrimAtPath("/actuator")
    assert prim.GetTypeName() == "NewtonActuator"
    np.testing.assert_allclose(authored(prim, "newton:lookupPositions"), [-1.0, 0.0, 1.0])
    np.testing.assert_allclose(authored(prim, "newton:lookupEfforts"), [5.0, 6.0, 7.0])
    assert "NewtonPositionBasedClampingAPI" in applied_schemas(prim)


def test_a_network_file_is_an_asset():
    stage = _stage()
    cfg = schemas.NewtonActuatorCfg(targets="/joint", model_path="./net.pt")
    schemas.define_actuator("/actuator", cfg, stage)
    prim = stage.GetPrimAtPath("/actuator")
    assert prim.GetAttribute("newton:modelPath").GetTypeName() == Sdf.ValueTypeNames.Asset
    assert authored(prim, "newton:modelPath").path == "./net.pt"
    assert "NewtonNeuralControlAPI" in applied_schemas(prim)


@pytest.mark.parametrize("cls", list(_all_cfgs()), ids=lambda c: c.__name__)
def test_a_fresh_configuration_writes_nothing(cls):
    """None means: as authored. Approximations and materials with defaults are the exceptions."""
    with pytest.warns(DeprecationWarning) if cls.__module__.endswith("deprecated") else _nothing():
        cfg = cls()
    values = [getattr(cfg, row.field) for row in rows(cls)]
    if isinstance(cfg, schemas.MeshCollisionBaseCfg) and cls.approximation:
        assert values.count(None) == len(values) - 1
    else:
        assert set(values) <= {None}


def _nothing():
    import contextlib

    return contextlib.nullcontext()


def test_linear_joints_have_no_angle_conversion():
    stage = create_stage()
    UsdPhysics.PrismaticJoint.Define(stage, "/joint")
    cfg = schemas.PhysxJointDrivePropertiesCfg(
        stiffness=10.0, damping=0.1, max_force=80.0, max_joint_velocity=10.0
    )
    schemas.modify_joint_drive_properties("/joint", cfg, stage)
    prim = stage.GetPrimAtPath("/joint")
    assert authored(prim, "drive:linear:physics:stiffness") == 10.0
    assert authored(prim, "drive:linear:physics:damping") == pytest.approx(0.1)
    assert authored(prim, "drive:linear:physics:maxForce") == 80.0
    assert authored(prim, "physxJoint:maxJointVelocity") == 10.0
    assert applied_schemas(prim) == ("PhysicsDriveAPI:linear", "PhysxJointAPI")


def test_configurations_are_never_changed():
    stage = _stage()
    for name, field, value, *_ in TABLE:
        cfg = getattr(schemas, name)(**{field: value})
        before = dataclasses.asdict(cfg)
        _write(_stage(), cfg)
        assert dataclasses.asdict(cfg) == before, name
    assert stage
