"""Stiff drives at their force limits: they arrive, hold and press, whatever the time step."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import assert_repeated
from engine_scenes import G, body, dof, geom, joint, light_links, pose, scene
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.engine import compile_scene, create_engine
from usdsim.parser.description import WORLD, DriveDescription

KP, KD, MOST, INERTIA = 400.0, 40.0, 25.0, 0.002


def drive(target=0.0, kp=KP, kd=KD, most=MOST) -> DriveDescription:
    return DriveDescription(stiffness=kp, damping=kd, max_force=most, target_position=target)


def driven(target, timestep, **values):
    """A light body on a hinge, whose drive is stiff."""
    axis = dof(drive=drive(target, **values))
    light = body(joints=(0,), inertia=np.full(3, INERTIA))
    return compile_scene(
        scene([light], [joint(axis)], gravity=np.zeros(3), timestep=timestep)
    )  # fmt: skip


def followed(target, timestep, steps, kp=KP, kd=KD, most=MOST):
    """Angle after each step, from steps so fine that limits cannot flip."""
    q = v = 0.0
    found, parts = [], int(np.ceil(timestep / (INERTIA / (kd + 1e-9))))
    h = timestep / parts
    for _ in range(steps):
        for _ in range(parts):
            v += h * min(max(kp * (target - q) - kd * v, -most), most) / INERTIA
            q += h * v
        found.append(q)
    return np.array(found)


def test_a_saturated_drive_arrives(device):
    """At 1/120 s it flipped between its limits for ever; PhysX is where this is within 2 %."""
    targets = np.array([0.3, 1.0, -2.0])
    sim = create_engine(driven(0.0, 1 / 120), 3, device=device)
    sim.write("ctrl", targets[:, None], None, [0])
    found = []
    for _ in range(120):
        sim.step()
        found.append(np.array(sim.read("qpos")[:, 0]))
    expected = np.stack([followed(target, 1 / 120, 120) for target in targets], axis=1)
    assert np.abs(found - expected).max(axis=0) == pytest.approx(0.0, abs=0.05)
    assert found[-1] == pytest.approx(targets, abs=1e-3)
    assert sim.param("actuator_forcerange")[:, 0] == pytest.approx(np.tile([-MOST, MOST], (3, 1)))


@settings(max_examples=8)
@given(
    target=st.floats(-3.0, 3.0),
    kp=st.floats(10.0, 2000.0),
    ratio=st.floats(0.05, 0.5),
    most=st.floats(5.0, 60.0),
    timestep=st.sampled_from([0.001, 0.002, 0.005, 1 / 60]),
)
def test_stiff_drives_of_any_gains_go_where_fine_steps_go(target, kp, ratio, most, timestep):
    kd = ratio * kp
    sim = create_engine(driven(target, timestep, kp=kp, kd=kd, most=most))
    steps = round(0.5 / timestep)
    found = []
    for _ in range(steps):
        sim.step()
        found.append(float(sim.read("qpos")[0, 0]))
    expected = followed(target, timestep, steps, kp, kd, most)
    # A step of full force takes the joint further than fine steps do in the same time.
    fastest = min(most * 0.5 / INERTIA, abs(target) / ratio)
    first = timestep**2 * min(most, kp * abs(target)) / INERTIA
    assert np.abs(found - expected).max() <= 1.5 * timestep * fastest + first


def test_many_steps_in_a_call_are_those_one_by_one(device):
    at_once, alone = (create_engine(driven(0.9, 1 / 120), 3, device=device) for _ in range(2))
    for sim in (at_once, alone):
        sim.write("ctrl", [[0.9], [0.001], [-2.0]], None, [0])
    at_once.step(40)
    for _ in range(40):
        alone.step()
        alone.read("actuator_force")
    assert_repeated(at_once.read("qpos"), alone.read("qpos"))


def arm(timestep, gravity=0.0, links=3, most=1.0):
    """Links of 0.1 m and 50 g on parallel hinges, all driven stiffly."""
    bodies, joints = light_links(drive(0.0, 200.0, 20.0, most), links)
    return compile_scene(
        scene(bodies, joints, timestep=timestep, gravity=np.array([0, 0, -gravity]))
    )


@pytest.mark.parametrize("worlds", [1, 2])
def test_a_drive_is_found_at_its_limit(worlds):
    sim = create_engine(driven(0.0, 1 / 120), worlds)
    for share in (0.999, -1.001, -0.999, 1.001):
        sim.write("ctrl", share * MOST / KP, None, [0])
        found = sim._limits.drives.saturated(sim.batch, None)
        assert found.tolist() == (list(range(worlds)) if abs(share) > 1.0 else [])


@pytest.mark.parametrize("most", [1.0, 0.05])
def test_drives_of_a_lone_world_reach_their_limits_as_among_others(most):
    """The alarm of one world is another sum than that of many, which has to tell the same."""
    compiled = arm(1 / 120, most=most)
    targets = np.array([[0.9, 0.0, -0.3], [0.01, 0.0, 0.0], [-2.0, 1.0, 0.3]])
    among = create_engine(compiled, 3)
    among.write("ctrl", targets, None, [0, 3, 6])
    lone = [create_engine(compiled) for _ in targets]
    for sim, target in zip(lone, targets, strict=True):
        sim.write("ctrl", target, None, [0, 3, 6])
    held = 0
    for _ in range(40):
        held += len(among._limits.drives.saturated(among.batch, None))
        among.step()
        for world, sim in enumerate(lone):
            sim.step()
            assert np.array_equal(sim.read("qvel")[0], among.read("qvel")[world])
    assert held > 10


@pytest.mark.parametrize("timestep", [0.002, 1 / 120])
def test_coupled_drives_arrive_together(device, timestep):
    sim = create_engine(arm(timestep), device=device)
    targets = np.array([0.5, -1.0, 0.8])
    sim.write("ctrl", targets[None], None, [0, 3, 6])
    sim.step(round(1.5 / timestep))
    assert sim.read("qpos")[0] == pytest.approx(targets, abs=2e-3)
    assert np.abs(sim.read("qvel")).max() < 0.02


@pytest.mark.parametrize("timestep", [0.002, 0.01])
def test_damped_joints_come_to_rest_where_fine_steps_do(device, timestep):
    """Dampers of joints are implicit as well, and here several times the inertia of the axis."""
    axis = dof(drive=drive(0.9, 400.0, 80.0, 12.0), damping=0.5)
    light = body(joints=(0,), inertia=np.full(3, INERTIA))
    sim = create_engine(
        compile_scene(scene([light], [joint(axis)], gravity=np.zeros(3), timestep=timestep)),
        device=device,
    )
    sim.write("ctrl", [[0.9]], None, [0])
    found, speeds = [], []
    for _ in range(round(1.0 / timestep)):
        sim.step()
        found.append(float(sim.read("qpos")[0, 0]))
        speeds.append(float(sim.read("qvel")[0, 0]))
    expected, parts = [], 200
    q = v = 0.0
    for _ in found:
        for _ in range(parts):
            push = min(max(400.0 * (0.9 - q) - 80.0 * v, -12.0), 12.0)
            v += timestep / parts * (push - 0.5 * v) / INERTIA
            q += timestep / parts * v
        expected.append(q)
    assert np.abs(np.array(found) - expected).max() < 0.05
    # Speeds are those that positions change by, without changes of sign from step to step.
    assert np.diff(found, prepend=0.0) == pytest.approx(timestep * np.array(speeds), abs=1e-6)
    assert min(speeds) > -1e-3


def test_a_drive_that_is_too_weak_holds_with_all_it_has(device):
    """Its load exceeds its limit, and the target is far: it gives way as slowly as it can."""
    sim = create_engine(arm(1 / 120, gravity=G, links=1), device=device)
    load = 0.05 * G * 0.05
    sim.set_param("actuator_forcerange", [-0.5 * load, 0.5 * load])
    sim.write("ctrl", [[-3.0]], None, [0])
    sim.step()
    inertia = 5e-5 + 0.05 * 0.05**2
    assert sim.read("actuator_force")[0, 0] == pytest.approx(-0.5 * load)
    assert sim.read("qvel")[0, 0] == pytest.approx(0.5 * load / inertia / 120, rel=2e-3)


def test_what_is_pressed_is_pressed_with_the_limit(device):
    """A finger whose target lies in a wall pushes with its limit, not with what would arrive."""
    finger = body("/f", pose((0, 0, 0)), mass=0.015, joints=(0,))
    slide = dof(kind="slide", axis=np.array([1.0, 0, 0]), drive=drive(0.05, 1e4, 200.0, 20.0))
    shapes = [
        geom("/f/s", 0, "box", (0.01, 0.01, 0.01)),
        geom("/wall", WORLD, "box", (0.1, 0.1, 0.1), pose=pose((0.12, 0, 0))),
    ]
    compiled = compile_scene(
        scene([finger], [joint(slide, kind="prismatic")], shapes, gravity=np.zeros(3),
              timestep=1 / 120)
    )  # fmt: skip
    sim = create_engine(compiled, device=device)
    sim.step(120)
    assert sim.read("actuator_force")[0, 0] == pytest.approx(20.0)
    assert sim.read("qfrc_constraint")[0, 0] == pytest.approx(-20.0, rel=1e-3)


def test_drives_that_cannot_flip_are_the_engines_own():
    """A heavy joint, and one without a limit: nothing is looked at between steps."""
    for most, inertia in ((MOST, 1.0), (np.inf, INERTIA)):
        light = body(joints=(0,), inertia=np.full(3, inertia))
        axis = dof(drive=drive(1.0, most=most))
        sim = create_engine(compile_scene(scene([light], [joint(axis)])))
        assert not sim._limits.drives.active


def test_drives_of_worlds_with_gains_of_their_own_reach_their_own_limits():
    """Worlds are looked at with their own gains: one stiff and weak, one soft, one strong."""
    gains, most = np.array([KP, 5.0, KP]), np.array([MOST, MOST, 1e4])
    sim = create_engine(driven(1.0, 1 / 120), 3)
    bias = np.array(sim.param("actuator_biasprm"))
    bias[:, 0, 1], bias[:, 0, 2] = -gains, -0.1 * gains
    sim.set_param("actuator_biasprm", bias)
    gain = np.array(sim.param("actuator_gainprm"))
    sim.set_param("actuator_forcerange", np.stack([-most, most], axis=1)[:, None])
    alone = []
    for world in range(3):
        one = create_engine(driven(1.0, 1 / 120), 1)
        for field, values in (("actuator_biasprm", bias), ("actuator_gainprm", gain)):
            one.set_param(field, values[world : world + 1])
        one.set_param("actuator_forcerange", np.array([[[-most[world], most[world]]]]))
        one.step(30)
        alone.append(float(one.read("qpos")[0, 0]))
    for _ in range(30):
        sim.step()
    assert sim.read("qpos")[:, 0] == pytest.approx(alone, abs=1e-12)
