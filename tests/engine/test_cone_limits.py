"""Cone limits of ball joints: an axis leans as far as its two angles let it, and turns freely."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import X, Y, Z, body, dof, engine, joint, run, scene
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.engine import compile_scene, create_engine
from usdsim.math.rotations import quat_apply, quat_from_euler
from usdsim.math.transforms import Pose
from usdsim.parser.description import ConeDescription

FREE = np.array([0.0, 0.0, 0.0, 1.0])


def hanging(angles, gravity, turn=FREE, in_child=False, damping=1.0, **values):
    """A rod along x of a ball joint to the world, pulled sideways."""
    frame = Pose(np.zeros(3), turn)
    cone = ConeDescription(axis=X, toward=Y, angles=angles, in_child=in_child)
    ball = dof("/ball", "ball", cone=cone, damping=damping)
    held = joint(ball, path="/ball", kind="spherical", parent_frame=frame, child_frame=frame)
    values = {"com": 0.5 * quat_apply(turn, X), "inertia": np.full(3, 0.05), **values}
    pull = quat_apply(turn, np.asarray(gravity))
    return scene([body(joints=(0,), **values)], [held], gravity=pull)


def leans(sim, turn=FREE):
    """Angles of the axis from rest [rad], of every world."""
    quats = np.atleast_2d(np.asarray(sim.read("qpos"), float))[:, [1, 2, 3, 0]]
    tips = np.array([quat_apply(quat, quat_apply(turn, X)) for quat in quats])
    return np.arccos(np.clip(tips @ quat_apply(turn, X), -1.0, 1.0))


@given(
    angles=st.tuples(st.floats(0.15, 1.4), st.floats(0.15, 1.4)),
    second=st.booleans(),
    turned=st.lists(st.floats(-2.0, 2.0), min_size=3, max_size=3),
    in_child=st.booleans(),
)
@settings(max_examples=25)
def test_an_axis_leans_by_the_angle_of_the_direction(angles, second, turned, in_child):
    turn = quat_from_euler(np.array(turned))
    sim = engine(hanging(angles, 9.81 * (Z if second else Y), turn, in_child))
    run(sim, 2.5)
    assert leans(sim, turn) == pytest.approx(angles[second], abs=0.01)


def test_between_the_directions_the_limit_is_an_ellipse():
    wide, narrow = 0.2, 0.1
    pushed = 0.1 * (Z - Y)
    sim = engine(hanging((wide, narrow), np.zeros(3), angular_velocity=pushed, damping=0.0))
    (quats,) = run(sim, 8.0, "qpos")
    tips = np.array([quat_apply(quat, X) for quat in quats[:, [1, 2, 3, 0]]])
    share = np.hypot(tips[:, 1] / np.sin(wide), tips[:, 2] / np.sin(narrow))
    assert share.max() == pytest.approx(1.0, abs=0.02)
    # It runs into the limit away from both directions, and slides along it.
    held = np.abs(tips[share > 0.98])
    assert (held[:, 1] < 0.9 * np.sin(wide)).any() and (held[:, 2] < 0.9 * np.sin(narrow)).any()


def test_an_axis_turns_freely_and_stops_at_the_cone():
    hit = hanging((0.5, 0.5), np.zeros(3), damping=0.0, angular_velocity=np.array([3.0, 1.0, 0.0]))
    sim = engine(hit)
    run(sim, 2.0)
    assert leans(sim) <= 0.51
    spin = sim.read("qvel")[0]
    assert spin[0] == pytest.approx(3.0, rel=0.02)


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_limits_hold_heavy_and_light_bodies_of_single_worlds(device):
    compiled = compile_scene(hanging((0.3, 0.6), -9.81 * Y))
    sim = create_engine(compiled, 3, device=device)
    factors = np.array([1.0, 0.01, 100.0])
    sim.set_param("body_mass", factors[:, None], ids=[1])
    sim.set_param("body_inertia", 0.05 * factors[:, None, None] * np.ones(3), ids=[1])
    sim.set_param("dof_damping", factors[:, None] * np.ones(3))
    for _ in range(1250):
        sim.step()
    assert leans(sim) == pytest.approx([0.3] * 3, abs=0.01)


@pytest.mark.parametrize("damping", [0.0, 1.0], ids=["tied", "with a link"])
def test_a_joint_that_closes_a_loop_has_its_cone(damping):
    closing = hanging((0.3, 0.6), 9.81 * Z, damping=damping)
    free = joint(dof("/free", "free"), path="/free", kind="free")
    loop = replace(closing.joints[0], in_tree=False)
    sim = engine(replace(closing, joints=(free, loop)))
    for _ in range(2000):
        sim.step()
        sim.write("qvel", 0.99 * np.asarray(sim.read("qvel")))
    lean = np.arccos(quat_apply(sim.read("qpos")[0, [4, 5, 6, 3]], X)[0])
    assert lean == pytest.approx(0.6, abs=0.01)
