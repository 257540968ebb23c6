"""Configurations of deformable bodies."""

from __future__ import annotations

import dataclasses

from usdsim.schemas.authoring.table import attribute

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "DeformableBodyBaseCfg",
    "PhysxDeformableBodyPropertiesCfg",
    "PhysxSurfaceDeformableBodyPropertiesCfg",
]

_OMNI = "OmniPhysicsDeformableBodyAPI"
_PHYSX = "PhysxBaseDeformableBodyAPI"
_SURFACE = "PhysxSurfaceDeformableBodyAPI"


@schema_cfg
class DeformableBodyBaseCfg(SchemaCfg):
    """Properties of a deformable body that every engine has."""

    deformable_body_enabled: bool | None = attribute(
        "omniphysics:deformableBodyEnabled", _OMNI, "Whether the body deforms."
    )
    kinematic_enabled: bool | None = attribute(
        "omniphysics:kinematicEnabled",
        _OMNI,
        "Whether the body is moved by the user instead of by forces.",
    )
    mass: float | None = attribute(
        "omniphysics:mass",
        _OMNI,
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

    solver_position_iteration_count: int | None = attribute(
        "physxDeformableBody:solverPositionIterationCount",
        _PHYSX,
        "Position iterations of the solver.",
        type="uint",
        range="[1, 255]",
    )
    linear_damping: float | None = attribute(
        "physxDeformableBody:linearDamping",
        _PHYSX,
        "Rate of velocity decay [1/s].",
        range="[0, inf)",
    )
    max_linear_velocity: float | None = attribute(
        "physxDeformableBody:maxLinearVelocity",
        _PHYSX,
        "Largest speed [m/s].",
        unit="distance/second",
    )
    settling_damping: float | None = attribute(
        "physxDeformableBody:settlingDamping",
        _PHYSX,
        "Damping of slow vertices [1/s].",
        range="[0, inf)",
    )
    settling_threshold: float | None = attribute(
        "physxDeformableBody:settlingThreshold",
        _PHYSX,
        "Speed of slow vertices [m/s].",
        unit="distance/second",
        range="[0, inf)",
    )
    sleep_threshold: float | None = attribute(
        "physxDeformableBody:sleepThreshold",
        _PHYSX,
        "Speed below which vertices may sleep [m/s].",
        unit="distance/second",
        range="[0, inf)",
    )
    max_depenetration_velocity: float | None = attribute(
        "physxDeformableBody:maxDepenetrationVelocity",
        _PHYSX,
        "Largest speed the solver may add to separate bodies [m/s].",
        unit="distance/second",
        range="[0, inf)",
    )
    self_collision: bool | None = attribute(
        "physxDeformableBody:selfCollision", _PHYSX, "Whether it collides with itself."
    )
    self_collision_filter_distance: float | None = attribute(
        "physxDeformableBody:selfCollisionFilterDistance",
        _PHYSX,
        "Parts closer than this do not collide [m].",
        unit="distance",
    )
    enable_speculative_c_c_d: bool | None = attribute(
        "physxDeformableBody:enableSpeculativeCCD",
        _PHYSX,
        "Whether contact offsets grow with speed.",
    )
    disable_gravity: bool | None = attribute(
        "physxDeformableBody:disableGravity", _PHYSX, "Whether it ignores gravity."
    )
    contact_offset: float | None = attribute(
        "physxCollision:contactOffset",
        "PhysxCollisionAPI",
        "Contacts are generated when two shapes are closer than the sum of their offsets [m].",
        unit="distance",
        range="[0, inf)",
    )
    rest_offset: float | None = attribute(
        "physxCollision:restOffset",
        "PhysxCollisionAPI",
        "Shapes rest at the sum of their offsets [m].",
        unit="distance",
    )


@schema_cfg
class PhysxSurfaceDeformableBodyPropertiesCfg(PhysxDeformableBodyPropertiesCfg):
    """Properties of a surface body in the PhysX dialect."""

    collision_pair_update_frequency: int | None = attribute(
        "physxDeformableBody:collisionPairUpdateFrequency",
        _SURFACE,
        "Contact updates per step; 0: chosen.",
        type="uint",
        range="[0, inf)",
    )
    collision_iteration_multiplier: int | None = attribute(
        "physxDeformableBody:collisionIterationMultiplier",
        _SURFACE,
        "Contact iterations per solver iteration.",
        type="uint",
        range="[1, inf)",
    )
