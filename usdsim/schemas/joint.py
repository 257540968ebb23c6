"""Limits, armature and friction of revolute and prismatic joints."""

from __future__ import annotations

from pxr import Usd

from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.scope import joint_scopes
from usdsim.schemas.authoring.table import Target, attribute, attributes_of

from .cfg import SchemaCfg, schema_cfg

__all__ = ["JointPropertiesCfg", "modify_joint_properties", "read_joint_properties"]

_newton = attributes_of("NewtonJointAPI")
_AXIS = "PhysxJointAxisAPI:{axis}"
_MJC = "MjcJointAPI"


@schema_cfg
class JointPropertiesCfg(SchemaCfg):
    """Properties of a joint besides its drive, by default in the Newton dialect."""

    joint_enabled: bool | None = attribute("physics:jointEnabled", "Whether the joint acts.")
    collision_enabled: bool | None = attribute(
        "physics:collisionEnabled", "Whether the two bodies may collide."
    )
    lower_limit: float | None = attribute(
        "physics:lowerLimit", "Least position [rad or m].", unit="degree", linear="distance"
    )
    upper_limit: float | None = attribute(
        "physics:upperLimit", "Largest position [rad or m].", unit="degree", linear="distance"
    )
    armature: float | None = _newton(
        "newton:armature",
        "Inertia of the actuation [kg m^2 or kg].",
        unit="mass*distance^2",
        linear="mass",
        range="[0, inf)",
        also=(
            Target("physxJoint:armature", "PhysxJointAPI", "float", "mass*distance^2", "mass"),
            Target("mjc:armature", _MJC, "double"),
        ),
    )
    friction: float | None = _newton(
        "newton:friction",
        "Dry friction [N m or N].",
        unit="torque",
        linear="force",
        range="[0, inf)",
        also=(
            Target("physxJointAxis:{axis}:staticFrictionEffort", _AXIS, "float", "torque", "force"),
            Target(
                "physxJointAxis:{axis}:dynamicFrictionEffort", _AXIS, "float", "torque", "force"
            ),
            Target("mjc:frictionloss", _MJC, "double"),
        ),
    )
    damping: float | None = _newton(
        "newton:damping",
        "Viscous friction [N m s/rad or N s/m].",
        unit="torque*second/degree",
        linear="force*second/distance",
        range="[0, inf)",
        also=(
            Target(
                "physxJointAxis:{axis}:viscousFrictionCoefficient",
                _AXIS,
                "float",
                "torque*second/degree",
                "force*second/distance",
            ),
            Target("mjc:damping", _MJC, "double"),
        ),
    )
    velocity_limit: float | None = _newton(
        "newton:velocityLimit",
        "Largest speed [rad/s or m/s].",
        unit="degree/second",
        linear="distance/second",
        range="[0, inf)",
        also=(
            Target(
                "physxJoint:maxJointVelocity",
                "PhysxJointAPI",
                "float",
                "degree/second",
                "distance/second",
            ),
        ),
    )
    limit_stiffness: float | None = _newton(
        "newton:limitStiffness",
        "Stiffness of the limits [N m/rad or N/m].",
        unit="torque/degree",
        linear="force/distance",
        range="[0, inf)",
        also=(
            Target(
                "physxLimit:{axis}:stiffness",
                "PhysxLimitAPI:{axis}",
                "float",
                "torque/radian",
                "force/distance",
            ),
        ),
    )
    limit_damping: float | None = _newton(
        "newton:limitDamping",
        "Damping of the limits [N m s/rad or N s/m].",
        unit="torque*second/degree",
        linear="force*second/distance",
        range="[0, inf)",
        also=(
            Target(
                "physxLimit:{axis}:damping",
                "PhysxLimitAPI:{axis}",
                "float",
                "torque*second/radian",
                "force*second/distance",
            ),
        ),
    )


JOINT = Family("revolute or prismatic joint", scopes=joint_scopes)


def modify_joint_properties(
    prim_path: str,
    cfg: JointPropertiesCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change revolute and prismatic joints at and below a prim.

    Args:
        prim_path: where to begin.
        cfg: the properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first joint of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Returns:
        What was changed and skipped; true if there was a joint.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    return JOINT.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_joint_properties(
    prim_path: str,
    cfg_type: type[JointPropertiesCfg] = JointPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> JointPropertiesCfg:
    """The configuration a joint's authored attributes amount to."""
    return JOINT.read(prim_path, cfg_type, stage)
