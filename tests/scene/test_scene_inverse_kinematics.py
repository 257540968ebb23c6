"""Inverse kinematics: closed forms, limits, weights, isolation, and real arms."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import usdsim
from usdsim.core.errors import InvalidValueError, ShapeError, UnsupportedError, UsdsimError
from usdsim.scene import DisjointIndices, InverseKinematics, SceneData, load_mjcf_str

PLANAR = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="upper" pos="0 0 .5">
      <joint name="shoulder" axis="0 0 1" range="-3 3"/>
      <geom size=".05" mass="1"/>
      <body name="lower" pos="1 0 0">
        <joint name="elbow" axis="0 0 1" range="0 2.8"/>
        <geom size=".05" mass="1"/>
        <site name="hand" pos=".8 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
ARM = """
<mujoco>
  <compiler angle="radian"/>
  <default>
    <joint range="-2.5 2.5"/><geom size=".03" mass=".5" contype="0" conaffinity="0"/>
  </default>
  <worldbody>
    <body name="cart" pos="0 0 .2"><freejoint/><geom size=".2" mass="9"/>
      <body name="a" pos="0 0 .2"><joint name="j1" axis="0 0 1"/><geom/>
        <body name="b" pos="0 .05 .1"><joint name="j2" axis="0 1 0"/><geom/>
          <body name="c" pos=".3 0 0" quat=".9 .1 .2 .1"><joint name="j3" axis="0 1 0"/><geom/>
            <body name="d" pos=".25 0 0"><joint name="ball" type="ball" range="0 3"/><geom/>
              <body name="e" pos=".1 0 0"><joint name="j4" axis="1 0 0" pos=".01 .02 0"/><geom/>
                <body name="f" pos=".1 0 0"><joint name="j5" axis="0 1 0"/>
                  <joint name="rail" type="slide" axis="1 0 0" range="0 .2"/><geom/>
                  <body name="g" pos=".05 0 0"><joint name="j6" axis="1 0 0"/><geom/>
                    <site name="tool" pos=".1 0 .02" quat=".8 0 .6 0"/>
                  </body></body></body></body></body></body></body></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def planar():
    return load_mjcf_str(PLANAR)


@pytest.fixture(scope="module")
def arm():
    return load_mjcf_str(ARM)


def _within(model, ik, count, seed):
    """Random positions of a solver's joints within their limits, shape (count, k)."""
    bounds = np.array([joint.range[0] for joint in ik.joints]).T
    bounds = np.where(np.isfinite(bounds), bounds, [[-np.pi], [np.pi]])
    share = np.random.default_rng(seed).random((count, len(ik.joints)))
    return bounds[0] + share * (bounds[1] - bounds[0])


def _place(model, ik, data, joints):
    pos = np.array(data.dof_pos)
    pos[..., [joint.dof_pos_index for joint in ik.joints]] = joints
    data.dof_pos = pos


def test_two_links_in_closed_form(planar):
    """The law of cosines; the limit of the elbow leaves one of its two solutions."""
    data = SceneData(planar, batch=(40,))
    data.dof_pos = [0.1, 0.5]
    ik = InverseKinematics(planar, planar.get_site("hand"), orientation_weight=0.0)
    rng = np.random.default_rng(0)
    reach, bearing = rng.uniform(0.5, 1.75, 40), rng.uniform(-1.2, 1.2, 40)
    target = np.zeros((40, 7))
    target[:, 0], target[:, 1] = reach * np.cos(bearing), reach * np.sin(bearing)
    target[:, 2], target[:, 6] = 0.5, 1.0
    found = ik.solve(data, target, tolerance=1e-7)
    assert found.converged.all() and found.converged.shape == (40,)
    assert found.position_error.max() < 1e-7 and found.iterations.min() >= 1
    elbow = np.arccos((reach**2 - 1 - 0.64) / 1.6)
    shoulder = bearing - np.arctan2(0.8 * np.sin(elbow), 1 + 0.8 * np.cos(elbow))
    np.testing.assert_allclose(found.dof_pos, np.stack([shoulder, elbow], 1), atol=1e-5)
    assert [joint.name for joint in ik.joints] == ["shoulder", "elbow"]
    assert ik.frame.name == "hand"


def test_out_of_reach_is_as_near_as_possible(planar):
    data = SceneData(planar, batch=(2,))
    data.dof_pos = [0.3, 0.4]
    ik = InverseKinematics(planar, planar.get_site("hand"), orientation_weight=0.0, restarts=1)
    found = ik.solve(data, [[3, 0, 0.5, 0, 0, 0, 1], [1.0, 0, 0.9, 0, 0, 0, 1]])
    assert not found.converged.any()
    # Straight out, and right below.
    np.testing.assert_allclose(found.position_error, [3 - 1.8, 0.4], atol=1e-3)


def test_limits_of_each_world_are_kept(planar):
    data = SceneData(planar, batch=(3,))
    planar.get_joint("elbow").set_range_override(data[1], [0.0, 0.5])
    planar.get_joint("elbow").set_range_override(data[2], [-np.inf, np.inf])
    data.dof_pos = [[0.0, 0.4], [0.0, 0.4], [0.0, -0.4]]
    ik = InverseKinematics(planar, planar.get_site("hand"), orientation_weight=0.0, restarts=3)
    found = ik.solve(data, [0.9, 0.6, 0.5, 0, 0, 0, 1])
    assert found.converged.tolist() == [True, False, True]
    assert found.dof_pos[1, 1] == pytest.approx(0.5)
    assert found.dof_pos[0, 1] > 1.0 and found.dof_pos[2, 1] < -1.0


def test_any_pose_of_a_moving_arm(arm):
    """A floating, turned base and a bent ball joint stay where they are; all else is solved."""
    count, tool = 24, arm.get_site("tool")
    data, reference = SceneData(arm, batch=(count,)), SceneData(arm, batch=(count,))
    rng = np.random.default_rng(3)
    pos = np.zeros((count, arm.num_dof_pos))
    pos[:, :7] = rng.normal(size=(count, 7))
    pos[:, 3:7] /= np.linalg.norm(pos[:, 3:7], axis=1, keepdims=True)
    ball = arm.get_joint("ball").dof_pos_index
    quat = rng.normal(size=(count, 4)) * 0.2 + [0, 0, 0, 1]
    pos[:, ball : ball + 4] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    data.dof_pos = reference.dof_pos = pos
    ik = InverseKinematics(arm, tool, restarts=60)
    assert [joint.name for joint in ik.joints] == ["j1", "j2", "j3", "j4", "j5", "rail", "j6"]
    _place(arm, ik, reference, _within(arm, ik, count, 1))
    target = tool.get_pose(reference)
    before, velocity = np.array(data.dof_pos), np.array(data.dof_vel)
    found = ik.solve(data, target)
    np.testing.assert_array_equal(data.dof_pos, before)
    np.testing.assert_array_equal(data.dof_vel, velocity)
    assert found.converged.all()
    low, high = np.array([joint.range[0] for joint in ik.joints]).T
    assert (found.dof_pos >= low - 1e-6).all() and (found.dof_pos <= high + 1e-6).all()
    applied = ik.solve(data, target, apply=True)
    np.testing.assert_array_equal(applied.dof_pos, found.dof_pos)
    reached = tool.get_pose(data)
    np.testing.assert_allclose(reached[:, :3], target[:, :3], atol=2e-4)
    dots = np.abs((reached[:, 3:] * target[:, 3:]).sum(axis=1))
    np.testing.assert_allclose(dots, 1.0, atol=1e-6)
    kept = np.setdiff1d(np.arange(pos.shape[1]), [j.dof_pos_index for j in ik.joints])
    np.testing.assert_array_equal(np.array(data.dof_pos)[:, kept], before[:, kept])


def test_a_link_with_chosen_joints(arm):
    data, hand = SceneData(arm), arm.get_link("g")
    ik = InverseKinematics(arm, hand, joints=["j3", arm.get_joint("j1")], orientation_weight=0.0)
    other = SceneData(arm)
    _place(arm, ik, other, [0.4, -0.8])
    found = ik.solve(data, hand.get_pose(other), tolerance=(1e-5, 1.0), apply=True)
    assert found.converged and found.dof_pos.shape == (2,)
    np.testing.assert_allclose(found.dof_pos, [0.4, -0.8], atol=1e-3)
    np.testing.assert_allclose(hand.get_position(data), hand.get_position(other), atol=2e-5)


def test_orientation_alone(arm):
    data, tool = SceneData(arm, batch=(4,)), arm.get_site("tool")
    ik = InverseKinematics(arm, tool, position_weight=0.0)
    quat = np.random.default_rng(2).normal(size=(4, 4))
    target = np.zeros((4, 7))
    target[:, 3:] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    found = ik.solve(data, target, apply=True)
    assert found.converged.all() and found.position_error.min() > 0.1
    dots = np.abs((tool.get_rotation(data) * target[:, 3:]).sum(axis=1))
    np.testing.assert_allclose(dots, 1.0, atol=1e-6)


def test_worlds_are_solved_each_by_itself(arm):
    """The same answer alone, in a batch and in views of it, restarts included."""
    ik = InverseKinematics(arm, arm.get_site("tool"), restarts=4, seed=5)
    data, reference = SceneData(arm, batch=(6,)), SceneData(arm, batch=(6,))
    _place(arm, ik, reference, _within(arm, ik, 6, 9))
    target = np.array(arm.get_site("tool").get_pose(reference))
    together = ik.solve(data, target)
    again = ik.solve(data, target)
    np.testing.assert_array_equal(together.dof_pos, again.dof_pos)
    picked = ik.solve(data[DisjointIndices([4, 1])], target[[4, 1]])
    np.testing.assert_array_equal(picked.dof_pos, together.dof_pos[[4, 1]])
    single = ik.solve(data[3], target[3])
    assert single.converged.shape == () and single.dof_pos.shape == (7,)
    np.testing.assert_array_equal(single.dof_pos, together.dof_pos[3])
    ik.solve(data[np.arange(6) == 2], target[2], apply=True)
    moved = (data.dof_pos != SceneData(arm, batch=(6,)).dof_pos).any(axis=1)
    assert moved.tolist() == [False, False, True, False, False, False]


def test_geometry_of_each_world_is_its_own(planar):
    """Longer arms, elsewhere, about tilted axes: each reaches what it can reach."""
    data = SceneData(planar, batch=(3,))
    data.set_param("body_pos", np.array([1, 2]), [[0, 0, 0.5], [1.5, 0, 0]])
    planar.get_joint("elbow").set_range_override(data, [-1.0, 2.8])
    data[2].set_param("jnt_axis", np.array([1]), [[0, 0.6, 0.8]])
    data[1].set_param("jnt_pos", np.array([1]), [[0.1, -0.2, 0.05]])
    data.dof_pos = [[0.2, 0.9], [-0.7, 1.1], [0.4, 0.6]]
    hand = planar.get_site("hand")
    target = np.array(hand.get_pose(data))
    data.dof_pos = [0.0, 0.3]
    ik = InverseKinematics(planar, hand)
    found = ik.solve(data, target, tolerance=1e-6, apply=True)
    assert found.converged.all()
    np.testing.assert_allclose(hand.get_position(data), target[:, :3], atol=2e-6)
    np.testing.assert_allclose(found.dof_pos, [[0.2, 0.9], [-0.7, 1.1], [0.4, 0.6]], atol=1e-4)
    alone = ik.solve(SceneData(planar), target[0], tolerance=1e-6)
    assert not alone.converged, "the arm itself is too short"


def test_a_solver_is_used_anywhere(arm):
    """In threads side by side, as a copy, and after other worlds of the same number."""
    ik, reference = InverseKinematics(arm, arm.get_site("tool")), SceneData(arm, batch=(6,))
    _place(arm, ik, reference, _within(arm, ik, 6, 9))
    data, target = SceneData(arm, batch=(6,)), np.array(arm.get_site("tool").get_pose(reference))
    together = ik.solve(data, target, 20)
    assert (together.iterations > 20).any(), "some start again"
    with ThreadPoolExecutor(6) as pool:
        alone = list(pool.map(lambda i: ik.solve(data[i], target[i], 20).dof_pos, range(6)))
    np.testing.assert_array_equal(alone, together.dof_pos)
    copied = copy.deepcopy(ik)
    again = copied.solve(SceneData(copied.frame.model, batch=(6,)), target, 20)
    np.testing.assert_array_equal(again.dof_pos, together.dof_pos)


def test_velocities_move_the_frame_as_asked(arm):
    data, tool = SceneData(arm, batch=(5,)), arm.get_site("tool")
    ik = InverseKinematics(arm, tool)
    _place(arm, ik, data, _within(arm, ik, 5, 4))
    twist = np.random.default_rng(6).normal(size=(5, 6))
    speeds = ik.velocity(data, twist, damping=0.0)
    assert speeds.shape == (5, 7) and speeds.dtype == np.float32
    velocity = np.zeros((5, arm.num_dof_vel))
    velocity[:, [joint.dof_vel_index for joint in ik.joints]] = speeds
    data.dof_vel = velocity
    moved = np.concatenate([tool.get_linear_velocity(data), tool.get_angular_velocity(data)], 1)
    np.testing.assert_allclose(moved, twist, atol=1e-3)
    # Damping trades exactness for small velocities.
    assert np.linalg.norm(ik.velocity(data, twist, damping=10.0)) < np.linalg.norm(speeds)
    np.testing.assert_array_equal(ik.velocity(data[2], twist[2], damping=0.0), speeds[2])
    straight = SceneData(arm)
    assert np.isfinite(ik.velocity(straight, [1, 0, 0, 0, 0, 0])).all()


def test_errors(arm, planar):
    data, tool = SceneData(arm, batch=(3,)), arm.get_site("tool")
    ik = InverseKinematics(arm, tool)
    good = np.tile([0.5, 0, 0.5, 0, 0, 0, 1.0], (3, 1))
    with pytest.raises(ShapeError, match="'tool'"):
        ik.solve(data, np.zeros((2, 7)))
    bad = good.copy()
    bad[1, 3:] = 2.0
    with pytest.raises(InvalidValueError, match=r"'tool'.*world 1"):
        ik.solve(data, bad, apply=True)
    bad[1] = np.nan
    with pytest.raises(InvalidValueError, match=r"'tool'.*world 1"):
        ik.solve(data, bad)
    for options in ({"iterations": 0}, {"tolerance": 0.0}, {"tolerance": (1.0, -1.0)}):
        with pytest.raises(InvalidValueError, match=r"tolerance|iterations"):
            ik.solve(data, good, **options)
    with pytest.raises(UsdsimError, match="belongs to"):
        ik.solve(SceneData(planar), good[0])
    with pytest.raises(InvalidValueError, match="damping"):
        ik.velocity(data, np.zeros(6), damping=-1.0)
    with pytest.raises(ShapeError, match="twist"):
        ik.velocity(data, np.zeros(5))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"damping": 0.0}, "damping"),
        ({"step_limit": np.inf}, "step_limit"),
        ({"position_weight": -1.0}, "position_weight"),
        ({"position_weight": 0.0, "orientation_weight": 0.0}, "weights"),
        ({"restarts": -1}, "restarts"),
        ({"joints": []}, "at least one hinge or slide"),
        ({"joints": ["j1", "j1"]}, "each joint once"),
    ],
)
def test_bad_options(arm, options, words):
    with pytest.raises(InvalidValueError, match=words):
        InverseKinematics(arm, arm.get_site("tool"), **options)


def test_joints_that_cannot_take_part(arm, planar):
    with pytest.raises(InvalidValueError, match=r"'j6'.*between the root and the frame"):
        InverseKinematics(arm, arm.get_link("c"), joints=["j6"])
    with pytest.raises(UnsupportedError, match=r"'ball'.*stays where it is"):
        InverseKinematics(arm, arm.get_site("tool"), joints=["ball"])
    with pytest.raises(InvalidValueError, match="a link or site"):
        InverseKinematics(arm, planar.get_site("hand"))


@pytest.mark.corpus
@pytest.mark.parametrize("robot", ["drake_panda", "gs_iiwa", "erd_ur5_robot", "erd_xarm7"])
def test_real_arms_reach_random_poses(corpus, robot):
    """From home to poses of random joint positions, all of them."""
    (path,) = (corpus / "urdf" / robot).rglob("*.urdf")
    model = usdsim.load_model(path, strict=False)
    end = max(model.links, key=lambda link: len(link.dof_vel_indices))
    data, reference = SceneData(model, batch=(24,)), SceneData(model, batch=(24,))
    ik = InverseKinematics(model, end, restarts=60)
    _place(model, ik, reference, _within(model, ik, 24, 0))
    target = np.array(end.get_pose(reference))
    found = ik.solve(data, target, apply=True)
    assert found.converged.all()
    np.testing.assert_allclose(end.get_position(data), target[:, :3], atol=2e-4)
