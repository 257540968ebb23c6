"""Position and velocity of joints."""

from __future__ import annotations

from pxr import Usd

from usdsim.schemas.authoring.family import Family, function_of
from usdsim.schemas.authoring.scope import Scope, joint_axis, joint_scope
from usdsim.schemas.authoring.table import attribute

from .cfg import SchemaCfg, schema_cfg

__all__ = ["JointStateCfg", "modify_joint_state", "read_joint_state"]

_API = "PhysicsJointStateAPI:{axis}"


@schema_cfg
class JointStateCfg(SchemaCfg):
    """State of a revolute or prismatic joint."""

    position: float | None = attribute(
        "state:{axis}:physics:position",
        _API,
        "float",
        "Position [rad or m].",
        unit="degree",
        linear="distance",
    )
    velocity: float | None = attribute(
        "state:{axis}:physics:velocity",
        _API,
        "float",
        "Velocity [rad/s or m/s].",
        unit="degree/second",
        linear="distance/second",
    )


def _scopes(prim: Usd.Prim, cfg: JointStateCfg | None) -> list[Scope]:
    return [joint_scope(prim)] if joint_axis(prim) is not None else []


JOINT_STATE = Family("revolute or prismatic joint", scopes=_scopes, cfg=JointStateCfg)

modify_joint_state = function_of(JOINT_STATE.modify)
read_joint_state = function_of(JOINT_STATE.read)
