"""Wrenches at joints against statics and the equation of motion."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, UsdPhysics
from sensor_stages import ANY, ENV, G, box, pendulum, turned, vectors

from usdsim.core.errors import StageError
from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.sensors import JointWrenchSensor, JointWrenchSensorCfg

MASS, LENGTH = 2.0, 0.5
JOINT = turned((-0.5, 0.1, 0.0), (1, 0, 0), 0.6)
"""Frame of a joint in the frame of the beam it carries."""


def hanging(stage):
    pendulum(stage, f"{ENV}/robot", LENGTH, MASS)


def cantilever(stage):
    """A beam of 4 kg that sticks out of a post fixed to the world."""
    post = box(stage, f"{ENV}/robot/post", (0, 0, 1.0), mass=1.0)
    beam = box(stage, f"{ENV}/robot/beam", (1.0, 0, 1.0), mass=4.0)
    fixed = UsdPhysics.FixedJoint.Define(stage, f"{ENV}/robot/fixed")
    fixed.CreateBody1Rel().SetTargets([post.GetPath()])
    fixed.CreateLocalPos0Attr(Gf.Vec3f(0, 0, 1.0))
    weld = UsdPhysics.FixedJoint.Define(stage, f"{ENV}/robot/weld")
    weld.CreateBody0Rel().SetTargets([post.GetPath()])
    weld.CreateBody1Rel().SetTargets([beam.GetPath()])
    at = turned((1.0, 0, 0)) @ JOINT
    for index, pose in enumerate((at, JOINT)):
        getattr(weld, f"CreateLocalPos{index}Attr")(Gf.Vec3f(*map(float, pose.pos)))
        x, y, z, w = map(float, pose.quat)
        getattr(weld, f"CreateLocalRot{index}Attr")(Gf.Quatf(w, x, y, z))


def sensor_at(path, **values) -> JointWrenchSensor:
    return JointWrenchSensor(JointWrenchSensorCfg(prim_path=path, **values))


def test_a_rod_at_rest_is_held_by_its_weight(make_sim):
    sim = make_sim(hanging)
    sensor = sensor_at(f"{ANY}/robot")
    sim.reset()
    assert sensor.body_names == ["post", "rod"] and sensor.num_instances == 2
    data = sensor.data
    assert vectors(data.force)[:, 1] == pytest.approx(np.array([[0, 0, MASS * G]] * 2), abs=1e-4)
    assert vectors(data.force)[:, 0] == pytest.approx(
        np.array([[0, 0, 2 * MASS * G]] * 2), abs=1e-4
    )
    assert vectors(data.torque) == pytest.approx(0.0, abs=1e-4)
    assert data.force_history.shape == (2, 1, 2)


def test_a_swinging_rod_is_held_as_its_motion_says(make_sim):
    angle, rate = 0.8, 3.0
    sim = make_sim(hanging)
    sensor = sensor_at(f"{ANY}/robot/rod")
    sim.reset()
    sim.engine.write("qpos", angle)
    sim.engine.write("qvel", rate)
    spin = -MASS * G * LENGTH * np.sin(angle) / (1e-4 + MASS * LENGTH**2)
    # Along the rod's own axes: acceleration of its centre of mass less gravity.
    expected = [
        MASS * (-LENGTH * spin - G * np.sin(angle)),
        0.0,
        MASS * (LENGTH * rate**2 + G * np.cos(angle)),
    ]
    assert vectors(sensor.data.force)[1, 0] == pytest.approx(expected, abs=1e-3)
    assert vectors(sensor.data.torque)[1, 0] == pytest.approx(0.0, abs=1e-4)


def test_wrenches_are_about_and_along_the_joint_frame(make_sim):
    sim = make_sim(cantilever)
    sensor = sensor_at(f"{ANY}/robot/beam")
    sim.reset()
    sim.step_n(3)
    up = np.array([0, 0, 4.0 * G])
    torque = np.cross(-JOINT.pos, up)
    turn = quat_conjugate(JOINT.quat)
    assert vectors(sensor.data.force)[0, 0] == pytest.approx(quat_apply(turn, up), abs=1e-3)
    assert vectors(sensor.data.torque)[0, 0] == pytest.approx(quat_apply(turn, torque), abs=1e-3)
    assert np.abs(torque).max() > 10.0


def test_history_has_the_newest_sample_first_and_resets_empty_it(make_sim):
    sim = make_sim(hanging)
    sensor = sensor_at(f"{ANY}/robot/rod", history_length=3)
    sim.reset()
    sim.engine.write("qpos", 1.0)
    taken = []
    for _ in range(4):
        sim.step_n(10)
        sensor.update(0.02)
        taken.append((vectors(sensor.data.force), vectors(sensor.data.torque)))
    for k, name in enumerate(("force_history", "torque_history")):
        expected = np.stack([pair[k] for pair in taken[:0:-1]], axis=1)
        assert np.array_equal(vectors(getattr(sensor.data, name)), expected)
    before = vectors(sensor.data.force_history), vectors(sensor.data.force)
    assert len(np.unique(before[0][0, :, 0, 2])) == 3
    sim.engine.reset([0])
    sensor.reset([0])
    now = vectors(sensor.data.force_history), vectors(sensor.data.force)
    assert not now[0][0].any()
    assert np.array_equal(now[0][1], before[0][1]) and np.array_equal(now[1][1], before[1][1])
    assert now[1][0, 0] == pytest.approx([0, 0, MASS * G], abs=1e-4)


def test_samples_are_held_for_a_period(make_sim):
    sim = make_sim(hanging, dt=0.01)
    sensor = sensor_at(f"{ANY}/robot/rod", update_period=0.02)
    sim.reset()
    sim.engine.write("qpos", 1.0)
    shown = []
    for _ in range(5):
        shown.append(float(vectors(sensor.data.force)[0, 0, 2]))
        sim.step()
        sensor.update(sim.physics_dt)
    assert shown[0] == shown[1] != shown[2] == shown[3] != shown[4]


def test_a_path_without_bodies_is_refused(make_sim):
    sim = make_sim(hanging)
    sensor_at(f"{ANY}/robot/wheel")
    with pytest.raises(StageError, match=r"JointWrenchSensor: .*matches no rigid body"):
        sim.reset()
