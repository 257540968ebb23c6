"""Chains, their solvers and operational space control, against the model as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from usdsim import SceneData, load_mjcf_str
from usdsim.core.errors import (
    InvalidValueError,
    OutOfRangeError,
    UnknownNameError,
    UnsupportedError,
)
from usdsim.ik import DlsSolver, GaussNewtonSolver, IkChain
from usdsim.math.rotations import quat_from_axis_angle, quat_multiply, quat_to_matrix
from usdsim.osc import OscSolver

_LINK = '<geom type="capsule" fromto="0 0 0 0 0 .3" size=".04" contype="0" conaffinity="0"/>'


def _arm(axes: str) -> str:
    text = ""
    for index, axis in enumerate(axes):
        kind = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}[axis]
        text += (
            f'<body name="l{index}" pos="0 0 .3"><joint name="j{index}" axis="{kind}" '
            f'range="-150 150"/>{_LINK}'
        )
    return (
        '<mujoco><worldbody><body name="base">'
        f"{_LINK}{text}{'</body>' * len(axes)}</body>"
        '<body name="ball"><joint type="ball"/><geom size=".1" pos="5 0 0"/></body>'
        "</worldbody></mujoco>"
    )


OFFSET = np.array([0.05, 0.1, 0.2, 0, 0, 0.6, 0.8])


@pytest.fixture(scope="module")
def model():
    return load_mjcf_str(_arm("zyxyzyx"))


def _moving(model, seed=0, batch=3) -> SceneData:
    data, rng = SceneData(model, batch), np.random.default_rng(seed)
    for joint in model.joints[:-1]:
        joint.set_dof_pos(data, rng.uniform(-1, 1, (batch, 1)))
        joint.set_dof_vel(data, rng.uniform(-1, 1, (batch, 1)))
    return data


def test_a_chain_reads_what_its_joints_have(model):
    data = _moving(model)
    chain = IkChain(model, "l5", "l2", OFFSET)
    assert [link.name for link in (chain.get_link(0), chain.end_link)] == ["l2", "l5"]
    assert chain.num_links == chain.num_dof_pos == chain.num_dof_vel == 4
    assert [joint.name for joint in chain.joints] == ["j2", "j3", "j4", "j5"]
    np.testing.assert_array_equal(chain.get_dof_pos(data), data.dof_pos[:, 2:6])
    np.testing.assert_array_equal(chain.get_dof_vel(data), data.dof_vel[:, 2:6])
    np.testing.assert_array_equal(
        chain.get_inertia_matrix(data), model.get_mass_matrix(data)[:, 2:6, 2:6]
    )
    np.testing.assert_array_equal(chain.get_bias_force(data), model.get_bias_forces(data)[:, 2:6])
    assert IkChain(model, "l6").num_links == 8, "from the root"
    with pytest.raises(OutOfRangeError, match="0 to 3"):
        chain.get_link(4)
    with pytest.raises(InvalidValueError, match="link key"):
        chain.get_link("l2")


def test_the_jacobian_is_how_the_end_effector_moves(model):
    data = _moving(model)
    chain = IkChain(model, "l6", end_effector_offset=OFFSET)
    pose = chain.get_end_effector_pose(data)
    link = model.get_link("l6").get_pose(data).astype(float)
    np.testing.assert_allclose(pose[:, 3:], quat_multiply(link[:, 3:], OFFSET[3:]), atol=1e-6)
    jacobian, speed = chain.get_end_effector_jac(data), chain.get_dof_vel(data)
    np.testing.assert_allclose(
        np.einsum("bij,bj->bi", jacobian, speed), chain.get_end_effector_vel(data), atol=1e-5
    )
    later = SceneData(model, 3)
    step = 1e-3
    later.set_dof_pos(np.concatenate([data.dof_pos[:, :7] + step * speed, data.dof_pos[:, 7:]], 1))
    moved = (chain.get_end_effector_pose(later) - pose)[:, :3] / step
    np.testing.assert_allclose(moved, chain.get_end_effector_vel(data)[:, 3:], atol=5e-3)
    np.testing.assert_array_equal(chain.get_end_point_jac(data, OFFSET[:3]), jacobian)


@pytest.mark.parametrize("solver", [DlsSolver(tolerance=1e-4), GaussNewtonSolver(tolerance=1e-4)])
def test_solvers_reach_poses_that_can_be_reached(model, solver):
    chain = IkChain(model, "l6", end_effector_offset=OFFSET)
    target = chain.get_end_effector_pose(_moving(model, 1))
    start = SceneData(model, 3)
    before = start.dof_pos
    found = solver.solve(chain, start, target)
    assert found.shape == (3, 9) and (found[:, 0] >= 1).all() and (found[:, 1] < 2e-4).all()
    np.testing.assert_array_equal(start.dof_pos, before)
    reached = SceneData(model, 3)
    reached.set_dof_pos(np.concatenate([found[:, 2:], before[:, 7:]], axis=1))
    pose = chain.get_end_effector_pose(reached)
    np.testing.assert_allclose(pose[:, :3], target[:, :3], atol=2e-4)
    np.testing.assert_allclose(
        quat_to_matrix(pose[:, 3:]), quat_to_matrix(target[:, 3:]), atol=3e-4
    )
    one = solver.solve(chain, SceneData(model), target[0])
    np.testing.assert_array_equal(one, found[0])


def test_offsets_written_with_few_digits_turn_and_do_not_scale(model):
    rough = np.concatenate([OFFSET[:3], 1.0009 * OFFSET[3:]])
    chain, data = IkChain(model, "l6", end_effector_offset=rough), SceneData(model)
    assert np.linalg.norm(chain.offset[3:]) == pytest.approx(1.0, abs=1e-12)
    pose = chain.get_end_effector_pose(data)
    assert np.linalg.norm(pose[3:]) == pytest.approx(1.0, abs=1e-6)


def test_bad_chains_name_what_is_wrong(model):
    for end, start, error, words in (
        ("l9", None, UnknownNameError, "l9"),
        ("l1", "l3", InvalidValueError, "hangs on"),
        ("base", None, InvalidValueError, "joints move"),
        ("ball", None, UnsupportedError, "ball"),
    ):
        with pytest.raises(error, match=words):
            IkChain(model, end, start)
    with pytest.raises(InvalidValueError, match="unit quaternion"):
        IkChain(model, "l6", end_effector_offset=np.ones(7))
    with pytest.raises(InvalidValueError, match="IkChain"):
        DlsSolver().solve("l6", SceneData(model), np.ones(7))


def _controlled(model, data, chain, solver, place, turn, rest, steps=450):
    """Apply what the controller asks for, step by step."""
    applied = data.low.state("qfrc_applied")
    for _ in range(steps):
        applied[:, : chain.num_dof_vel] = solver.solve(chain, place, turn, rest, data)
        data.low.touch(field="qfrc_applied")
        model.step(data)


@pytest.mark.parametrize("apart", [True, False])
def test_the_end_effector_goes_where_it_is_pulled(model, apart):
    chain = IkChain(model, "l6", end_effector_offset=OFFSET)
    data = SceneData(model, 2)
    bent = np.tile([0.2, 0.9, 0.3, 1.4, -0.4, 0.9, 0.1], (2, 1))
    data.set_dof_pos(np.concatenate([bent, data.dof_pos[:, 7:]], axis=1))
    pose = chain.get_end_effector_pose(data).astype(float)
    place = pose[:, :3] + [[-0.02, 0.02, -0.02], [-0.05, 0.05, -0.05]]
    half = quat_multiply(quat_from_axis_angle([0, 0, 1.0], 0.2), pose[:, 3:])
    angle = 2 * np.arctan2(np.linalg.norm(half[:, :3], axis=1), half[:, 3])
    turn = half[:, :3] / np.linalg.norm(half[:, :3], axis=1, keepdims=True) * angle[:, None]
    _controlled(model, data, chain, OscSolver(uncouple_pos_ori=apart), place, turn, bent)
    now = chain.get_end_effector_pose(data)
    np.testing.assert_allclose(now[:, :3], place, atol=1e-2)
    np.testing.assert_allclose(quat_to_matrix(now[:, 3:]), quat_to_matrix(half), atol=3e-2)


def test_at_the_target_only_gravity_is_held(model):
    chain = IkChain(model, "l6")
    data = SceneData(model, 2)
    bent = np.tile([0.2, 0.5, 0.3, 0.9, -0.2, 0.6, 0.1], (2, 1))
    data.set_dof_pos(np.concatenate([bent, data.dof_pos[:, 7:]], axis=1))
    pose = chain.get_end_effector_pose(data).astype(float)
    axis = pose[:, 3:6] / np.linalg.norm(pose[:, 3:6], axis=1, keepdims=True)
    turn = axis * 2 * np.arctan2(np.linalg.norm(pose[:, 3:6], axis=1), pose[:, 6])[:, None]
    torque = OscSolver().solve(chain, pose[:, :3], turn, bent, data)
    np.testing.assert_allclose(torque, chain.get_bias_force(data), atol=2e-3)
    pulled = OscSolver(kp=[100, 100, 100, 0, 0, 0], control_ori=False).solve(
        chain, pose[:, :3] + [0, 0, 0.1], turn, bent, data
    )
    lift = np.einsum(
        "bij,bj->bi",
        chain.get_end_effector_jac(data)[:, 3:],
        np.linalg.solve(
            chain.get_inertia_matrix(data), (pulled - chain.get_bias_force(data))[..., None]
        )[..., 0],
    )
    np.testing.assert_allclose(lift, [[0, 0, 10.0]] * 2, atol=1e-2)
