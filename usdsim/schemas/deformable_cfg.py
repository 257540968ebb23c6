"""Configurations of deformable bodies."""

from __future__ import annotations

import dataclasses

from usdsim.schemas.authoring.table import attribute, attributes_of

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "DeformableBodyBaseCfg",
    "PhysxDeformableBodyPropertiesCfg",
    "PhysxSurfaceDeformableBodyPropertiesCfg",
]

_omni = attributes_of("OmniPhysicsDeformableBodyAPI")
_physx = attributes_of("PhysxBaseDeformableBodyAPI")
_SURFACE = "PhysxSurfaceDeformableBodyAPI"


@schema_cfg
class DeformableBodyBaseCfg(SchemaCfg):
    """Properties of a deformable body that every engine has."""

    deformable_body_enabled: bool | None = _omni(
        "omniphysics:deformableBodyEnabled", "Whether the body deforms."
    )
    kinematic_enabled: bool | None = _omni(
        "omniphysics:kinematicEnabled",
        "Whether the body is moved by the user instead of by forces.",
    )
    mass: float | None = _omni(
        "omniphysics:mass",
        "Mass [kg]; 0: from the material's density.",
        unit="mass",
        range="[0, inf)",
    )
    simulation_hexahedral_resolution: int = dataclasses.field(
        default=10,
        metadata={
            "doc": "Cells along the longest side, where a surface mesh has to be filled with "
            "tetrahedra."
        },
    )


@schema_cfg
class PhysxDeformableBodyPropertiesCfg(DeformableBodyBaseCfg):
    """Properties of a deformable body in the PhysX dialect."""

    solver_position_iteration_count: int | None = _physx(
        "physxDeformableBody:solverPositionIterationCount",
        "Position iterations of the solver.",
        type="uint",
        range="[1, 255]",
    )
    linear_damping: float | None = _physx(
        "physxDeformableBody:linearDamping", "Rate of velocity decay [1/s].", range="[0, inf)"
    )
    max_linear_velocity: float | None = _physx(
        "physxDeformableBody:maxLinearVelocity", "Largest speed [m/s].", unit="distance/second"
    )
    settling_damping: float | None = _physx(
        "physxDeformableBody:settlingDamping", "Damping of slow vertices [1/s].", range="[0, inf)"
    )
    settling_threshold: float | None = _physx(
        "physxDeformableBody:settlingThreshold",
        "Speed of slow vertices [m/s].",
        unit="distance/second",
        range="[0, inf)",
    )
    sleep_threshold: float | None = _physx(
        "physxDeformableBody:sleepThreshold",
        "Speed below which vertices may sleep [m/s].",
        unit="distance/second",
        range="[0, inf)",
    )
    max_depenetration_velocity: float | None = _physx(
        "physxDeformableBody:maxDepenetrationVelocity",
        "Largest speed the solver may add to separate bodies [m/s].",
        unit="distance/second",
        range="[0, inf)",
    )
    self_collision: bool | None = _physx(
        "physxDeformableBody:selfCollision", "Whether it collides with itself."
    )
    self_collision_filter_distance: float | None = _physx(
        "physxDeformableBody:selfCollisionFilterDistance",
        "Parts closer than this do not collide [m].",
        unit="distance",
    )
    enable_speculative_c_c_d: bool | None = _physx(
        "physxDeformableBody:enableSpeculativeCCD", "Whether contact offsets grow with speed."
    )
    disable_gravity: bool | None = _physx(
        "physxDeformableBody:disableGravity", "Whether it ignores gravity."
    )
    contact_offset: float | None = attribute(
        "physxCollision:contactOffset",
        "Contacts are generated when two shapes are closer than the sum of their offsets [m].",
        api="PhysxCollisionAPI",
        unit="distance",
        range="[0, inf)",
    )
    rest_offset: float | None = attribute(
        "physxCollision:restOffset",
        "Shapes rest at the sum of their offsets [m].",
        api="PhysxCollisionAPI",
        unit="distance",
    )


@schema_cfg
class PhysxSurfaceDeformableBodyPropertiesCfg(PhysxDeformableBodyPropertiesCfg):
    """Properties of a surface body in the PhysX dialect."""

    collision_pair_update_frequency: int | None = attribute(
        "physxDeformableBody:collisionPairUpdateFrequency",
        "Contact updates per step; 0: chosen.",
        api=_SURFACE,
        type="uint",
        range="[0, inf)",
    )
    collision_iteration_multiplier: int | None = attribute(
        "physxDeformableBody:collisionIterationMultiplier",
        "Contact iterations per solver iteration.",
        api=_SURFACE,
        type="uint",
        range="[1, inf)",
    )
