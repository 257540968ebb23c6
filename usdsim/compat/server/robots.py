"""Robot configurations under the names of Isaac Lab's assets package.

Files are those of its server, see `stand_ins`. Gains, limits and first positions are those that
programs for these robots expect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any

from usdsim.actuators import (
    ActuatorBaseCfg,
    ActuatorNetLSTMCfg,
    ActuatorNetMLPCfg,
    DCMotorCfg,
)
from usdsim.assets import ArticulationCfg, MultirotorCfg
from usdsim.compat.thrusters import ThrusterCfg
from usdsim.sensors import RayCasterCfg
from usdsim.sensors.patterns import LidarPatternCfg

from .arms_and_hands import ARMS_AND_HANDS
from .legged import ARM_JOINT_NAMES, LEG_JOINT_NAMES, LEGGED, joint_parameter_lookup
from .paths import LAB_ROBOTS, SIM_ROBOTS
from .robot_parts import drives, gains_of, spawn, start
from .stand_ins import server_file

ANYDRIVE_3_SIMPLE_ACTUATOR_CFG = DCMotorCfg(
    joint_names_expr=[".*HAA", ".*HFE", ".*KFE"],
    saturation_effort=120.0,
    effort_limit=80.0,
    velocity_limit=7.5,
    stiffness={".*": 40.0},
    damping={".*": 5.0},
)
"""Drives of ANYmal's joints as motors with a speed-torque line."""


def _lstm() -> ActuatorNetLSTMCfg:
    simple = ANYDRIVE_3_SIMPLE_ACTUATOR_CFG
    return ActuatorNetLSTMCfg(
        joint_names_expr=[*simple.joint_names_expr],
        network_file=server_file("Isaac/IsaacLab/ActuatorNets/ANYbotics/anydrive_3_lstm_jit.pt"),
        saturation_effort=simple.saturation_effort,
        effort_limit=simple.effort_limit,
        velocity_limit=simple.velocity_limit,
    )


def _go1_mlp() -> ActuatorNetMLPCfg:
    return ActuatorNetMLPCfg(
        joint_names_expr=[f".*_{joint}_joint" for joint in ("hip", "thigh", "calf")],
        network_file=server_file("Isaac/IsaacLab/ActuatorNets/Unitree/unitree_go1.pt"),
        pos_scale=-1.0,
        vel_scale=1.0,
        torque_scale=1.0,
        input_order="pos_vel",
        input_idx=[0, 1, 2],
        effort_limit=23.7,
        velocity_limit=30.0,
        saturation_effort=23.7,
    )


VELODYNE_VLP_16_RAYCASTER_CFG = RayCasterCfg(
    ray_alignment="base",
    pattern_cfg=LidarPatternCfg(
        channels=16,
        vertical_fov_range=(-15.0, 15.0),
        horizontal_fov_range=(-180.0, 180.0),
        horizontal_res=0.2,
    ),
    debug_vis=True,
    max_distance=100.0,
)
"""A lidar of 16 channels."""


def _ant() -> ArticulationCfg:
    feet = {"front_left": 1.0, "front_right": -1.0, "left_back": -1.0, "right_back": 1.0}
    return ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=spawn(f"{SIM_ROBOTS}/IsaacSim/Ant/ant_instanceable.usd"),
        init_state=start(
            0.5, {".*_leg": 0.0, **{f"{leg}_foot": 0.785398 * way for leg, way in feet.items()}}
        ),
        actuators={
            "body": drives(".*", stiffness=0.0, damping=0.1, armature=0.05, effort_limit_sim=15.0)
        },
    )


def _humanoid() -> ArticulationCfg:
    # Soft springs, as programs add efforts of their own.
    gains = {
        "lower_waist.*": (20.0, 5.0),
        ".*_upper_arm.*": (10.0, 5.0),
        "pelvis": (10.0, 5.0),
        ".*_lower_arm": (2.0, 1.0),
        ".*_thigh:[02]": (10.0, 5.0),
        ".*_thigh:1": (20.0, 5.0),
        ".*_shin": (5.0, 0.1),
        ".*_foot:.*": (2.0, 1.0),
    }
    pairs = [("upper_arm", ":0", ":2"), ("lower_arm", ""), ("thigh", ":0", ":1", ":2")]
    pairs += [("shin", ""), ("foot", ":0", ":1")]
    order = [
        [f"{side}_{limb}{axis}" for side in ("right", "left") for axis in axes]
        for limb, *axes in pairs
    ]
    order[1:1] = [["pelvis"]]
    return ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        # Programs have lists of numbers for joints in this order.
        joint_ordering=["lower_waist:0", "lower_waist:1", *chain.from_iterable(order)],
        spawn=spawn(f"{SIM_ROBOTS}/IsaacSim/Humanoid/humanoid_instanceable.usd"),
        init_state=start(0.93, {".*": 0.0}),
        actuators={
            "body": drives(
                ".*",
                **gains_of(gains),
                velocity_limit_sim={".*": 100.0},
                armature={".*": 0.01},
                effort_limit_sim=150.0,
            )
        },
    )


def _anymal(kind: str) -> ArticulationCfg:
    bend = {".*HAA": 0.0, ".*F_HFE": 0.4, ".*H_HFE": -0.4, ".*F_KFE": -0.8, ".*H_KFE": 0.8}
    file = f"{LAB_ROBOTS}/ANYbotics/ANYmal-{kind.upper()}/anymal_{kind}.usd"
    return ArticulationCfg(
        spawn=spawn(file, contacts=True),
        init_state=start(0.6, bend),
        actuators={"legs": ANYDRIVE_3_SIMPLE_ACTUATOR_CFG.copy()},
        soft_joint_pos_limit_factor=0.95,
    )


def _unitree(file: str, height: float, effort: float, speed: float) -> ArticulationCfg:
    legs: ActuatorBaseCfg = DCMotorCfg(
        joint_names_expr=[".*_hip_joint", ".*_thigh_joint", ".*_calf_joint"],
        effort_limit=effort,
        saturation_effort=effort,
        velocity_limit=speed,
        stiffness=25.0,
        damping=0.5,
        friction=0.0,
    )
    bend = {
        ".*L_hip_joint": 0.1,
        ".*R_hip_joint": -0.1,
        "F[L,R]_thigh_joint": 0.8,
        "R[L,R]_thigh_joint": 1.0,
        ".*_calf_joint": -1.5,
    }
    return ArticulationCfg(
        spawn=spawn(f"{LAB_ROBOTS}/Unitree/{file}", contacts=True),
        init_state=start(height, bend),
        actuators={"base_legs": legs},
        soft_joint_pos_limit_factor=0.9,
    )


def _panda(stiffness: float, damping: float, floats: bool) -> ArticulationCfg:
    bend = (0.0, -0.569, 0.0, -2.810, 0.0, 3.037, 0.741)
    ready = {f"panda_joint{i}": angle for i, angle in enumerate(bend, 1)}
    ready["panda_finger_joint.*"] = 0.04
    gains = {"stiffness": stiffness, "damping": damping, "armature": 1e-3}
    return ArticulationCfg(
        spawn=spawn(f"{LAB_ROBOTS}/FrankaEmika/panda_instanceable.usd", disable_gravity=floats),
        init_state=start(0.0, ready),
        actuators={
            "panda_shoulder": drives("panda_joint[1-4]", effort_limit_sim=87.0, **gains),
            "panda_forearm": drives("panda_joint[5-7]", effort_limit_sim=12.0, **gains),
            "panda_hand": drives(
                "panda_finger_joint.*", effort_limit_sim=200.0, stiffness=2000.0, damping=100.0
            ),
        },
    )


def _ur10() -> ArticulationCfg:
    ready = {"shoulder_pan_joint": 0.0, "shoulder_lift_joint": -1.712, "elbow_joint": 1.712}
    ready |= {f"wrist_{i}_joint": 0.0 for i in (1, 2, 3)}
    return ArticulationCfg(
        spawn=spawn(f"{LAB_ROBOTS}/UniversalRobots/UR10/ur10_instanceable.usd"),
        init_state=start(0.0, ready),
        actuators={"arm": drives(".*", effort_limit_sim=87.0, stiffness=800.0, damping=40.0)},
    )


def _allegro() -> ArticulationCfg:
    return ArticulationCfg(
        spawn=spawn(
            f"{SIM_ROBOTS}/WonikRobotics/AllegroHand/allegro_hand_instanceable.usd",
            disable_gravity=True,
        ),
        init_state=start(
            0.5,
            {"^(?!thumb_joint_0).*": 0.0, "thumb_joint_0": 0.28},
            rot=(0.283045, 0.683330, -0.621782, 0.257551),
        ),
        actuators={
            "fingers": drives(
                ".*",
                effort_limit_sim=0.5,
                velocity_limit_sim=100.0,  # Tasks draw velocities as parts of it.
                stiffness=3.0,
                damping=0.1,
                friction=0.01,
            )
        },
    )


ARL_ROBOT_1_THRUSTER = ThrusterCfg(
    thruster_names_expr=[
        f"{end}_{side}_prop" for end in ("back", "front") for side in ("left", "right")
    ],
    thrust_range=(0.1, 10.0),
    thrust_const_range=(9.26312e-06, 1.826312e-05),
    tau_inc_range=(0.05, 0.08),
    tau_dec_range=(0.005, 0.005),
    torque_to_thrust_ratio=0.07,
)
"""Rotors of the ARL robot."""


def _arl() -> MultirotorCfg:
    rotors = ARL_ROBOT_1_THRUSTER.thruster_names_expr
    return MultirotorCfg(
        spawn=spawn(f"{SIM_ROBOTS}/NTNU/ARL-Robot-1/arl_robot_1.usd", contacts=True),
        init_state=MultirotorCfg.InitialStateCfg(rps=dict.fromkeys(rotors, 200.0)),
        actuators={"thrusters": ARL_ROBOT_1_THRUSTER.copy()},
        rotor_directions=[-1, 1, -1, 1],
        allocation_matrix=[
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0],
            [1.0, 1.0, 1.0, 1.0],
            [-0.13, -0.13, 0.13, 0.13],
            [-0.13, 0.13, 0.13, -0.13],
            [-0.07, 0.07, -0.07, 0.07],
        ],
    )


def _crazyflie() -> ArticulationCfg:
    spins = {"m1_joint": 200.0, "m2_joint": -200.0, "m3_joint": 200.0, "m4_joint": -200.0}
    return ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=spawn(f"{SIM_ROBOTS}/Bitcraze/Crazyflie/cf2x.usd"),
        init_state=start(0.5, {".*": 0.0}, joint_vel=spins),
        actuators={"dummy": drives(".*", stiffness=0.0, damping=0.0)},
    )


_ROBOTS: dict[str, Callable[[], ArticulationCfg | ActuatorBaseCfg]] = {
    **ARMS_AND_HANDS,
    **LEGGED,
    "ALLEGRO_HAND_CFG": _allegro,
    "ANT_CFG": _ant,
    "ANYDRIVE_3_LSTM_ACTUATOR_CFG": _lstm,
    "ANYMAL_B_CFG": lambda: _anymal("b"),
    "ANYMAL_C_CFG": lambda: _anymal("c"),
    "ANYMAL_D_CFG": lambda: _anymal("d"),
    "ARL_ROBOT_1_CFG": _arl,
    "CRAZYFLIE_CFG": _crazyflie,
    "GO1_ACTUATOR_CFG": _go1_mlp,
    "FRANKA_PANDA_CFG": lambda: _panda(80.0, 4.0, floats=False),
    "FRANKA_PANDA_HIGH_PD_CFG": lambda: _panda(400.0, 80.0, floats=True),
    "HUMANOID_CFG": _humanoid,
    "UNITREE_A1_CFG": lambda: _unitree("A1/a1.usd", 0.42, 33.5, 21.0),
    "UNITREE_GO1_CFG": lambda: _unitree("Go1/go1.usd", 0.4, 23.7, 30.0),
    "UNITREE_GO2_CFG": lambda: _unitree("Go2/go2.usd", 0.4, 23.5, 30.0),
    "UR10_CFG": _ur10,
}


__all__ = [
    "ANYDRIVE_3_SIMPLE_ACTUATOR_CFG",
    "ARL_ROBOT_1_THRUSTER",
    "ARM_JOINT_NAMES",
    "LEG_JOINT_NAMES",
    "VELODYNE_VLP_16_RAYCASTER_CFG",
    "joint_parameter_lookup",
    *_ROBOTS,
]


@cache
def _made(name: str) -> ArticulationCfg | ActuatorBaseCfg:
    return _ROBOTS[name]()


def __getattr__(name: str) -> Any:
    """A robot's configuration, made when it is asked for first: its file may have to be written.

    One that is not known here is a file of that name, with the drives of its joints.
    """
    if name in _ROBOTS:
        return _made(name)
    if not name.endswith("_CFG") and "_CFG_" not in name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    file = f"{LAB_ROBOTS}/{name.partition('_CFG')[0].lower()}.usd"
    every: dict[str, ActuatorBaseCfg] = {"joints": drives(".*")}
    return ArticulationCfg(spawn=spawn(file), init_state=start(0.0, {}), actuators=every)
