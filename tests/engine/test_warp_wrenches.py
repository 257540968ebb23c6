"""What joints transmit, computed on a device, against the engine for the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import ON_GPU, assert_repeated
from engine_scenes import G, X, Y, Z, body, compile_scene, dof, geom, ground, joint, pose, scene
from warp_scenes import engines

from usdsim.core.errors import InvalidValueError
from usdsim.parser.description import DriveDescription

pytest.importorskip("mujoco_warp")

WORLDS = 3
BOUND = 1e-3
"""Of forces and torques, relative to the largest: single precision, through a solver, of contacts
that hardly give way."""
RESULTS = ("qacc", "qfrc_constraint", "actuator_force", "sensordata", "cfrc_int", "qacc_warmstart")


def arm(**last):
    """Three driven links, the last of which pushes a box on the ground, and a branch."""
    drive = DriveDescription(stiffness=200.0, damping=20.0, max_force=80.0)
    bodies = [
        body(
            f"/b{i}",
            joints=(i,),
            parent=parent,
            mass=1.0 + i,
            com=0.2 * X + 0.1 * Z,
            rest_pose=pose((0.4 * (i > 0), 0.1 * i, 0.5 * (i == 0))),
            **(last if i == 2 else {}),
        )
        for i, parent in enumerate((-1, 0, 1, 0))
    ]
    bodies.append(body("/box", pose((0.9, 0.3, 0.11)), mass=2.0, inertia=np.full(3, 0.02)))
    joints = [
        joint(
            dof(f"/j{i}", axis=(Y, Z, X, Y)[i], drive=drive),
            path=f"/j{i}",
            parent=(-1, 0, 1, 0)[i],
            child=i,
            parent_frame=pose((0.0, 0.0, 0.5)) if i == 0 else pose((0.4, 0.1 * i, 0.0)),
        )
        for i in range(4)
    ]
    geoms = [
        ground(),
        geom("/b2/shape", 2, "sphere", (0.12, 0, 0), pose=pose((0.1, 0.0, -0.25))),
        geom("/box/shape", 4, "box", (0.1, 0.1, 0.1)),
    ]
    return compile_scene(scene(bodies, joints, geoms, gravity=-G * Z))


@pytest.fixture
def pair():
    return engines(arm(), WORLDS)


def same(pair, env_ids=None):
    wanted, found = (engine.joint_wrenches(env_ids) for engine in pair)
    assert found.dtype == np.float32 and found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, atol=BOUND * max(1.0, np.abs(wanted).max()))
    return np.array(wanted)


def test_they_are_those_of_the_current_state_and_inputs_in_every_world(pair):
    for engine in pair:
        engine.write("qpos", [[0.2], [-0.1], [0.3]], ids=[1])
        engine.write("qvel", [[1.0], [-2.0], [0.5]], ids=[0])
    first = same(pair)
    for engine in pair:
        engine.write("ctrl", 5.0, env_ids=[1])
        engine.write("xfrc_applied", [3.0, -2.0, 27.0, 0.3, 0.1, -0.2], [2], [3])
    second = same(pair)
    assert np.array_equal(first[0], second[0])
    assert all(np.abs(first - second)[world].max() > 1.0 for world in (1, 2))
    same(pair, [2, 0])
    same(pair, np.array([False, True, False]))
    for engine in pair:
        engine.step(60)
    assert pair[0].read("ncon").max() > 0
    # The same motion diverges a little; the same state does not.
    state = {field: np.array(pair[0].read(field)) for field in ("qpos", "qvel", "qacc_warmstart")}
    for field, values in state.items():
        pair[1].write(field, values)
    same(pair)


def test_masses_gravity_and_what_makes_up_for_it_count_per_world(pair):
    for engine in pair:
        engine.set_param("body_mass", 5.0, env_ids=[1], ids=[3])
        engine.set_param("opt.gravity", [0.0, 1.0, -3.0], env_ids=[2])
        engine.set_param("body_gravcomp", [[0.5], [1.0], [0.25]], ids=[2])
        engine.set_param("body_ipos", [0.3, 0.0, 0.0], env_ids=[0], ids=[2])
    same(pair)


def test_a_body_without_gravity_weighs_nothing_on_its_joint():
    pair = engines(arm(gravity_compensation=1.0), 2)
    same(pair)


@pytest.mark.parametrize("sticky", [False, True])
def test_asking_changes_nothing_of_the_simulation(pair, sticky):
    asked, alone = pair[1], engines(arm(), WORLDS)[1]
    for engine in (asked, alone):
        engine.write("qvel", [[1.0], [-2.0], [0.5]], ids=[0])
        if sticky:
            engine.set_joint_friction(static=8.0, dynamic=3.0)
    for step in range(40):
        for engine in (asked, alone):
            engine.write("ctrl", 0.1 * step)
            engine.step()
        before = {name: np.array(asked.read(name)) for name in RESULTS}
        versions = asked.versions.motion, asked.versions.forces
        asked.joint_wrenches()
        assert (asked.versions.motion, asked.versions.forces) == versions
        for name, values in before.items():
            np.testing.assert_array_equal(asked.read(name), values, err_msg=name)
    # How contacts share a load differs from run to run on a GPU, where sums have any order.
    for name in ("qpos", "qvel", *(() if ON_GPU else RESULTS)):
        assert_repeated(asked.read(name), alone.read(name), name)


def test_they_are_computed_once_per_state_and_read_only(pair, monkeypatch):
    engine = pair[1]
    launched = []
    aside = engine._program.aside
    monkeypatch.setattr(engine._program, "aside", lambda *a: (launched.append(a[0]), aside(*a)))
    first = np.array(engine.joint_wrenches())
    engine.joint_wrenches([1])
    engine.device_array("joint_wrenches")
    assert len(launched) == 1
    engine.write("ctrl", 1.0)
    second = engine.joint_wrenches()
    assert len(launched) == 2 and np.abs(second - first).max() > 0.1
    with pytest.raises(ValueError, match="read-only"):
        second[:] = 0.0
    with pytest.raises(InvalidValueError, match="env_ids"):
        engine.joint_wrenches([WORLDS])


def test_separate_memory_gives_the_same(separate_memory):
    pair = engines(arm(), WORLDS)
    for engine in pair:
        engine.write("qvel", 0.7)
    same(pair)
    same(pair, [1])
