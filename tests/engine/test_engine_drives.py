"""Joint drives against closed forms."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import G, X, Y, body, dof, engine, joint, one_joint, pose, run, scene

from usdsim.engine import compile_scene, create_engine
from usdsim.math.rotations import quat_apply, quat_multiply, quat_to_rotvec
from usdsim.parser.description import BallDriveDescription, DriveDescription
from usdsim.scene import SceneData, SceneModel

INERTIA = 0.1


def driven(axis=None, gravity=(0.0, 0.0, 0.0), **drive):
    values = dict(axis or {})
    return one_joint(
        dof(drive=DriveDescription(**drive), **values), gravity, inertia=np.full(3, INERTIA)
    )


def test_step_response_of_a_position_drive():
    sim = engine(driven(stiffness=10.0, damping=0.4, target_position=1.0))
    (q,) = run(sim, 3.0, "qpos")
    rate, ratio = np.sqrt(10.0 / INERTIA), 0.4 / (2 * np.sqrt(10.0 * INERTIA))
    damped = rate * np.sqrt(1 - ratio**2)
    t = np.arange(len(q)) * 0.002
    exact = 1 - np.exp(-ratio * rate * t) * (
        np.cos(damped * t) + ratio * rate / damped * np.sin(damped * t)
    )
    assert np.abs(q[:, 0] - exact).max() < 8e-3
    assert q.max() - 1 == pytest.approx(np.exp(-np.pi * ratio / np.sqrt(1 - ratio**2)), abs=5e-3)


def test_one_actuator_per_drive_with_position_velocity_and_feedforward():
    compiled = compile_scene(driven(stiffness=10.0, target_position=0.3, target_velocity=0.2))
    assert (compiled.mj.nactuator, compiled.mj.nu) == (1, 3)
    assert compiled.names.paths("actuator") == ("/joint",)
    assert compiled.initial.ctrl == pytest.approx([0.3, 0.2, 0.0])


def test_velocity_drive_reaches_its_target():
    sim = engine(driven(damping=5.0, target_velocity=2.0))
    run(sim, 1.0)
    assert sim.read("qvel")[0, 0] == pytest.approx(2.0, rel=1e-6)


def test_feedforward_is_a_force():
    sim = engine(driven(stiffness=0.0, damping=0.0))
    sim.write("ctrl", [0.0, 0.0, 0.7])
    run(sim, 0.5)
    assert sim.read("qvel")[0, 0] == pytest.approx(0.7 / INERTIA * 0.5, rel=1e-9)


def test_force_is_the_clipped_sum():
    sim = engine(driven(stiffness=100.0, damping=1.0, target_position=1.0, max_force=3.0))
    sim.write("ctrl", [1.0, 0.0, -0.5])
    sim.step()
    assert sim.read("actuator_force")[0] == pytest.approx([3.0])
    sim.write("qpos", [1.02])
    sim.write("qvel", [0.1])
    assert sim.read("actuator_force")[0] == pytest.approx([100 * -0.02 - 0.1 - 0.5])


def test_gravity_sag_of_a_spring():
    hung = one_joint(
        dof(
            kind="slide",
            axis=np.array([0, 0, 1.0]),
            drive=DriveDescription(stiffness=400.0, damping=40.0),
        ),
        (0, 0, -G),
        kind="prismatic",
        mass=2.0,
    )
    sim = engine(hung)
    run(sim, 2.0)
    assert sim.read("qpos")[0, 0] == pytest.approx(-2 * G / 400, rel=1e-6)


@pytest.mark.parametrize("inertia", [0.1, 5.0])
def test_acceleration_drive_answers_alike_whatever_the_inertia(inertia):
    drive = DriveDescription(stiffness=100.0, damping=12.0, target_position=1.0, acceleration=True)
    sim = engine(one_joint(dof(drive=drive), inertia=np.full(3, inertia)))
    (q,) = run(sim, 0.4, "qpos")
    reference = engine(driven(stiffness=100 * INERTIA, damping=12 * INERTIA, target_position=1.0))
    (expected,) = run(reference, 0.4, "qpos")
    assert q == pytest.approx(expected, abs=1e-9)


def two_links(**values):
    """A driven arm that carries another one."""
    drive = DriveDescription(
        stiffness=100.0, damping=12.0, target_position=1.0, acceleration=True, **values
    )
    arm = joint(dof("/a", axis=Y, drive=drive), path="/a")
    tip = joint(dof("/b", axis=Y), path="/b", parent=0, child=1, parent_frame=pose((0.5, 0, 0)))
    bodies = [
        body("/upper", joints=(0,), inertia=np.full(3, 0.1)),
        body("/lower", pose((0.5, 0, 0)), parent=0, joints=(1,), mass=0.3),
    ]
    return scene(bodies, [arm, tip], gravity=np.zeros(3))


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_acceleration_drives_follow_the_inertia_of_each_world(device):
    """Heavier loads get the gains that a model compiled with them has."""
    sim = create_engine(compile_scene(two_links()), 3, device=device)
    lower = sim.compiled.names.index("body", "/lower")
    masses = (0.3, 0.6, 3.0)
    sim.set_param("body_mass", np.array(masses)[:, None], ids=[lower])
    for world, mass in enumerate(masses):
        heavy = two_links()
        heavy = replace(heavy, bodies=(heavy.bodies[0], replace(heavy.bodies[1], mass=mass)))
        expected = compile_scene(heavy).mj.actuator_biasprm
        assert sim.param("actuator_biasprm")[world] == pytest.approx(expected)
    inertia = 0.1 + 0.01 + 0.5**2 * np.array(masses)
    sim.step()
    stiff = 100.0 * inertia * 1.0  # At rest, one radian from the target.
    assert sim.read("actuator_force")[:, 0] == pytest.approx(stiff, rel=1e-5)


def test_acceleration_drives_follow_armature_inertia_and_back():
    sim = engine(two_links(), num_envs=2)
    before = np.array(sim.param("actuator_biasprm"))
    names, felt = sim.compiled.names, 0.11 + 0.25 * 0.3
    sim.set_param("dof_armature", 0.5, env_ids=[1], ids=[0])
    sim.set_param("body_inertia", 0.3, env_ids=[1], ids=[names.index("body", "/upper")])
    ratio = sim.param("actuator_biasprm")[:, 0, 1] / before[:, 0, 1]
    assert ratio == pytest.approx([1.0, (felt + 0.5 + 0.2) / felt])
    sim.set_param("dof_armature", 0.0, env_ids=[1], ids=[0])
    sim.set_param("body_inertia", 0.1, env_ids=[1], ids=[names.index("body", "/upper")])
    assert sim.param("actuator_biasprm") == pytest.approx(before)


def test_written_gains_stay_as_they_are():
    sim = engine(two_links(), num_envs=2)
    lower = sim.compiled.names.index("body", "/lower")
    start = np.array(sim.param("actuator_biasprm")[0, 0])
    sim.set_param("actuator_biasprm", [0.0, -7.0, -3.0, *[0.0] * (len(start) - 3)], env_ids=[1])
    sim.set_param("body_mass", 3.0, ids=[lower])
    found = sim.param("actuator_biasprm")[:, 0, 1:3]
    assert found[1] == pytest.approx([-7.0, -3.0])
    assert found[0] == pytest.approx(start[1:3] * (0.11 + 0.75) / (0.11 + 0.075))


def test_gains_follow_again_once_the_models_own_are_written_back():
    """As resets do that drop what was set for single worlds."""
    model = SceneModel(compile_scene(two_links()))
    data = SceneData(model, batch=(2,))
    own = model.low.actuator_biasprm.copy()
    data.set_param("actuator_biasprm", np.array([0]), np.full((1, own.shape[1]), -5.0))
    data.reset()
    heavy = SceneData(model, batch=(2,))
    for other in (data, heavy):
        model.get_link("/lower").set_mass_override(other, [0.3, 3.0])
    found = data.param("actuator_biasprm")
    assert found == pytest.approx(heavy.param("actuator_biasprm"))
    assert found[1, 0, 1] < 1.5 * own[0, 1]
    copied = data.copy()
    assert copied.param("actuator_biasprm") == pytest.approx(found)
    model.get_link("/lower").set_mass_override(copied, 0.3)
    assert copied.param("actuator_biasprm")[:, 0, 1:3] == pytest.approx(own[[0, 0], 1:3])


def test_plain_drives_do_not_follow_masses():
    sim = engine(driven(stiffness=100.0), num_envs=2)
    sim.set_param("body_mass", 9.0)
    assert sim.param("actuator_biasprm")[:, 0, 1] == pytest.approx(-100.0)


def test_very_stiff_drive_is_stable():
    """Gains as robots for other engines have them: omega h is 20 here."""
    stiff = driven(stiffness=1e7, damping=1e4, target_position=0.5)
    sim = engine(stiff)
    run(sim, 1.0)
    assert sim.compiled.mj.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
    assert sim.read("qpos")[0, 0] == pytest.approx(0.5, abs=1e-4)


def test_moderate_drive_keeps_the_accurate_integrator():
    model = compile_scene(driven(stiffness=1e3, damping=10.0)).mj
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST


def test_drives_of_d6_axes_are_separate():
    axes = joint(
        dof(
            "/joint:transX",
            "slide",
            X,
            drive=DriveDescription(stiffness=500.0, damping=50.0, target_position=0.2),
        ),
        dof(
            "/joint:rotX",
            "hinge",
            X,
            drive=DriveDescription(stiffness=50.0, damping=5.0, target_position=-0.4),
        ),
        kind="d6",
    )
    sim = engine(scene([body(joints=(0,), inertia=np.full(3, 0.1))], [axes]))
    run(sim, 3.0)
    assert sim.read("qpos")[0] == pytest.approx([0.2, -0.4], abs=1e-6)
    assert sim.compiled.names.paths("actuator") == ("/joint:transX", "/joint:rotX")


FRAME = pose((0, 0, 0.2), X, 0.6)
"""Joint frame in the child of `ball_drive`: a body whose centre of mass is 0.2 m below it."""


def ball_drive(gravity=(0.0, 0.0, 0.0), inertia=(0.05, 0.05, 0.05), in_tree=True, **laws):
    """A ball joint at the origin with drives ``rotX`` and so on, by the stage's own axes."""
    drives = tuple(
        BallDriveDescription(
            path=f"/j:{name}",
            axis=quat_apply(FRAME.quat, np.eye(3)["XYZ".index(name[-1])]),
            drive=DriveDescription(**law),
        )
        for name, law in laws.items()
    )
    ball = dof("/j", "ball", anchor=FRAME.pos, lower=0.0, ball_drives=drives)
    held = body(
        at=FRAME.inverse(), joints=(0,) if in_tree else (), inertia=np.array(inertia, float)
    )
    link = joint(ball, path="/j", kind="spherical", child_frame=FRAME, in_tree=in_tree)
    return scene([held], [link], gravity=np.array(gravity))


def alike(**law):
    return {name: law for name in ("rotX", "rotY", "rotZ")}


def turned(sim) -> np.ndarray:
    """Rotation vector of the child in the joint's frame [rad]."""
    frame = sim.read("xquat")[0, sim.compiled.names.index("body", "/body")]
    found = quat_multiply(np.roll(frame, -1), FRAME.quat)
    return quat_to_rotvec(found)


@pytest.mark.parametrize("in_tree", [True, False])
@pytest.mark.parametrize("target", [(0.5, 0.0, 0.0), (1.0, -0.8, 0.6), (2.0, 1.0, -1.5)])
def test_like_drives_of_a_ball_reach_any_orientation(target, in_tree):
    law = {"stiffness": 20.0, "damping": 2.0}
    laws = {
        name: law | {"target_position": value}
        for name, value in zip(("rotX", "rotY", "rotZ"), target, strict=True)
    }
    sim = engine(ball_drive(inertia=(0.05, 0.08, 0.1), in_tree=in_tree, **laws))
    assert sim.compiled.names.paths("actuator") == ("/j:rot",)
    run(sim, 4.0)
    assert turned(sim) == pytest.approx(target, abs=1e-3)


def test_like_drives_of_a_ball_sag_as_their_stiffness_says():
    """Held out sideways, a body turns until kp times the sag is the moment of its weight."""
    law = {"stiffness": 10.0, "damping": 1.0}
    laws = alike(**law) | {"rotX": law | {"target_position": np.pi / 2 + 0.6}}
    sim = engine(ball_drive((0, 0, -G), **laws))
    run(sim, 5.0)
    angle = turned(sim)[0] - 0.6  # From where the centre of mass is below the joint.
    assert 10.0 * (np.pi / 2 - angle) == pytest.approx(G * 0.2 * np.sin(angle), rel=1e-3)
    assert turned(sim)[1:] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_a_ball_drive_overshoots_by_its_damping_ratio():
    inertia = 0.05 + 0.2**2
    ratio, stiffness = 0.3, 4.0
    damping = 2 * ratio * np.sqrt(stiffness * inertia)
    law = {"stiffness": stiffness, "damping": damping}
    description = ball_drive(**(alike(**law) | {"rotX": law | {"target_position": 1.0}}))
    sim = engine(replace(description, timestep=5e-4))
    angles = []
    for _ in range(2000):
        sim.step()
        angles.append(turned(sim)[0])
    expected = np.exp(-np.pi * ratio / np.sqrt(1 - ratio**2))
    assert max(angles) - 1.0 == pytest.approx(expected, abs=5e-3)


def test_drives_without_any_force_do_nothing():
    sim = engine(driven(stiffness=100.0, damping=1.0, target_position=1.0, max_force=0.0))
    run(sim, 0.5)
    assert abs(sim.read("qvel")[0, 0]) < 1e-12 and abs(sim.read("actuator_force")[0, 0]) < 1e-12


def test_max_force_limits_the_torque_of_like_ball_drives():
    law = {"stiffness": 20.0, "damping": 2.0, "max_force": 0.5, "target_position": 1.0}
    sim = engine(ball_drive(**alike(**law)))
    assert np.linalg.norm(sim.read("actuator_force")[0]) == pytest.approx(0.5)


def test_unlike_drives_of_a_ball_act_by_axis():
    laws = {
        "rotX": {"stiffness": 20.0, "damping": 2.0, "target_position": 0.3},
        "rotY": {"stiffness": 5.0, "damping": 1.0, "target_position": -0.2, "max_force": 0.4},
        "rotZ": {"damping": 1.0, "target_velocity": 0.0},
    }
    sim = engine(ball_drive(**laws))
    assert sim.compiled.names.paths("actuator") == ("/j:rotX", "/j:rotY", "/j:rotZ")
    assert sim.read("actuator_force")[0] == pytest.approx([6.0, -0.4, 0.0])
    run(sim, 5.0)
    assert turned(sim)[:2] == pytest.approx([0.3, -0.2], abs=1e-3)


@pytest.mark.parametrize("inertia", [0.02, 0.5])
def test_acceleration_drives_of_a_ball_answer_alike(inertia):
    law = {"stiffness": 100.0, "damping": 12.0, "acceleration": True}
    laws = alike(**law) | {"rotX": law | {"target_position": 0.4}}
    sim = engine(ball_drive(inertia=(inertia,) * 3, **laws))
    felt = inertia + 0.2**2
    assert sim.read("actuator_force")[0, 0] == pytest.approx(100.0 * felt * 0.4)


def test_stiff_drives_of_a_ball_are_stable():
    sim = engine(ball_drive(**alike(stiffness=1e6, damping=1e4, target_position=0.4)))
    assert sim.compiled.mj.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
    run(sim, 1.0)
    assert turned(sim) == pytest.approx([0.4] * 3, abs=1e-4)


def test_drive_of_a_ball_without_an_axis_is_noted(caplog):
    ball = joint(dof(kind="ball", drive=DriveDescription(stiffness=1.0)), kind="spherical")
    compiled = compile_scene(scene([body(joints=(0,))], [ball]))
    assert compiled.mj.nu == 0
    assert [path for path, _ in compiled.notes] == ["/joint"]
    assert "/joint" in caplog.text
