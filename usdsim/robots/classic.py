"""Classic control robots: the cart with its pole, and the ant."""

from __future__ import annotations

from usdsim._resources import resource_dir
from usdsim.actuators import ImplicitActuatorCfg
from usdsim.assets import ArticulationCfg
from usdsim.converters.spawn import MjcfFileCfg
from usdsim.spawners import UsdFileCfg

__all__ = ["ANT_CFG", "CARTPOLE_CFG"]

_ASSETS = resource_dir("assets")

CARTPOLE_CFG = ArticulationCfg(
    spawn=UsdFileCfg(usd_path=str(_ASSETS / "cartpole" / "cartpole.usda")),
    init_state=ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0)),
    actuators={
        "cart": ImplicitActuatorCfg(
            joint_names_expr=["rail_to_cart"], effort_limit_sim=100.0, stiffness=0.0, damping=0.0
        ),
        "pole": ImplicitActuatorCfg(joint_names_expr=["cart_to_pole"], stiffness=0.0, damping=0.0),
    },
)
"""A cart on a rail, moved by efforts, and a pole that turns freely; upright at zero."""

ANT_CFG = ArticulationCfg(
    spawn=MjcfFileCfg(asset_path=str(_ASSETS / "ant" / "ant.xml")),
    init_state=ArticulationCfg.InitialStateCfg(
        pos=(0.0, 0.0, 0.5),
        joint_pos={
            ".*_leg": 0.0,
            "front_left_foot|right_back_foot": 0.785,
            "front_right_foot|left_back_foot": -0.785,
        },
    ),
    actuators={
        "legs": ImplicitActuatorCfg(
            joint_names_expr=[".*"],
            effort_limit_sim=15.0,
            stiffness=0.0,
            damping=0.1,
            armature=0.05,
        )
    },
)
"""A light body on four legs of two joints, moved by efforts."""
