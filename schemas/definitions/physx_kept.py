"""What else PhysX has: authored by programs, and not simulated here."""

from __future__ import annotations

from .facts import KEPT, attributes, schemas

__all__ = ["ADDITIONS", "OTHERS", "SCENE"]

SCENE = attributes(
    """
    bool enableResidualReporting = false; reportKinematicKinematicPairs = false
    bool reportKinematicStaticPairs = false; solveArticulationContactLast = false
    uniform token frictionType = "patch" in patch
    uniform token updateType = "Synchronous" in Synchronous Asynchronous Disabled
    uint gpuCollisionStackSize = 67108864; gpuFoundLostAggregatePairsCapacity = 1024
    uint gpuFoundLostPairsCapacity = 262144; gpuHeapCapacity = 67108864
    uint gpuMaxDeformableSurfaceContacts = 1048576; gpuMaxNumPartitions = 8
    uint gpuMaxParticleContacts = 1048576; gpuMaxRigidContactCount = 524288
    uint gpuMaxRigidPatchCount = 81920; gpuMaxSoftBodyContacts = 1048576
    uint gpuTotalAggregatePairsCapacity = 1024; gpuMaxDeformableVolumeContacts = 1048576
    uint64 gpuTempBufferCapacity = 16777216
    float maxBiasCoefficient = inf
    uniform bool disableSleeping = false
""",
    KEPT,
)

OTHERS = schemas(
    """
PhysxCameraAPI: A camera that is moved by what it looks at.
    bool :alwaysUpdateEnabled = true
    rel subject@physxCameraSubject
PhysxCameraDroneAPI + PhysxCameraAPI physxDroneCamera: A camera that flies after its subject.
    float feedForwardVelocityGain; followDistance; followHeight; horizontalVelocityGain
    float maxDistance; maxSpeed; rotationFilterTimeConstant; velocityFilterTimeConstant
    float verticalVelocityGain
    float3 positionOffset
PhysxCameraFollowAPI + PhysxCameraAPI physxFollowCamera: A camera that follows its subject.
    float3 cameraPositionTimeConstant; lookPositionTimeConstant; positionOffset
    float followMaxDistance; followMaxSpeed; followMinDistance; followMinSpeed; followTurnRateGain
    float lookAheadMaxSpeed; lookAheadMinDistance; lookAheadMinSpeed; lookAheadTurnRateGain
    float lookPositionHeight; pitchAngle; pitchAngleTimeConstant; slowPitchAngleSpeed
    float slowSpeedPitchAngleScale; velocityNormalMinSpeed; yawAngle; yawRateTimeConstant
    float :physxFollowFollowCamera:lookAheadMaxDistance
PhysxCameraFollowLookAPI + PhysxCameraFollowAPI physxFollowLookCamera: Behind it, as it looks.
    float downHillGroundAngle; downHillGroundPitch; followReverseDistance; followReverseSpeed
    float upHillGroundAngle; upHillGroundPitch; velocityBlendTimeConstant
PhysxCameraFollowVelocityAPI + PhysxCameraFollowAPI: Behind it, as it moves.
PhysxCharacterControllerAPI: A capsule that walks as it is told.
    uniform token climbingMode = "easy" in easy constrained
    uniform token nonWalkableMode = "preventClimbing" in preventClimbing preventClimbingForceSliding
    uniform token upAxis = "Z" in X Y Z
    float contactOffset = 0.1; invisibleWallHeight = 0; maxJumpHeight = 0; scaleCoeff = 0.8
    float slopeLimit = 0.3; stepOffset = 0.5; volumeGrowth = 1.5
    vector3f moveTarget = (0, 0, 0)
    rel simulationOwner
PhysxCookedDataAPI *: What was computed of a mesh before.
    uchar[] buffer
PhysxResidualReportingAPI: What the solver left unsolved.
    float maxResidualPositionIteration@physxResidualReportingMaxResidualPositionIteration = 0
    float maxResidualVelocityIteration@physxResidualReportingMaxResidualVelocityIteration = 0
    float rmsResidualPositionIteration@physxResidualReportingRmsResidualPositionIteration = 0
    float rmsResidualVelocityIteration@physxResidualReportingRmsResidualVelocityIteration = 0
PhysxSceneQuasistaticAPI + CollectionAPI:quasistaticactors: Bodies solved without inertia.
    bool enableQuasistatic = true
PhysxTriggerAPI: A collider that notes what is in it.
    uniform token enterScriptType = "scriptFile" in scriptFile
    uniform token leaveScriptType = "scriptFile" in scriptFile; onEnterScript; onLeaveScript
PhysxTriggerStateAPI physxTrigger: What is in it.
    rel triggeredCollisions
""",
    KEPT,
)

ADDITIONS = schemas(
    """
PhysxAutoDeformableBodyAPI physxDeformableBody: A deformable body that is made of a mesh.
    bool autoDeformableBodyEnabled = true
    rel cookingSourceMesh
PhysxAutoDeformableHexahedralMeshAPI physxDeformableBody: Hexahedra that it is made of.
    uint resolution = 0
PhysxAutoDeformableMeshSimplificationAPI physxDeformableBody: The simpler mesh that it is made of.
    bool autoDeformableMeshSimplificationEnabled = true; forceConforming = false
    bool remeshingEnabled = true
    uint remeshingResolution = 0; targetTriangleCount = 0
PhysxSplinesSurfaceVelocityAPI: A conveyor along a curve.
    bool surfaceVelocityEnabled = true; surfaceVelocityForceBased = true
    float surfaceVelocityMagnitude = 0
    rel surfaceVelocityCurve
""",
    KEPT,
)
