"""PhysX dialect: the ``physx*:`` and ``state:`` attributes that mean something here.

`DialectRow.spec` is ``element.quantity``; ``{axis}`` in a name is the instance of a multiple-apply
schema (``angular``, ``rotX``). Units are the stage's, written as if its lengths were metres and
its masses kilograms; of two alternatives the first is for sliding, the second for turning axes.
"""

from __future__ import annotations

from .base import DialectRow

__all__ = ["COMBINE", "FOREIGN_PREFIXES", "GEAR", "GEARS", "IDLE", "PHYSX", "RACK", "UNSIMULATED"]

COMBINE = ("average", "min", "multiply", "max")
"""Combine modes of materials, the stronger ones last."""
_INF = float("inf")

PHYSX: tuple[DialectRow, ...] = (
    DialectRow(
        "physxScene:timeStepsPerSecond", "uint", "scene.steps_per_second", "PhysxSceneAPI",
        unit="Hz", doc="Simulation steps per second.", default=60,
    ),
    DialectRow(
        "physxScene:bounceThreshold", "float", "scene.bounce_threshold", "PhysxSceneAPI",
        unit="m/s", doc="Speed of approach up to which nothing bounces.", default=-_INF,
    ),
    DialectRow(
        "physxScene:invertCollisionGroupFilter", "bool", "scene.inverts_groups", "PhysxSceneAPI",
        doc="Whether collision groups collide with the groups they name, and with no other.",
        default=False,
    ),
    DialectRow(
        "physxRigidBody:disableGravity", "bool", "body.disable_gravity", "PhysxRigidBodyAPI",
        doc="Whether the body floats.", default=False,
    ),
    DialectRow(
        "physxRigidBody:linearDamping", "float", "body.linear_damping", "PhysxRigidBodyAPI",
        unit="1/s", doc="Rate of linear velocity decay.", default=0.0,
    ),
    DialectRow(
        "physxRigidBody:angularDamping", "float", "body.angular_damping", "PhysxRigidBodyAPI",
        unit="1/s", doc="Rate of angular velocity decay.", default=0.05,
    ),
    DialectRow(
        "physxRigidBody:solveContact", "bool", "body.solves_contacts", "PhysxRigidBodyAPI",
        doc="Whether contacts push.", default=True,
    ),
    DialectRow(
        "physxRigidBody:enableGyroscopicForces", "bool", "body.gyroscopic", "PhysxRigidBodyAPI",
        doc="Whether gyroscopic torque acts.", default=True,
    ),
    DialectRow(
        "physxRigidBody:sleepThreshold", "float", "body.sleep_threshold", "PhysxRigidBodyAPI",
        unit="m^2/s^2", doc="Kinetic energy per mass below which it may sleep; 0: never.",
        default=5e-5,
    ),
    DialectRow(
        "physxSurfaceVelocity:surfaceVelocity", "vector3f", "body.surface_velocity",
        "PhysxSurfaceVelocityAPI", unit="m/s", doc="Velocity of a conveyor's surface.",
        default=(0.0, 0.0, 0.0),
    ),
    DialectRow(
        "physxSurfaceVelocity:surfaceAngularVelocity", "vector3f", "body.surface_spin",
        "PhysxSurfaceVelocityAPI", unit="deg/s", doc="Turning of that surface about the body.",
        default=(0.0, 0.0, 0.0),
    ),
    DialectRow(
        "physxSurfaceVelocity:surfaceVelocityLocalSpace", "bool", "body.surface_velocity_local",
        "PhysxSurfaceVelocityAPI", doc="Whether both are in the body's axes, not the world's.",
        default=True,
    ),
    DialectRow(
        "physxSurfaceVelocity:surfaceVelocityEnabled", "bool", "body.surface_velocity_enabled",
        "PhysxSurfaceVelocityAPI", doc="Whether the surface moves.", default=True,
    ),
    DialectRow(
        "physxArticulation:enabledSelfCollisions", "bool", "articulation.self_collision",
        "PhysxArticulationAPI", doc="Whether links of the articulation collide.", default=True,
    ),
    DialectRow(
        "physxJoint:armature", "float", "joint.armature", "PhysxJointAPI",
        unit="kg | kg m^2", doc="Inertia of the actuation.", default=0.0,
    ),
    DialectRow(
        "physxJoint:maxJointVelocity", "float", "joint.velocity_limit", "PhysxJointAPI",
        unit="m/s | deg/s", doc="Largest speed.", default=_INF,
    ),
    DialectRow(
        "physxJointAxis:{axis}:armature", "float", "joint.armature", "PhysxJointAxisAPI",
        unit="kg | kg m^2", doc="Inertia of the actuation of one axis.", default=0.0,
    ),
    DialectRow(
        "physxJointAxis:{axis}:maxJointVelocity", "float", "joint.velocity_limit",
        "PhysxJointAxisAPI", unit="m/s | deg/s", doc="Largest speed of one axis.",
        default=_INF,
    ),
    DialectRow(
        "physxJointAxis:{axis}:dynamicFrictionEffort", "float", "joint.friction",
        "PhysxJointAxisAPI", unit="N | N m", doc="Dry friction while moving.", default=0.0,
    ),
    DialectRow(
        "physxJointAxis:{axis}:staticFrictionEffort", "float", "joint.friction",
        "PhysxJointAxisAPI", unit="N | N m", doc="Dry friction at rest.", default=0.0,
    ),
    DialectRow(
        "physxJoint:jointFriction", "float", "joint.friction", "PhysxJointAPI",
        unit="N | N m", doc="Dry friction, as importers of robots write it.", default=0.0,
    ),
    DialectRow(
        "physxJointAxis:{axis}:viscousFrictionCoefficient", "float", "joint.damping",
        "PhysxJointAxisAPI", unit="N s/m | N m s/deg", doc="Viscous friction.",
        default=0.0,
    ),
    DialectRow(
        "physxDrivePerformanceEnvelope:{axis}:maxActuatorVelocity", "float", "drive.max_velocity",
        "PhysxDrivePerformanceEnvelopeAPI", unit="m/s | deg/s",
        doc="Speed from which on the drive has no force.", default=_INF,
    ),
    DialectRow(
        "physxDrivePerformanceEnvelope:{axis}:speedEffortGradient", "float", "drive.gradient",
        "PhysxDrivePerformanceEnvelopeAPI", unit="m/s/N | deg/s/N m",
        doc="Decrease of that speed with force.", default=0.0,
    ),
    DialectRow(
        "physxDrivePerformanceEnvelope:{axis}:velocityDependentResistance", "float",
        "drive.resistance", "PhysxDrivePerformanceEnvelopeAPI", unit="N s/m | N m s/deg",
        doc="Decrease of the largest force with speed.", default=0.0,
    ),
    DialectRow(
        "physxLimit:{axis}:stiffness", "float", "joint.limit_stiffness", "PhysxLimitAPI",
        unit="N/m | N m/rad", doc="Stiffness of the limits; 0: hard.", default=0.0,
    ),
    DialectRow(
        "physxLimit:{axis}:damping", "float", "joint.limit_damping", "PhysxLimitAPI",
        unit="N s/m | N m s/rad", doc="Damping of the limits.", default=0.0,
    ),
    DialectRow(
        "state:{axis}:physics:position", "float", "joint.position", "PhysicsJointStateAPI",
        unit="m | deg", doc="Initial position.", default=0.0,
    ),
    DialectRow(
        "state:{axis}:physics:velocity", "float", "joint.velocity", "PhysicsJointStateAPI",
        unit="m/s | deg/s", doc="Initial velocity.", default=0.0,
    ),
    DialectRow(
        "physxCollision:restOffset", "float", "geom.rest_offset", "PhysxCollisionAPI",
        unit="m", doc="Distance at which surfaces rest.", default=-_INF,
    ),
    DialectRow(
        "physxCollision:contactOffset", "float", "geom.contact_offset", "PhysxCollisionAPI",
        unit="m", doc="Distance at which contacts are generated.", default=-_INF,
    ),
    DialectRow(
        "physxCollision:minTorsionalPatchRadius", "float", "geom.torsional_radius",
        "PhysxCollisionAPI", unit="m", doc="Torsional over sliding friction of single points.",
        default=0.0,
    ),
    DialectRow(
        "physxConvexHullCollision:hullVertexLimit", "int", "mesh.max_hull_vertices",
        "PhysxConvexHullCollisionAPI", doc="Corners a convex hull may have.", default=64,
    ),
    DialectRow(
        "physxConvexDecompositionCollision:maxConvexHulls", "int", "mesh.max_hulls",
        "PhysxConvexDecompositionCollisionAPI", doc="Convex parts at most.", default=32,
    ),
    DialectRow(
        "physxSphereFillCollision:maxSpheres", "int", "mesh.max_spheres",
        "PhysxSphereFillCollisionAPI", doc="Spheres at most.", default=128,
    ),
    DialectRow(
        "physxSphereFillCollision:voxelResolution", "int", "mesh.sphere_cells",
        "PhysxSphereFillCollisionAPI", doc="Cells by which spheres are placed.", default=50000,
    ),
    DialectRow(
        "physxMaterial:frictionCombineMode", "token", "material.friction_combine",
        "PhysxMaterialAPI", doc="How two materials' friction combines.", tokens=COMBINE,
        default="average",
    ),
    DialectRow(
        "physxMaterial:restitutionCombineMode", "token", "material.restitution_combine",
        "PhysxMaterialAPI", doc="How two materials' restitution combines.", tokens=COMBINE,
        default="average",
    ),
    DialectRow(
        "physxMaterial:dampingCombineMode", "token", "material.damping_combine",
        "PhysxMaterialAPI", doc="How the damping of two compliant materials combines.",
        tokens=COMBINE, default="average",
    ),
    DialectRow(
        "physxMaterial:compliantContactStiffness", "float", "material.contact_stiffness",
        "PhysxMaterialAPI", unit="N/m", doc="Stiffness of compliant contact; 0: rigid.",
        default=0.0,
    ),
    DialectRow(
        "physxMaterial:compliantContactDamping", "float", "material.contact_damping",
        "PhysxMaterialAPI", unit="N s/m", doc="Damping of compliant contact.", default=0.0,
    ),
)  # fmt: skip
"""One row per attribute; of two rows for one quantity the earlier one wins."""

FOREIGN_PREFIXES: tuple[str, ...] = (
    "newton:kamino:",
    "newton:maxSolverIterations",
    "newton:vbd:",
    "newton:xpbd:",
    "physics:JointEquivalentInertia",
    "physics:tensor:",
    "physxArticulation:sleepThreshold",
    "physxArticulation:solver",
    "physxArticulation:stabilizationThreshold",
    "physxConvexDecompositionCollision:",
    "physxConvexHullCollision:minThickness",
    "physxCookedData:",
    "physxMaterial:disableStrongFriction",
    "physxMaterial:improvePatchFriction",
    "physxRigidBody:cfmScale",
    "physxRigidBody:contactSlopCoefficient",
    "physxRigidBody:enableCCD",
    "physxRigidBody:enableSpeculativeCCD",
    "physxRigidBody:maxDepenetrationVelocity",
    "physxRigidBody:retainAccelerations",
    "physxRigidBody:solver",
    "physxRigidBody:stabilizationThreshold",
    "physxSDFMeshCollision:",
    "physxScene:",
    "physxSphereFillCollision:",
    "physxTriangleMeshCollision:",
    "physxTriangleMeshSimplificationCollision:",
)
"""Settings of PhysX's and Newton's own solvers, without counterpart in another engine, and what
their tools note beside them: cooked data, indices, and inertias from which gains were derived."""

IDLE: dict[str, bool | float] = {
    "physxArticulation:articulationEnabled": True,
    "physxCollision:torsionalPatchRadius": 0.0,
    "physxContactReport:threshold": 0.0,
    "physxLimit:{axis}:bounceThreshold": 0.0,
    "physxLimit:{axis}:restitution": 0.0,
    "physxMaterial:compliantContactAccelerationSpring": False,
    "physxMaterial:disableFriction": False,
    "physxRigidBody:lockedPosAxis": 0,
    "physxRigidBody:lockedRotAxis": 0,
    "physxRigidBody:maxContactImpulse": _INF,
}
"""Values that ask for what happens without them, of attributes that act in no other way here."""

GEAR, RACK = "PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint"
"""Types of the joints that couple two hinges, and a hinge with a slider."""
GEARS = (GEAR, RACK)
"""Joints, to OpenUSD, that couple other joints and hold no bodies together themselves."""

UNSIMULATED: dict[str, str] = {
    "PhysxAutoParticleCloth": "particles",
    "PhysxCharacterController": "a character that walks by commands",
    "PhysxDiffuseParticles": "particles",
    "PhysxParticle": "particles",
    "PhysxPhysicsInstancer": "instanced physics",
    "PhysxSceneQuasistatic": "motion without inertia",
    "PhysxSplinesSurfaceVelocity": "a surface that moves along a curve",
    "PhysxTriggerState": "a record of what is in a trigger",
    "PhysxVehicle": "vehicles",
}
"""Purposes of schemas and prim types that nothing simulates, by how their names begin."""
