"""Vehicles of PhysX, which programs author and nothing here simulates."""

from __future__ import annotations

from .facts import KEPT, schemas

__all__ = ["VEHICLES"]

VEHICLES = schemas(
    """
PhysxVehicleAPI: A vehicle.
    int highForwardSpeedSubStepCount; lowForwardSpeedSubStepCount
    float lateralStickyTireDamping = 20; lateralStickyTireThresholdSpeed = -1
    float lateralStickyTireThresholdTime = 1; longitudinalStickyTireDamping = 200
    float longitudinalStickyTireThresholdSpeed = -1; longitudinalStickyTireThresholdTime = 1
    float minActiveLongitudinalSlipDenominator = 0; minLateralSlipDenominator = 0
    float minLongitudinalSlipDenominator; minPassiveLongitudinalSlipDenominator = 0
    float subStepThresholdLongitudinalSpeed
    bool limitSuspensionExpansionVelocity = false; vehicleEnabled = true
    uniform token suspensionLineQueryType = "raycast" in raycast sweep
    rel drive
PhysxVehicleAckermannSteeringAPI: Steering of two wheels about one centre.
    float maxSteerAngle = 0; strength = 1; trackWidth; wheelBase
    int wheel0; wheel1
PhysxVehicleAutoGearBoxAPI: When gears change by themselves.
    float[] downRatios; upRatios
    float latency
PhysxVehicleBrakesAPI *: Brakes of some wheels.
    float maxBrakeTorque = 0
    float[] torqueMultipliers
    int[] wheels
PhysxVehicleClutchAPI: A clutch.
    float strength
PhysxVehicleContextAPI: Axes that vehicles of a scene share.
    float3 forwardAxis; upAxis
    uniform token longitudinalAxis = "undefined" in posX negX posY negY posZ negZ undefined
    uniform token updateMode = "velocityChange" in velocityChange acceleration
    uniform token verticalAxis = "undefined" in posX negX posY negY posZ negZ undefined
PhysxVehicleControllerAPI: Pedals, wheel and gear of a vehicle.
    float accelerator = 0; brake = 0; brake0 = 0; brake1 = 0; handbrake = 0; steer = 0
    float steerLeft = 0; steerRight = 0
    int targetGear = 255
PhysxVehicleDriveBasicAPI: A drive that is torque alone.
    float peakTorque = -1
PhysxVehicleDriveStandardAPI: A drive of engine, clutch and gears.
    rel autoGearBox; clutch; engine; gears
PhysxVehicleEngineAPI: An engine.
    float dampingRateFullThrottle = -1; dampingRateZeroThrottleClutchDisengaged = -1
    float dampingRateZeroThrottleClutchEngaged = -1; idleRotationSpeed = 0; maxRotationSpeed = 600
    float moi; peakTorque = -1
    float2[] torqueCurve
PhysxVehicleGearsAPI: Gears.
    float[] ratios
    float ratioScale; switchTime
PhysxVehicleMultiWheelDifferentialAPI: How torque is shared by wheels.
    float[] averageWheelSpeedRatios; torqueRatios
    int[] wheels
PhysxVehicleNonlinearCommandResponseAPI * physxVehicleNCR: What commands mean at which speed.
    float[] commandValues
    float2[] speedResponses
    int[] speedResponsesPerCommandValue
PhysxVehicleSteeringAPI: Steering of some wheels.
    float[] angleMultipliers
    float maxSteerAngle = 0
    int[] wheels
PhysxVehicleSuspensionAPI: A suspension.
    float camberAtMaxCompression; camberAtMaxDroop; camberAtRest; maxCompression; maxDroop
    float springDamperRate; springStrength; sprungMass = 0; travelDistance
PhysxVehicleSuspensionComplianceAPI: How it moves as it is compressed.
    float4[] suspensionForceAppPoint; tireForceAppPoint
    float2[] wheelCamberAngle; wheelToeAngle
PhysxVehicleTankControllerAPI + PhysxVehicleControllerAPI: Thrusts of two tracks.
    float thrust0 = 0; thrust1 = 0
PhysxVehicleTankDifferentialAPI + PhysxVehicleMultiWheelDifferentialAPI: Wheels of tracks.
    int[] numberOfWheelsPerTrack; thrustIndexPerTrack; trackToWheelIndices
    int[] wheelIndicesInTrackOrder
PhysxVehicleTireAPI: A tire.
    float camberStiffness = -1; camberStiffnessPerUnitGravity = 0; latStiffX = 2; latStiffY
    float longitudinalStiffness = 0; longitudinalStiffnessPerUnitGravity; restLoad = 0
    float2[] frictionVsSlipGraph
    float2 lateralStiffnessGraph = (0, 0)
    rel frictionTable
PhysxVehicleTireFrictionTable < UsdTyped: Friction of tires by material of the ground.
    float defaultFrictionValue = 1
    float[] frictionValues
    rel groundMaterials
PhysxVehicleWheelAPI: A wheel.
    float dampingRate; mass; maxBrakeTorque; maxHandBrakeTorque; maxSteerAngle; moi; radius
    float toeAngle; width
PhysxVehicleWheelAttachmentAPI: Where a wheel, its tire and suspension are.
    bool driven
    int index = -1
    float3 suspensionForceAppPointOffset; tireForceAppPointOffset; wheelCenterOfMassOffset
    quatf suspensionFrameOrientation = (1, 0, 0, 0); wheelFrameOrientation = (1, 0, 0, 0)
    point3f suspensionFramePosition; wheelFramePosition = (0, 0, 0)
    vector3f suspensionTravelDirection
    rel collisionGroup; suspension; tire; wheel
PhysxVehicleWheelControllerAPI: Torques and angle of one wheel.
    float brakeTorque = 0; driveTorque = 0; steerAngle = 0
""",
    KEPT,
)
