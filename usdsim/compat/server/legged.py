"""Legged robots and figures under the names of Isaac Lab's assets package, with their drives."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sin
from typing import Any

from usdsim.actuators import (
    ActuatorBaseCfg,
    DCMotorCfg,
    DelayedPDActuatorCfg,
    ImplicitActuatorCfg,
    RemotizedPDActuatorCfg,
)
from usdsim.assets import ArticulationCfg

from .paths import LAB_ROBOTS, SIM_ROBOTS
from .robot_parts import drives, gains_of, spawn, start

__all__ = ["ARM_JOINT_NAMES", "LEGGED", "LEG_JOINT_NAMES", "joint_parameter_lookup"]


LEG_JOINT_NAMES = [
    f".*_{joint}" for joint in ("hip_roll", "hip_yaw", "hip_pitch", "knee", "toe_a", "toe_b")
]
"""Joints of Digit's legs that motors move."""
ARM_JOINT_NAMES = [".*_arm_.*"]
"""Joints of Digit's arms."""


def _each(pattern: str, names: dict[str, float]) -> dict[str, float]:
    """Numbers by pattern of joints: the name of each in place of the brackets."""
    return {pattern.format(name): number for name, number in names.items()}


def _stiff(
    pattern: str, stiffness: dict[str, float], damping: float, **more: Any
) -> ImplicitActuatorCfg:
    """Drives of joints whose names differ in part, with a stiffness for each."""
    gains = _each(pattern, stiffness)
    return drives(*gains, stiffness=gains, damping=dict.fromkeys(gains, damping), **more)


def _h1(file: str) -> ArticulationCfg:
    bend = {"hip_pitch": -0.28, "knee": 0.79, "ankle": -0.52, "shoulder_pitch": 0.28, "elbow": 0.52}
    gains = {".*_hip_yaw": 150.0, ".*_hip_roll": 150.0}
    gains |= dict.fromkeys((".*_hip_pitch", ".*_knee", "torso"), 200.0)
    arms = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow")
    return ArticulationCfg(
        spawn=spawn(f"{LAB_ROBOTS}/Unitree/H1/{file}", contacts=True),
        init_state=start(1.05, _each(".*_{}", bend)),
        soft_joint_pos_limit_factor=0.9,
        actuators={
            "legs": _stiff("{}", gains, 5.0, effort_limit_sim=300.0),
            "feet": _stiff(".*_{}", {"ankle": 20.0}, 4.0, effort_limit_sim=100.0),
            "arms": _stiff(".*_{}", dict.fromkeys(arms, 40.0), 10.0, effort_limit_sim=300.0),
        },
    )


def _g1(file: str) -> ArticulationCfg:
    bend = {"hip_pitch": -0.2, "knee": 0.42, "ankle_pitch": -0.23, "elbow_pitch": 0.87}
    ready = _each(".*_{}_joint", bend)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        ready[f"{side}_shoulder_pitch_joint"] = 0.35
        for joint, angle in (("shoulder_roll", 0.16), ("one", 1.0), ("two", 0.52)):
            ready[f"{side}_{joint}_joint"] = sign * angle
    gains = {".*_hip_yaw": 150.0, ".*_hip_roll": 150.0}
    gains |= dict.fromkeys((".*_hip_pitch", ".*_knee", "torso"), 200.0)
    arms = [f".*_{joint}_joint" for joint in ("shoulder_.*", "elbow_pitch", "elbow_roll")]
    numbers = ("zero", "one", "two", "three", "four", "five", "six")
    fingers = [f".*_{number}_joint" for number in numbers]
    return ArticulationCfg(
        spawn=spawn(f"{LAB_ROBOTS}/Unitree/G1/{file}", contacts=True),
        init_state=start(0.74, ready),
        soft_joint_pos_limit_factor=0.9,
        actuators={
            "legs": _stiff("{}_joint", gains, 5.0, effort_limit_sim=300.0, armature=0.01),
            "feet": drives(
                ".*_ankle_.*", effort_limit_sim=20.0, stiffness=20.0, damping=2.0, armature=0.01
            ),
            "arms": drives(
                *arms,
                *fingers,
                effort_limit_sim=300.0,
                stiffness=40.0,
                damping=10.0,
                armature=dict.fromkeys(arms, 0.01) | dict.fromkeys(fingers, 0.001),
            ),
        },
    )


def _g1_29dof() -> ArticulationCfg:
    hips, knees = [f".*_hip_{axis}_joint" for axis in ("yaw", "roll", "pitch")], ".*_knee_joint"
    ankles = [f".*_ankle_{axis}_joint" for axis in ("pitch", "roll")]
    waist = {"waist_yaw_joint": 88.0, "waist_roll_joint": 50.0, "waist_pitch_joint": 50.0}
    motors: dict[str, ActuatorBaseCfg] = {
        "legs": DCMotorCfg(
            joint_names_expr=[*hips, knees],
            effort_limit={**dict.fromkeys(hips, 88.0), knees: 139.0},
            velocity_limit={**dict.fromkeys(hips, 32.0), knees: 20.0},
            stiffness={**dict.fromkeys(hips, 100.0), knees: 200.0},
            damping={**dict.fromkeys(hips, 2.5), knees: 5.0},
            armature=0.03,
            saturation_effort=180.0,
        ),
        "feet": DCMotorCfg(
            joint_names_expr=ankles,
            effort_limit=50.0,
            velocity_limit=37.0,
            stiffness=20.0,
            damping=dict(zip(ankles, (0.2, 0.1), strict=True)),
            armature=0.03,
            saturation_effort=80.0,
        ),
        "waist": drives(
            "waist_.*_joint", effort_limit=waist, stiffness=5000.0, damping=5.0, armature=0.001
        ),
        "arms": drives(
            ".*_shoulder_.*_joint",
            ".*_elbow_joint",
            ".*_wrist_.*_joint",
            effort_limit=300.0,
            velocity_limit=100.0,
            stiffness=3000.0,
            damping=10.0,
            armature=0.001,
        ),
        "hands": drives(
            ".*_index_.*",
            ".*_middle_.*",
            ".*_thumb_.*",
            effort_limit=300.0,
            velocity_limit=100.0,
            stiffness=20.0,
            damping=2.0,
            armature=0.001,
        ),
    }
    bend = _each(".*_{}_joint", {"hip_pitch": -0.1, "knee": 0.3, "ankle_pitch": -0.2})
    return ArticulationCfg(
        prim_path="/World/envs/env_.*/Robot",
        spawn=spawn(f"{SIM_ROBOTS}/Unitree/G1/g1.usd"),
        init_state=start(0.75, bend, rot=(0.0, 0.0, 0.7071, 0.7071)),
        soft_joint_pos_limit_factor=0.9,
        actuators=motors,
    )


def _cassie() -> ArticulationCfg:
    bend = {"hip_flexion_.*": 1.0, "thigh_joint_.*": -1.8}
    bend |= {"ankle_joint_.*": 1.57, "toe_joint_.*": -1.57}
    bend |= {"hip_abduction_left": 0.1, "hip_abduction_right": -0.1}
    gains = dict.fromkeys(("hip_abduction", "hip_rotation"), (100.0, 3.0))
    gains |= dict.fromkeys(("hip_flexion", "thigh_joint", "ankle_joint"), (200.0, 6.0))
    return ArticulationCfg(
        spawn=spawn(f"{LAB_ROBOTS}/Agility/Cassie/cassie.usd", contacts=True),
        init_state=start(0.9, bend),
        soft_joint_pos_limit_factor=0.9,
        actuators={
            "legs": drives(
                "hip_.*",
                "thigh_.*",
                "ankle_.*",
                effort_limit_sim=200.0,
                **gains_of({f"{joint}.*": pair for joint, pair in gains.items()}),
            ),
            "toes": drives("toe_.*", effort_limit_sim=20.0, stiffness=20.0, damping=1.0),
        },
    )


def _digit() -> ArticulationCfg:
    return ArticulationCfg(
        spawn=spawn(f"{SIM_ROBOTS}/Agility/Digit/digit_v4.usd", contacts=True),
        init_state=start(1.05, {}),
        soft_joint_pos_limit_factor=0.9,
        actuators={"all": drives(".*", stiffness=None, damping=None)},
    )


def _knee() -> list[list[float]]:
    angles = [-2.79 + 0.0254 * i for i in range(101)]
    largest = [30.0 + 83.0 * sin(pi * (angle + 2.79) / 2.54) for angle in angles]
    return [[a, -effort / 1.5, effort] for a, effort in zip(angles, largest, strict=True)]


joint_parameter_lookup = _knee()
"""Angles [rad], ratios and largest torques [N m] of Spot's knees: a crank turns them, whose torque
is greatest in the middle of its way."""


def _spot() -> ArticulationCfg:
    bend = {"[fh]l_hx": 0.1, "[fh]r_hx": -0.1, "f[rl]_hy": 0.9, "h[rl]_hy": 1.1, ".*_kn": -1.5}
    legs: dict[str, ActuatorBaseCfg] = {
        "spot_hip": DelayedPDActuatorCfg(
            joint_names_expr=[".*_h[xy]"],
            effort_limit=45.0,
            stiffness=60.0,
            damping=1.5,
            min_delay=0,
            max_delay=4,
        ),
        "spot_knee": RemotizedPDActuatorCfg(
            joint_names_expr=[".*_kn"],
            joint_parameter_lookup=joint_parameter_lookup,
            effort_limit=None,
            stiffness=60.0,
            damping=1.5,
            min_delay=0,
            max_delay=4,
        ),
    }
    return ArticulationCfg(
        spawn=spawn(f"{SIM_ROBOTS}/BostonDynamics/spot/spot.usd", contacts=True),
        init_state=start(0.5, bend),
        actuators=legs,
    )


def _humanoid_28() -> ArticulationCfg:
    return ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=spawn(f"{LAB_ROBOTS}/Classic/Humanoid28/humanoid_28.usd"),
        init_state=start(0.8, {".*": 0.0}),
        actuators={
            "body": drives(".*", stiffness=None, damping=None, velocity_limit_sim={".*": 100.0})
        },
    )


LEGGED: dict[str, Callable[[], ArticulationCfg]] = {
    "CASSIE_CFG": _cassie,
    "DIGIT_V4_CFG": _digit,
    "G1_29DOF_CFG": _g1_29dof,
    "G1_CFG": lambda: _g1("g1.usd"),
    "G1_MINIMAL_CFG": lambda: _g1("g1_minimal.usd"),
    "H1_CFG": lambda: _h1("h1.usd"),
    "H1_MINIMAL_CFG": lambda: _h1("h1_minimal.usd"),
    "HUMANOID_28_CFG": _humanoid_28,
    "SPOT_CFG": _spot,
}
"""Makers of configurations by name."""
