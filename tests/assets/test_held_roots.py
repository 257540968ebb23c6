"""Roots that joints hold to the world: where they are written, started again, and put back."""

from __future__ import annotations

import numpy as np
import pytest
from articulation_stages import advance, values

from usdsim.assets import ArticulationCfg
from usdsim.converters import convert
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.rotations import quat_apply, quat_from_axis_angle
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import UsdFileCfg

pytestmark = pytest.mark.usefixtures("device")

# The height of the torso is its coordinate, which is 0.7 where it is modelled; the tilt turns about
# a point beside its origin.
WALKER = """
<mujoco><compiler angle="radian"/><worldbody><body name="torso" pos="0 0 0.7">
  <joint name="along" type="slide" axis="1 0 0"/>
  <joint name="up" type="slide" axis="0 0 1" ref="0.7"/>
  <joint name="tilt" type="hinge" axis="0 1 0" pos="0 0 -0.1" ref="0.2"/>
  <geom size="0.1" mass="1"/>
  <body name="leg" pos="0 0 -0.1">
    <joint name="hip" type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.3"
    size="0.03" mass="0.5"/>
  </body>
</body></worldbody></mujoco>"""
WITH_BALL = WALKER.replace('"hip" type="hinge" axis="0 1 0"', '"hip" type="ball"')
NUM_ENVS = 2
Y = [0.0, 1.0, 0.0]


@pytest.fixture
def scene_of(tmp_path):
    """A running scene of a model in environments."""

    def build(model: str) -> InteractiveScene:
        (tmp_path / "model.xml").write_text(model)
        convert(tmp_path / "model.xml", tmp_path / "model.usda")
        spawn = UsdFileCfg(usd_path=str(tmp_path / "model.usda"))
        cfg = InteractiveSceneCfg(num_envs=NUM_ENVS, env_spacing=4.0)
        cfg.robot = ArticulationCfg(prim_path="{ENV_REGEX_NS}/Robot", spawn=spawn)
        sim = SimulationContext(SimulationCfg(dt=0.01))
        scene = InteractiveScene(cfg)
        sim.reset()
        return scene

    yield build
    SimulationContext.clear_instance()


def _put_to_default(scene: InteractiveScene) -> None:
    robot = scene["robot"]
    state = values(robot.data.default_root_state)
    state[:, :3] += scene.env_origins.numpy()
    robot.write_root_pose_to_sim(state[:, :7])
    robot.write_root_velocity_to_sim(state[:, 7:])
    robot.write_joint_state_to_sim(robot.data.default_joint_pos, robot.data.default_joint_vel)


def test_episodes_start_at_the_same_place(scene_of):
    scene = scene_of(WALKER)
    robot, sim = scene["robot"], SimulationContext.instance()
    for _ in range(3):
        _put_to_default(scene)
        # With joints at zero, the torso stands at the pose that was written.
        origins = scene.env_origins.numpy()
        np.testing.assert_allclose(robot.data.root_pos_w.numpy(), origins, atol=1e-6)
        np.testing.assert_allclose(
            robot.data.root_quat_w.numpy(), [[0.0, 0.0, 0.0, 1.0]] * NUM_ENVS, atol=1e-6
        )
        robot.write_joint_velocity_to_sim([[1.0, 2.0, 0.5, 0.0]])
        advance(sim, robot, 20)
        assert np.abs(robot.data.root_pos_w.numpy() - origins).max() > 0.1


def test_pose_and_joints_are_written_in_any_order(scene_of):
    scene = scene_of(WALKER)
    robot = scene["robot"]
    half = np.sqrt(0.5)
    poses = np.array([[1.0, 2.0, 3.0, 0.0, 0.0, half, half], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]])
    joints = np.array([[0.3, 0.4, 0.5, 0.1], [0.0, 0.2, 0.0, 0.0]])
    found = []
    for order in (("pose", "joints"), ("joints", "pose")):
        _put_to_default(scene)
        for what in order:
            if what == "pose":
                robot.write_root_pose_to_sim(poses)
            else:
                robot.write_joint_position_to_sim(joints)
        found.append(values(robot.data.root_pose_w))
    np.testing.assert_array_equal(*found)
    # The poses are those with joints at zero, so the rails lean by the reference of the tilt.
    anchor = np.array([0.0, 0.0, -0.1])
    for row, (x, z, tilt, _) in enumerate(joints):
        swing = anchor - quat_apply(quat_from_axis_angle(Y, tilt), anchor)
        moved = quat_apply(quat_from_axis_angle(Y, 0.2), [x, 0.0, z]) + swing
        expected = poses[row, :3] + quat_apply(poses[row, 3:], moved)
        np.testing.assert_allclose(found[0][row, :3], expected, atol=1e-6)


@pytest.mark.parametrize("model", [WALKER, WITH_BALL], ids=["hinge", "ball"])
@pytest.mark.parametrize("relative", [False, True])
def test_states_are_put_back(scene_of, model, relative):
    scene = scene_of(model)
    robot, sim = scene["robot"], SimulationContext.instance()
    robot.write_root_pose_to_sim([1.0, 0.0, 0.5, 0.0, 0.0, 0.6, 0.8], env_ids=[1])
    robot.write_joint_velocity_to_sim(0.7)
    if robot.ball_joint_names:
        robot.write_ball_joint_state_to_sim([0.0, 0.6, 0.0, 0.8], [0.1, 0.2, 0.3])
    advance(sim, robot, 10)
    saved = scene.get_state(is_relative=relative)
    kept = {q: values(a) for q, a in saved["articulation"]["robot"].items()}
    links = values(robot.data.body_link_pose_w)
    moved = np.array(sim.engine.param("body_pos"))
    advance(sim, robot, 10)
    scene.reset_to(saved, is_relative=relative)
    # The base is where it was, so that nothing of it is written.
    np.testing.assert_array_equal(sim.engine.param("body_pos"), moved)
    np.testing.assert_allclose(values(robot.data.body_link_pose_w), links, atol=1e-5)
    advance(sim, robot, 10)
    robot.write_root_pose_to_sim([5.0, 5.0, 5.0, 0.0, 0.0, 0.0, 1.0])
    scene.reset_to(saved, is_relative=relative)
    found = scene.get_state(is_relative=relative)["articulation"]["robot"]
    for quantity, expected in kept.items():
        np.testing.assert_allclose(values(found[quantity]), expected, atol=1e-5, err_msg=quantity)
    np.testing.assert_allclose(values(robot.data.body_link_pose_w), links, atol=1e-5)


def test_velocities_of_held_roots_are_those_of_their_joints(scene_of):
    robot = scene_of(WALKER)["robot"]
    with pytest.raises(InvalidValueError, match=r"held to the world by joints.*velocities of its"):
        robot.write_root_velocity_to_sim([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def test_states_that_do_not_fit_change_nothing(scene_of):
    scene = scene_of(WITH_BALL)
    engine = SimulationContext.instance().engine
    saved = scene.get_state()["articulation"]["robot"]
    before = np.array(engine.state("qpos")), np.array(engine.state("qvel"))
    for quantity, column, value, error in (
        ("root_pose", 0, np.nan, InvalidValueError),
        ("root_pose", 6, 3.0, InvalidValueError),
        ("joint_velocity", 1, np.inf, InvalidValueError),
        ("ball_joint_orientation", 0, 2.0, InvalidValueError),
        ("joint_position", None, None, ShapeError),
    ):
        wrong = {q: values(a) for q, a in saved.items()}
        wrong["joint_position"] += 0.1
        if column is None:
            wrong[quantity] = wrong[quantity][:, :1]
        else:
            wrong[quantity][1, ..., column] = value
        with pytest.raises(error):
            scene.reset_to({"articulation": {"robot": wrong}})
    np.testing.assert_array_equal(engine.state("qpos"), before[0])
    np.testing.assert_array_equal(engine.state("qvel"), before[1])
