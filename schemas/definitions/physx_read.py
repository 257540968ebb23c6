"""Joints, joint instancers, forces and older deformable bodies of PhysX: read, never written."""

from __future__ import annotations

from .facts import READ, schemas

__all__ = ["ATTACHMENTS", "BODIES"]

BODIES = schemas(
    """
PhysxAutoAttachmentAPI: What older deformable bodies are attached to by overlap.
    float collisionFilteringOffset = -inf; deformableVertexOverlapOffset = 0
    float rigidSurfaceSamplingDistance = -inf
    bool enableCollisionFiltering = true; enableDeformableFilteringPairs = false
    bool enableDeformableVertexAttachments = true; enableRigidSurfaceAttachments = false
PhysxDeformableAPI: A deformable body, as assets before OmniPhysics spell it.
    bool deformableEnabled = true; enableCCD = false; selfCollision = false
    float maxDepenetrationVelocity = inf; selfCollisionFilterDistance = -inf
    float settlingThreshold = 0.1; sleepDamping = 10; sleepThreshold = 0.05
    float vertexVelocityDamping = 0.005
    point3f[] restPoints; simulationVelocities
    uniform int[] simulationIndices
    uint solverPositionIterationCount = 16
    rel simulationOwner
PhysxDeformableBodyAPI + PhysxDeformableAPI physxDeformable: A body of tetrahedra in that spelling.
    uniform int[] collisionIndices
    point3f[] collisionPoints; collisionRestPoints; simulationPoints; simulationRestPoints
    bool disableGravity = false
PhysxDeformableBodyMaterialAPI: Its material.
    float dampingScale = 1; density = 0; dynamicFriction = 0.25; elasticityDamping = 0.005
    float poissonsRatio = 0.45; youngsModulus = 5e+07
PhysxDeformableSurfaceAPI + PhysxDeformableAPI: A surface body in that spelling.
    float bendingStiffnessScale = 0; maxVelocity = inf
    uint collisionIterationMultiplier = 1; collisionPairUpdateFrequency = 1
    bool flatteningEnabled = false
PhysxDeformableSurfaceMaterialAPI: Its material.
    float density = 0; dynamicFriction = 0.25; poissonsRatio = 0; thickness = 0
    float youngsModulus = -inf
PhysxForceAPI: A force and a torque on a rigid body.
    vector3f force = (0, 0, 0); torque = (0, 0, 0)
    bool forceEnabled = true; worldFrameEnabled = false
    uniform token mode = "acceleration" in force acceleration
PhysxMeshMergeCollisionAPI + CollectionAPI:collisionmeshes: One collider of a collection's meshes.
PhysxPhysicsAttachment < UsdTyped: Points of a body held by another, in the older spelling.
    bool attachmentEnabled = true
    uint[] collisionFilterIndices0; collisionFilterIndices1
    uniform token filterType0 in Vertices Geometry; filterType1 in Vertices Geometry
    point3f[] points0; points1
    rel actor0; actor1
PhysxPhysicsDistanceJointAPI: A spring at the limits of a distance joint.
    float springDamping = 0; springStiffness = 0
    bool springEnabled = false
PhysxPhysicsGearJoint < UsdPhysicsJoint: Two hinges that turn at one ratio.
    float physics:gearRatio = 1
    rel physics:hinge0; physics:hinge1
PhysxPhysicsInstancer < UsdGeomImageable: Physics that is instanced.
    int[] physics:protoIndices@physicsProtoIndices
    rel physics:prototypes@physicsPrototypes
PhysxPhysicsJointInstancer < PhysxSchemaPhysxPhysicsInstancer: Joints that are instanced.
    int[] physics:body0Indices@physicsBody0Indices; physics:body1Indices@physicsBody1Indices
    point3f[] physics:localPos0s@physicsLocalPos0s; physics:localPos1s@physicsLocalPos1s
    quath[] physics:localRot0s@physicsLocalRot0s; physics:localRot1s@physicsLocalRot1s
    rel physics:body0s@physicsBody0s; physics:body1s@physicsBody1s
PhysxPhysicsRackAndPinionJoint < UsdPhysicsJoint: A hinge that moves a slider.
    float physics:ratio = 1
    rel physics:hinge; physics:prismatic
TetrahedralMesh < UsdGeomPointBased: A mesh of tetrahedra, in the older spelling.
    int[] indices
""",
    READ,
)

ATTACHMENTS = schemas(
    """
PhysxAutoDeformableAttachmentAPI: How an attachment is made of what overlaps.
    float collisionFilteringOffset = -inf; deformableVertexOverlapOffset = 0
    float rigidSurfaceSamplingDistance = -inf
    bool enableCollisionFiltering = true; enableDeformableFilteringPairs = false
    bool enableDeformableVertexAttachments = true; enableRigidSurfaceAttachments = false
    rel attachable0; attachable1; maskShapes
""",
    READ,
)
