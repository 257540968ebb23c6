"""Inertial measurement units against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, UsdPhysics
from sensor_stages import ANY, ENV, SPACING, G, box, floor, frame, pendulum, turned, vectors

from usdsim.core.errors import InvalidValueError, ShapeError, StageError
from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.sensors import Imu, ImuCfg, OffsetCfg

TILT = turned((0, 0, 3.0), (0.6, 0.0, 0.8), 0.9)
MOUNT = OffsetCfg(pos=(0.3, -0.1, 0.2), rot=(0.0, 0.0, np.sin(0.3), np.cos(0.3)))


def resting(stage):
    floor(stage)
    box(stage, f"{ENV}/box", pose=turned((0, 0, 0.1), (0, 0, 1), 0.5))


def flying(stage):
    box(stage, f"{ENV}/box", pose=TILT)


def imu(**values) -> Imu:
    values.setdefault("prim_path", f"{ANY}/box")
    return Imu(ImuCfg(**values))


def in_mount(vector):
    """A vector along world axes, along those of a sensor mounted on the tilted box."""
    return quat_apply(quat_conjugate(MOUNT.rot), quat_apply(quat_conjugate(TILT.quat), vector))


def test_at_rest_an_accelerometer_shows_gravity(make_sim):
    sim = make_sim(resting)
    sensor, plain = imu(), imu(gravity_bias=(0, 0, 0))
    sim.reset()
    sim.step_n(300)
    data = sensor.data
    assert vectors(data.lin_acc_b) == pytest.approx(np.array([[0, 0, G]] * 2), abs=1e-3)
    assert vectors(plain.data.lin_acc_b) == pytest.approx(0.0, abs=1e-3)
    assert vectors(data.projected_gravity_b) == pytest.approx(np.array([[0, 0, -1]] * 2), abs=1e-4)
    for name in ("lin_vel_b", "ang_vel_b", "ang_acc_b"):
        assert vectors(getattr(data, name)) == pytest.approx(0.0, abs=1e-2), name
    assert vectors(data.pos_w)[1] == pytest.approx([SPACING, 0, 0.1], abs=1e-3)


@pytest.mark.parametrize("steps", [0, 1, 7])
def test_in_free_fall_it_shows_nothing(make_sim, steps):
    sim = make_sim(flying)
    sensor, plain = imu(offset=MOUNT), imu(offset=MOUNT, gravity_bias=(0, 0, 0))
    sim.reset()
    for _ in range(steps):
        sim.step()
    assert vectors(sensor.data.lin_acc_b) == pytest.approx(0.0, abs=1e-5)
    assert vectors(plain.data.lin_acc_b)[0] == pytest.approx(in_mount([0, 0, -G]), abs=1e-5)
    assert vectors(plain.data.projected_gravity_b)[0] == pytest.approx(
        in_mount([0, 0, -1.0]), abs=1e-6
    )
    assert vectors(plain.data.lin_vel_b)[0] == pytest.approx(
        in_mount([0, 0, -G * 0.002 * steps]), abs=1e-5
    )


@pytest.mark.parametrize("steps", [0, 3])
def test_on_a_spinning_body_it_shows_centripetal_acceleration(make_sim, steps):
    sim = make_sim(flying, gravity=(0, 0, 0))
    sensor = imu(offset=MOUNT, gravity_bias=(0, 0, 0))
    sim.reset()
    spin = np.array([1.0, 4.0, -2.0])
    sim.engine.write("qvel", [0.5, 0, 0, *spin])
    sim.step_n(steps)
    data = sensor.data
    # A cube's inertia is the same about all axes, so that its spin stays.
    axes = quat_conjugate(MOUNT.rot)
    arm = np.array(MOUNT.pos)
    assert vectors(data.ang_vel_b)[0] == pytest.approx(quat_apply(axes, spin), abs=1e-4)
    assert vectors(data.lin_acc_b)[0] == pytest.approx(
        quat_apply(axes, np.cross(spin, np.cross(spin, arm))), abs=1e-3
    )
    assert vectors(data.ang_acc_b)[0] == pytest.approx(0.0, abs=1e-4)
    assert not vectors(data.projected_gravity_b).any()
    if not steps:
        moved = quat_apply(quat_conjugate(TILT.quat), [0.5, 0, 0]) + np.cross(spin, arm)
        assert vectors(data.lin_vel_b)[0] == pytest.approx(quat_apply(axes, moved), abs=1e-5)


def test_on_a_pendulum_it_shows_the_equation_of_motion(make_sim):
    length, mass, angle, rate = 0.5, 2.0, 0.8, 3.0
    sim = make_sim(lambda stage: pendulum(stage, f"{ENV}/robot", length, mass))
    tip = OffsetCfg(pos=(0.0, 0.0, -0.7))
    sensor = imu(prim_path=f"{ANY}/robot/rod", offset=tip, gravity_bias=(0, 0, 0))
    shows = imu(prim_path=f"{ANY}/robot/rod", offset=tip)
    sim.reset()
    sim.engine.write("qpos", angle)
    sim.engine.write("qvel", rate)
    spin = -mass * G * length * np.sin(angle) / (1e-4 + mass * length**2)
    # The rod points down at angle 0 and towards -x at a quarter turn about y.
    expected = [-0.7 * spin, 0.0, 0.7 * rate**2]
    assert vectors(sensor.data.lin_acc_b)[1] == pytest.approx(expected, abs=1e-4)
    assert vectors(sensor.data.ang_acc_b)[1] == pytest.approx([0, spin, 0], abs=1e-4)
    assert vectors(sensor.data.ang_vel_b)[1] == pytest.approx([0, rate, 0], abs=1e-6)
    assert vectors(sensor.data.lin_vel_b)[1] == pytest.approx([-0.7 * rate, 0, 0], abs=1e-6)
    added = [-G * np.sin(angle), 0.0, G * np.cos(angle)]
    assert vectors(shows.data.lin_acc_b)[1] - np.array(expected) == pytest.approx(added, abs=1e-4)


def test_acceleration_is_the_change_of_velocity_over_the_step(make_sim):
    sim = make_sim(lambda stage: pendulum(stage, f"{ENV}/robot"), dt=0.001)
    sensor = imu(prim_path=f"{ANY}/robot/rod", offset=MOUNT, gravity_bias=(0, 0, 0))
    sim.reset()
    sim.engine.write("qpos", 1.0)
    sim.step_n(50)

    def velocity():
        data = sensor.data
        return quat_apply(vectors(data.quat_w), vectors(data.lin_vel_b))

    before = velocity()
    sim.step()
    change = (velocity() - before) / 0.001
    shown = quat_apply(vectors(sensor.data.quat_w), vectors(sensor.data.lin_acc_b))
    assert shown == pytest.approx(change, abs=2e-2) and np.abs(change).max() > 2.0


def test_the_first_reading_after_steps_is_of_what_the_last_one_did(make_sim):
    """Strong damping is integrated implicitly, so that forces alone imply something else."""
    sim = make_sim(lambda stage: pendulum(stage, f"{ENV}/robot"), dt=0.01)
    sensor = imu(prim_path=f"{ANY}/robot/rod")
    sim.reset()
    sim.engine.set_param("dof_damping", 20.0)
    sim.engine.write("qvel", 5.0)
    sim.step()
    before = sim.engine.read("qvel")[0, 0]
    sim.step()
    change = (sim.engine.read("qvel")[0, 0] - before) / 0.01
    assert abs(sim.engine.read("qacc")[0, 0] - change) > 1.0
    assert vectors(sensor.data.ang_acc_b)[0, 1] == pytest.approx(change, abs=1e-3)


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_a_prim_on_a_body_is_where_the_stage_says(make_sim, unit):
    mount = turned((0.3, 0.0, 0.1), (0, 1, 0), 0.4)

    def build(stage):
        body = box(stage, f"{ENV}/box", half=0.1 / unit, pose=turned(TILT.pos / unit))
        UsdPhysics.MassAPI(body).CreateDiagonalInertiaAttr(Gf.Vec3f(1.0 / unit**2))
        frame(stage, f"{ENV}/box/imu", turned(mount.pos / unit, (0, 1, 0), 0.4))

    sim = make_sim(build, envs=1, meters_per_unit=unit)
    sensor = imu(prim_path=f"{ANY}/box/imu", offset=OffsetCfg(pos=(0.0, 0.0, 0.05)))
    sim.reset()
    at = turned(TILT.pos) @ mount
    assert vectors(sensor.data.pos_w)[0] == pytest.approx(at.apply([0, 0, 0.05]), abs=1e-5)
    assert vectors(sensor.data.quat_w)[0] == pytest.approx(at.quat, abs=1e-6)


def test_samples_are_held_for_a_period_that_resets_start_anew(make_sim):
    sim = make_sim(flying, dt=0.01)
    sensor = imu(update_period=0.03)
    sim.reset()
    shown = []
    for step in range(10):
        if step == 5:
            sensor.reset([1])
        shown.append(vectors(sensor.data.pos_w)[:, 2])
        sim.step()
        sensor.update(sim.physics_dt)
    first, second = np.array(shown).T
    assert first[0] == first[1] == first[2] != first[3] == first[4] == first[5] != first[6]
    assert second[4] != second[5] == second[6] == second[7] != second[8] == second[9]
    assert first[6] == first[7] == first[8] != first[9]


def test_a_period_that_steps_do_not_divide_is_kept_on_average(make_sim):
    sim = make_sim(flying, dt=0.01)
    sensor = imu(update_period=0.025)
    sim.reset()
    seen = []
    for _ in range(50):
        sim.step()
        sensor.update(sim.physics_dt)
        seen.append(float(vectors(sensor.data.pos_w)[0, 2]))
    # What the first read shows is the sample that is due from the start on.
    assert len(set(seen)) == 1 + 20


def test_update_can_be_asked_to_compute_at_once(make_sim):
    sim = make_sim(flying)
    sensor = imu()
    sim.reset()
    at = sensor.data.pos_w
    sim.step_n(5)
    before = vectors(at)
    sensor.update(sim.physics_dt)
    assert np.array_equal(vectors(at), before)
    sensor.update(sim.physics_dt, force_recompute=True)
    assert not np.array_equal(vectors(at), before)
    assert at is sensor.data.pos_w


def test_a_partial_reset_leaves_other_worlds_as_they_are(make_sim):
    sim = make_sim(flying, envs=3)
    sensor = imu(offset=MOUNT)
    sim.reset()
    sim.engine.write("qvel", [0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
    sim.step_n(5)
    _ = sensor.data
    sim.step()
    names = ("pos_w", "quat_w", "lin_vel_b", "ang_vel_b", "lin_acc_b", "ang_acc_b")
    before = {name: vectors(getattr(sensor.data, name)) for name in names}
    sim.engine.reset([1])
    sensor.reset(env_mask=np.array([False, True, False]))
    for name in names:
        now = vectors(getattr(sensor.data, name))
        assert np.array_equal(now[[0, 2]], before[name][[0, 2]]), name
    assert vectors(sensor.data.ang_vel_b)[1] == pytest.approx(0.0, abs=1e-12)


def test_gravity_follows_its_world(make_sim):
    sim = make_sim(flying, gravity=(0, 0, -3.0))
    sensor = imu(gravity_bias=(0, 0, 0))
    sim.reset()
    down = quat_apply(quat_conjugate(TILT.quat), [0, 0, -1.0])
    assert vectors(sensor.data.projected_gravity_b)[0] == pytest.approx(down, abs=1e-6)
    sim.engine.set_param("opt.gravity", [2.0, 0, 0], env_ids=[1])
    now = vectors(sensor.data.projected_gravity_b)
    assert now[0] == pytest.approx(down, abs=1e-6)
    assert now[1] == pytest.approx(quat_apply(quat_conjugate(TILT.quat), [1.0, 0, 0]), abs=1e-6)


def test_frames_are_drawn_when_asked_for(make_sim):
    sim = make_sim(flying)
    sensor = imu(debug_vis=True)
    assert sensor.has_debug_vis_implementation
    count = sum(prim.GetName() == "frame_guide" for prim in sim.stage.Traverse())
    assert count == 2
    assert sensor.set_debug_vis(False)
    assert not any(prim.GetName() == "frame_guide" for prim in sim.stage.Traverse())


def test_a_sensor_needs_a_simulation():
    with pytest.raises(StageError, match="no simulation"):
        imu()


def test_configurations_that_make_no_sense_are_refused(make_sim):
    sim = make_sim(flying)
    with pytest.raises(InvalidValueError, match=r"offset\.rot"):
        imu(offset=OffsetCfg(rot=(0, 0, 0, 0)))
    with pytest.raises(ShapeError, match="gravity_bias"):
        imu(gravity_bias=(0, 1))
    with pytest.raises(InvalidValueError, match="gravity_bias"):
        imu(gravity_bias=(0, 0, np.inf))
    imu(prim_path=f"{ANY}/(box")
    with pytest.raises(InvalidValueError, match="regular expression"):
        sim.reset()


def test_on_the_root_of_an_articulation_it_is_on_the_root_body(make_sim):
    def build(stage):
        pendulum(stage, f"{ENV}/arm")
        UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(f"{ENV}/arm"))

    sim = make_sim(build)
    sensor = imu(prim_path=f"{ANY}/arm")
    sim.reset()
    assert sensor.num_instances == 2  # one in each environment
    assert vectors(sensor.data.lin_acc_b) == pytest.approx(np.array([[0, 0, G]] * 2), abs=1e-2)


def test_a_prim_that_holds_several_bodies_is_refused(make_sim):
    def build(stage):
        for k, name in enumerate(("left", "right")):
            box(stage, f"{ENV}/pair/{name}", (k, 0, 1.0))

    sim = make_sim(build)
    imu(prim_path=f"{ANY}/pair")
    with pytest.raises(StageError, match=r"pair is no rigid body but holds 2.*: left, right"):
        sim.reset()
