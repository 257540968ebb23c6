"""The joints and tendons of PhysxSchema."""

from __future__ import annotations

from .table import INF, POSITIVE, Attr, Schema

__all__ = ["JOINTS", "TENDONS"]

TENDON = "physxTendon:__INSTANCE_NAME__"

_MAX_VELOCITY_UNIT = "distance/second or degree/second"
_ARMATURE = Attr(
    "float", "armature", 0.0, "Inertia added to the joint.", POSITIVE, "mass or mass*distance^2"
)

JOINTS = [
    Schema(
        "PhysxJointAPI",
        "physxJoint",
        "PhysX options of a joint, as assets before PhysX 5.6 spell them; newer ones have them per "
        "axis, in PhysxJointAxisAPI.",
        [
            _ARMATURE,
            Attr(
                "float",
                "jointFriction",
                0.0,
                "Friction force over the force the joint transmits.",
                POSITIVE,
            ),
            Attr(
                "float",
                "maxJointVelocity",
                1e6,
                "Largest joint speed.",
                POSITIVE,
                _MAX_VELOCITY_UNIT,
            ),
        ],
    ),
    Schema(
        "PhysxLimitAPI",
        "physxLimit:__INSTANCE_NAME__",
        "Compliance of a joint limit.",
        [
            Attr(
                "float",
                "stiffness",
                0.0,
                "Limit stiffness; 0: rigid.",
                POSITIVE,
                "force/distance or torque/radian",
            ),
            Attr(
                "float",
                "damping",
                0.0,
                "Limit damping.",
                POSITIVE,
                "force*second/distance or torque*second/radian",
            ),
            Attr("float", "restitution", 0.0, "Bounce at the limit.", "[0, 1]"),
            Attr(
                "float",
                "bounceThreshold",
                0.0,
                "Slower impacts do not bounce.",
                POSITIVE,
                _MAX_VELOCITY_UNIT,
            ),
        ],
        "multipleApplyAPI",
    ),
    Schema(
        "PhysxMimicJointAPI",
        "physxMimicJoint:__INSTANCE_NAME__",
        "Couples a joint axis to another: q + gearing q_reference + offset = 0.",
        [
            Attr("rel", "referenceJoint", None, "The joint that leads."),
            Attr(
                "token",
                "referenceJointAxis",
                "rotX",
                "The axis of the leading joint.",
                tokens=("rotX", "rotY", "rotZ"),
                uniform=True,
            ),
            Attr("float", "gearing", 1.0, "Factor on the leading position."),
            Attr("float", "offset", 0.0, "Offset.", "", "distance or degree"),
            Attr(
                "float",
                "naturalFrequency",
                0.0,
                "Frequency of a compliant coupling; 0: rigid.",
                POSITIVE,
                "1/second",
            ),
            Attr("float", "dampingRatio", 0.0, "Damping ratio of a compliant coupling.", POSITIVE),
        ],
        "multipleApplyAPI",
    ),
    Schema(
        "PhysicsJointStateAPI",
        "state:__INSTANCE_NAME__:physics",
        "Position and velocity of one joint axis.",
        [
            Attr("float", "position", 0.0, "Joint position.", "", "distance or degree"),
            Attr("float", "velocity", 0.0, "Joint velocity.", "", _MAX_VELOCITY_UNIT),
        ],
        "multipleApplyAPI",
        class_name="JointStateAPI",
    ),
]

_ENABLED = Attr("bool", "tendonEnabled", True, "Whether the tendon acts.")
_STIFFNESS = Attr("float", "stiffness", 0.0, "Spring stiffness.", POSITIVE, "mass/second^2")
_DAMPING = Attr("float", "damping", 0.0, "Damping.", POSITIVE, "mass/second")
_LIMIT_STIFFNESS = Attr(
    "float", "limitStiffness", 0.0, "Stiffness of the length limits.", POSITIVE, "mass/second^2"
)
_OFFSET = Attr("float", "offset", 0.0, "Added to the tendon length.", "", "distance")
_REST = Attr("float", "restLength", 0.0, "Length without spring force.", "", "distance")
_LOWER = Attr("float", "lowerLimit", -INF, "Least length.", "(-inf, upperLimit]", "distance")
_UPPER = Attr("float", "upperLimit", INF, "Largest length.", "[lowerLimit, inf)", "distance")

TENDONS = [
    Schema(
        "PhysxTendonAxisAPI",
        TENDON,
        "Makes a joint contribute to the fixed tendon of the instance's name.",
        [
            Attr(
                "float[]",
                "gearing",
                [1.0],
                "Tendon length per joint position.",
                "",
                "1 or distance/degree",
            ),
            Attr(
                "float[]",
                "forceCoefficient",
                [1.0],
                "Joint force per tendon force.",
                "",
                "1 or distance",
            ),
            Attr(
                "token[]",
                "jointAxis",
                None,
                "Axes of the joint that take part.",
                tokens=("transX", "transY", "transZ", "rotX", "rotY", "rotZ"),
                uniform=True,
            ),
        ],
        "multipleApplyAPI",
    ),
    Schema(
        "PhysxTendonAxisRootAPI",
        TENDON,
        "The joint at the root of a fixed tendon.",
        [_ENABLED, _STIFFNESS, _DAMPING, _LIMIT_STIFFNESS, _OFFSET, _REST, _LOWER, _UPPER],
        "multipleApplyAPI",
        ("PhysxTendonAxisAPI:__INSTANCE_NAME__",),
    ),
    Schema(
        "PhysxTendonAttachmentAPI",
        TENDON,
        "A point of a body that a spatial tendon passes.",
        [
            Attr("float", "gearing", 1.0, "Factor on the distance to the parent attachment."),
            Attr(
                "point3f", "localPos", (0.0, 0.0, 0.0), "Point in the body's frame.", "", "distance"
            ),
            Attr(
                "token",
                "parentAttachment",
                None,
                "Instance name of the parent attachment.",
                uniform=True,
            ),
            Attr("rel", "parentLink", None, "Body of the parent attachment."),
        ],
        "multipleApplyAPI",
    ),
    Schema(
        "PhysxTendonAttachmentRootAPI",
        TENDON,
        "The first attachment of a spatial tendon.",
        [_ENABLED, _STIFFNESS, _DAMPING, _LIMIT_STIFFNESS, _OFFSET],
        "multipleApplyAPI",
        ("PhysxTendonAttachmentAPI:__INSTANCE_NAME__",),
    ),
    Schema(
        "PhysxTendonAttachmentLeafAPI",
        TENDON,
        "A last attachment of a spatial tendon.",
        [
            Attr(
                "float",
                "restLength",
                -INF,
                "Length without spring force; negative: as posed.",
                "",
                "distance",
            ),
            _LOWER,
            _UPPER,
        ],
        "multipleApplyAPI",
        ("PhysxTendonAttachmentAPI:__INSTANCE_NAME__",),
    ),
]
