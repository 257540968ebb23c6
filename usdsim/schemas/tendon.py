"""Fixed and spatial tendons."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from pxr import Usd

from usdsim.core.errors import InvalidValueError
from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.scope import Scope, plain_scope
from usdsim.schemas.authoring.table import attribute, attributes_of
from usdsim.usd.schemas import api_instances

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "MujocoTendonPropertiesCfg",
    "PhysxFixedTendonPropertiesCfg",
    "PhysxSpatialTendonPropertiesCfg",
    "PhysxTendonAxisCfg",
    "TendonBaseCfg",
    "modify_fixed_tendon_properties",
    "modify_spatial_tendon_properties",
    "modify_tendon_axis_properties",
    "read_fixed_tendon_properties",
    "read_spatial_tendon_properties",
    "read_tendon_axis_properties",
]

_NAME = "physxTendon:{instance}"
_INSTANCES = {
    "doc": "Instances to change: a name, several, or None for all that are applied.",
}
_fixed = attributes_of("PhysxTendonAxisRootAPI:{instance}")
_axis = attributes_of("PhysxTendonAxisAPI:{instance}")
_spatial = attributes_of("PhysxTendonAttachmentRootAPI:{instance}")


@schema_cfg
class TendonBaseCfg(SchemaCfg):
    """Choice of tendons of a prim."""

    instance_names: str | Sequence[str] | None = dataclasses.field(
        default=None, metadata=_INSTANCES
    )

    def validate(self) -> None:
        """Check every value.

        Raises:
            InvalidValueError: a value is not allowed, or the list of instances is empty.
        """
        super().validate()
        if self.instance_names is not None and not self.instance_names:
            raise InvalidValueError(
                "instance_names", self.instance_names, "a name, a list of names, or None for all"
            )


@schema_cfg
class PhysxFixedTendonPropertiesCfg(TendonBaseCfg):
    """Properties of a fixed tendon, on the joint at its root."""

    tendon_enabled: bool | None = _fixed(f"{_NAME}:tendonEnabled", "Whether the tendon acts.")
    stiffness: float | None = _fixed(
        f"{_NAME}:stiffness", "Spring stiffness [N/m].", unit="force/distance", range="[0, inf)"
    )
    damping: float | None = _fixed(
        f"{_NAME}:damping",
        "Damping of the length and of its limits [N s/m].",
        unit="force*second/distance",
        range="[0, inf)",
    )
    limit_stiffness: float | None = _fixed(
        f"{_NAME}:limitStiffness",
        "Stiffness of the length limits [N/m].",
        unit="force/distance",
        range="[0, inf)",
    )
    offset: float | None = _fixed(
        f"{_NAME}:offset", "Added to the length, which actuates the tendon [m].", unit="distance"
    )
    rest_length: float | None = _fixed(
        f"{_NAME}:restLength", "Length without spring force [m].", unit="distance"
    )
    lower_limit: float | None = _fixed(f"{_NAME}:lowerLimit", "Least length [m].", unit="distance")
    upper_limit: float | None = _fixed(
        f"{_NAME}:upperLimit", "Largest length [m].", unit="distance"
    )


@schema_cfg
class PhysxTendonAxisCfg(TendonBaseCfg):
    """Part of a joint in a fixed tendon."""

    gearing: Sequence[float] | None = _axis(
        f"{_NAME}:gearing",
        "Tendon length per joint position, per axis, in the stage's unit (degrees if rotational).",
        type="float[]",
    )
    force_coefficient: Sequence[float] | None = _axis(
        f"{_NAME}:forceCoefficient", "Joint force per tendon force, per axis.", type="float[]"
    )
    joint_axis: Sequence[str] | None = _axis(
        f"{_NAME}:jointAxis",
        "Axes that take part.",
        type="token[]",
        tokens=("transX", "transY", "transZ", "rotX", "rotY", "rotZ"),
    )


@schema_cfg
class PhysxSpatialTendonPropertiesCfg(TendonBaseCfg):
    """Properties of a spatial tendon, on the body of its first attachment."""

    tendon_enabled: bool | None = _spatial(f"{_NAME}:tendonEnabled", "Whether the tendon acts.")
    stiffness: float | None = _spatial(
        f"{_NAME}:stiffness", "Spring stiffness [N/m].", unit="force/distance", range="[0, inf)"
    )
    damping: float | None = _spatial(
        f"{_NAME}:damping", "Damping [N s/m].", unit="force*second/distance", range="[0, inf)"
    )
    limit_stiffness: float | None = _spatial(
        f"{_NAME}:limitStiffness",
        "Stiffness of the length limits [N/m].",
        unit="force/distance",
        range="[0, inf)",
    )
    offset: float | None = _spatial(f"{_NAME}:offset", "Added to the length [m].", unit="distance")


@schema_cfg
class MujocoTendonPropertiesCfg(SchemaCfg):
    """Properties of an ``MjcTendon`` prim."""

    stiffness: float | None = attribute(
        "mjc:stiffness", "Spring stiffness [N/m].", type="double", range="[0, inf)"
    )
    damping: float | None = attribute(
        "mjc:damping", "Damping [N s/m].", type="double", range="[0, inf)"
    )
    armature: float | None = attribute(
        "mjc:armature", "Inertia per tendon velocity [kg].", type="double", range="[0, inf)"
    )
    frictionloss: float | None = attribute(
        "mjc:frictionloss", "Dry friction [N].", type="double", range="[0, inf)"
    )
    margin: float | None = attribute(
        "mjc:margin", "Distance where limits act [m].", type="double", range="[0, inf)"
    )


def _instances(*apis: str) -> Callable[[Usd.Prim, Any], list[Scope]]:
    def scopes(prim: Usd.Prim, cfg: Any) -> list[Scope]:
        if isinstance(cfg, MujocoTendonPropertiesCfg):
            return [plain_scope(prim)] if str(prim.GetTypeName()) == "MjcTendon" else []
        applied = list(dict.fromkeys(name for api in apis for name in api_instances(prim, api)))
        wanted = None if cfg is None else cfg.instance_names
        if wanted is not None:
            names = {wanted} if isinstance(wanted, str) else set(wanted)
            applied = [name for name in applied if name in names]
        return [plain_scope(prim, instance=name) for name in applied]

    return scopes


FIXED_TENDON = Family("fixed tendon", scopes=_instances("PhysxTendonAxisRootAPI"))
SPATIAL_TENDON = Family("spatial tendon", scopes=_instances("PhysxTendonAttachmentRootAPI"))
# A root is an axis too; its schema brings the other's along.
TENDON_AXIS = Family(
    "tendon axis", scopes=_instances("PhysxTendonAxisAPI", "PhysxTendonAxisRootAPI")
)


def modify_fixed_tendon_properties(
    prim_path: str,
    cfg: PhysxFixedTendonPropertiesCfg | MujocoTendonPropertiesCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change the fixed tendons that have their root at or below a prim, instance by instance.

    Args:
        prim_path: where to begin.
        cfg: the properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first root of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Returns:
        What was changed and skipped; true if there was a tendon.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    return FIXED_TENDON.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def modify_spatial_tendon_properties(
    prim_path: str,
    cfg: PhysxSpatialTendonPropertiesCfg | MujocoTendonPropertiesCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change the spatial tendons that begin at or below a prim; see the fixed ones."""
    return SPATIAL_TENDON.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def modify_tendon_axis_properties(
    prim_path: str,
    cfg: PhysxTendonAxisCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change how joints at or below a prim take part in fixed tendons."""
    return TENDON_AXIS.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_fixed_tendon_properties(
    prim_path: str,
    cfg_type: type[PhysxFixedTendonPropertiesCfg] = PhysxFixedTendonPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> PhysxFixedTendonPropertiesCfg:
    """The authored properties of the first fixed tendon that has its root on a prim."""
    return FIXED_TENDON.read(prim_path, cfg_type, stage)


def read_spatial_tendon_properties(
    prim_path: str,
    cfg_type: type[PhysxSpatialTendonPropertiesCfg] = PhysxSpatialTendonPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> PhysxSpatialTendonPropertiesCfg:
    """The authored properties of the first spatial tendon that begins on a prim."""
    return SPATIAL_TENDON.read(prim_path, cfg_type, stage)


def read_tendon_axis_properties(
    prim_path: str,
    cfg_type: type[PhysxTendonAxisCfg] = PhysxTendonAxisCfg,
    stage: Usd.Stage | None = None,
) -> PhysxTendonAxisCfg:
    """Read the part of a joint in its first fixed tendon."""
    return TENDON_AXIS.read(prim_path, cfg_type, stage)
