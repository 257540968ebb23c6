"""Joints that break under load."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import G, X, Y, Z, body, dof, engine, geom, ground, joint, pose, run, scene

from usdsim.engine import compile_scene, create_engine
from usdsim.engine.effects.breaking.cpu import broken_joints, mend_joints
from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.parser.description import DriveDescription
from usdsim.scene import SceneData, SceneModel

MASS = 2.0
KINDS = {
    "fixed": (),
    "revolute": (dof("/j", axis=X),),
    "prismatic": (dof("/j", "slide", X),),
    "spherical": (dof("/j", "ball"),),
}


def hanging(kind="fixed", at=(0.0, 0.0, 0.0), mass=MASS, **values):
    """A body held by the world at a turned frame `at` of its own."""
    outer, inner = pose((0.1, 0.2, 2.0), Z, 0.7), pose(at, Z, 0.4)
    held = body("/body", outer @ inner.inverse(), mass=mass, com=np.zeros(3))
    values = {"parent_frame": outer, "child_frame": inner, "in_tree": False} | values
    return scene([held], [joint(*KINDS[kind], path="/j", kind=kind, **values)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("share", "breaks"), [(0.99, True), (1.01, False)])
def test_a_body_breaks_loose_above_its_weight(kind, share, breaks):
    sim = engine(hanging(kind, break_force=share * MASS * G))
    run(sim, 0.5)
    assert broken_joints(sim).tolist() == [[breaks]]
    height = sim.read("xpos")[0, sim.compiled.names.index("body", "/body"), 2]
    assert (height < 1.5) if breaks else height == pytest.approx(2.0, abs=1e-4)


@pytest.mark.parametrize("kind", ["fixed", "revolute", "prismatic"])
@pytest.mark.parametrize(("share", "breaks"), [(0.95, True), (1.05, False)])
def test_a_cantilever_breaks_by_its_lever(kind, share, breaks):
    """The moment m g l acts about a horizontal axis that a hinge about x does not give way to."""
    lever = 0.3
    frame = pose((0.0, 0.0, 2.0))
    description = scene(
        [body("/body", pose((lever, 0.0, 2.0)), mass=MASS, inertia=np.full(3, 0.02))],
        [
            joint(
                *KINDS[kind],
                path="/j",
                kind=kind,
                parent_frame=frame,
                child_frame=pose((-lever, 0.0, 0.0)),
                in_tree=False,
                break_torque=share * MASS * G * lever,
            )
        ],
    )
    sim = engine(description)
    if kind == "prismatic":  # Nothing holds it along x.
        assert sim.compiled.mj.nv == 7
    run(sim, 1.0)
    assert broken_joints(sim).tolist() == [[breaks]]


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_sensors_measure_what_the_parent_puts_on_the_child(kind):
    """In the joint's frame, turned against both bodies; by the statics of a weight."""
    outer, inner = pose((0.1, 0.2, 2.0), X, 0.7), pose((-0.3, 0.1, 0.2), Y, 1.1)
    locked = (dof("/j", axis=X, lower=0.0, upper=0.0),) if kind == "revolute" else ()
    held = body("/body", outer @ inner.inverse(), mass=MASS)
    link = joint(
        *locked,
        path="/j",
        kind=kind,
        parent_frame=outer,
        child_frame=inner,
        in_tree=False,
        break_force=1e6,
    )
    sim = engine(scene([held], [link]))
    run(sim, 2.0)
    names = sim.compiled.names
    force, torque = sim.read("sensordata")[0].reshape(2, 3)
    lever = sim.read("xipos")[0, names.index("body", "/body")] - outer.pos
    support, turn = np.array([0.0, 0.0, MASS * G]), quat_conjugate(outer.quat)
    assert names.paths("sensor") == ("/j:force", "/j:torque")
    assert force == pytest.approx(quat_apply(turn, support), abs=1e-4)
    assert torque == pytest.approx(quat_apply(turn, np.cross(lever, support)), abs=1e-4)


def test_wrenches_of_welds_are_torques():
    """A body welded outside the tree has no joint of its own, so nothing is transmitted to it."""
    sim = engine(hanging(at=(-0.3, 0.1, 0.2)))
    run(sim, 2.0)
    held = sim.compiled.names.index("body", "/body")
    assert sim.joint_wrenches()[0, held] == pytest.approx(np.zeros(6), abs=0.02)


def test_worlds_break_on_their_own_and_resets_mend():
    sim = engine(hanging(break_force=1.02 * MASS * G), num_envs=4)
    held = sim.compiled.names.index("body", "/body")
    factors = np.array([1.0, 1.01, 1.03, 1.5])
    sim.set_param("body_mass", MASS * factors[:, None], ids=[held])
    sim.step(200)
    assert broken_joints(sim)[:, 0].tolist() == [False, False, True, True]
    sim.reset([2])
    assert broken_joints(sim)[:, 0].tolist() == [False, False, False, True]
    assert sim.read("xpos")[2, held, 2] == pytest.approx(2.0)
    sim.step(200, env_ids=[2])
    assert broken_joints(sim)[:, 0].tolist() == [False, False, True, True]


def test_joints_are_mended_without_a_reset():
    sim = engine(hanging(break_force=0.5 * MASS * G), num_envs=3)
    start = np.array(sim.read("qpos"))
    sim.step(50)
    assert broken_joints(sim).all()
    sim.write("qpos", start)
    sim.write("qvel", 0.0)
    mend_joints(sim, [0, 2])
    assert broken_joints(sim)[:, 0].tolist() == [False, True, False]
    assert sim.read("time")[0] > 0.0
    mend_joints(sim)
    assert not broken_joints(sim).any()
    sim.step()
    assert broken_joints(sim).all()


def test_many_steps_break_when_single_ones_do():
    """A body hit while it hangs: `step(n)` and n times `step()` agree bit by bit."""
    description = hanging("revolute", at=(0.0, 0.0, 0.4), break_force=3.0 * MASS * G)
    sims = [engine(description) for _ in range(2)]
    for sim in sims:
        sim.write("qvel", 9.0, ids=[0])
    sims[0].step(300)
    for _ in range(300):
        sims[1].step()
    assert broken_joints(sims[0]).all()
    assert np.array_equal(*(sim.read("qpos") for sim in sims))


def test_a_pendulum_breaks_where_its_tension_says():
    """Tension of a pendulum let go horizontally is 3 m g sin(fall) at an angle `fall` below it."""
    length, limit = 0.5, 2.0
    description = scene(
        [body("/body", pose((length, 0, 0)), mass=MASS, inertia=np.full(3, 1e-4))],
        [
            joint(
                dof("/j", axis=Y),
                path="/j",
                child_frame=pose((-length, 0, 0)),
                in_tree=False,
                break_force=limit * MASS * G,
            )
        ],
        timestep=5e-4,
    )
    sim = engine(description)
    held = sim.compiled.names.index("body", "/body")
    for _ in range(2000):
        sim.step()
        if broken_joints(sim).any():
            break
    x, _, z = sim.read("xpos")[0, held]
    assert -z / np.hypot(x, z) == pytest.approx(limit / 3.0, abs=0.01)


def test_drives_act_until_the_joint_breaks():
    drive = DriveDescription(stiffness=20.0, damping=2.0, target_position=0.5)
    description = scene(
        [body("/body", inertia=np.full(3, 0.1))],
        [joint(dof("/j", axis=Y, drive=drive), path="/j", in_tree=False, break_torque=8.0)],
        gravity=np.zeros(3),
    )
    gentle = engine(description)
    gentle.write("ctrl", [[0.3, 0.0, 0.0]])
    run(gentle, 2.0)
    address = gentle.compiled.names.index("joint", "/j")
    assert gentle.read("qpos")[0, gentle.compiled.mj.jnt_qposadr[address]] == pytest.approx(
        0.3, abs=1e-3
    )
    assert not broken_joints(gentle).any()
    strong = engine(description)  # 20 N m/rad times 0.5 rad
    strong.step()
    assert broken_joints(strong).all()


def test_broken_joints_let_their_bodies_collide_with_the_rest_of_the_scene():
    description = hanging(break_force=1.0)
    falling = scene(description.bodies, description.joints, [geom("/body/shape", 0), ground()])
    sim = engine(falling)
    run(sim, 1.5)
    height = sim.read("xpos")[0, sim.compiled.names.index("body", "/body"), 2]
    assert height == pytest.approx(0.1, abs=2e-3)


def test_a_state_taken_before_a_break_mends_it():
    compiled = compile_scene(hanging(break_force=0.5 * MASS * G))
    model = SceneModel(compiled)
    data = SceneData(model, batch=(2,))
    before = data.get_state()
    assert model.breakable_joints == ("/j",)
    assert model.get_broken_joints(data).tolist() == [[False], [False]]
    model.step(data)
    assert model.get_broken_joints(data).tolist() == [[True], [True]]
    data.set_state(before)
    assert not model.get_broken_joints(data).any()


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_engine_has_for_joints_is_no_link(kind):
    description = hanging(kind, break_force=1e6)
    stool = body("/stool", pose((1.0, 0.0, 0.1)))
    shapes = [geom("/body/shape", 0), geom("/stool/shape", 1), ground()]
    model = SceneModel(
        compile_scene(scene([*description.bodies, stool], description.joints, shapes))
    )
    data = SceneData(model, batch=(3,))
    assert model.low.nbody > 3
    assert [link.path for link in model.links] == ["/body", "/stool"]
    assert [tree.path for tree in model.bodies] == ["/body", "/stool"]
    assert model.low.nsite > 0 and model.sites == []
    assert all(link.parent is None and link.children == [] for link in model.links)
    for link in model.links:
        tree = link.body
        assert tree.base_link is link and tree.links == [link] and tree.num_links == 1
        assert tree.floatingbase.link is link
    starts = np.array([found.initial_pose_w.pos for found in (description.bodies[0], stool)])
    poses = model.get_link_poses(data)
    assert poses[0, :, :3] == pytest.approx(starts, abs=1e-6)
    assert np.array_equal(model.get_link_poses(data, [1]), poses[:, 1:])
    assert np.array_equal(model.get_link_poses(data, slice(1, None)), poses[:, 1:])
    assert model.get_link_jacobians(data).shape == (3, 2, 6, model.num_dof_vel)
    for _ in range(300):
        model.step(data)
    forces = model.get_link_net_contact_forces(data)
    assert forces[0, :, 2] == pytest.approx([0.0, G], abs=0.02)


@pytest.mark.parametrize("parent", ["world", "post"])
@pytest.mark.parametrize("of", ["child", "parent"])
def test_a_joint_that_closes_a_loop_moves_the_body_and_not_what_stands_for_it(parent, of):
    """Its axis is told in the frame of that body: the joint's, turned as it lies in the body."""
    post = body("/post", fixed=True)
    held = body("/body", inertia=np.full(3, 0.1))
    frame, other = pose((0.1, 0.0, 0.0), Z, 0.4), pose((0.2, 0.0, 0.0), X, 0.9)
    ends = (0 if parent == "post" else -1, 1)
    if of == "parent":
        ends = ends[::-1]
    drive = DriveDescription(stiffness=20.0, damping=2.0)
    link = joint(
        dof("/j", axis=X, drive=drive), path="/j", parent=ends[0], child=ends[1],
        parent_frame=frame, child_frame=other, in_tree=False,
    )  # fmt: skip
    model = SceneModel(compile_scene(scene([post, held], [link], gravity=np.zeros(3))))
    found = model.get_joint("/j")
    moved = model.compiled.scene.bodies[link.child if link.child >= 0 else link.parent].path
    assert [other.path for other in model.links] == ["/post", "/body"]
    assert found.link.path == moved and model.links[found.link_index] is found.link
    place = other if link.child >= 0 else frame
    assert found.axis == pytest.approx(quat_apply(place.quat, X), abs=1e-6)
    actuator = model.get_actuator("/j")
    assert actuator.target_body == found.link.body.engine_id
    assert actuator in found.link.body.actuators


def test_broken_joints_stay_broken_in_copies_files_and_other_worlds(tmp_path):
    model = SceneModel(compile_scene(hanging(break_force=0.5 * MASS * G)))
    data = SceneData(model, batch=(3,))
    model.step(data[1])
    wanted = [[False], [True], [False]]
    data.save(tmp_path / "state.npz")
    loaded = SceneData(model, batch=(3,))
    loaded.load(tmp_path / "state.npz")
    for other in (data, data.copy(), loaded):
        assert model.get_broken_joints(other).tolist() == wanted
    data[2].set_state(data[1].get_state())
    assert model.get_broken_joints(data).ravel().tolist() == [False, True, True]
    data[1:].reset()
    assert not model.get_broken_joints(data).any()


def test_models_without_breakable_joints_have_none():
    sim = engine(hanging())
    assert broken_joints(sim).shape == (1, 0)
    assert sim.compiled.mj.nsensor == 0
    assert not sim._watching


def test_a_chain_breaks_at_its_weakest_joint():
    """Three links in a chain: each joint bears what hangs below it."""
    bodies = [body(f"/link{i}", pose((0, 0, 2 - 0.5 * i))) for i in range(3)]
    frames = [(pose((0, 0, 2)), pose())] + [(pose(), pose((0, 0, 0.5)))] * 2
    joints = [
        joint(
            path=f"/joint{i}",
            kind="fixed",
            parent=i - 1,
            child=i,
            parent_frame=outer,
            child_frame=inner,
            in_tree=False,
            break_force=limit * G,
        )
        for i, ((outer, inner), limit) in enumerate(zip(frames, (3.1, 1.9, 1.1), strict=True))
    ]
    sim = engine(scene(bodies, joints))
    assert sim.compiled.breakable.paths == ("/joint0", "/joint1", "/joint2")
    sim.step(100)
    assert broken_joints(sim).tolist() == [[False, True, False]]


@pytest.mark.parametrize("graphs", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_devices_break_joints_in_the_step_in_which_the_cpu_does(kind, graphs):
    compiled = compile_scene(hanging(kind, at=(0.0, 0.0, 0.4), break_force=3.0 * MASS * G))
    pair = [
        create_engine(compiled, 3, device="cpu"),
        create_engine(compiled, 3, device=DEVICE, graphs=graphs),
    ]
    speeds = np.array([[0.0], [4.0], [9.0]])
    for sim in pair:
        sim.write("qvel", speeds, ids=[0])
    broken = []
    for _ in range(40):
        for sim in pair:
            sim.step()
        cpu, device = (broken_joints(sim)[:, 0].tolist() for sim in pair)
        assert device == cpu
        broken.append(cpu)
    # A joint that gives way to the push transmits none of it.
    assert not broken[-1][0] and (broken[-1][2] or kind in ("prismatic",))
    assert pair[1].read("qpos") == pytest.approx(np.array(pair[0].read("qpos")), abs=2e-4)


def test_worlds_of_a_device_break_on_their_own_and_mend():
    compiled = compile_scene(hanging(break_force=0.5 * MASS * G))
    sim = create_engine(compiled, 4, device=DEVICE)
    start = np.array(sim.read("qpos"))
    for _ in range(2):
        sim.step(3, env_ids=[1, 2])
        assert broken_joints(sim)[:, 0].tolist() == [False, True, True, False]
    sim.reset([1])
    assert broken_joints(sim)[:, 0].tolist() == [False, False, True, False]
    sim.step(20)
    assert broken_joints(sim).all()
    sim.write("qpos", start)
    sim.write("qvel", 0.0)
    mend_joints(sim, [0, 3])
    assert broken_joints(sim)[:, 0].tolist() == [False, True, True, False]


def test_a_device_leaves_joints_that_hold_alone():
    sim = create_engine(compile_scene(hanging(break_force=1.05 * MASS * G)), device=DEVICE)
    sim.step(200)
    assert not broken_joints(sim).any()


def test_disabled_sensors_are_noted():
    description = replace(hanging(break_force=1.0), options={"flag.sensor": False})
    compiled = compile_scene(description)
    assert any(path == "/j" and "sensors" in text for path, text in compiled.notes)
