"""Deformable bodies: the physics part (omniphysics) and PhysX' additions."""

from __future__ import annotations

from .deformable_read import OTHERS, SURFACE
from .physx_kept import ADDITIONS
from .physx_read import ATTACHMENTS
from .table import INF, POSITIVE, Attr, Plugin, Schema

__all__ = ["ADDITION", "PLUGIN"]

PRESSURE = "mass/(distance*second^2)"
BODY = "physxDeformableBody"
MAX_SPEED = "distance/second or degree/second"

_BODY = Schema(
    "OmniPhysicsBodyAPI",
    "omniphysics",
    "A prim that is simulated.",
    [
        Attr("bool", "kinematicEnabled", False, "Whether it is moved by the user, not by forces."),
        Attr("bool", "startsAsleep", False, "Whether it is asleep at first.", uniform=True),
        Attr("rel", "simulationOwner", None, "The scene that simulates it."),
    ],
)

_DEFORMABLE = Schema(
    "OmniPhysicsDeformableBodyAPI",
    "omniphysics",
    "The root of a deformable body: its simulation mesh is this prim or a child of it.",
    [
        Attr("bool", "deformableBodyEnabled", True, "Whether it deforms."),
        Attr("float", "mass", 0.0, "Mass; 0: from the material's density.", POSITIVE, "mass"),
    ],
    builtins=("OmniPhysicsBodyAPI",),
)

_SIMULATION_MESHES = [
    Schema(
        "OmniPhysicsVolumeDeformableSimAPI",
        "omniphysics",
        "The tetrahedral simulation mesh of a volume body.",
        [
            Attr(
                "point3f[]",
                "restShapePoints",
                None,
                "Points of the undeformed shape.",
                "",
                "distance",
            ),
            Attr("int4[]", "restTetVtxIndices", None, "Corners of the undeformed tetrahedra."),
        ],
        only_on=("TetMesh",),
    ),
    Schema(
        "OmniPhysicsSurfaceDeformableSimAPI",
        "omniphysics",
        "The triangular simulation mesh of a surface body.",
        [
            Attr(
                "point3f[]",
                "restShapePoints",
                None,
                "Points of the undeformed shape.",
                "",
                "distance",
            ),
            Attr("int3[]", "restTriVtxIndices", None, "Corners of the undeformed triangles."),
            Attr(
                "token",
                "restBendAnglesDefault",
                "flatDefault",
                "Undeformed angles between triangles.",
                tokens=("flatDefault", "restShapeDefault"),
                uniform=True,
            ),
            *SURFACE,
        ],
        only_on=("Mesh",),
    ),
    Schema(
        "OmniPhysicsDeformablePoseAPI",
        "deformablePose:__INSTANCE_NAME__:omniphysics",
        "Points of a mesh in a pose with a purpose.",
        [
            Attr(
                "token[]",
                "purposes",
                None,
                "What the pose is for.",
                tokens=("bindPose", "selfCollisionFilterPose"),
                uniform=True,
            ),
            Attr("point3f[]", "points", None, "Points of the pose.", "", "distance"),
        ],
        "multipleApplyAPI",
    ),
]

_MATERIALS = [
    Schema(
        "OmniPhysicsBaseMaterialAPI",
        "omniphysics",
        "Surface properties.",
        [
            Attr(
                "float", "density", 0.0, "Density; 0: not specified.", POSITIVE, "mass/distance^3"
            ),
            Attr("float", "dynamicFriction", 0.0, "Dynamic friction coefficient.", POSITIVE),
            Attr("float", "staticFriction", 0.0, "Static friction coefficient.", POSITIVE),
        ],
    ),
    Schema(
        "OmniPhysicsDeformableMaterialAPI",
        "omniphysics",
        "Elasticity of deformable bodies.",
        [
            Attr("float", "youngsModulus", 0.0, "Young's modulus.", POSITIVE, PRESSURE),
            Attr("float", "poissonsRatio", 0.25, "Poisson's ratio.", "[0, 0.5]"),
        ],
        builtins=("OmniPhysicsBaseMaterialAPI",),
    ),
    Schema(
        "OmniPhysicsSurfaceDeformableMaterialAPI",
        "omniphysics",
        "Elasticity of surface bodies.",
        [
            Attr("float", "surfaceThickness", 0.0, "Thickness.", POSITIVE, "distance"),
            Attr(
                "float",
                "surfaceStretchStiffness",
                0.0,
                "Replaces the derived stretch stiffness.",
                POSITIVE,
                PRESSURE,
            ),
            Attr(
                "float",
                "surfaceShearStiffness",
                0.0,
                "Replaces the derived shear stiffness.",
                POSITIVE,
                PRESSURE,
            ),
            Attr(
                "float",
                "surfaceBendStiffness",
                0.0,
                "Replaces the derived bend stiffness.",
                POSITIVE,
                PRESSURE,
            ),
        ],
        builtins=("OmniPhysicsDeformableMaterialAPI",),
    ),
]

PLUGIN = Plugin(
    "omniUsdPhysicsDeformableSchema",
    "OmniUsdPhysicsDeformableSchema",
    "The OmniPhysics schemas of deformable bodies.",
    [_BODY, _DEFORMABLE, *_SIMULATION_MESHES, *_MATERIALS, *OTHERS],
    strip="OmniPhysics",
)

_JOINT_AXIS = Schema(
    "PhysxJointAxisAPI",
    "physxJointAxis:__INSTANCE_NAME__",
    "PhysX options of one joint axis; they win over PhysxJointAPI.",
    [
        Attr("float", "maxJointVelocity", INF, "Largest speed.", POSITIVE, MAX_SPEED),
        Attr(
            "float",
            "armature",
            0.0,
            "Inertia added to the axis.",
            POSITIVE,
            "mass or mass*distance^2",
        ),
        Attr(
            "float",
            "staticFrictionEffort",
            0.0,
            "Friction of a resting axis.",
            POSITIVE,
            "force or torque",
        ),
        Attr(
            "float",
            "dynamicFrictionEffort",
            0.0,
            "Friction of a moving axis.",
            POSITIVE,
            "force or torque",
        ),
        Attr(
            "float",
            "viscousFrictionCoefficient",
            0.0,
            "Friction per speed.",
            POSITIVE,
            "force*second/distance or torque*second/degree",
        ),
    ],
    "multipleApplyAPI",
)

_ENVELOPE = Schema(
    "PhysxDrivePerformanceEnvelopeAPI",
    "physxDrivePerformanceEnvelope:__INSTANCE_NAME__",
    "Limits what a drive can do at speed.",
    [
        Attr(
            "float",
            "maxActuatorVelocity",
            INF,
            "Speed above which there is no force.",
            POSITIVE,
            MAX_SPEED,
        ),
        Attr(
            "float",
            "velocityDependentResistance",
            0.0,
            "Force lost per speed.",
            POSITIVE,
            "force*second/distance or torque*second/degree",
        ),
        Attr(
            "float",
            "speedEffortGradient",
            0.0,
            "Speed lost per force.",
            POSITIVE,
            "distance/(second*force) or degree/(second*torque)",
        ),
    ],
    "multipleApplyAPI",
)

_PHYSX_BODY = Schema(
    "PhysxBaseDeformableBodyAPI",
    BODY,
    "PhysX options of a deformable body.",
    [
        Attr("uint", "solverPositionIterationCount", 16, "Position iterations.", "[1, 255]"),
        Attr("float", "linearDamping", 0.0, "Rate of velocity decay.", POSITIVE, "1/second"),
        Attr("float", "maxLinearVelocity", INF, "Largest speed.", POSITIVE, "distance/second"),
        Attr("float", "settlingDamping", 10.0, "Damping of slow vertices.", POSITIVE, "1/second"),
        Attr(
            "float",
            "settlingThreshold",
            0.1,
            "Speed of slow vertices.",
            POSITIVE,
            "distance/second",
        ),
        Attr(
            "float",
            "sleepThreshold",
            0.05,
            "Speed below which vertices may sleep.",
            POSITIVE,
            "distance/second",
        ),
        Attr(
            "float",
            "maxDepenetrationVelocity",
            INF,
            "Largest separating speed.",
            POSITIVE,
            "distance/second",
        ),
        Attr("bool", "selfCollision", False, "Whether it collides with itself."),
        Attr(
            "float",
            "selfCollisionFilterDistance",
            -INF,
            "Closer parts do not collide; -inf: chosen.",
            "",
            "distance",
        ),
        Attr("bool", "enableSpeculativeCCD", False, "Whether contact offsets grow with speed."),
        Attr("bool", "disableGravity", False, "Whether it ignores gravity."),
    ],
)

_PHYSX_SURFACE = Schema(
    "PhysxSurfaceDeformableBodyAPI",
    BODY,
    "PhysX options of a surface body.",
    [
        Attr("uint", "collisionPairUpdateFrequency", 1, "Contact updates per step; 0: chosen."),
        Attr("uint", "collisionIterationMultiplier", 1, "Contact iterations per solver iteration."),
    ],
    builtins=("PhysxBaseDeformableBodyAPI",),
)

_PHYSX_MATERIALS = [
    Schema(
        "PhysxDeformableMaterialAPI",
        "physxDeformableMaterial",
        "Damping of deformable bodies.",
        [Attr("float", "elasticityDamping", 0.0, "Damping of elasticity.", POSITIVE)],
    ),
    Schema(
        "PhysxSurfaceDeformableMaterialAPI",
        "physxDeformableMaterial",
        "Damping of surface bodies.",
        [Attr("float", "bendDamping", 0.0, "Damping of bending.", POSITIVE)],
        builtins=("PhysxDeformableMaterialAPI",),
    ),
]

ADDITION = Plugin(
    "physxSchemaAddition",
    "PhysxSchemaAddition",
    "PhysX' additional schemas: those that usdsim writes and reads, and those that it only keeps.",
    [
        _JOINT_AXIS,
        _ENVELOPE,
        _PHYSX_BODY,
        _PHYSX_SURFACE,
        *_PHYSX_MATERIALS,
        *ATTACHMENTS,
        *ADDITIONS,
    ],
)
