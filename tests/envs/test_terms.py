"""Terms of the library: bases that drive, grippers at a threshold, inertial units, steps."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from cart_env import CartScene, cart_env, terms  # noqa: E402

import usdsim.envs.mdp as mdp  # noqa: E402
from usdsim.actuators import ImplicitActuatorCfg  # noqa: E402
from usdsim.assets import ArticulationCfg, AssetBaseCfg, RigidObjectCfg  # noqa: E402
from usdsim.converters import MjcfFileCfg  # noqa: E402
from usdsim.core.errors import AbsentError, InvalidValueError, StageError  # noqa: E402
from usdsim.envs.managers import ActionManager, CommandManager, SceneEntityCfg  # noqa: E402
from usdsim.envs.tensors import tensor  # noqa: E402
from usdsim.schemas import PhysxRigidBodyPropertiesCfg  # noqa: E402
from usdsim.sensors import PvaCfg  # noqa: E402
from usdsim.sim import InteractiveSceneCfg  # noqa: E402
from usdsim.spawners import CuboidCfg, SphereCfg  # noqa: E402

BASE = """<mujoco><worldbody><body name="rail_x">
  <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <joint name="along_x" type="slide" axis="1 0 0"/>
  <body name="rail_y"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <joint name="along_y" type="slide" axis="0 1 0"/>
    <body name="base"><joint name="about_z" axis="0 0 1"/><geom type="box" size=".2 .1 .1"/></body>
</body></body></worldbody></mujoco>"""


@pytest.fixture
def driving(closing, tmp_path):
    """An environment of bases on two slides and a hinge, whose joints follow velocities."""
    (tmp_path / "base.xml").write_text(BASE)

    class Scene(InteractiveSceneCfg):
        robot = ArticulationCfg(
            prim_path="{ENV_REGEX_NS}/Robot",
            spawn=MjcfFileCfg(asset_path=str(tmp_path / "base.xml")),
            actuators={
                "all": ImplicitActuatorCfg(joint_names_expr=[".*"], stiffness=0.0, damping=1e5)
            },
        )

    def made(**changes):
        return cart_env(
            scene=Scene(num_envs=2, env_spacing=4.0),
            actions=terms(drive=base(**changes)),
            events=None,
        )

    return made


def base(**changes):
    values = {
        "asset_name": "robot", "body_name": "base",
        "x_joint_name": "along_x", "y_joint_name": "along_y", "yaw_joint_name": "about_z",
    }  # fmt: skip
    return mdp.NonHolonomicActionCfg(**(values | changes))


def test_a_base_drives_circles_the_way_it_faces(driving):
    speed, rate = 0.8, 1.5
    with driving(scale=(2.0, 1.0), offset=(0.0, 0.5), clip={"about_z": (0.0, rate)}) as env:
        env.reset(seed=1)
        for _ in range(40):
            env.step(torch.tensor([[0.4, 7.0], [0.4, -0.5]]))
        state = tensor(env.scene["robot"].data.joint_pos)
        t = 40 * env.step_dt
        angle = rate * t
        circle = speed / rate * np.array([math.sin(angle), 1.0 - math.cos(angle)])
        names = env.scene["robot"].joint_names
        x, y, yaw = (names.index(name) for name in ("along_x", "along_y", "about_z"))
        np.testing.assert_allclose(state[0, [x, y]], circle, atol=0.02)
        assert state[0, yaw] == pytest.approx(angle, abs=0.02)
        np.testing.assert_allclose(state[1, [x, y, yaw]], [speed * t, 0.0, 0.0], atol=0.02)


@pytest.mark.parametrize("changes", [{"x_joint_name": "along_.*"}, {"body_name": "rail_.*"}])
def test_a_base_has_one_joint_for_each_way(driving, changes):
    with pytest.raises(InvalidValueError, match="expression for one"):
        driving(**changes)


def test_grippers_open_beyond_a_threshold(env):
    def processed(actions, **changes):
        cfg = mdp.AbsBinaryJointPositionActionCfg(
            asset_name="robot", joint_names=["rail.*"], open_command_expr={".*": 1.0},
            close_command_expr={".*": -1.0}, **changes,
        )  # fmt: skip
        manager = ActionManager(terms(grip=cfg), env)
        manager.process_action(torch.tensor(actions).unsqueeze(1))
        return manager.get_term("grip").processed_actions[:, 0].tolist()

    assert processed([-1.0, 0.2, 0.5, 0.6]) == [-1.0, -1.0, -1.0, 1.0]
    turned = processed([-1.0, 0.2, 0.3, 0.6], threshold=0.3, positive_threshold=False)
    assert turned == [1.0, 1.0, -1.0, -1.0]


def test_inertial_units_tell_how_they_are_turned(closing):
    class Scene(CartScene):
        imu = PvaCfg(prim_path="{ENV_REGEX_NS}/Robot/pole")

    with cart_env(scene=Scene(num_envs=2, env_spacing=4.0), events=None) as env:
        env.reset()
        robot, angle = env.scene["robot"], torch.tensor([0.3, -0.7])
        state = tensor(robot.data.joint_pos).clone()
        state[:, robot.joint_names.index("cart_to_pole")] = angle
        robot.write_joint_state_to_sim(state, torch.zeros_like(state))
        env.scene.update(0.0)
        none = torch.zeros(2)
        turned = torch.stack((none, (angle / 2).sin(), none, (angle / 2).cos()), dim=1)
        down = torch.stack((angle.sin(), none, -angle.cos()), dim=1)
        np.testing.assert_allclose(mdp.imu_orientation(env), turned, atol=1e-6)
        gravity = mdp.imu_projected_gravity(env, SceneEntityCfg("imu"))
        np.testing.assert_allclose(gravity, down, atol=1e-6)
        imu = SceneEntityCfg("imu")
        np.testing.assert_allclose(mdp.pva_orientation(env, imu), turned, atol=1e-6)
        np.testing.assert_allclose(mdp.pva_projected_gravity(env, imu), down, atol=1e-6)


def commanded(env):
    ranges = mdp.TerrainBasedPose2dCommandCfg.Ranges(heading=(0.5, 0.5))
    cfg = mdp.TerrainBasedPose2dCommandCfg(
        asset_name="robot", simple_heading=False, resampling_time_range=(9.0, 9.0), ranges=ranges
    )
    manager = CommandManager(terms(place=cfg), env)
    manager.reset(torch.arange(env.num_envs))
    return manager.get_term("place")


def test_places_are_flat_patches_of_the_piece(env, monkeypatch):
    with pytest.raises(StageError, match="no flat patches 'target'"):
        commanded(env)
    row, column, patch = np.meshgrid(range(2), range(3), range(5), indexing="ij")
    patches = np.stack((row, column, 10.0 + patch), axis=-1).astype(np.float32)
    levels, types = torch.tensor([0, 1, 1, 0]), torch.tensor([2, 0, 1, 1])
    ground = SimpleNamespace(
        flat_patches={"target": torch.from_numpy(patches)}, terrain_levels=levels,
        terrain_types=types,
    )  # fmt: skip
    monkeypatch.setattr(env.scene, "terrain", ground)
    term = commanded(env)
    root = tensor(env.scene["robot"].data.default_root_state)[:, 2]
    place = term.pos_command_w
    assert torch.equal(place[:, 0], levels.float()) and torch.equal(place[:, 1], types.float())
    drawn = place[:, 2] - root - 10.0
    assert ((drawn - drawn.round()).abs() < 1e-5).all() and drawn.min() > -0.1 and drawn.max() < 4.1
    assert (term.heading_command_w == 0.5).all()
    assert torch.equal(term.valid_targets, torch.from_numpy(patches))


def test_errors_of_commanded_poses_are_those_of_the_first_body():
    """A root at rest at x = 1, that shall be at x = 3: the first of the bodies is 2 m away."""
    turn = torch.tensor([[0.0, 0.0, 0.0, 1.0]])
    bodies = torch.tensor([[[1.0, 0.0, 0.0], [9.0, 9.0, 9.0]]])
    data = SimpleNamespace(
        root_pos_w=bodies[:, 0], root_quat_w=turn, body_pos_w=bodies,
        body_quat_w=torch.stack([turn, -turn.roll(1, -1)], dim=1),
    )  # fmt: skip
    command = torch.cat([torch.tensor([[2.0, 0.0, 0.0]]), turn], dim=-1)
    env = SimpleNamespace(
        scene={"robot": SimpleNamespace(data=data)},
        command_manager=SimpleNamespace(get_command=lambda name: command),
    )
    for ids in (slice(None), [0, 1], [0]):
        cfg = SceneEntityCfg("robot", body_ids=ids)
        assert mdp.position_command_error(env, "pose", cfg).tolist() == [2.0]
        assert mdp.orientation_command_error(env, "pose", cfg).tolist() == [0.0]


def walking(*commands, **data):
    """An environment of feet with contact times, and joints, under commanded velocities."""
    feet = SimpleNamespace(data=SimpleNamespace(**data))
    return SimpleNamespace(
        scene={"feet": feet, "robot": feet},
        command_manager=SimpleNamespace(get_command=lambda name: torch.tensor(commands)),
    )


def test_bipeds_earn_the_time_on_one_foot_where_they_shall_walk():
    """On one foot for a while; for long; on both; in the air; and where they shall stand."""
    stood = torch.tensor([[0.3, 0.0], [0.9, 0.0], [0.3, 0.2], [0.0, 0.0], [0.3, 0.0]])
    aloft = torch.tensor([[0.0, 0.2], [0.0, 0.8], [0.0, 0.0], [0.3, 0.2], [0.0, 0.2]])
    speeds = [[1.0, 0.0, 0.0]] * 4 + [[0.0, 0.05, 3.0]]
    env = walking(*speeds, current_contact_time=stood, current_air_time=aloft)
    found = mdp.feet_air_time_positive_biped(env, "velocity", 0.5, SceneEntityCfg("feet"))
    assert found.tolist() == pytest.approx([0.2, 0.5, 0.0, 0.0, 0.0])


def test_joints_that_deviate_cost_where_standing_is_commanded():
    joints = {"joint_pos": torch.tensor([[1.0, -2.0]] * 2), "default_joint_pos": torch.zeros(2, 2)}
    env = walking([0.03, 0.04, 5.0], [0.06, 0.05, 0.0], **joints)
    assert mdp.stand_still_joint_deviation_l1(env, "velocity").tolist() == [3.0, 0.0]
    assert mdp.stand_still_joint_deviation_l1(env, "velocity", 0.1).tolist() == [3.0, 3.0]


def test_terms_name_entities_that_lack_what_they_are_about():
    class Scene(CartScene):
        crate = RigidObjectCfg(
            prim_path="{ENV_REGEX_NS}/Crate",
            spawn=CuboidCfg(size=(0.1, 0.1, 0.1), rigid_props=PhysxRigidBodyPropertiesCfg()),
        )
        mark = AssetBaseCfg(prim_path="{ENV_REGEX_NS}/Mark", spawn=SphereCfg(radius=0.1))

    with cart_env(scene=Scene(num_envs=2, env_spacing=3.0)) as env:
        crate, mark = SceneEntityCfg("crate"), SceneEntityCfg("mark")
        with pytest.raises(AbsentError, match=r"'crate' is of RigidObject, which has no joint_vel"):
            mdp.joint_vel_l2(env, crate)
        with pytest.raises(AbsentError, match=r"'mark' is of Extra, which has no data.*crate"):
            mdp.root_pos_w(env, mark)
        force = mdp.JointEffortActionCfg(asset_name="crate", joint_names=[".*"])
        with pytest.raises(InvalidValueError, match=r"/Crate of an action.*'RigidObject'"):
            ActionManager(terms(force=force), env)
        force = mdp.JointEffortActionCfg(asset_name="robot", joint_names=[".*"], scale="1")
        with pytest.raises(InvalidValueError, match=r"scale of joints is '1'"):
            ActionManager(terms(force=force), env)
