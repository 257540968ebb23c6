"""Robots under the names of Isaac Lab, their stand-ins, and what surrounds them."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest
from pxr import Usd

from usdsim import SceneData, load_model
from usdsim.assets import Articulation
from usdsim.compat.cloner import grid_transforms, usd_replicate
from usdsim.compat.server.built_robots import BUILT_ROBOTS
from usdsim.compat.server.flat import flatten_links
from usdsim.compat.server.limbs import Limbs
from usdsim.compat.server.paths import NUCLEUS_ASSET_ROOT_DIR
from usdsim.compat.server.props import PROPS
from usdsim.compat.server.stand_ins import STAND_INS, find_server_file, server_file
from usdsim.compat.settings import PhysxCfg
from usdsim.compat.tables import (
    convert_dict_to_backend,
    resolve_matching_names,
    resolve_matching_names_values,
    update_class_from_dict,
)
from usdsim.converters import MjcfConverter, MjcfConverterCfg
from usdsim.core.errors import UnknownNameError
from usdsim.math.rotations import quat_apply
from usdsim.sim import SimulationCfg, SimulationContext
from usdsim.spawners import SphereCfg
from usdsim.usd import create_stage, define_prim
from usdsim.usd.xforms import world_pose

torch = pytest.importorskip("torch")

JOINTS = {
    "ALLEGRO_HAND_CFG": ("index_joint_0", "thumb_joint_3", 16),
    "ANYMAL_C_CFG": ("LF_HAA", "RH_KFE", 12),
    "FRANKA_PANDA_HIGH_PD_CFG": ("panda_joint7", "panda_finger_joint2", 9),
    "HUMANOID_CFG": ("lower_waist:0", "pelvis", "left_thigh:2", 21),
    "UNITREE_GO2_CFG": ("FL_hip_joint", "RR_calf_joint", 12),
    "UR10_CFG": ("shoulder_pan_joint", "wrist_3_joint", 6),
    "CARTPOLE_CFG": ("slider_to_cart", "cart_to_pole", 2),
    "CART_DOUBLE_PENDULUM_CFG": ("slider_to_cart", "pole_to_pendulum", 3),
    "CASSIE_CFG": ("hip_flexion_left", "toe_joint_right", 12),
    "DIGIT_V4_CFG": ("left_leg_toe_a", "right_arm_wrist_yaw", 34),
    "FLEXIV_RIZON4S_CFG": ("joint1", "joint7", 7),
    "G1_29DOF_CFG": ("waist_pitch_joint", "left_hand_index_1_joint", 43),
    "G1_MINIMAL_CFG": ("torso_joint", "left_six_joint", 37),
    "H1_MINIMAL_CFG": ("torso", "right_ankle", 19),
    "HUMANOID_28_CFG": ("abdomen_x", "left_ankle_z", 28),
    "KINOVA_GEN3_N7_CFG": ("joint_1", "joint_7", 7),
    "KINOVA_JACO2_N6S300_CFG": ("j2n6s300_joint_6", "j2n6s300_joint_finger_tip_3", 12),
    "KINOVA_JACO2_N7S300_CFG": ("j2n7s300_joint_7", "j2n7s300_joint_finger_1", 13),
    "KUKA_ALLEGRO_CFG": ("iiwa7_joint_7", "thumb_joint_3", 23),
    "OPENARM_BI_HIGH_PD_CFG": ("openarm_left_joint1", "openarm_right_finger_joint2", 18),
    "OPENARM_UNI_CFG": ("openarm_joint7", "openarm_finger_joint1", 9),
    "SAWYER_CFG": ("head_pan", "right_j6", 8),
    "SHADOW_HAND_CFG": ("robot0_WRJ1", "robot0_THJ0", 24),
    "SPOT_CFG": ("fl_hx", "hr_kn", 12),
    "PICK_AND_PLACE_CFG": ("x_axis", "z_axis", 3),
    "UR10_LONG_SUCTION_CFG": ("shoulder_pan_joint", "wrist_3_joint", 6),
    "UR10e_CFG": ("shoulder_pan_joint", "wrist_3_joint", 6),
}
BODIES = {
    "ALLEGRO_HAND_CFG": (
        *("palm_link", "thumb_link_3"),
        *(f"{link}/visuals_xform" for link in ("palm_link", "allegro_mount", "thumb_link_3")),
    ),
    "ANYMAL_C_CFG": ("base", "LF_FOOT", "RH_SHANK", "LF_FOOT/visuals", "base/visuals"),
    "FRANKA_PANDA_HIGH_PD_CFG": ("panda_link0", "panda_hand", "panda_leftfinger"),
    "HUMANOID_CFG": ("torso", "pelvis", "left_foot"),
    "UNITREE_GO2_CFG": ("base", "FR_foot", "Head_upper", "Head_lower"),
    "UR10_CFG": ("base_link", "ee_link"),
    "CARTPOLE_CFG": ("cart", "pole"),
    "CART_DOUBLE_PENDULUM_CFG": ("cart", "pendulum"),
    "CASSIE_CFG": ("pelvis", "left_toe"),
    "DIGIT_V4_CFG": ("torso_base", "left_leg_toe_roll", "right_leg_achilles_rod"),
    "FLEXIV_RIZON4S_CFG": ("base_link", "flange"),
    "G1_29DOF_CFG": ("pelvis", "torso_link", "right_wrist_yaw_link"),
    "G1_MINIMAL_CFG": ("pelvis", "torso_link", "left_ankle_roll_link"),
    "H1_MINIMAL_CFG": ("pelvis", "torso_link", "left_ankle_link"),
    "HUMANOID_28_CFG": ("pelvis", "torso", "right_hand"),
    "KINOVA_GEN3_N7_CFG": ("base_link", "end_effector_link"),
    "KINOVA_JACO2_N6S300_CFG": ("j2n6s300_link_base", "j2n6s300_link_6"),
    "KINOVA_JACO2_N7S300_CFG": ("j2n7s300_link_7", "j2n7s300_link_finger_tip_1"),
    "KUKA_ALLEGRO_CFG": ("iiwa7_link_0", "ee_link/palm_link", "ee_link/index_link_3"),
    "OPENARM_BI_HIGH_PD_CFG": ("openarm_left_hand", "openarm_right_hand"),
    "OPENARM_UNI_CFG": ("openarm_link0", "openarm_ee_tcp"),
    "SAWYER_CFG": ("base", "right_hand"),
    "SHADOW_HAND_CFG": ("robot0_palm", "robot0_thdistal"),
    "SPOT_CFG": ("body", "fl_foot", "hr_lleg"),
    "PICK_AND_PLACE_CFG": ("picker_head",),
    "UR10_LONG_SUCTION_CFG": ("base_link", "ee_link", "ee_link/SurfaceGripper"),
    "UR10e_CFG": ("base_link", "wrist_3_link"),
}


pytestmark = pytest.mark.usefixtures("installed")


@pytest.mark.parametrize("name", sorted(JOINTS))
def test_stand_ins_have_the_names_programs_use(name: str):
    cfg = getattr(importlib.import_module("isaaclab_assets"), name)
    with SimulationContext(SimulationCfg(dt=0.01)) as simulation:
        robot = Articulation(cfg.replace(prim_path="/World/Robot"))
        simulation.reset()
        *joints, count = JOINTS[name]
        assert robot.num_joints == count
        assert set(joints) <= set(robot.joint_names)
        parts = [body for body in BODIES[name] if not re.search("visuals|SurfaceGripper", body)]
        bodies = {body.rpartition("/")[2] for body in parts}
        assert bodies <= set(robot.body_names)
        for body in BODIES[name]:
            assert simulation.stage.GetPrimAtPath(f"/World/Robot/{body}"), body
        for _ in range(5):
            robot.write_data_to_sim()
            simulation.step()
        assert np.isfinite(robot.data.joint_pos.numpy()).all()


@pytest.mark.parametrize(("name", "reach"), [("LONG", 0.22), ("SHORT", 0.1585)])
def test_suction_cups_of_arms_are_where_tasks_have_the_end_effector(name: str, reach: float):
    cfg = getattr(importlib.import_module("isaaclab_assets"), f"UR10_{name}_SUCTION_CFG")
    grippers = importlib.import_module("isaaclab_physx.assets")
    with SimulationContext(SimulationCfg(dt=0.01)) as simulation:
        robot = Articulation(cfg.replace(prim_path="/World/Robot"))
        path = "/World/Robot/ee_link/SurfaceGripper"
        values = dict.fromkeys(("coaxial_force_limit", "shear_force_limit", "retry_interval"), 1.0)
        grippers.SurfaceGripper(
            grippers.SurfaceGripperCfg(prim_path=path, max_grip_distance=0.01, **values)
        )
        simulation.reset()
        site = simulation.engine.compiled.names.index("site", f"{path}/point")
        place = simulation.engine.read("site_xpos")[0, site]
        link = robot.find_bodies("ee_link")[0][0]
        pose = robot.data.body_link_pose_w.numpy()[0, link].astype(np.float64)
        forward = quat_apply(pose[3:], [reach, 0.0, 0.0])
        np.testing.assert_allclose(place, pose[:3] + forward, atol=1e-5)


def test_drives_have_names_of_their_own():
    legs = importlib.import_module("isaaclab_assets.robots.anymal").ANYDRIVE_3_LSTM_ACTUATOR_CFG
    assert (legs.saturation_effort, legs.effort_limit, legs.velocity_limit) == (120.0, 80.0, 7.5)
    assert Path(legs.network_file).is_file()
    go1 = importlib.import_module("isaaclab_assets.robots.unitree").GO1_ACTUATOR_CFG
    assert (go1.pos_scale, go1.effort_limit, list(go1.input_idx)) == (-1.0, 23.7, [0, 1, 2])
    assert Path(go1.network_file).is_file()


def test_drives_of_anymal_are_made_for_a_robot_of_its_mass():
    """Isaac Lab's tasks take the armature away; light legs would then shake by explicit dampers."""
    actuators = importlib.import_module("isaaclab.actuators")
    paths = importlib.import_module("isaaclab.utils.assets")
    file = f"{paths.ISAACLAB_NUCLEUS_DIR}/ActuatorNets/ANYbotics/anydrive_3_lstm_jit.pt"
    legs = actuators.ActuatorNetLSTMCfg(
        joint_names_expr=[".*"],
        network_file=file,
        saturation_effort=120.0,
        effort_limit=80.0,
        velocity_limit=7.5,
        armature=0.0,
    )
    robots = importlib.import_module("isaaclab_assets")
    cfg = robots.ANYMAL_D_CFG.replace(prim_path="/Robot")
    cfg.actuators["legs"] = legs
    with SimulationContext(SimulationCfg(dt=0.005)) as simulation:
        plane = importlib.import_module("isaaclab.sim").GroundPlaneCfg()
        plane.func("/Ground", plane)
        robot = Articulation(cfg)
        simulation.reset()
        start = robot.data.default_joint_pos.torch
        robot.write_joint_state_to_sim(start, 0.0 * start)
        robot.set_joint_position_target(start)
        for _ in range(300):
            robot.write_data_to_sim()
            simulation.step()
            robot.update(0.005)
        data = robot.data
        assert float(data.body_mass.torch.sum()) == pytest.approx(52.0, abs=1.0)
        assert float(data.root_pos_w.torch[0, 2]) == pytest.approx(0.54, abs=0.02)
        assert float(data.joint_vel.torch.abs().max()) < 0.1
        # It stands by the springs: those of the knees bear the trunk by their lever arms.
        bent = start - data.joint_pos.torch
        np.testing.assert_allclose(data.applied_torque.torch, 80.0 * bent, atol=0.3)


ARM = """
<mujoco model="arm"><worldbody><body name="base" pos="0 0 1">
  <freejoint/><geom size="0.1" mass="1"/>
  <body name="upper" pos="0.2 0 0" quat="0.8 0.6 0 0">
    <joint name="shoulder" axis="0 1 0"/><geom size="0.1" mass="1"/>
    <body name="lower" pos="0 0 -0.5">
      <joint name="elbow" axis="1 0 0"/><geom size="0.1" pos="0 0.1 0" mass="1"/>
    </body>
  </body>
</body></worldbody><contact><exclude body1="base" body2="lower"/></contact>
<actuator><motor name="pull" joint="elbow" gear="2"/></actuator></mujoco>
"""


def test_flat_links_move_as_nested_ones(tmp_path: Path):
    (tmp_path / "arm.xml").write_text(ARM)
    cfg = MjcfConverterCfg(asset_path=str(tmp_path / "arm.xml"), usd_dir=str(tmp_path))
    nested = MjcfConverter(cfg).usd_path
    flat = flatten_links(nested)
    for link in ("base", "upper", "lower"):
        stage = Usd.Stage.Open(flat)
        assert [str(p.GetPath()) for p in stage.GetPrimAtPath(f"/arm/{link}/visuals").GetChildren()]
    models = [load_model(file) for file in (nested, flat)]
    assert [[link.name for link in model.links] for model in models] == [
        ["base", "upper", "lower"]
    ] * 2
    poses = []
    for model in models:
        data = SceneData(model)
        data.actuator_ctrls[:] = 0.3
        model.step_n(data, 100)
        poses.append([np.ravel(link.get_pose(data)) for link in model.links])
    np.testing.assert_allclose(poses[0], poses[1], atol=1e-6)
    assert models[1].low.nexclude == models[0].low.nexclude == 1


LIMBS = Limbs(
    """
    trunk - 0 0 0 5 box 0.2 0.4 0.2 0 0.01 0
    *_hip trunk 0.1 0.2 -0.1 1 ; *_roll x -0.3 0.6 ; *_pitch -y -1 2
    *_shank ^ 0 0 -0.4 0.5 rod 0.1 0.05 -0.3
      ; *_knee y 0 2
    *_brake *_shank 0 0 0 0.1 ; *_slide slide_y 0 0.1
    """,
    drives={"*_knee": (30.0, 2.0)},
    follows={"*_pitch": ("*_knee", -0.5)},
)


def test_limbs_are_mirrored_links_of_a_table():
    model = mujoco.MjModel.from_xml_string(LIMBS.text())
    joint = {side: [model.joint(f"{side}_{n}") for n in ("roll", "pitch", "knee", "slide")]
             for side in ("left", "right")}  # fmt: skip
    limits = {side: [j.range.tolist() for j in joints] for side, joints in joint.items()}
    assert limits["left"] == [[-0.3, 0.6], [-1.0, 2.0], [0.0, 2.0], [0.0, 0.1]]
    assert limits["right"] == [[-0.6, 0.3], [-1.0, 2.0], [0.0, 2.0], [0.0, 0.1]]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        axes = [model.jnt_axis[j.id].tolist() for j in joint[side]]
        assert axes == [[1, 0, 0], [0, -1, 0], [0, 1, 0], [0, sign, 0]]
        assert model.body(f"{side}_hip").pos.tolist() == [0.1, sign * 0.2, -0.1]
        assert model.body(f"{side}_shank").ipos[1] == pytest.approx(sign * 0.025)
    assert model.body("trunk").ipos[1] == 0.01
    assert model.body_mass.sum() == pytest.approx(5.0 + 2 * 1.6)
    # Mirrored positions of the joints are a mirrored robot.
    data = mujoco.MjData(model)
    pose = {"roll": 0.4, "pitch": 0.5, "knee": 1.0, "slide": 0.05}
    for name, value in pose.items():
        data.joint(f"left_{name}").qpos = value
        data.joint(f"right_{name}").qpos = -value if name == "roll" else value
    mujoco.mj_fwdPosition(model, data)
    left, right = data.body("left_brake").xpos, data.body("right_brake").xpos
    np.testing.assert_allclose(left, right * [1.0, -1.0, 1.0], atol=1e-12)
    assert [model.actuator(i).name for i in range(model.nu)] == ["left_knee", "right_knee"]
    np.testing.assert_allclose(data.ten_length, [-0.5 * 1.0 - 0.5] * 2)


@pytest.mark.parametrize("path", sorted(path for path, prop in PROPS.items() if callable(prop)))
def test_links_of_mechanisms_do_not_collide_with_each_other(path: str):
    """An arm that begins within its fixed pivot would be pushed out of it, against the joint."""
    model = load_model(server_file(path))
    data = SceneData(model)
    model.step_n(data, 3)
    assert data.low.world_data(0).ncon == 0


def test_hands_meet_the_handles_of_cabinets_and_links_of_one_robot_do_not_meet():
    """Masks of both that took only the world's shapes let the hand through the handle."""
    robot = "Isaac/IsaacLab/Robots/FrankaEmika/panda_instanceable.usd"
    cabinet = "Isaac/Props/Sektion_Cabinet/sektion_cabinet_instanceable.usd"
    masks = []
    for path in (robot, cabinet):
        low = load_model(server_file(path)).low
        pairs = set(zip(low.geom_contype.tolist(), low.geom_conaffinity.tolist(), strict=True))
        assert len(pairs) == 1
        masks += pairs
    meet = [[a[0] & b[1] | b[0] & a[1] for b in (*masks, (1, 1))] for a in masks]
    assert [[bool(entry) for entry in row] for row in meet] == [
        [False, True, True],
        [True, False, True],
    ]


def test_every_stand_in_can_be_written_and_a_real_file_wins(tmp_path: Path, monkeypatch):
    from usdsim.compat.server import stand_ins

    for path in (*STAND_INS, *BUILT_ROBOTS, *PROPS):
        assert Path(server_file(path)).is_file()
    path = next(iter(STAND_INS))
    monkeypatch.setattr(stand_ins, "NUCLEUS_ASSET_ROOT_DIR", str(tmp_path))
    real = tmp_path / path
    real.parent.mkdir(parents=True)
    real.write_text("#usda 1.0\n")
    assert server_file(path) == str(real)
    assert server_file("Robots/none.usd") == str(tmp_path / "Robots/none.usd")


@pytest.mark.parametrize(
    "robot",
    [
        "NVIDIA/Jetbot/jetbot.usd",
        "ShadowRobot/ShadowHand/shadow_hand_instanceable.usd",
        "WonikRobotics/AllegroHand/allegro_hand_instanceable.usd",
    ],
)
def test_robots_are_found_without_the_folders_of_makers_that_came_later(robot: str):
    before = robot.partition("/")[2]
    assert server_file(f"Isaac/Robots/{before}") == server_file(f"Isaac/Robots/{robot}")
    for other in ("Isaac/Robots/none.usd", f"Other/{before}"):
        assert server_file(other) == str(Path(NUCLEUS_ASSET_ROOT_DIR) / other)


@pytest.mark.parametrize(
    "root",
    [
        "http://content-production.s3-us-west-2.example.com/Assets/Isaac/2023.1.1",
        "https://content-staging.example.com/Assets/Isaac/5.1",
        "omniverse://localhost/NVIDIA/Assets/Isaac/4.5",
    ],
)
def test_addresses_of_the_server_that_programs_write_in_full_are_its_files(root: str):
    path = next(iter(STAND_INS))
    assert find_server_file(f"{root}/{path}") == server_file(path)
    assert find_server_file(f"{root}/Isaac/none.usd") == server_file("Isaac/none.usd")
    for other in (f"https://example.com/{path}", "omniverse://localhost/Users/me/robot.usd"):
        assert find_server_file(other) == other


@pytest.mark.parametrize("root", ["isaaclab_assets.robots.anymal", "omni.isaac.lab_assets"])
def test_configurations_are_the_same_in_all_eras(root: str):
    module = importlib.import_module(root)
    first = importlib.import_module("isaaclab_assets").ANYMAL_C_CFG
    assert module.ANYMAL_C_CFG is first
    changed = first.replace(prim_path="/World/Robot")
    changed.spawn.rigid_props.disable_gravity = True
    assert first.spawn.rigid_props.disable_gravity is False
    with pytest.raises(ImportError):
        exec(f"from {root} import NO_SUCH_ROBOT")


def test_lee_controllers_fly_multirotors_under_their_names_there():
    control = importlib.import_module("isaaclab_contrib.controllers.lee_position_control")
    settings = importlib.import_module("isaaclab_contrib.controllers.lee_position_control_cfg")
    actions = importlib.import_module("isaaclab_contrib.mdp.actions.thrust_actions_cfg")
    assert actions.NavigationActionCfg.class_type is actions.NavigationAction
    cfg = settings.LeePosControllerCfg(max_yaw_rate=1.0)
    cfg.K_pos_range = cfg.K_vel_range = ((3.0, 3.0, 2.0), (3.0, 3.0, 2.0))
    cfg.K_rot_range = ((1.7, 1.7, 0.3), (1.7, 1.7, 0.3))
    cfg.K_angvel_range = ((0.45, 0.45, 0.08), (0.45, 0.45, 0.08))
    robots = importlib.import_module("isaaclab_assets.robots.arl_robot_1")
    with SimulationContext(SimulationCfg(dt=0.01)) as simulation:
        craft = robots.ARL_ROBOT_1_CFG.replace(prim_path="/World/Robot")
        robot = craft.class_type(craft)
        simulation.reset()
        follow = control.LeePosController(cfg, robot, num_envs=1, device=simulation.device)
        allocation = torch.linalg.pinv(robot.allocation_matrix)
        goal = torch.tensor([[0.0, 0.0, 1.0, 0.0]])
        for _ in range(600):
            thrusts = (follow.compute(goal) @ allocation.T).clamp(min=0.0)
            robot.set_thrust_target(thrusts)
            robot.write_data_to_sim()
            simulation.step()
            robot.update(0.01)
        assert robot.data.root_pos_w.torch[0].tolist() == pytest.approx([0.0, 0.0, 1.0], abs=0.05)
        weight = float(follow.mass * 9.81)
        assert float(robot.data.applied_thrust.torch.sum()) == pytest.approx(weight, rel=0.02)


def test_robots_that_are_not_known_are_files_of_the_server():
    robot = importlib.import_module("isaaclab_assets").HEXAPOD_CFG
    assert Path(robot.spawn.usd_path).name == "hexapod.usd"
    with pytest.raises(OSError, match=r"hexapod\.usd"):
        robot.spawn.func("/World/Robot", robot.spawn, stage=Usd.Stage.CreateInMemory())


def test_names_of_engine_packages_are_those_of_the_core():
    physx = importlib.import_module("isaaclab_physx.assets")
    core = importlib.import_module("isaaclab.assets")
    assert physx.RigidObject is core.RigidObject
    managers = importlib.import_module("isaaclab.managers")
    assert managers.SceneEntityCfg.__name__ == "SceneEntityCfg"
    materials = importlib.import_module("isaaclab_newton.sim.spawners.materials")
    soft = materials.NewtonDeformableBodyMaterialCfg(k_mu=4.0e5, k_lambda=6.0e5)
    assert soft.youngs_modulus == pytest.approx(4.0e5 * 26.0e5 / 10.0e5)
    assert soft.poissons_ratio == pytest.approx(0.3)


def test_settings_of_other_engines_are_told_of(caplog):
    caplog.set_level("INFO", "usdsim")
    cfg = PhysxCfg(bounce_threshold_velocity=0.2)
    assert "bounce_threshold_velocity have no effect" in caplog.text
    assert cfg.replace(enable_ccd=True).to_dict() == {
        "bounce_threshold_velocity": 0.2,
        "enable_ccd": True,
    }


def test_grids_and_numbered_copies():
    positions, turns = grid_transforms(5, 2.0)
    assert positions.shape == (5, 3)
    torch.testing.assert_close(turns, torch.tensor([0.0, 0.0, 0.0, 1.0]).expand(5, 4))
    gaps = torch.cdist(positions, positions) + 9.0 * torch.eye(5)
    assert float(gaps.min()) == pytest.approx(2.0)
    upright, _ = grid_transforms(5, 2.0, up_axis="y")
    assert float(upright[:, 1].abs().max()) == 0.0
    stage = create_stage()
    define_prim(stage, "/World/envs/env_0", "Xform")
    SphereCfg(radius=0.1).func("/World/envs/env_0/Ball", SphereCfg(radius=0.1), stage=stage)
    usd_replicate(
        stage, ["/World/envs/env_0"], ["/World/envs/env_{}"], range(5), positions=positions
    )
    for i in range(5):
        assert stage.GetPrimAtPath(f"/World/envs/env_{i}/Ball")
        pose, _ = world_pose(stage.GetPrimAtPath(f"/World/envs/env_{i}"))
        np.testing.assert_allclose(pose.pos, positions[i], atol=1e-6)


def test_names_and_dictionaries():
    names = ["a", "b", "c"]
    assert resolve_matching_names(["c", "a"], names) == ([0, 2], ["a", "c"])
    assert resolve_matching_names("d", names, raise_when_no_match=False) == ([], [])
    found = resolve_matching_names_values({"c": 1, "a|b": 2}, names, preserve_order=True)
    assert found == ([2, 0, 1], ["c", "a", "b"], [1, 2, 2])
    cfg = SphereCfg(radius=0.1)
    update_class_from_dict(cfg, {"radius": 0.3})
    assert cfg.radius == 0.3
    with pytest.raises(UnknownNameError, match="radios"):
        update_class_from_dict(cfg, {"radios": 0.3})
    arrays = convert_dict_to_backend({"x": torch.ones(2), "y": {"z": np.zeros(1)}}, "numpy")
    assert isinstance(arrays["x"], np.ndarray)
    assert isinstance(convert_dict_to_backend(arrays, "torch")["y"]["z"], torch.Tensor)
    there = convert_dict_to_backend({"x": torch.ones(2), "z": np.zeros(1)}, "warp")
    assert [array.device.alias for array in there.values()] == ["cpu", "cpu"]
    again = convert_dict_to_backend(there, "torch")
    assert convert_dict_to_backend(there, "warp")["x"] is there["x"]
    assert again["x"].tolist() == [1.0, 1.0] and again["x"].device.type == "cpu"
    assert convert_dict_to_backend(there, "numpy")["z"].tolist() == [0.0]
