"""Joints that follow another joint."""

from __future__ import annotations

from pxr import Usd

from usdsim.schemas.authoring.family import Family, function_of
from usdsim.schemas.authoring.scope import Scope, joint_axis, joint_scope
from usdsim.schemas.authoring.table import Target, attribute

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "MimicJointPropertiesCfg",
    "define_mimic_joint_properties",
    "modify_mimic_joint_properties",
    "read_mimic_joint_properties",
]

_NEWTON = "NewtonMimicAPI"
_PHYSX = "PhysxMimicJointAPI:{dof}"
_MJC = "MjcEqualityJointAPI"


@schema_cfg
class MimicJointPropertiesCfg(SchemaCfg):
    """position = offset + gearing * position of the reference joint, by default for Newton.

    PhysX puts all terms on one side (``q + gearing q_ref + offset = 0``), so both numbers are
    written negated there.
    """

    mimic_enabled: bool | None = attribute(
        "newton:mimicEnabled", _NEWTON, "bool", "Whether the joint follows."
    )
    reference_joint: str | None = attribute(
        "newton:mimicJoint",
        _NEWTON,
        "rel",
        "Path of the joint that leads.",
        also=(
            Target("physxMimicJoint:{dof}:referenceJoint", _PHYSX, "rel"),
            Target("mjc:target", _MJC, "rel"),
        ),
    )
    offset: float | None = attribute(
        "newton:mimicCoef0",
        _NEWTON,
        "float",
        "Offset [rad or m].",
        unit="degree",
        linear="distance",
        also=(
            Target(
                "physxMimicJoint:{dof}:offset", _PHYSX, "float", "degree", "distance", "negated"
            ),
            Target("mjc:coef0", _MJC, "double"),
        ),
    )
    gearing: float | None = attribute(
        "newton:mimicCoef1",
        _NEWTON,
        "float",
        "Factor on the leading position.",
        also=(
            Target("physxMimicJoint:{dof}:gearing", _PHYSX, "float", rule="negated"),
            Target("mjc:coef1", _MJC, "double"),
        ),
    )


def _scopes(prim: Usd.Prim, cfg: MimicJointPropertiesCfg | None) -> list[Scope]:
    return [joint_scope(prim)] if joint_axis(prim) is not None else []


def _unsuitable(prim: Usd.Prim) -> str:
    return "" if joint_axis(prim) else "only revolute and prismatic joints can follow another."


MIMIC = Family(
    "mimic joint", _NEWTON, scopes=_scopes, on_define=_unsuitable, cfg=MimicJointPropertiesCfg
)

define_mimic_joint_properties = function_of(MIMIC.define)
modify_mimic_joint_properties = function_of(MIMIC.modify)
read_mimic_joint_properties = function_of(MIMIC.read)
