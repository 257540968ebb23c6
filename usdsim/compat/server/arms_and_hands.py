"""Arms, hands and carts under the names of Isaac Lab's assets package, with their drives."""

from __future__ import annotations

from collections.abc import Callable
from math import pi

from usdsim.actuators import ActuatorBaseCfg
from usdsim.assets import ArticulationCfg

from .paths import LAB_ROBOTS, SIM_ROBOTS
from .robot_parts import drives, gains_of, spawn, start

__all__ = ["ARMS_AND_HANDS"]


def _shadow() -> ArticulationCfg:
    efforts = {"WRJ1": 4.785, "WRJ0": 2.175, "(FF|MF|RF|LF)J1": 0.7245, "(FF|MF|RF|LF)J[23]": 0.9}
    efforts |= {"LFJ4": 0.9, "THJ4": 2.3722, "THJ3": 1.45, "THJ[12]": 0.99, "THJ0": 0.81}
    moved = drives("robot0_WR.*", armature=0.0001)
    fingers = ("(FF|MF|RF|LF|TH)J[123]", "(LF|TH)J4", "THJ0")
    moved.joint_names_expr += [f"robot0_{joint}" for joint in fingers]
    moved.effort_limit_sim = {f"robot0_{joint}": effort for joint, effort in efforts.items()}
    moved.stiffness = {"robot0_WR.*": 5.0, "robot0_(?!WR).*": 1.0}
    moved.damping = {"robot0_WR.*": 0.5, "robot0_(?!WR).*": 0.1}
    return ArticulationCfg(
        spawn=spawn(
            f"{SIM_ROBOTS}/ShadowRobot/ShadowHand/shadow_hand_instanceable.usd",
            disable_gravity=True,
        ),
        init_state=start(0.5, {".*": 0.0}, rot=(0.0, -0.7071, 0.7071, 0.0)),
        actuators={"fingers": moved},
        soft_joint_pos_limit_factor=1.0,
    )


def _cart(file: str, **joints: str) -> ArticulationCfg:
    """A cart that carries poles: the joint of each part."""
    gains = {"effort_limit_sim": 400.0, "stiffness": 0.0}
    return ArticulationCfg(
        spawn=spawn(f"{LAB_ROBOTS}/Classic/{file}"),
        init_state=start(2.0, dict.fromkeys(joints.values(), 0.0)),
        actuators={
            f"{part}_actuator": drives(joint, damping=10.0 if part == "cart" else 0.0, **gains)
            for part, joint in joints.items()
        },
    )


def _cartpole() -> ArticulationCfg:
    return _cart("Cartpole/cartpole.usd", cart="slider_to_cart", pole="cart_to_pole")


def _cart_double_pendulum() -> ArticulationCfg:
    file = "CartDoublePendulum/cart_double_pendulum.usd"
    return _cart(file, cart="slider_to_cart", pole="cart_to_pole", pendulum="pole_to_pendulum")


def _ur10e() -> ArticulationCfg:
    ready = {"shoulder_pan_joint": pi, "shoulder_lift_joint": -pi / 2, "elbow_joint": pi / 2}
    ready |= {"wrist_1_joint": -pi / 2, "wrist_2_joint": -pi / 2, "wrist_3_joint": 0.0}
    return ArticulationCfg(
        spawn=spawn(f"{SIM_ROBOTS}/UniversalRobots/ur10e/ur10e.usd", disable_gravity=True),
        init_state=start(0.0, ready),
        actuators={
            "shoulder": drives("shoulder_.*", stiffness=1320.0, damping=72.66),
            "elbow": drives("elbow_joint", stiffness=600.0, damping=34.64),
            "wrist": drives("wrist_.*", stiffness=216.0, damping=29.39),
        },
    )


def _ur10_suction(variant: str) -> ArticulationCfg:
    bend = {"shoulder_pan": 0.0, "shoulder_lift": -pi / 2, "elbow": pi / 2}
    bend |= {"wrist_1": -pi / 2, "wrist_2": pi / 2, "wrist_3": 0.0}
    file = spawn(f"{SIM_ROBOTS}/UniversalRobots/ur10/ur10.usd", disable_gravity=True)
    file.variants = {"Gripper": variant}
    return ArticulationCfg(
        spawn=file,
        init_state=start(0.0, {f"{joint}_joint": angle for joint, angle in bend.items()}),
        actuators={"arm": drives(".*", effort_limit_sim=87.0, stiffness=800.0, damping=40.0)},
    )


def _pick_and_place() -> ArticulationCfg:
    axes = [f"{letter}_axis" for letter in "xyz"]
    gains = {"effort_limit_sim": 400.0, "velocity_limit_sim": 10.0, "stiffness": 0.0}
    return ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=spawn("Isaac/IsaacLab/Tests/PickAndPlace/pick_and_place_robot.usd"),
        init_state=start(0.0, dict.fromkeys(axes, 0.0)),
        actuators={f"{axis[0]}_gantry": drives(axis, damping=10.0, **gains) for axis in axes},
    )


def _kuka_allegro() -> ArticulationCfg:
    arm, fingers = "iiwa7_joint_[1-7]", "(index|middle|ring|thumb)_joint_[0-3]"
    bend = {"(1|2|7)": 0.0, "3": pi / 4, "4": pi / 2, "(5|6)": -pi / 2}
    ready = {f"iiwa7_joint_{joints}": angle for joints, angle in bend.items()}
    ready |= {"(index|middle|ring)_joint_0": 0.0, "(index|middle|ring)_joint_[1-3]": 0.3}
    thumb = (1.5, 0.6, 0.34, 0.61)
    ready |= {f"thumb_joint_{i}": angle for i, angle in enumerate(thumb)}
    gains = {"[1-4]": (300.0, 45.0), "5": (100.0, 20.0), "6": (50.0, 15.0), "7": (25.0, 15.0)}
    pairs = {f"iiwa7_joint_{joints}": pair for joints, pair in gains.items()}
    moved = drives(arm, fingers, armature=0.01, **gains_of({**pairs, fingers: (3.0, 0.1)}))
    moved.effort_limit_sim = {arm: 300.0, fingers: 0.5}
    moved.friction = {arm: 1.0, fingers: 0.01}
    return ArticulationCfg(
        spawn=spawn(f"{LAB_ROBOTS}/KukaAllegro/kuka.usd", contacts=True, disable_gravity=True),
        init_state=start(0.0, ready),
        actuators={"kuka_allegro_actuators": moved},
        soft_joint_pos_limit_factor=1.0,
    )


def _rizon() -> ArticulationCfg:
    bend = (0.0, -0.698, 0.0, 1.571, 0.0, 0.698, 0.0)
    numbers = {
        "shoulder": ("joint[1-2]", 123.0, 2.094, 6000.0, 108.5),
        "elbow": ("joint[3-4]", 64.0, 2.443, 4200.0, 90.7),
        "wrist": ("joint[5-7]", 39.0, 4.887, 1500.0, 54.2),
    }
    groups: dict[str, ActuatorBaseCfg] = {
        group: drives(
            joints,
            effort_limit_sim=effort,
            velocity_limit_sim=speed,
            stiffness=stiffness,
            damping=damping,
        )
        for group, (joints, effort, speed, stiffness, damping) in numbers.items()
    }
    return ArticulationCfg(
        spawn=spawn(f"{LAB_ROBOTS}/Flexiv/Rizon4s/rizon4s.usd", disable_gravity=True),
        init_state=start(0.0, {f"joint{i}": angle for i, angle in enumerate(bend, 1)}),
        actuators=groups,
    )


def _openarm(sides: tuple[str, ...], stiffness: float, damping: float) -> ArticulationCfg:
    """One arm, or two of sides; the stiff ones float, as tasks that solve kinematics ask for."""
    kind = "unimanual" if sides == ("",) else "bimanual"
    ready = {"openarm_.*": 0.0}
    if kind == "unimanual":
        bend = (1.57, 0.0, -1.57, 1.57, 0.0, 0.0, 0.0)
        ready = {f"openarm_joint{i}": angle for i, angle in enumerate(bend, 1)}
        ready["openarm_finger_joint.*"] = 0.044
    arm = drives("", stiffness=stiffness, damping=damping)
    arm.joint_names_expr = [f"openarm_{side}joint[1-7]" for side in sides]
    efforts, speeds = {"[12]": 40.0, "[34]": 27.0, "[5-7]": 7.0}, {"[1-4]": 2.175, "[5-7]": 2.61}
    each = "openarm_(left_|right_)?joint"
    arm.effort_limit_sim = {f"{each}{i}": most for i, most in efforts.items()}
    arm.velocity_limit_sim = {f"{each}{i}": most for i, most in speeds.items()}
    gripper = drives("", effort_limit_sim=333.33, velocity_limit_sim=0.2)
    gripper.joint_names_expr = [f"openarm_{side}finger_joint.*" for side in sides]
    gripper.stiffness, gripper.damping = 2000.0, 100.0
    file = f"{SIM_ROBOTS}/OpenArm/openarm_{kind}/openarm_{kind}.usd"
    return ArticulationCfg(
        spawn=spawn(file, disable_gravity=stiffness > 100.0),
        init_state=start(0.0, ready),
        actuators={"openarm_arm": arm, "openarm_gripper": gripper},
        soft_joint_pos_limit_factor=1.0,
    )


def _kinova(
    file: str,
    ready: dict[str, float],
    joint: str,
    strong: str,
    weak: str,
    efforts: dict[str, float],
) -> ArticulationCfg:
    """An arm whose joints near the base, by numbers, are held more firmly than the others."""
    arm = drives(f"{joint}({strong}|{weak})")
    arm.effort_limit_sim = {f"{joint}{each}": most for each, most in efforts.items()}
    arm.stiffness = {f"{joint}{strong}": 40.0, f"{joint}{weak}": 15.0}
    arm.damping = {f"{joint}{strong}": 1.0, f"{joint}{weak}": 0.5}
    return ArticulationCfg(
        spawn=spawn(f"{SIM_ROBOTS}/Kinova/{file}_instanceable.usd"),
        init_state=start(0.0, ready),
        actuators={"arm": arm},
    )


def _jaco(joints: int, bend: tuple[float, ...]) -> ArticulationCfg:
    name = f"j2n{joints}s300"
    ready = {f"{name}_joint_{i}": angle for i, angle in enumerate(bend, 1)}
    ready |= {f"{name}_joint_finger_[1-3]": 0.2, f"{name}_joint_finger_tip_[1-3]": 0.2}
    firm = joints - 3
    efforts = {"[1-2]": 80.0, f"[3-{firm}]": 40.0, f"[{firm + 1}-{joints}]": 20.0}
    parts = (f"[1-{firm}]", f"[{firm + 1}-{joints}]")
    arm = _kinova(f"Jaco2/{name.upper()}/{name}", ready, ".*_joint_", *parts, efforts)
    fingers = (".*_finger_[1-3]", ".*_finger_tip_[1-3]")
    arm.actuators["gripper"] = drives(*fingers, effort_limit_sim=2.0, stiffness=1.2, damping=0.01)
    return arm


def _gen3() -> ArticulationCfg:
    bend = (0.0, 0.65, 0.0, 1.89, 0.0, 0.6, -1.57)
    ready = {f"joint_{i}": angle for i, angle in enumerate(bend, 1)}
    efforts = {"[1-4]": 39.0, "[5-7]": 9.0}
    return _kinova("Gen3/gen3n7", ready, "joint_", "[1-4]", "[5-7]", efforts)


def _sawyer() -> ArticulationCfg:
    bend = (0.0, -0.785, 0.0, 1.05, 0.0, 1.3, 0.0)
    arm = drives("right_j[0-6]", stiffness=100.0, damping=4.0)
    arm.effort_limit_sim = {"right_j[0-1]": 80.0, "right_j[2-3]": 40.0, "right_j[4-6]": 9.0}
    head = drives("head_pan", effort_limit_sim=8.0, stiffness=800.0, damping=40.0)
    return ArticulationCfg(
        spawn=spawn(f"{SIM_ROBOTS}/RethinkRobotics/Sawyer/sawyer_instanceable.usd"),
        init_state=start(
            0.0, {"head_pan": 0.0, **{f"right_j{i}": angle for i, angle in enumerate(bend)}}
        ),
        actuators={"head": head, "arm": arm},
    )


_PAIR = ("left_", "right_")

ARMS_AND_HANDS: dict[str, Callable[[], ArticulationCfg]] = {
    "CARTPOLE_CFG": _cartpole,
    "CART_DOUBLE_PENDULUM_CFG": _cart_double_pendulum,
    "FLEXIV_RIZON4S_CFG": _rizon,
    "KINOVA_GEN3_N7_CFG": _gen3,
    "KINOVA_JACO2_N6S300_CFG": lambda: _jaco(6, (0.0, 2.76, 2.76, 2.5, 2.0, 0.0)),
    "KINOVA_JACO2_N7S300_CFG": lambda: _jaco(7, (0.0, 2.76, 0.0, 2.0, 2.0, 0.0, 0.0)),
    "KUKA_ALLEGRO_CFG": _kuka_allegro,
    "OPENARM_BI_CFG": lambda: _openarm(_PAIR, 80.0, 4.0),
    "OPENARM_BI_HIGH_PD_CFG": lambda: _openarm(_PAIR, 400.0, 80.0),
    "OPENARM_UNI_CFG": lambda: _openarm(("",), 80.0, 4.0),
    "OPENARM_UNI_HIGH_PD_CFG": lambda: _openarm(("",), 400.0, 80.0),
    "PICK_AND_PLACE_CFG": _pick_and_place,
    "SAWYER_CFG": _sawyer,
    "SHADOW_HAND_CFG": _shadow,
    "UR10_LONG_SUCTION_CFG": lambda: _ur10_suction("Long_Suction"),
    "UR10_SHORT_SUCTION_CFG": lambda: _ur10_suction("Short_Suction"),
    "UR10e_CFG": _ur10e,
}
"""Makers of configurations by name."""
