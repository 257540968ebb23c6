"""Legged robots: the quadruped and the humanoid, standing."""

from __future__ import annotations

from usdsim._resources import resource_dir
from usdsim.actuators import ImplicitActuatorCfg
from usdsim.assets import ArticulationCfg
from usdsim.converters.spawn import MjcfFileCfg

__all__ = ["HUMANOID_CFG", "QUADRUPED_CFG"]

_ASSETS = resource_dir("assets")

QUADRUPED_CFG = ArticulationCfg(
    spawn=MjcfFileCfg(
        asset_path=str(_ASSETS / "quadruped" / "quadruped.xml"), activate_contact_sensors=True
    ),
    init_state=ArticulationCfg.InitialStateCfg(
        pos=(0.0, 0.0, 0.33),
        joint_pos={".*_hip_roll": 0.0, ".*_hip_pitch": 0.8, ".*_knee": -1.6},
    ),
    soft_joint_pos_limit_factor=0.9,
    actuators={
        "legs": ImplicitActuatorCfg(
            joint_names_expr=[".*"],
            effort_limit_sim={".*_hip_.*": 26.0, ".*_knee": 40.0},
            stiffness=90.0,
            damping=2.5,
        )
    },
)
"""Twelve joints with position drives, 14.5 kg."""

HUMANOID_CFG = ArticulationCfg(
    spawn=MjcfFileCfg(asset_path=str(_ASSETS / "humanoid" / "robot.xml")),
    init_state=ArticulationCfg.InitialStateCfg(
        pos=(0.0, 0.0, 0.92),
        joint_pos={
            "waist_pitch": 0.05,
            ".*_shoulder_roll": 0.0,
            ".*_hip_pitch": -0.2,
            ".*_knee": 0.3,
            ".*_ankle_pitch": -0.13,
        },
    ),
    actuators={
        "body": ImplicitActuatorCfg(
            joint_names_expr=[".*"],
            effort_limit_sim={
                "waist_.*": 200.0,
                ".*_hip_.*": 200.0,
                ".*_knee": 250.0,
                ".*_ankle_.*": 120.0,
                ".*_(shoulder_.*|elbow)": 50.0,
            },
            stiffness={
                "waist_.*": 500.0,
                ".*_(hip_.*|knee)": 700.0,
                ".*_ankle_.*": 600.0,
                ".*_(shoulder_.*|elbow)": 60.0,
            },
            damping={
                "waist_.*": 25.0,
                ".*_(hip_.*|knee)": 35.0,
                ".*_ankle_.*": 30.0,
                ".*_(shoulder_.*|elbow)": 3.0,
            },
        )
    },
)
"""Twenty-one joints with position drives, 62 kg."""
