"""Motion against closed forms."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import G, X, Y, Z, body, dof, engine, joint, one_joint, pose, run, scene

from usdsim.engine import compile_scene
from usdsim.math.rotations import (
    quat_apply,
    quat_from_axis_angle,
    quat_multiply,
    quat_to_matrix,
    quat_to_wxyz,
)


def test_free_fall_follows_the_parabola():
    thrown = body(at=pose((1.0, 2.0, 3.0)), linear_velocity=np.array([0.5, 0.0, 4.0]))
    sim = engine(scene([thrown]))
    q, v = run(sim, 0.4, "qpos", "qvel")
    t = 0.4
    # Semi-implicit steps add g h t / 2 to the parabola.
    late = 0.5 * G * 0.002 * t
    assert q[-1, :3] == pytest.approx([1.2, 2.0, 3.0 + 4 * t - 0.5 * G * t * t - late], abs=1e-9)
    assert v[-1, 2] == pytest.approx(4.0 - G * t, abs=1e-9)


@pytest.mark.parametrize("amplitude", [0.05, 0.5])
def test_pendulum_period(amplitude):
    length, inertia = 0.7, 0.01
    swing = one_joint(dof(position=amplitude), (0, 0, -G), com=np.array([0, 0, -length]), mass=2.0)
    (q,) = run(engine(swing), 4.0, "qpos")
    angle = q[:, 0]
    down = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    crossings = down + angle[down] / (angle[down] - angle[down + 1])
    period = np.diff(crossings).mean() * 0.002
    small = 2 * np.pi * np.sqrt((2.0 * length**2 + inertia) / (2.0 * G * length))
    assert period == pytest.approx(small * (1 + amplitude**2 / 16), rel=1e-3)


def test_joint_frame_off_the_body_origin():
    """The same pendulum, hung by an anchor away from the body's origin."""
    bob = body(at=pose((0.3, 0, -0.7)), joints=(0,), inertia=np.full(3, 1e-3))
    hinge = joint(dof(anchor=np.array([0, 0, 0.7]), position=0.3))
    hung = scene([bob], [hinge])
    plain = one_joint(
        dof(position=0.3), (0, 0, -G), com=np.array([0, 0, -0.7]), inertia=np.full(3, 1e-3)
    )
    (a,), (b,) = run(engine(hung), 1.0, "qpos"), run(engine(plain), 1.0, "qpos")
    assert a == pytest.approx(b, abs=1e-9)


def test_initial_position_moves_the_body_away_from_rest():
    lever = body(at=pose((0, 0, 1)), joints=(0,), com=np.array([0.5, 0, 0]))
    lever = replace(lever, initial_pose_w=pose((0, 0, 1), Y, 0.4))
    sim = engine(scene([lever], [joint(dof(position=0.4, velocity=2.0))], gravity=np.zeros(3)))
    assert sim.read("qpos")[0] == pytest.approx([0.4])
    assert sim.read("qvel")[0] == pytest.approx([2.0])
    wxyz = quat_to_wxyz(quat_from_axis_angle(Y, 0.4))
    assert sim.read("xquat")[0, 1] == pytest.approx(wxyz, abs=1e-12)
    assert sim.compiled.mj.qpos0 == pytest.approx([0.0])


def test_free_body_starts_at_its_authored_pose_and_velocity():
    spin = np.array([0.3, -0.2, 1.0])
    start = pose((0.1, 0.2, 0.3), np.array([1, 1, 0]) / np.sqrt(2), 0.7)
    sim = engine(scene([body(at=start, angular_velocity=spin)], gravity=np.zeros(3)))
    assert sim.read("qpos")[0, :3] == pytest.approx([0.1, 0.2, 0.3])
    # cvel is (angular, linear) in world.
    assert sim.read("cvel")[0, 1, :3] == pytest.approx(spin, abs=1e-12)


def test_ball_joint_starts_rotated_and_turns():
    turned = quat_from_axis_angle(Z, 0.9)
    spin = np.array([0.0, 0.4, 1.0])
    ball = body(joints=(0,), inertia=np.full(3, 0.1), angular_velocity=spin)
    ball = replace(ball, initial_pose_w=pose((0, 0, 0), Z, 0.9))
    held = joint(dof(kind="ball"), kind="spherical")
    sim = engine(scene([ball], [held], gravity=np.zeros(3)))
    assert sim.read("qpos")[0] == pytest.approx(quat_to_wxyz(turned), abs=1e-12)
    run(sim, 0.5)
    axis = spin / np.linalg.norm(spin)
    expected = quat_multiply(quat_from_axis_angle(axis, 0.5 * np.linalg.norm(spin)), turned)
    found = sim.read("qpos")[0]
    assert abs(found @ quat_to_wxyz(expected)) == pytest.approx(1.0, abs=1e-9)


def test_ball_limit_stops_at_its_cone():
    ball = body(joints=(0,), com=np.array([0, 0, 1.0]), inertia=np.full(3, 0.1))
    held = joint(dof(kind="ball", lower=0.0, upper=0.5), kind="spherical")
    sim = engine(scene([replace(ball, angular_velocity=0.1 * X)], [held]))
    run(sim, 4.0)
    angle = 2 * np.arccos(abs(sim.read("qpos")[0, 0]))
    assert angle == pytest.approx(0.5, abs=0.02)


def test_d6_axes_move_in_order():
    """A slide along x, then a turn about z, as the two axes of one joint."""
    table = body(joints=(0,))
    axes = joint(
        dof("/joint:transX", "slide", X, position=0.4),
        dof("/joint:rotZ", "hinge", Z, position=np.pi / 2),
        kind="d6",
    )
    sim = engine(scene([table], [axes]))
    assert sim.compiled.names.paths("joint") == ("/joint:transX", "/joint:rotZ")
    assert sim.read("xpos")[0, 1] == pytest.approx([0.4, 0, 0])
    tip = sim.read("xmat")[0, 1].reshape(3, 3) @ X
    assert tip == pytest.approx(Y, abs=1e-12)


def test_fixed_joint_keeps_its_body_and_adds_its_inertia():
    base = body("/base", joints=(0,), mass=1.0, inertia=np.full(3, 0.1))
    tool = body("/tool", pose((0.5, 0, 0)), parent=0, joints=(1,), mass=2.0)
    arms = scene(
        [base, tool],
        [joint(dof(), path="/hinge"), joint(path="/weld", kind="fixed", parent=0, child=1)],
    )
    model = compile_scene(arms).mj
    assert (model.nbody, model.nv) == (3, 1)
    assert model.dof_M0[0] == pytest.approx(0.1 + 0.01 + 2.0 * 0.25)


def test_kinematic_body_moves_where_it_is_put_and_pushes():
    pusher = body("/pusher", pose((0, 0, 1)), kinematic=True, mass=0.0, inertia=np.zeros(3))
    sim = engine(scene([pusher]))
    assert (sim.compiled.mj.nv, sim.compiled.mj.nmocap) == (0, 1)
    run(sim, 0.1)
    assert sim.read("xpos")[0, 1] == pytest.approx([0, 0, 1])
    sim.write("mocap_pos", [2.0, 0.0, 1.0], ids=[0])
    assert sim.read("xpos")[0, 1] == pytest.approx([2, 0, 1])


def test_kinematic_body_below_another_is_placed_in_world():
    bodies = [
        body("/a", pose((1, 0, 0)), kinematic=True),
        replace(
            body("/a/b", pose((1, 0, 0)), parent=0, kinematic=True), initial_pose_w=pose((2, 0, 0))
        ),
    ]
    sim = engine(scene(bodies))
    assert sim.read("xpos")[0, 1:] == pytest.approx(np.array([[1, 0, 0], [2, 0, 0]]))


def test_armature_adds_to_inertia():
    light = one_joint(dof(armature=0.3), inertia=np.full(3, 0.1))
    sim = engine(light)
    sim.write("qfrc_applied", [2.0])
    run(sim, 0.5)
    assert sim.read("qvel")[0, 0] == pytest.approx(2.0 / 0.4 * 0.5, rel=1e-9)


def test_viscous_joint_friction_decays_exponentially():
    sim = engine(one_joint(dof(damping=0.2, velocity=3.0), inertia=np.full(3, 0.1)))
    run(sim, 0.5)
    assert sim.read("qvel")[0, 0] == pytest.approx(3 * np.exp(-0.2 / 0.1 * 0.5), rel=3e-3)


def test_dry_joint_friction_holds_and_slips():
    stuck = one_joint(dof(friction=2.0), inertia=np.full(3, 0.1))
    sim = engine(stuck)
    sim.write("qfrc_applied", [1.9])
    run(sim, 1.0)
    assert abs(sim.read("qpos")[0, 0]) < 1e-3
    sim.write("qfrc_applied", [2.1])
    run(sim, 1.0)
    assert sim.read("qvel")[0, 0] == pytest.approx((2.1 - 2.0) / 0.1 * 1.0, rel=1e-2)


def test_limits_stop_the_axis():
    sim = engine(one_joint(dof(lower=-0.3, upper=0.5, velocity=1.0), inertia=np.full(3, 0.1)))
    (q,) = run(sim, 3.0, "qpos")
    assert q.max() == pytest.approx(0.5, abs=0.02)
    sim.write("qfrc_applied", [-1.0])
    run(sim, 2.0)
    assert sim.read("qpos")[0, 0] == pytest.approx(-0.3, abs=1e-3)


def test_one_sided_limit_leaves_the_other_side_open():
    sim = engine(one_joint(dof(kind="slide", axis=X, upper=0.1), kind="prismatic"))
    sim.write("qfrc_applied", [-5.0])
    run(sim, 1.0)
    assert sim.read("qpos")[0, 0] == pytest.approx(-2.5, rel=0.01)


def test_soft_limit_is_a_spring():
    soft = one_joint(
        dof(lower=-3.0, upper=0.0, limit_stiffness=50.0, limit_damping=2.0),
        inertia=np.full(3, 0.1),
    )
    sim = engine(soft)
    sim.write("qfrc_applied", [1.0])
    run(sim, 6.0)
    assert sim.read("qpos")[0, 0] == pytest.approx(1.0 / 50.0, rel=1e-3)


def test_locked_axis_does_not_move():
    sim = engine(one_joint(dof(lower=0.2, upper=0.2, position=0.2), inertia=np.full(3, 0.1)))
    sim.write("qfrc_applied", [5.0])
    run(sim, 1.0)
    assert sim.read("qpos")[0, 0] == pytest.approx(0.2, abs=2e-3)


def test_velocity_limit_caps_speed_and_distance():
    sim = engine(one_joint(dof(velocity_limit=1.5), inertia=np.full(3, 0.1)))
    sim.write("qfrc_applied", [10.0])
    q, v = run(sim, 1.0, "qpos", "qvel")
    assert np.abs(v).max() <= 1.5 + 1e-12
    assert q[-1, 0] - q[-251, 0] == pytest.approx(1.5 * 0.5, rel=1e-9)
    assert sim.read("cvel")[0, 1, :3] == pytest.approx([0, 1.5, 0])


def test_velocity_limit_holds_over_many_steps_in_one_call():
    fast = one_joint(dof(velocity_limit=1.5), inertia=np.full(3, 0.1))
    a, b = engine(fast), engine(fast)
    for sim in (a, b):
        sim.write("qfrc_applied", [10.0])
    a.step(50)
    run(b, 0.1)
    assert (a.read("qpos") == b.read("qpos")).all()


def test_body_without_gravity_floats():
    floats, falls = body("/a", gravity_compensation=1.0), body("/b", pose((1, 0, 0)))
    sim = engine(scene([floats, falls]))
    run(sim, 0.5)
    assert sim.read("xpos")[0, 1, 2] == pytest.approx(0.0, abs=1e-12)
    assert sim.read("xpos")[0, 2, 2] == pytest.approx(-0.5 * G * 0.25, rel=0.01)


def test_free_body_damping_decays_at_its_rate():
    slowed = body(
        mass=3.0,
        inertia=np.array([0.1, 0.1, 0.1]),
        linear_damping=0.8,
        angular_damping=0.5,
        linear_velocity=2.0 * X,
        angular_velocity=1.0 * Z,
    )
    sim = engine(scene([slowed], gravity=np.zeros(3)))
    run(sim, 1.0)
    v = sim.read("qvel")[0]
    assert v[0] == pytest.approx(2.0 * np.exp(-0.8), rel=2e-3)
    assert v[5] == pytest.approx(np.exp(-0.5), rel=2e-3)


def test_damping_at_an_origin_away_from_the_centre_of_mass_is_left_out():
    """It would turn what only moves; turning is damped wherever the origin is."""
    slowed = body(
        com=0.2 * X,
        linear_damping=0.8,
        angular_damping=0.5,
        linear_velocity=2.0 * Y,
    )
    sim = engine(scene([slowed], gravity=np.zeros(3)))
    assert [path for path, text in sim.compiled.notes if "linear damping" in text] == ["/body"]
    run(sim, 1.0)
    assert sim.read("qvel")[0] == pytest.approx([0.0, 2.0, 0.0, 0.0, 0.0, 0.0])
    assert sim.compiled.mj.dof_damping == pytest.approx([0.0] * 3 + [0.005] * 3)


def test_what_is_fixed_to_a_free_body_damps_it_about_their_common_centre():
    """Two halves beside an empty frame, turned against it: as one body of both."""
    ends = [pose(0.3 * X, Z, 0.5), pose(-0.3 * X, Y, 1.2)]
    halves = [
        body(f"/half{i}", at, parent=0, joints=(i,), linear_damping=0.8, angular_damping=0.5,
             inertia=np.array([0.01, 0.02, 0.025]))
        for i, at in enumerate(ends)
    ]  # fmt: skip
    hub = body("/hub", mass=1e-3, inertia=np.full(3, 1e-6))
    ties = [
        joint(path=f"/tie{i}", kind="fixed", parent=0, child=i + 1, parent_frame=at)
        for i, at in enumerate(ends)
    ]
    compiled = compile_scene(scene([hub, *halves], ties))
    found = np.zeros((3, 3))
    for at in ends:
        turn = quat_to_matrix(at.quat)
        found += turn @ np.diag([0.01, 0.02, 0.025]) @ turn.T
    swing = 0.8 * 2.0 * 0.3**2 * np.array([0.0, 1.0, 1.0])
    expected = [1.6] * 3 + (0.5 * found.diagonal() + swing).tolist()
    assert not compiled.notes
    assert compiled.mj.dof_damping == pytest.approx(expected, rel=1e-6)


def test_hinged_body_damping_decays_at_its_rate():
    """Equal rates of the centre's velocity and of the rotation slow the whole swing by the same."""
    inertia, com = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.1, -0.2])
    door = body(
        joints=(0,), mass=3.0, inertia=inertia, com=com, linear_damping=0.7, angular_damping=0.7
    )
    hinge = joint(dof(axis=Z, anchor=np.array([-0.1, 0, 0]), velocity=2.0))
    sim = engine(scene([door], [hinge], gravity=np.zeros(3)))
    run(sim, 1.0)
    assert sim.read("qvel")[0, 0] == pytest.approx(2.0 * np.exp(-0.7), rel=2e-3)
    only_linear = engine(
        scene([replace(door, angular_damping=0.0)], [hinge], gravity=np.zeros(3))
    ).compiled
    assert only_linear.mj.dof_damping[0] == pytest.approx(0.7 * 3.0 * (0.5**2 + 0.1**2))
    assert not only_linear.notes


def test_sliding_body_damping_decays_at_its_rate():
    """A gantry: the carriage's damping acts along both axes, as its own velocity has both."""
    rail = joint(dof("/x", "slide", X, velocity=1.0), path="/x")
    cross = joint(dof("/y", "slide", Y, velocity=1.0), path="/y", parent=0, child=1)
    bodies = [
        body("/beam", joints=(0,), mass=2.0, linear_damping=0.5),
        body("/carriage", parent=0, joints=(1,), mass=1.0, linear_damping=0.5),
    ]
    sim = engine(scene(bodies, [rail, cross], gravity=np.zeros(3)))
    assert sim.compiled.mj.dof_damping == pytest.approx([1.5, 0.5])
    run(sim, 1.0)
    assert sim.read("qvel")[0] == pytest.approx([np.exp(-0.5)] * 2, rel=2e-3)


def test_damping_that_changes_with_the_pose_is_noted():
    """Of a second link, of slides that are not at right angles; not of what cannot move."""
    first, second = joint(dof("/a"), path="/a"), joint(dof("/b"), path="/b", parent=0, child=1)
    arm = [body("/u", joints=(0,)), body("/l", parent=0, joints=(1,), linear_damping=0.5)]
    assert [path for path, _ in compile_scene(scene(arm, [first, second])).notes] == ["/l"]
    slanted = [
        joint(dof("/a", "slide", X), path="/a"),
        joint(dof("/b", "slide", (X + Y) / np.sqrt(2)), path="/b", parent=0, child=1),
    ]
    compiled = compile_scene(scene(arm, slanted))
    assert [path for path, _ in compiled.notes] == ["/l"]
    assert not compiled.mj.dof_damping.any()
    still = scene([body(fixed=True, linear_damping=0.5)])
    assert not compile_scene(still).notes


def test_rotated_inertia_axes_turn_with_the_body_frame():
    """A bar about its long axis spins up faster than across it."""
    bar = body(
        joints=(0,),
        inertia=np.array([0.3, 0.3, 0.01]),
        inertia_quat=quat_from_axis_angle(X, np.pi / 2),
    )
    model = compile_scene(scene([bar], [joint(dof(axis=Y))])).mj
    assert quat_apply(bar.inertia_quat, Z) == pytest.approx(-Y)
    assert model.dof_M0[0] == pytest.approx(0.01)


def test_velocity_limit_keeps_momentum():
    """A free body that pushes its arm beyond the limit does not take off."""
    bodies = [
        body("/a", inertia=np.full(3, 0.1)),
        body("/b", parent=0, joints=(0,), com=np.array([0.3, 0, 0])),
    ]
    arm = joint(dof(velocity_limit=1.0), parent=0, child=1)
    sim = engine(scene(bodies, [arm], gravity=np.zeros(3)))
    sim.write("qfrc_applied", [2.0], ids=[6])
    run(sim, 0.5)
    assert sim.read("qvel")[0, 6] == pytest.approx(1.0, abs=1e-9)
    model, data = sim.compiled.mj, sim.world_data(0)
    mujoco.mj_subtreeVel(model, data)
    # What the joint pushed either body with would have made 1.6 m/s of it.
    assert data.subtree_linvel[0] == pytest.approx(np.zeros(3), abs=0.01)
    assert data.subtree_angmom[0] == pytest.approx(np.zeros(3), abs=1e-9)
