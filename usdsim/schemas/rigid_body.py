"""Rigid bodies."""

from __future__ import annotations

from collections.abc import Sequence

from pxr import Usd

from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.table import Target, attribute, attributes_of

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "MujocoRigidBodyPropertiesCfg",
    "NewtonRigidBodyPropertiesCfg",
    "PhysxRigidBodyPropertiesCfg",
    "RigidBodyBaseCfg",
    "define_rigid_body_properties",
    "modify_rigid_body_properties",
    "read_rigid_body_properties",
]

RIGID_BODY = Family(
    "rigid body", "PhysicsRigidBodyAPI", conflicts=("OmniPhysicsDeformableBodyAPI",)
)

_PHYSICS = "PhysicsRigidBodyAPI"
_physx = attributes_of("PhysxRigidBodyAPI")


@schema_cfg
class RigidBodyBaseCfg(SchemaCfg):
    """Properties of a rigid body that every engine has."""

    rigid_body_enabled: bool | None = attribute(
        "physics:rigidBodyEnabled", "Whether the body moves.", api=_PHYSICS
    )
    kinematic_enabled: bool | None = attribute(
        "physics:kinematicEnabled",
        "Whether the body is moved by the user instead of by forces.",
        api=_PHYSICS,
    )
    disable_gravity: bool | None = _physx(
        "physxRigidBody:disableGravity",
        "Whether the body ignores gravity.",
        also=(Target("mjc:gravcomp", "MjcBodyAPI", "double", rule="full compensation"),),
    )


@schema_cfg
class PhysxRigidBodyPropertiesCfg(RigidBodyBaseCfg):
    """Properties of a rigid body in the PhysX dialect."""

    linear_damping: float | None = _physx(
        "physxRigidBody:linearDamping", "Rate of linear velocity decay [1/s].", range="[0, inf)"
    )
    angular_damping: float | None = _physx(
        "physxRigidBody:angularDamping", "Rate of angular velocity decay [1/s].", range="[0, inf)"
    )
    max_linear_velocity: float | None = _physx(
        "physxRigidBody:maxLinearVelocity",
        "Largest linear speed [m/s].",
        unit="distance/second",
        range="[0, inf)",
    )
    max_angular_velocity: float | None = _physx(
        "physxRigidBody:maxAngularVelocity", "Largest angular speed [deg/s].", range="[0, inf)"
    )
    max_depenetration_velocity: float | None = _physx(
        "physxRigidBody:maxDepenetrationVelocity",
        "Largest speed the solver may add to separate bodies [m/s].",
        unit="distance/second",
        range="[0, inf)",
    )
    max_contact_impulse: float | None = _physx(
        "physxRigidBody:maxContactImpulse",
        "Largest impulse of one contact [N s].",
        unit="force*second",
        range="[0, inf)",
    )
    enable_gyroscopic_forces: bool | None = _physx(
        "physxRigidBody:enableGyroscopicForces", "Whether gyroscopic torque acts."
    )
    retain_accelerations: bool | None = _physx(
        "physxRigidBody:retainAccelerations", "Whether forces persist over sub-steps."
    )
    solver_position_iteration_count: int | None = _physx(
        "physxRigidBody:solverPositionIterationCount",
        "Position iterations of the solver.",
        range="[1, 255]",
    )
    solver_velocity_iteration_count: int | None = _physx(
        "physxRigidBody:solverVelocityIterationCount",
        "Velocity iterations of the solver.",
        range="[0, 255]",
    )
    sleep_threshold: float | None = _physx(
        "physxRigidBody:sleepThreshold",
        "Kinetic energy per mass below which the body may sleep [m^2/s^2].",
        unit="distance^2/second^2",
        range="[0, inf)",
    )
    stabilization_threshold: float | None = _physx(
        "physxRigidBody:stabilizationThreshold",
        "Kinetic energy per mass below which the body is stabilised [m^2/s^2].",
        unit="distance^2/second^2",
        range="[0, inf)",
    )


@schema_cfg
class NewtonRigidBodyPropertiesCfg(RigidBodyBaseCfg):
    """Properties of a rigid body in the Newton dialect, which adds none."""


@schema_cfg
class MujocoRigidBodyPropertiesCfg(NewtonRigidBodyPropertiesCfg):
    """Properties of a rigid body in the MuJoCo dialect."""

    gravcomp: float | None = attribute(
        "mjc:gravcomp",
        "Part of its weight that is compensated: 1 floats.",
        api="MjcBodyAPI",
        type="double",
    )


def define_rigid_body_properties(
    prim_path: str,
    cfg: RigidBodyBaseCfg | Sequence[RigidBodyBaseCfg],
    stage: Usd.Stage | None = None,
) -> SchemaResult:
    """Make a prim a rigid body.

    Args:
        prim_path: the prim.
        cfg: its properties, in one configuration or one per dialect; fields that are None stay as
            authored.
        stage: where the prim is; None: the current stage.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
        TypeError: the prim has an API schema that excludes a rigid body.
    """
    return RIGID_BODY.define(prim_path, cfg, stage)


def modify_rigid_body_properties(
    prim_path: str,
    cfg: RigidBodyBaseCfg | Sequence[RigidBodyBaseCfg],
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change rigid bodies at and below a prim.

    Args:
        prim_path: where to begin.
        cfg: the properties, in one configuration or one per dialect; fields that are None stay as
            authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first body of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Returns:
        What was changed and skipped; true if there was a body.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    return RIGID_BODY.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_rigid_body_properties(
    prim_path: str,
    cfg_type: type[RigidBodyBaseCfg] = PhysxRigidBodyPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> RigidBodyBaseCfg:
    """The configuration a body's authored attributes amount to; None where nothing is authored."""
    return RIGID_BODY.read(prim_path, cfg_type, stage)
