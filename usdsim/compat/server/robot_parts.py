"""Parts of robot configurations: files of the server, first states, and the engine's drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from usdsim.actuators import ImplicitActuatorCfg
from usdsim.assets import ArticulationCfg
from usdsim.math.quaternion_order import written_rot
from usdsim.schemas import PhysxArticulationRootPropertiesCfg, PhysxRigidBodyPropertiesCfg
from usdsim.spawners import UsdFileCfg

from .stand_ins import server_file

__all__ = ["drives", "gains_of", "spawn", "start"]


def spawn(path: str, contacts: bool = False, **options: Any) -> UsdFileCfg:
    """A file of the server with the properties programs change afterwards."""
    return UsdFileCfg(
        usd_path=server_file(path),
        activate_contact_sensors=contacts,
        rigid_props=PhysxRigidBodyPropertiesCfg(**{"disable_gravity": False, **options}),
        articulation_props=PhysxArticulationRootPropertiesCfg(enabled_self_collisions=False),
    )


def start(height: float, joints: Mapping[str, float], **state: Any) -> Any:
    """A height [m], joint positions by pattern [rad or m], and other values; rot is xyzw."""
    if "rot" in state:
        state["rot"] = written_rot(state["rot"])
    return ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, height), joint_pos=dict(joints), **state)


def drives(*joints: str, **gains: Any) -> ImplicitActuatorCfg:
    """Drives of the engine for joints by patterns."""
    return ImplicitActuatorCfg(joint_names_expr=[*joints], **gains)


def gains_of(pairs: Mapping[str, tuple[float, float]]) -> dict[str, dict[str, float]]:
    """Stiffness and damping by pattern of joints, from pairs of both."""
    stiffness, damping = ({joints: pair[i] for joints, pair in pairs.items()} for i in (0, 1))
    return {"stiffness": stiffness, "damping": damping}
