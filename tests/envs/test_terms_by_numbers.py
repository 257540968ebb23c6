"""Terms of the library by their numbers: closed forms of rewards, commands, actions and events."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
from cart_env import ASSETS, cart_env, terms  # noqa: E402

import usdsim.envs.mdp as mdp  # noqa: E402
from usdsim.actuators import IdealPDActuatorCfg, ImplicitActuatorCfg  # noqa: E402
from usdsim.assets import ArticulationCfg  # noqa: E402
from usdsim.envs.managers import EventTermCfg, SceneEntityCfg  # noqa: E402
from usdsim.envs.signals.modifiers import DigitalFilterCfg  # noqa: E402
from usdsim.envs.tensors import tensor  # noqa: E402
from usdsim.math.tensors import quat_from_euler_xyz, wrap_to_pi  # noqa: E402
from usdsim.sim import InteractiveSceneCfg  # noqa: E402
from usdsim.spawners import UsdFileCfg  # noqa: E402

HALF = math.pi / 2


def turned(roll=0.0, pitch=0.0, yaw=0.0):
    return quat_from_euler_xyz(*(torch.tensor([a]) for a in (roll, pitch, yaw)))


def entity(command=(0.0, 0.0, 0.0), origins=None, **data):
    """An environment with one asset, which is also its contact sensor, and one command."""
    asset = SimpleNamespace(data=SimpleNamespace(**data))
    scene = type("Scene", (dict,), {"env_origins": origins})(robot=asset, contact=asset)
    manager = SimpleNamespace(get_command=lambda name: torch.tensor([command]))
    return SimpleNamespace(scene=scene, command_manager=manager)


def test_velocities_are_tracked_in_the_frame_of_the_heading():
    """A root that faces y and is pitched: 2 m/s along y are 2 m/s forward."""
    env = entity(
        command=(2.0, 0.5, 0.3),
        root_quat_w=turned(pitch=0.7, yaw=HALF),
        root_lin_vel_w=torch.tensor([[0.0, 2.0, 9.0]]),
        root_ang_vel_w=torch.tensor([[9.0, 9.0, 0.5]]),
    )
    forward = mdp.track_lin_vel_xy_yaw_frame_exp(env, 0.25, "velocity")
    assert forward.tolist() == pytest.approx([math.exp(-4.0)], rel=1e-5)
    about = mdp.track_ang_vel_z_world_exp(env, 0.4, "velocity")
    assert about.tolist() == pytest.approx([math.exp(-0.25)], rel=1e-5)


def test_feet_slide_while_they_touch():
    forces = torch.zeros(1, 2, 3, 3)
    forces[0, 1, :2, 2] = 20.0
    env = entity(
        net_forces_w_history=forces,
        body_lin_vel_w=torch.tensor([[[0.3, 0.4, 7.0], [0.0, 0.1, 0.0], [5.0, 5.0, 5.0]]]),
    )
    found = mdp.feet_slide(env, SceneEntityCfg("contact"))
    assert found.tolist() == pytest.approx([0.6])


def test_bodies_are_seen_from_the_origin_of_their_environment():
    """A body 1 m above the origin, that lies on its side: gravity is along its own y or -y."""
    side = turned(roll=HALF)
    pose = torch.cat([torch.tensor([[4.0, 0.0, 1.0]]), side], dim=1).unsqueeze(1)
    env = entity(
        origins=torch.tensor([[4.0, 0.0, 0.0]]),
        body_pose_w=pose,
        body_quat_w=side.unsqueeze(1),
        GRAVITY_VEC_W=torch.tensor([[0.0, 0.0, -1.0]]),
    )
    assert mdp.body_pose_w(env)[0, :3].tolist() == [0.0, 0.0, 1.0]
    assert pose[0, 0, 0] == 4.0
    down = mdp.body_projected_gravity_b(env)[0]
    assert down.tolist() == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)


def test_efforts_that_a_limit_cuts_end_an_episode():
    env = entity(
        computed_torque=torch.tensor([[1.0, 5.0]]), applied_torque=torch.tensor([[1.0, 3.0]])
    )
    assert mdp.joint_effort_out_of_limit(env).tolist() == [True]
    first = SceneEntityCfg("robot", joint_ids=[0])
    assert mdp.joint_effort_out_of_limit(env, first).tolist() == [False]


def test_filters_forget_what_was_before_an_episode():
    """y = x + 0.5 y before, of a step: 1, 1.5, 1.75; anew in the second environment."""
    cfg = DigitalFilterCfg(A=[-0.5], B=[1.0])
    smooth = cfg.func(cfg, (2, 1), "cpu")
    one = torch.ones(2, 1)
    assert [smooth(one)[0].item() for _ in range(2)] == [1.0, 1.5]
    smooth.reset(torch.tensor([1]))
    assert smooth(one).flatten().tolist() == [1.75, 1.0]


# -- actions of a cart on a rail --------------------------------------------------------------


class DrivenScene(InteractiveSceneCfg):
    robot = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=ASSETS / "cartpole" / "cartpole.usda"),
        actuators={
            "cart": ImplicitActuatorCfg(joint_names_expr=["rail.*"], stiffness=50.0, damping=5.0),
            "pole": IdealPDActuatorCfg(joint_names_expr=["cart.*"], stiffness=2.0, damping=1.0),
        },
        init_state=ArticulationCfg.InitialStateCfg(joint_vel={"rail_to_cart": 0.25}),
    )


def driven(action, **changes):
    scene = DrivenScene(num_envs=2, env_spacing=4.0)
    return cart_env(scene=scene, actions=terms(move=action), events=None, **changes)


def cart(kind, **changes):
    return kind(asset_name="robot", joint_names=["rail_to_cart"], **changes)


@pytest.mark.parametrize("alpha", [None, 0.25])
def test_actions_between_limits_stand_for_the_range_of_the_joint(simulation_ends, alpha):
    """0.5 is at three quarters of the range; smoothed, a quarter of the way there from 0."""
    kind = mdp.JointPositionToLimitsActionCfg if alpha is None else None
    changes = {} if alpha is None else {"alpha": alpha}
    with driven(cart(kind or mdp.EMAJointPositionToLimitsActionCfg, **changes)) as env:
        env.reset()
        term = env.action_manager.get_term("move")
        low, high = tensor(env.scene["robot"].data.soft_joint_pos_limits)[0, 0].tolist()
        target = low + 0.75 * (high - low)
        term.process_actions(torch.full((2, 1), 0.5))
        assert term.processed_actions[0].item() == pytest.approx(target * (alpha or 1.0))
        term.process_actions(torch.full((2, 1), 9.0))
        last = target * (alpha or 1.0)
        wanted = high if alpha is None else alpha * high + (1.0 - alpha) * last
        assert term.processed_actions[0].item() == pytest.approx(wanted)
        if alpha is not None:
            term.reset(torch.tensor([1]))
            term.process_actions(torch.zeros(2, 1))
            middle = 0.25 * 0.5 * (low + high)
            expected = [middle + 0.75 * wanted, middle]
            assert term.processed_actions.flatten().tolist() == pytest.approx(expected)


def test_velocities_and_relative_positions_are_targets(simulation_ends):
    with driven(cart(mdp.JointVelocityActionCfg, scale=2.0)) as env:
        env.reset()
        term, data = env.action_manager.get_term("move"), env.scene["robot"].data
        term.process_actions(torch.tensor([[0.5], [-1.0]]))
        term.apply_actions()
        assert tensor(data.joint_vel_target)[:, 0].tolist() == pytest.approx([1.25, -1.75])
    with driven(cart(mdp.RelativeJointPositionActionCfg, scale=0.1)) as env:
        env.reset()
        term, robot = env.action_manager.get_term("move"), env.scene["robot"]
        robot.write_joint_position_to_sim(torch.tensor([[0.3, 0.0], [0.4, 0.0]]))
        term.process_actions(torch.ones(2, 1))
        term.apply_actions()
        found = tensor(robot.data.joint_pos_target)[:, 0].tolist()
        assert found == pytest.approx([0.4, 0.5])


def test_gains_are_drawn_about_those_of_the_start(simulation_ends):
    """Of explicit actuators in their own, of implicit ones in the simulation as well."""
    gains = EventTermCfg(
        func=mdp.randomize_actuator_gains,
        mode="reset",
        params={
            "asset_cfg": SceneEntityCfg("robot"),
            "stiffness_distribution_params": (2.0, 2.0),
            "damping_distribution_params": (0.5, 0.5),
            "operation": "scale",
        },
    )
    scene = DrivenScene(num_envs=2, env_spacing=4.0)
    actions = terms(move=cart(mdp.JointPositionActionCfg))
    with cart_env(scene=scene, actions=actions, events=terms(gains=gains)) as env:
        robot = env.scene["robot"]
        for _ in range(2):
            env.reset()
            for name, wanted in (("cart", (100.0, 2.5)), ("pole", (4.0, 0.5))):
                actuator = robot.actuators[name]
                found = [tensor(getattr(actuator, g)) for g in ("stiffness", "damping")]
                assert [f.flatten().tolist() for f in found] == [[w, w] for w in wanted]
        assert tensor(robot.data.joint_stiffness)[:, 0].tolist() == [100.0, 100.0]
        assert tensor(robot.data.joint_damping)[:, 0].tolist() == [2.5, 2.5]


# -- a robot that moves freely ----------------------------------------------------------------


class FlyingScene(InteractiveSceneCfg):
    robot = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=ASSETS / "quadrotor" / "quadrotor.usda"),
        init_state=ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 2.0)),
    )


def flying(num_envs=4, **changes):
    scene = FlyingScene(num_envs=num_envs, env_spacing=4.0)
    return cart_env(scene=scene, actions=terms(), observations=terms(), events=None, **changes)


def test_pushes_add_to_the_velocity_of_the_root(simulation_ends):
    with flying() as env:
        env.reset()
        robot = env.scene["robot"]
        robot.write_root_velocity_to_sim(torch.tensor([[1.0, 0.0, 0.0, 0.0, 0.0, 0.5]] * 4))
        ids = torch.tensor([1, 3])
        mdp.push_by_setting_velocity(env, ids, {"x": (0.5, 0.5), "roll": (0.2, 0.2)})
        found = tensor(robot.data.root_vel_w)
        assert found[0].tolist() == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.0, 0.5])
        assert found[3].tolist() == pytest.approx([1.5, 0.0, 0.0, 0.2, 0.0, 0.5])


def test_orientations_at_random_are_turns_of_all_kinds(simulation_ends):
    """Unit quaternions, of whose components each has a mean square of a quarter."""
    with flying(num_envs=256) as env:
        env.reset()
        every = torch.arange(256)
        mdp.reset_root_state_with_random_orientation(env, every, {"x": (1.0, 1.0)}, {})
        data = env.scene["robot"].data
        place = tensor(data.root_pos_w) - tensor(env.scene.env_origins)
        assert torch.allclose(place, torch.tensor([1.0, 0.0, 2.0]), atol=1e-5)
        quat = tensor(data.root_quat_w)
        assert torch.allclose(quat.norm(dim=1), torch.ones(256), atol=1e-5)
        assert torch.allclose(quat.square().mean(0), torch.full((4,), 0.25), atol=0.06)


def test_places_on_the_ground_are_commanded_from_where_the_robot_faces(simulation_ends):
    """A robot that faces y, and a place 1 m ahead of it and 2 m to its right: x = 2, y = 1."""
    command = mdp.UniformPose2dCommandCfg(
        asset_name="robot",
        resampling_time_range=(9.0, 9.0),
        simple_heading=False,
        ranges=mdp.UniformPose2dCommandCfg.Ranges(
            pos_x=(2.0, 2.0), pos_y=(1.0, 1.0), heading=(0.5, 0.5)
        ),
    )
    with flying(commands=terms(goal=command)) as env:
        env.reset()
        robot, term = env.scene["robot"], env.command_manager.get_term("goal")
        pose = torch.cat([tensor(env.scene.env_origins), turned(yaw=HALF).repeat(4, 1)], dim=1)
        pose[:, 2] = 2.0
        robot.write_root_pose_to_sim(pose)
        term.compute(0.0)
        wanted = [1.0, -2.0, 0.0, 0.5 - HALF]
        assert term.command[0].tolist() == pytest.approx(wanted, abs=1e-5)
        assert term.metrics["error_pos"][0].item() == pytest.approx(math.sqrt(5.0))
        assert term.metrics["error_heading"][0].item() == pytest.approx(HALF - 0.5)


@pytest.mark.parametrize("faces", [0.3, 3.0])
def test_simple_headings_are_the_way_there_or_back(simulation_ends, faces):
    command = mdp.UniformPose2dCommandCfg(
        asset_name="robot",
        resampling_time_range=(9.0, 9.0),
        simple_heading=True,
        ranges=mdp.UniformPose2dCommandCfg.Ranges(pos_x=(1.0, 1.0), pos_y=(1.0, 1.0)),
    )
    with flying(commands=terms(goal=command)) as env:
        env.reset()
        robot, term = env.scene["robot"], env.command_manager.get_term("goal")
        pose = torch.cat([tensor(env.scene.env_origins), turned(yaw=faces).repeat(4, 1)], dim=1)
        robot.write_root_pose_to_sim(pose)
        term.reset()
        there = 0.25 * math.pi if faces < 1.0 else -0.75 * math.pi
        away = wrap_to_pi(term.heading_command_w - there)
        assert away.abs().max().item() < 1e-5


def test_velocities_of_a_normal_distribution_have_signs_and_zeros(simulation_ends):
    """Means of the absolute values, halves of either sign, and the part that is zero."""
    command = mdp.NormalVelocityCommandCfg(
        asset_name="robot",
        resampling_time_range=(9.0, 9.0),
        rel_standing_envs=0.25,
        ranges=mdp.NormalVelocityCommandCfg.Ranges(
            mean_vel=(1.0, 2.0, 0.5), std_vel=(0.1, 0.2, 0.05), zero_prob=(0.0, 0.5, 0.2)
        ),
    )
    with flying(num_envs=1000, commands=terms(velocity=command)) as env:
        env.reset()
        term = env.command_manager.get_term("velocity")
        drawn = term.vel_command_b
        moves = drawn != 0.0
        sizes = [drawn[:, i][moves[:, i]].abs().mean().item() for i in range(3)]
        assert sizes == pytest.approx([1.0, 2.0, 0.5], rel=0.03)
        assert moves.float().mean(0).tolist() == pytest.approx([1.0, 0.5, 0.8], abs=0.06)
        assert (drawn > 0.0).float().mean(0).tolist() == pytest.approx([0.5, 0.25, 0.4], abs=0.06)
        assert term.is_standing_env.float().mean().item() == pytest.approx(0.25, abs=0.06)
