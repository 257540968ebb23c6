"""Arms and hands: six axes, seven axes, and a hand of sixteen joints."""

from __future__ import annotations

from usdsim._resources import resource_dir
from usdsim.actuators import ImplicitActuatorCfg
from usdsim.assets import ArticulationCfg
from usdsim.converters import MjcfFileCfg, UrdfFileCfg

__all__ = ["ARM7_CFG", "ARM_CFG", "HAND_CFG"]

_ASSETS = resource_dir("assets")

ARM_CFG = ArticulationCfg(
    spawn=UrdfFileCfg(asset_path=str(_ASSETS / "arm" / "arm.urdf")),
    init_state=ArticulationCfg.InitialStateCfg(
        joint_pos={"shoulder_lift": 0.4, "elbow": 1.2, "wrist_pitch": 1.2}
    ),
    actuators={
        "arm": ImplicitActuatorCfg(
            joint_names_expr=["shoulder_.*", "elbow", "wrist_.*", "flange_roll"],
            stiffness=800.0,
            damping=40.0,
        ),
        "gripper": ImplicitActuatorCfg(joint_names_expr=["grip"], stiffness=2000.0, damping=100.0),
    },
)
"""Six axes and a gripper whose second finger follows the first."""

ARM7_CFG = ArticulationCfg(
    spawn=MjcfFileCfg(asset_path=str(_ASSETS / "arm7" / "arm7.xml")),
    init_state=ArticulationCfg.InitialStateCfg(
        joint_pos={
            "joint2": -0.569,
            "joint4": -2.81,
            "joint6": 3.037,
            "joint7": 0.741,
            "finger_.*": 0.04,
        }
    ),
    actuators={
        "shoulder": ImplicitActuatorCfg(
            joint_names_expr=["joint[1-4]"], effort_limit_sim=87.0, stiffness=400.0, damping=80.0
        ),
        "forearm": ImplicitActuatorCfg(
            joint_names_expr=["joint[5-7]"], effort_limit_sim=12.0, stiffness=400.0, damping=80.0
        ),
        "gripper": ImplicitActuatorCfg(
            joint_names_expr=["finger_.*"], effort_limit_sim=200.0, stiffness=2000.0, damping=100.0
        ),
    },
)
"""Seven axes and a parallel gripper."""

HAND_CFG = ArticulationCfg(
    spawn=MjcfFileCfg(asset_path=str(_ASSETS / "hand" / "hand.xml")),
    init_state=ArticulationCfg.InitialStateCfg(joint_pos={"thumb_joint_0": 0.28}),
    actuators={
        "fingers": ImplicitActuatorCfg(
            joint_names_expr=[".*"],
            effort_limit_sim=0.5,
            stiffness=3.0,
            damping=0.1,
            friction=0.01,
        )
    },
)
"""Three fingers and a thumb, four joints each."""
