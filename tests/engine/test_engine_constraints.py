"""Loops, leashes, mimic joints."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import G, X, Y, Z, body, dof, engine, joint, pose, run, scene

from usdsim.core.errors import CompileError
from usdsim.engine import compile_scene
from usdsim.math.rotations import quat_from_axis_angle
from usdsim.parser.description import (
    WORLD,
    DriveDescription,
    GenericDescription,
    MimicDescription,
)


def two_free(loop, **second):
    bodies = [body("/a", inertia=np.full(3, 0.05)), body("/b", pose((0.4, 0, 0)), **second)]
    return scene(bodies, [loop], gravity=np.zeros(3))


def frames(at_a=(0.2, 0, 0), at_b=(-0.2, 0, 0)):
    return {"parent_frame": pose(at_a), "child_frame": pose(at_b)}


def relative(sim) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation matrix of body b in body a's frame."""
    a, b = (sim.compiled.names.index("body", path) for path in ("/a", "/b"))
    rotation = sim.read("xmat")[0].reshape(-1, 3, 3)
    offset = sim.read("xpos")[0, b] - sim.read("xpos")[0, a]
    return rotation[a].T @ offset, rotation[a].T @ rotation[b]


def push(sim, path: str, force, torque=(0, 0, 0)) -> None:
    sim.write("xfrc_applied", [*force, *torque], ids=[sim.compiled.names.index("body", path)])


def test_fixed_loop_welds():
    loop = joint(path="/loop", kind="fixed", parent=0, child=1, in_tree=False, **frames())
    sim = engine(two_free(loop))
    push(sim, "/b", (0, 3, 2), (0.5, 0.2, 0.1))
    run(sim, 1.0)
    offset, rotation = relative(sim)
    assert offset == pytest.approx([0.4, 0, 0], abs=1e-3)
    assert rotation == pytest.approx(np.eye(3), abs=3e-3)
    assert sim.compiled.names.index("equality", "/loop") == 0


def test_spherical_loop_ties_points_and_leaves_rotation():
    loop = joint(
        dof("/loop", "ball"),
        path="/loop",
        kind="spherical",
        parent=0,
        child=1,
        in_tree=False,
        **frames(),
    )
    sim = engine(two_free(loop, angular_velocity=2.0 * X))
    run(sim, 1.0)
    offset, rotation = relative(sim)
    tied = offset + rotation @ np.array([-0.2, 0, 0])
    assert tied == pytest.approx([0.2, 0, 0], abs=1e-3)
    assert np.arccos((np.trace(rotation) - 1) / 2) == pytest.approx(2.0, rel=0.01)


def test_revolute_loop_leaves_only_its_axis():
    loop = joint(
        dof("/loop", axis=Z),
        path="/loop",
        kind="revolute",
        parent=0,
        child=1,
        in_tree=False,
        **frames(),
    )
    sim = engine(two_free(loop))
    push(sim, "/b", (0, 0, 0), (0.1, 0.1, 0.1))
    run(sim, 1.0)
    offset, rotation = relative(sim)
    assert offset + rotation @ np.array([-0.2, 0, 0]) == pytest.approx([0.2, 0, 0], abs=2e-3)
    assert rotation @ Z == pytest.approx(Z, abs=5e-3)
    assert abs(np.arctan2(rotation[1, 0], rotation[0, 0])) > 0.1


def test_prismatic_loop_slides_within_its_limits():
    rail = joint(
        dof("/loop", "slide", X, lower=-0.1, upper=0.3, anchor=np.array([-0.2, 0, 0])),
        path="/loop",
        kind="prismatic",
        parent=0,
        child=1,
        in_tree=False,
        **frames(),
    )
    sim = engine(two_free(rail))
    push(sim, "/b", (2.0, 0, 0), (0.1, 0.1, 0.1))
    run(sim, 2.0)
    offset, rotation = relative(sim)
    assert offset == pytest.approx([0.7, 0, 0], abs=5e-3)
    assert rotation == pytest.approx(np.eye(3), abs=5e-3)
    assert sim.compiled.mj.body_mass.sum() == pytest.approx(2.0)
    slide = sim.compiled.names.index("joint", "/loop")
    assert sim.read("qpos")[0, sim.compiled.mj.jnt_qposadr[slide]] == pytest.approx(0.3, abs=5e-3)


def test_driven_loop_to_the_world():
    """A loop joint to the world carries its drive."""
    drive = DriveDescription(stiffness=200.0, damping=20.0, target_position=0.25)
    loop = joint(
        dof("/loop", "slide", X, drive=drive),
        path="/loop",
        kind="prismatic",
        parent=WORLD,
        child=0,
        in_tree=False,
    )
    sim = engine(scene([body("/a")], [loop], gravity=np.array([0, 0, -G])))
    run(sim, 2.0)
    assert sim.read("xpos")[0, 1] == pytest.approx([0.25, 0, 0], abs=2e-3)


def test_four_bar_linkage_closes():
    """A parallelogram: the coupler only translates."""
    bodies = [
        body("/left", joints=(0,), com=np.array([0, 0, 0.25])),
        body("/right", pose((1, 0, 0)), joints=(1,), com=np.array([0, 0, 0.25])),
        body("/top", pose((0, 0, 0.5)), parent=0, joints=(2,), com=np.array([0.5, 0, 0])),
    ]
    joints = [
        joint(dof("/j0"), path="/j0", child=0),
        joint(dof("/j1"), path="/j1", child=1),
        joint(dof("/j2"), path="/j2", parent=0, child=2),
        joint(
            dof("/loop"),
            path="/loop",
            parent=1,
            child=2,
            in_tree=False,
            parent_frame=pose((0, 0, 0.5)),
            child_frame=pose((1, 0, 0)),
        ),
    ]
    sim = engine(scene(bodies, joints, gravity=np.zeros(3)))
    left, right, top = (sim.compiled.names.index("joint", f"/j{i}") for i in range(3))
    sim.write("qvel", [1.0, 1.0, -1.0], ids=[left, right, top])
    (q,) = run(sim, 1.0, "qpos")
    assert q[:, right] == pytest.approx(q[:, left], abs=2e-3)
    # The coupler turns against the left bar so as to stay level.
    assert q[:, top] == pytest.approx(-q[:, left], abs=2e-3)
    assert q[-1, left] == pytest.approx(1.0, rel=0.01)


def hanging(lower, upper, start=0.5, **values):
    leash = joint(
        path="/leash",
        kind="distance",
        parent=WORLD,
        child=0,
        in_tree=False,
        parent_frame=pose((0, 0, 2)),
        min_distance=lower,
        max_distance=upper,
    )
    return scene([body(at=pose((0, 0, 2 - start)), **values)], [leash])


def test_distance_joint_is_slack_then_taut():
    sim = engine(hanging(0.0, 1.0))
    q, v = run(sim, 3.0, "qpos", "qvel")
    free = np.sqrt(2 * 0.5 / G)
    slack = round(0.9 * free / 0.002)
    assert v[slack, 2] == pytest.approx(-G * slack * 0.002, rel=1e-9)
    assert q[-1, 2] == pytest.approx(1.0, abs=5e-3)


def test_distance_joint_keeps_bodies_apart():
    sim = engine(hanging(0.5, np.inf))
    sim.write("xfrc_applied", [0, 0, 30.0, 0, 0, 0], ids=[1])
    run(sim, 2.0)
    assert np.linalg.norm(sim.read("xpos")[0, 1] - [0, 0, 2]) == pytest.approx(0.5, abs=5e-3)


def test_rigid_distance_is_a_pendulum():
    sim = engine(hanging(0.5, 0.5, linear_velocity=0.2 * X, inertia=np.full(3, 1e-3)))
    (points,) = run(sim, 3.0, "xpos")
    assert np.linalg.norm(points[:, 1] - [0, 0, 2], axis=1) == pytest.approx(0.5, abs=2e-3)
    across = points[:, 1, 0]
    down = np.flatnonzero((across[:-1] > 0) & (across[1:] <= 0))
    assert np.diff(down).mean() * 0.002 == pytest.approx(2 * np.pi * np.sqrt(0.5 / G), rel=0.01)


def test_distance_joint_in_the_tree_leaves_its_body_free():
    loose = hanging(0.0, 1.0)
    tied = scene([body(at=pose((0, 0, 1.5)), joints=(0,))], loose.joints)
    assert compile_scene(tied).mj.nv == 6


def test_distance_bounds_in_the_wrong_order():
    with pytest.raises(CompileError, match=r"/leash.*1.*above.*0\.5"):
        compile_scene(hanging(1.0, 0.5))


@pytest.mark.parametrize("gearing", [1.0, -2.0])
def test_mimic_follows_with_gearing_and_offset(gearing):
    bodies = [body("/a", joints=(0,), inertia=np.full(3, 0.1)), body("/b", joints=(1,))]
    joints = [
        joint(dof("/lead"), path="/lead", child=0),
        joint(
            dof("/follow", position=0.1),
            path="/follow",
            child=1,
            mimic=MimicDescription(joint="/lead", offset=0.1, gearing=gearing),
        ),
    ]
    sim = engine(scene(bodies, joints, gravity=np.zeros(3)))
    sim.write("qfrc_applied", [0.2, 0.0])
    q, v = run(sim, 1.0, "qpos", "qvel")
    assert q[:, 1] == pytest.approx(0.1 + gearing * q[:, 0], abs=2e-3)
    # Reflected through the gear, the follower's inertia adds to the leader's.
    total = 0.1 + gearing**2 * 0.01
    assert v[-1, 0] == pytest.approx(0.2 / total, rel=0.02)


def test_stage_counts_from_the_rest_pose_whatever_the_engines_reference():
    """The leader's own coordinate is 0.3 at rest; position, limits, target and mimic shift."""
    drive = DriveDescription(stiffness=50.0, damping=5.0, target_position=0.2)
    lead = dof("/lead", reference=0.3, position=0.1, lower=-0.2, upper=0.7, drive=drive)
    follow = joint(
        dof("/follow", position=0.6),
        path="/follow",
        child=1,
        mimic=MimicDescription(joint="/lead", offset=0.5, gearing=1.0),
    )
    bodies = [body("/a", joints=(0,)), body("/b", joints=(1,))]
    sim = engine(scene(bodies, [joint(lead, path="/lead", child=0), follow], gravity=np.zeros(3)))
    assert sim.read("qpos")[0] == pytest.approx([0.4, 0.6])
    assert sim.compiled.mj.jnt_range[0] == pytest.approx([-0.2, 0.7])
    run(sim, 3.0)
    assert sim.read("qpos")[0] == pytest.approx([0.5, 0.7], abs=1e-5)


def test_mimic_needs_one_axis():
    wrong = joint(
        dof("/j", "ball"), path="/j", kind="spherical", mimic=MimicDescription(joint="/j")
    )
    with pytest.raises(CompileError, match="exactly one axis"):
        compile_scene(scene([body(joints=(0,))], [wrong]))


@pytest.mark.parametrize("values", [{}, {"kind": "distance", "max_distance": 1.0}])
def test_joints_of_trees_and_leashes_do_not_break_and_say_so(values):
    brittle = joint(*(() if values else (dof(),)), break_force=10.0, **values)
    compiled = compile_scene(scene([body(joints=(0,))], [brittle]))
    assert compiled.notes[0][0] == "/joint" and "do not break" in compiled.notes[0][1]
    assert compiled.breakable.paths == ()


def test_loop_frames_may_be_rotated():
    """Frames turned on both sides: the bodies' relative pose is what the frames say."""
    turned = quat_from_axis_angle(Y, 0.5)
    loop = joint(
        path="/loop",
        kind="fixed",
        parent=0,
        child=1,
        in_tree=False,
        parent_frame=pose((0.2, 0, 0), Y, 0.5),
        child_frame=pose((-0.2, 0, 0)),
    )
    bodies = [
        body("/a", inertia=np.full(3, 0.05)),
        body("/b", pose((0.2 + 0.2 * np.cos(0.5), 0, -0.2 * np.sin(0.5)), Y, 0.5)),
    ]
    sim = engine(scene(bodies, [loop], gravity=np.zeros(3)))
    before = relative(sim)
    run(sim, 0.5)
    for start, end in zip(before, relative(sim), strict=True):
        assert end == pytest.approx(start, abs=1e-9)
    assert bodies[1].rest_pose.quat == pytest.approx(turned)


@pytest.mark.parametrize("stiffness", [200.0, None])
def test_tendon_limits_give_way_as_their_stiffness_says(stiffness):
    """A slider of 0.5 kg hangs on a tendon of gearing 2 that may be 0.1 m long."""
    values = {"type": 1, "path": ("/j",), "path:coef": np.array([2.0]), "limited": 1}
    values |= {"range[0]": -1e10, "range[1]": 0.1, "damping[0]": 5.0}
    if stiffness is not None:
        values["limit:stiffness"] = stiffness
    tendon = GenericDescription(path="/j:t", kind="tendon", overrides=values)
    description = scene(
        [body(joints=(0,), mass=0.5)],
        [joint(dof("/j", "slide", -Z), path="/j", kind="prismatic")],
        elements=(tendon,),
    )
    sim = engine(description)
    run(sim, 4.0)
    # At twice the travel the tendon pulls with half the weight.
    length = 0.1 + (0.0 if stiffness is None else 0.5 * 0.5 * G / stiffness)
    assert 2.0 * sim.read("qpos")[0, 0] == pytest.approx(length, abs=2e-4)
