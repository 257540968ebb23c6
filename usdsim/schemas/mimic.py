"""Joints that follow another joint."""

from __future__ import annotations

from pxr import Usd

from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.scope import joint_axis, joint_scopes
from usdsim.schemas.authoring.table import Target, attributes_of

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "MimicJointPropertiesCfg",
    "define_mimic_joint_properties",
    "modify_mimic_joint_properties",
    "read_mimic_joint_properties",
]

_NEWTON = "NewtonMimicAPI"
_newton = attributes_of(_NEWTON)
_PHYSX = "PhysxMimicJointAPI:{dof}"
_MJC = "MjcEqualityJointAPI"


@schema_cfg
class MimicJointPropertiesCfg(SchemaCfg):
    """position = offset + gearing * position of the reference joint, by default for Newton.

    PhysX puts all terms on one side (``q + gearing q_ref + offset = 0``), so both numbers are
    written negated there.
    """

    mimic_enabled: bool | None = _newton("newton:mimicEnabled", "Whether the joint follows.")
    reference_joint: str | None = _newton(
        "newton:mimicJoint",
        "Path of the joint that leads.",
        type="rel",
        also=(
            Target("physxMimicJoint:{dof}:referenceJoint", _PHYSX, "rel"),
            Target("mjc:target", _MJC, "rel"),
        ),
    )
    offset: float | None = _newton(
        "newton:mimicCoef0",
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
    gearing: float | None = _newton(
        "newton:mimicCoef1",
        "Factor on the leading position.",
        also=(
            Target("physxMimicJoint:{dof}:gearing", _PHYSX, "float", rule="negated"),
            Target("mjc:coef1", _MJC, "double"),
        ),
    )


def _unsuitable(prim: Usd.Prim) -> str:
    return "" if joint_axis(prim) else "only revolute and prismatic joints can follow another."


MIMIC = Family("mimic joint", _NEWTON, scopes=joint_scopes, on_define=_unsuitable)


def define_mimic_joint_properties(
    prim_path: str, cfg: MimicJointPropertiesCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Make a joint follow another.

    Args:
        prim_path: the joint that follows.
        cfg: what it follows, and how.
        stage: where the prim is; None: the current stage.

    Raises:
        ValueError: there is no such prim, or it is no revolute or prismatic joint.
    """
    return MIMIC.define(prim_path, cfg, stage)


def modify_mimic_joint_properties(
    prim_path: str,
    cfg: MimicJointPropertiesCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change mimic joints at and below a prim.

    Args:
        prim_path: where to begin.
        cfg: the properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first mimic joint of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Raises:
        ValueError: there is no such prim.
    """
    return MIMIC.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_mimic_joint_properties(
    prim_path: str,
    cfg_type: type[MimicJointPropertiesCfg] = MimicJointPropertiesCfg,
    stage: Usd.Stage | None = None,
) -> MimicJointPropertiesCfg:
    """The configuration a joint's authored coupling amounts to."""
    return MIMIC.read(prim_path, cfg_type, stage)
