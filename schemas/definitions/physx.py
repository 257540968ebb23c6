"""PhysxSchema: what usdsim writes and reads of it in full, and the rest as facts."""

from __future__ import annotations

from .physx_colliders import COLLISIONS
from .physx_joints import JOINTS, TENDONS
from .physx_kept import OTHERS, SCENE
from .physx_particles import PARTICLES
from .physx_read import BODIES
from .physx_vehicles import VEHICLES
from .table import INF, POSITIVE, Attr, Plugin, Schema

__all__ = ["PLUGIN"]

COMBINE = ("average", "min", "multiply", "max")
SPEED = "distance/second"
ENERGY = "distance^2/second^2"

_SCENE = Schema(
    "PhysxSceneAPI",
    "physxScene",
    "PhysX options of a physics scene.",
    [
        Attr(
            "uint", "timeStepsPerSecond", 60, "Simulation steps per second.", "[1, inf)", "1/second"
        ),
        Attr(
            "token", "solverType", "TGS", "Constraint solver.", tokens=("PGS", "TGS"), uniform=True
        ),
        Attr("float", "bounceThreshold", 0.0, "Slower contacts do not bounce.", POSITIVE, SPEED),
        Attr("bool", "enableCCD", False, "Whether fast bodies are kept from tunnelling."),
        Attr(
            "bool", "enableStabilization", False, "Whether an extra stabilisation pass is solved."
        ),
        Attr("bool", "enableGPUDynamics", True, "Whether dynamics run on the GPU."),
        Attr("bool", "enableEnhancedDeterminism", False, "Whether determinism goes before speed."),
        Attr("bool", "enableSceneQuerySupport", True, "Whether colliders can be queried."),
        Attr(
            "bool",
            "enableExternalForcesEveryIteration",
            True,
            "Whether external forces act in every solver iteration.",
        ),
        Attr(
            "token",
            "broadphaseType",
            "GPU",
            "Broad phase algorithm.",
            tokens=("GPU", "MBP", "SAP"),
            uniform=True,
        ),
        Attr(
            "token",
            "collisionSystem",
            "PCM",
            "Contact generation.",
            tokens=("PCM", "SAT"),
            uniform=True,
        ),
        Attr(
            "float",
            "frictionCorrelationDistance",
            0.025,
            "Contacts closer than this share a friction anchor.",
            POSITIVE,
            "distance",
        ),
        Attr(
            "float",
            "frictionOffsetThreshold",
            0.04,
            "Separation below which a contact has friction.",
            POSITIVE,
            "distance",
        ),
        Attr(
            "uint",
            "minPositionIterationCount",
            1,
            "Least position iterations.",
            "[1, 255]",
            uniform=True,
        ),
        Attr(
            "uint",
            "maxPositionIterationCount",
            255,
            "Most position iterations.",
            "[1, 255]",
            uniform=True,
        ),
        Attr(
            "uint",
            "minVelocityIterationCount",
            0,
            "Least velocity iterations.",
            "[0, 255]",
            uniform=True,
        ),
        Attr(
            "uint",
            "maxVelocityIterationCount",
            255,
            "Most velocity iterations.",
            "[0, 255]",
            uniform=True,
        ),
        Attr(
            "bool",
            "invertCollisionGroupFilter",
            False,
            "Whether collision groups name the groups that collide instead of those that do not.",
        ),
        *SCENE,
    ],
    only_on=("PhysicsScene",),
)

_RIGID_BODY = Schema(
    "PhysxRigidBodyAPI",
    "physxRigidBody",
    "PhysX options of a rigid body.",
    [
        Attr("bool", "disableGravity", False, "Whether the body ignores gravity."),
        Attr("float", "linearDamping", 0.0, "Rate of linear velocity decay.", POSITIVE, "1/second"),
        Attr(
            "float", "angularDamping", 0.05, "Rate of angular velocity decay.", POSITIVE, "1/second"
        ),
        Attr("float", "maxLinearVelocity", INF, "Largest linear speed.", POSITIVE, SPEED),
        Attr(
            "float",
            "maxAngularVelocity",
            5729.58,
            "Largest angular speed.",
            POSITIVE,
            "degree/second",
        ),
        Attr(
            "float",
            "maxDepenetrationVelocity",
            3.0,
            "Largest speed the solver adds to separate bodies.",
            POSITIVE,
            SPEED,
        ),
        Attr(
            "float",
            "maxContactImpulse",
            INF,
            "Largest impulse of one contact.",
            POSITIVE,
            "mass*distance/second",
        ),
        Attr("bool", "enableGyroscopicForces", True, "Whether gyroscopic torque acts."),
        Attr("bool", "retainAccelerations", False, "Whether forces persist over sub-steps."),
        Attr("bool", "enableCCD", False, "Whether motion is swept to avoid tunnelling."),
        Attr("bool", "enableSpeculativeCCD", False, "Whether contact offsets grow with speed."),
        Attr("bool", "solveContact", True, "Whether contacts of the body act."),
        Attr("float", "cfmScale", 0.025, "Softens constraints of articulated bodies.", "[0, 1]"),
        Attr(
            "float",
            "contactSlopCoefficient",
            0.0,
            "Tolerance on angular contact influence.",
            POSITIVE,
            "distance",
        ),
        Attr(
            "int",
            "lockedPosAxis",
            0,
            "Axes of the stage along which the body does not move (1 x, 2 y, 4 z), added up.",
            "[0, 7]",
        ),
        Attr(
            "int",
            "lockedRotAxis",
            0,
            "Axes of the stage about which it does not turn (1 x, 2 y, 4 z), added up: two or all.",
            "[0, 7]",
        ),
        Attr("int", "solverPositionIterationCount", 16, "Position iterations.", "[1, 255]"),
        Attr("int", "solverVelocityIterationCount", 1, "Velocity iterations.", "[0, 255]"),
        Attr(
            "float",
            "sleepThreshold",
            5e-5,
            "Energy per mass below which the body may sleep.",
            POSITIVE,
            ENERGY,
        ),
        Attr(
            "float",
            "stabilizationThreshold",
            1e-5,
            "Energy per mass below which the body is stabilised.",
            POSITIVE,
            ENERGY,
        ),
    ],
)

_ARTICULATION = Schema(
    "PhysxArticulationAPI",
    "physxArticulation",
    "PhysX options of an articulation.",
    [
        Attr(
            "bool",
            "articulationEnabled",
            True,
            "Whether the tree is simulated in joint coordinates.",
        ),
        Attr("bool", "enabledSelfCollisions", True, "Whether its bodies collide with one another."),
        Attr("int", "solverPositionIterationCount", 32, "Position iterations.", "[1, 255]"),
        Attr("int", "solverVelocityIterationCount", 1, "Velocity iterations.", "[0, 255]"),
        Attr(
            "float",
            "sleepThreshold",
            5e-5,
            "Energy per mass below which it may sleep.",
            POSITIVE,
            ENERGY,
        ),
        Attr(
            "float",
            "stabilizationThreshold",
            1e-5,
            "Energy per mass below which it is stabilised.",
            POSITIVE,
            ENERGY,
        ),
    ],
)

_CONTACT_REPORT = Schema(
    "PhysxContactReportAPI",
    "physxContactReport",
    "Makes a rigid body report its contacts.",
    [
        Attr(
            "float",
            "threshold",
            1.0,
            "Contacts with less force are not reported.",
            POSITIVE,
            "mass*distance/second^2",
        ),
        Attr(
            "rel", "reportPairs", None, "Only contacts with these prims are reported; empty: all."
        ),
    ],
)

_MATERIAL = Schema(
    "PhysxMaterialAPI",
    "physxMaterial",
    "PhysX options of a physics material.",
    [
        Attr(
            "token",
            "frictionCombineMode",
            "average",
            "How two frictions combine.",
            tokens=COMBINE,
            uniform=True,
        ),
        Attr(
            "token",
            "restitutionCombineMode",
            "average",
            "How two restitutions combine.",
            tokens=COMBINE,
            uniform=True,
        ),
        Attr(
            "token",
            "dampingCombineMode",
            "average",
            "How two contact dampings combine.",
            tokens=COMBINE,
            uniform=True,
        ),
        Attr(
            "float",
            "compliantContactStiffness",
            0.0,
            "Contact stiffness; 0: rigid.",
            POSITIVE,
            "mass/second^2",
        ),
        Attr("float", "compliantContactDamping", 0.0, "Contact damping.", POSITIVE, "mass/second"),
        Attr(
            "bool",
            "compliantContactAccelerationSpring",
            False,
            "Whether stiffness and damping are per unit of mass.",
        ),
    ],
)

_SURFACE_VELOCITY = Schema(
    "PhysxSurfaceVelocityAPI",
    "physxSurfaceVelocity",
    "Velocity of the surface of a rigid body, which carries what touches it.",
    [
        Attr("vector3f", "surfaceVelocity", (0.0, 0.0, 0.0), "Linear velocity.", unit=SPEED),
        Attr(
            "vector3f",
            "surfaceAngularVelocity",
            (0.0, 0.0, 0.0),
            "Angular velocity about the body's origin.",
            unit="degrees/second",
        ),
        Attr("bool", "surfaceVelocityLocalSpace", True, "Whether velocities turn with the body."),
        Attr("bool", "surfaceVelocityEnabled", True, "Whether the surface moves."),
    ],
)

PLUGIN = Plugin(
    "physxSchema",
    "PhysxSchema",
    "The schemas of PhysX: those that usdsim writes and reads, and those that it only keeps.",
    [
        _SCENE,
        _RIGID_BODY,
        _ARTICULATION,
        _CONTACT_REPORT,
        *COLLISIONS,
        _MATERIAL,
        _SURFACE_VELOCITY,
        *JOINTS,
        *TENDONS,
        *BODIES,
        *PARTICLES,
        *VEHICLES,
        *OTHERS,
    ],
)
