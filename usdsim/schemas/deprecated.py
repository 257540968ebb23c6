"""Class names of older versions of the interface; they work and warn."""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import InitVar

from .articulation import PhysxArticulationRootPropertiesCfg
from .collision import PhysxCollisionPropertiesCfg
from .deformable_cfg import PhysxDeformableBodyPropertiesCfg
from .joint_drive import PhysxJointDrivePropertiesCfg
from .rigid_body import PhysxRigidBodyPropertiesCfg
from .tendon import PhysxFixedTendonPropertiesCfg, PhysxSpatialTendonPropertiesCfg

__all__ = [
    "ArticulationRootPropertiesCfg",
    "CollisionPropertiesCfg",
    "DeformableBodyPropertiesCfg",
    "FixedTendonPropertiesCfg",
    "JointDrivePropertiesCfg",
    "RigidBodyPropertiesCfg",
    "SpatialTendonPropertiesCfg",
]


def _warn(cfg: object, new: type) -> None:
    warnings.warn(
        f"{type(cfg).__name__} is deprecated, and gone in Isaac Lab 5.0; use {new.__name__}.",
        DeprecationWarning,
        stacklevel=4,
    )


@dataclasses.dataclass(kw_only=True)
class RigidBodyPropertiesCfg(PhysxRigidBodyPropertiesCfg):
    """Deprecated: use `PhysxRigidBodyPropertiesCfg` or `RigidBodyBaseCfg`."""

    def __post_init__(self) -> None:
        _warn(self, PhysxRigidBodyPropertiesCfg)


@dataclasses.dataclass(kw_only=True)
class CollisionPropertiesCfg(PhysxCollisionPropertiesCfg):
    """Deprecated: use `PhysxCollisionPropertiesCfg` or `CollisionBaseCfg`."""

    def __post_init__(self) -> None:
        _warn(self, PhysxCollisionPropertiesCfg)


@dataclasses.dataclass(kw_only=True)
class ArticulationRootPropertiesCfg(PhysxArticulationRootPropertiesCfg):
    """Deprecated: use `PhysxArticulationRootPropertiesCfg` or `ArticulationRootBaseCfg`."""

    def __post_init__(self) -> None:
        _warn(self, PhysxArticulationRootPropertiesCfg)


@dataclasses.dataclass(kw_only=True)
class JointDrivePropertiesCfg(PhysxJointDrivePropertiesCfg):
    """Deprecated: use `PhysxJointDrivePropertiesCfg` or `JointDriveBaseCfg`."""

    def __post_init__(self, max_effort: float | None, max_velocity: float | None) -> None:
        _warn(self, PhysxJointDrivePropertiesCfg)
        super().__post_init__(max_effort, max_velocity)


@dataclasses.dataclass(kw_only=True)
class FixedTendonPropertiesCfg(PhysxFixedTendonPropertiesCfg):
    """Deprecated: use `PhysxFixedTendonPropertiesCfg`."""

    def __post_init__(self) -> None:
        _warn(self, PhysxFixedTendonPropertiesCfg)


@dataclasses.dataclass(kw_only=True)
class SpatialTendonPropertiesCfg(PhysxSpatialTendonPropertiesCfg):
    """Deprecated: use `PhysxSpatialTendonPropertiesCfg`."""

    def __post_init__(self) -> None:
        _warn(self, PhysxSpatialTendonPropertiesCfg)


@dataclasses.dataclass(kw_only=True)
class DeformableBodyPropertiesCfg(PhysxDeformableBodyPropertiesCfg):
    """Deprecated: use `PhysxDeformableBodyPropertiesCfg`.

    Options of how meshes were simplified and filled with elements are accepted: the mesh itself is
    what collides and is filled.
    """

    deformable_enabled: InitVar[bool | None] = None
    vertex_velocity_damping: InitVar[float | None] = None
    sleep_damping: InitVar[float | None] = None
    collision_simplification: bool | None = None
    collision_simplification_remeshing: bool | None = None
    collision_simplification_remeshing_resolution: int | None = None
    collision_simplification_target_triangle_count: int | None = None
    collision_simplification_force_conforming: bool | None = None

    def __post_init__(
        self,
        deformable_enabled: bool | None,
        vertex_velocity_damping: float | None,
        sleep_damping: float | None,
    ) -> None:
        _warn(self, PhysxDeformableBodyPropertiesCfg)
        if self.deformable_body_enabled is None:
            self.deformable_body_enabled = deformable_enabled
        if self.linear_damping is None:
            self.linear_damping = vertex_velocity_damping
        if self.settling_damping is None:
            self.settling_damping = sleep_damping
