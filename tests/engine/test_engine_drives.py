"""Joint drives against closed forms."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from engine_scenes import G, X, body, dof, engine, joint, one_joint, run, scene

from usdsim.engine import compile_scene
from usdsim.parser.description import DriveDescription

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


def test_drive_on_a_ball_joint_is_noted(caplog):
    ball = joint(dof(kind="ball", drive=DriveDescription(stiffness=1.0)), kind="spherical")
    compiled = compile_scene(scene([body(joints=(0,))], [ball]))
    assert compiled.mj.nu == 0
    assert [path for path, _ in compiled.notes] == ["/joint"]
    assert "/joint" in caplog.text
