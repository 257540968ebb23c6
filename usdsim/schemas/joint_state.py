"""Position and velocity of joints."""

from __future__ import annotations

from pxr import Usd

from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.scope import joint_scopes
from usdsim.schemas.authoring.table import attribute

from .cfg import SchemaCfg, schema_cfg

__all__ = ["JointStateCfg", "modify_joint_state", "read_joint_state"]

_API = "PhysicsJointStateAPI:{axis}"


@schema_cfg
class JointStateCfg(SchemaCfg):
    """State of a revolute or prismatic joint."""

    position: float | None = attribute(
        "state:{axis}:physics:position",
        "Position [rad or m].",
        api=_API,
        unit="degree",
        linear="distance",
    )
    velocity: float | None = attribute(
        "state:{axis}:physics:velocity",
        "Velocity [rad/s or m/s].",
        api=_API,
        unit="degree/second",
        linear="distance/second",
    )


JOINT_STATE = Family("revolute or prismatic joint", scopes=joint_scopes)


def modify_joint_state(
    prim_path: str,
    cfg: JointStateCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Write the state of joints at and below a prim; a state is applied where there is none.

    Args:
        prim_path: where to begin.
        cfg: the state; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first joint of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Raises:
        ValueError: there is no such prim.
    """
    return JOINT_STATE.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_joint_state(
    prim_path: str,
    cfg_type: type[JointStateCfg] = JointStateCfg,
    stage: Usd.Stage | None = None,
) -> JointStateCfg:
    """The authored state of a joint."""
    return JOINT_STATE.read(prim_path, cfg_type, stage)
