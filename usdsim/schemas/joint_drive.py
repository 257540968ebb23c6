"""Drives of revolute and prismatic joints."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any

from pxr import Usd

from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.scope import Scope, joint_axis, joint_scopes
from usdsim.schemas.authoring.table import Target, attribute, attributes_of
from usdsim.usd.attributes import authored
from usdsim.usd.schemas import has_api
from usdsim.usd.servos import actuators_on, write_servo

from .cfg import SchemaCfg, schema_cfg
from .servos import servo_edits

__all__ = [
    "JointDriveBaseCfg",
    "MujocoJointDrivePropertiesCfg",
    "NewtonJointDrivePropertiesCfg",
    "PhysxJointDrivePropertiesCfg",
    "modify_joint_drive_properties",
    "read_joint_drive_properties",
]

_api = attributes_of("PhysicsDriveAPI:{axis}")
_LEAST_STIFFNESS = 1e-3
"""Stiffness [N m/rad or N/m] that makes an otherwise passive drive exist."""


@schema_cfg
class JointDriveBaseCfg(SchemaCfg):
    """Properties of a joint drive that every engine has.

    force = clip(stiffness (target - position) + damping (target velocity - velocity)).
    """

    drive_type: str | None = _api(
        "drive:{axis}:physics:type",
        "Whether gains give a force or an acceleration.",
        tokens=("force", "acceleration"),
    )
    max_force: float | None = _api(
        "drive:{axis}:physics:maxForce",
        "Largest force [N] or torque [N m].",
        unit="torque",
        linear="force",
        range="[0, inf)",
    )
    stiffness: float | None = _api(
        "drive:{axis}:physics:stiffness",
        "Stiffness [N m/rad or N/m].",
        unit="torque/degree",
        linear="force/distance",
        range="[0, inf)",
    )
    damping: float | None = _api(
        "drive:{axis}:physics:damping",
        "Damping [N m s/rad or N s/m].",
        unit="torque*second/degree",
        linear="force*second/distance",
        range="[0, inf)",
    )
    target_position: float | None = _api(
        "drive:{axis}:physics:targetPosition",
        "Position the drive aims at [rad or m].",
        unit="degree",
        linear="distance",
    )
    target_velocity: float | None = _api(
        "drive:{axis}:physics:targetVelocity",
        "Velocity the drive aims at [rad/s or m/s].",
        unit="degree/second",
        linear="distance/second",
    )
    max_joint_velocity: float | None = attribute(
        "physxJoint:maxJointVelocity",
        "Largest speed of the joint [rad/s or m/s].",
        api="PhysxJointAPI",
        unit="degree/second",
        linear="distance/second",
        range="[0, inf)",
        also=(
            Target(
                "newton:velocityLimit",
                "NewtonJointAPI",
                "float",
                "degree/second",
                "distance/second",
            ),
        ),
    )
    max_effort: InitVar[float | None] = None
    max_velocity: InitVar[float | None] = None
    ensure_drives_exist: bool = dataclasses.field(
        default=False,
        metadata={
            "doc": "Whether a drive without any stiffness and damping gets a stiffness of 1e-3, so "
            "that an actuator is made for it."
        },
    )

    def __post_init__(self, max_effort: float | None, max_velocity: float | None) -> None:
        for old, value in (("max_effort", max_effort), ("max_velocity", max_velocity)):
            if value is not None:
                _warn_renamed(old)
                if getattr(self, _RENAMED[old]) is None:
                    setattr(self, _RENAMED[old], value)


_RENAMED = {"max_effort": "max_force", "max_velocity": "max_joint_velocity"}


def _warn_renamed(old: str) -> None:
    warnings.warn(
        f"JointDriveBaseCfg.{old} is deprecated; use {_RENAMED[old]}.",
        DeprecationWarning,
        stacklevel=4,
    )


def _alias(old: str) -> Any:
    """The old name of a field, readable and assignable like the field itself."""

    def read(cfg: Any) -> Any:
        return getattr(cfg, _RENAMED[old])

    def write(cfg: Any, value: Any) -> None:
        _warn_renamed(old)
        setattr(cfg, _RENAMED[old], value)

    return property(read, write, doc=f"Deprecated name of `{_RENAMED[old]}`.")


# The dataclass took the names as parameters of its constructor; as attributes they are aliases.
for _old in _RENAMED:
    setattr(JointDriveBaseCfg, _old, _alias(_old))


@schema_cfg
class PhysxJointDrivePropertiesCfg(JointDriveBaseCfg):
    """Properties of a joint drive in the PhysX dialect."""


@schema_cfg
class NewtonJointDrivePropertiesCfg(JointDriveBaseCfg):
    """Properties of a joint drive in the Newton dialect."""


@schema_cfg
class MujocoJointDrivePropertiesCfg(NewtonJointDrivePropertiesCfg):
    """Properties of a joint drive in the MuJoCo dialect."""

    actuatorgravcomp: bool | None = attribute(
        "mjc:actuatorgravcomp",
        "Whether gravity compensation counts as actuator force.",
        api="MjcJointAPI",
    )


def _scopes(prim: Usd.Prim, cfg: JointDriveBaseCfg | None) -> list[Scope]:
    # Such a joint follows a tendon; a drive of its own would fight it.
    if has_api(prim, "PhysxTendonAxisAPI") and not has_api(prim, "PhysxTendonAxisRootAPI"):
        return []
    return joint_scopes(prim)


JOINT_DRIVE = Family("driven joint", scopes=_scopes)


def modify_joint_drive_properties(
    prim_path: str,
    cfg: JointDriveBaseCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change the drives of revolute and prismatic joints at and below a prim.

    A drive is applied where a joint has none. Joints that a tendon drives are left out. Where an
    actuator of the MuJoCo dialect says the same as the drive, its gains follow.

    Args:
        prim_path: where to begin.
        cfg: the properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first joint of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Returns:
        What was changed and skipped; true if there was a joint.

    Raises:
        ValueError: there is no such prim, a value is not allowed, or an actuator that moves the
            joint cannot do that.
    """
    return _Drives("driven joint", scopes=_scopes).modify(
        prim_path, cfg, stage, subtree=subtree, uninstance=uninstance
    )


@dataclass(frozen=True)
class _Drives(Family):
    """Applies missing drives, makes passive ones exist on request, and edits servos with them."""

    actuators: list[Mapping[str, list[Usd.Prim]]] = field(default_factory=list)

    def write(self, prim: Usd.Prim, cfg: Any, apis: tuple[str, ...] = ()) -> SchemaResult | None:
        axis = joint_axis(prim)
        if axis is None:
            return None
        given: list[Any] = [cfg] if isinstance(cfg, SchemaCfg) else list(cfg)
        ready = [_with_drive(prim, one) for one in given]
        edits = servo_edits(prim, self._actuators(prim), ready)
        result = super().write(prim, ready, (f"PhysicsDriveAPI:{axis}",))
        changed = [name for edit in edits for name in write_servo(*edit)]
        return result if result is None else result + SchemaResult((), changed)

    def _actuators(self, joint: Usd.Prim) -> Mapping[str, list[Usd.Prim]]:
        """Actuator prims by what they act on, looked for once, where the dialect is spoken."""
        if not has_api(joint, "MjcJointAPI"):
            return {}
        if not self.actuators:
            self.actuators.append(actuators_on(joint.GetStage()))
        return self.actuators[0]


def _with_drive(prim: Usd.Prim, cfg: JointDriveBaseCfg) -> JointDriveBaseCfg:
    if not cfg.ensure_drives_exist or cfg.stiffness is not None or cfg.damping is not None:
        return cfg
    axis = joint_axis(prim)
    for gain in ("stiffness", "damping"):
        if authored(prim, f"drive:{axis}:physics:{gain}", 0.0) > 0.0:
            return cfg
    return dataclasses.replace(cfg, stiffness=_LEAST_STIFFNESS)


def read_joint_drive_properties(
    prim_path: str,
    cfg_type: type[JointDriveBaseCfg] = PhysxJointDrivePropertiesCfg,
    stage: Usd.Stage | None = None,
) -> JointDriveBaseCfg:
    """The configuration a joint's authored drive amounts to."""
    return JOINT_DRIVE.read(prim_path, cfg_type, stage)
