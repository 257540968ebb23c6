"""The CPU engine: worlds, reads, writes, parameters, failures."""

from __future__ import annotations

import _thread
import os
import signal
import threading
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import (
    G,
    X,
    Y,
    Z,
    body,
    dof,
    engine,
    geom,
    ground,
    joint,
    one_joint,
    pose,
    run,
    scene,
)

from usdsim.core.errors import (
    InvalidValueError,
    SimulationError,
)
from usdsim.engine import CpuEngine, Engine, compile_scene
from usdsim.engine.fields import Stale, makes_stale, needs
from usdsim.parser.description import DriveDescription, GenericDescription

FALLING = scene([body(at=pose((0, 0, 1)))], (), [ground(), geom()])


def tumbling():
    """Boxes that collide, and a driven arm: enough to be sensitive to every rounding."""
    boxes = [
        body(f"/b{i}", pose((0.02 * i, 0.01 * i, 0.3 + 0.25 * i), X, 0.4 * i)) for i in range(3)
    ]
    arm = body("/arm", pose((0, 1, 0.4)), joints=(0,), com=np.array([0.3, 0, 0]))
    shapes = [geom(f"/b{i}/box", i, "box", (0.1, 0.08, 0.12)) for i in range(3)]
    drive = DriveDescription(stiffness=20.0, damping=1.0, target_position=0.5)
    elbow = joint(dof("/elbow", drive=drive), path="/elbow", child=3)
    return compile_scene(scene([*boxes, arm], [elbow], [ground(), *shapes]))


TUMBLING = tumbling()


def perturbed(worlds: int, threads: int) -> CpuEngine:
    sim = CpuEngine(TUMBLING, worlds, threads)
    height = sim.read("qpos")[:, 2] + 0.01 * np.arange(worlds)
    sim.write("qpos", height[:, None], ids=[2])
    return sim


def test_engine_follows_the_protocol():
    def accept(sim: Engine) -> int:
        return sim.num_envs

    assert accept(CpuEngine(TUMBLING, 2)) == 2


def test_any_number_of_threads_and_worlds_gives_the_same_bits():
    runs = {}
    for worlds, threads in ((1, 1), (5, 1), (5, 2), (64, 3)):
        sim = perturbed(worlds, threads)
        for _ in range(200):
            sim.step()
        runs[worlds, threads] = np.hstack([sim.read("qpos"), sim.read("qvel")])
    assert (runs[5, 1] == runs[5, 2]).all()
    assert (runs[5, 1] == runs[64, 3][:5]).all()
    assert (runs[1, 1] == runs[5, 1][:1]).all()


def test_steps_match_the_bare_engine_bit_by_bit():
    data = mujoco.MjData(TUMBLING.mj)
    data.qpos[:], data.ctrl[:] = TUMBLING.initial.qpos, TUMBLING.initial.ctrl
    sim = CpuEngine(TUMBLING)
    for _ in range(200):
        mujoco.mj_step(TUMBLING.mj, data)
    sim.step(200)
    assert (sim.read("qpos")[0] == data.qpos).all()
    assert sim.time[0] == pytest.approx(0.4)


def test_reading_never_changes_the_future():
    watched, blind = perturbed(2, 1), perturbed(2, 1)
    for step in range(100):
        for field in ("xpos", "qacc", "sensordata", "cfrc_ext"):
            watched.read(field)
        for sim in (watched, blind):
            sim.write("ctrl", [0.01 * step, 0.0, 0.0])
        watched.read("actuator_force")
        watched.read("xquat")
        watched.step()
        blind.step()
    assert (watched.read("qpos") == blind.read("qpos")).all()


def test_poses_describe_the_new_state_after_every_kind_of_change():
    sim = CpuEngine(compile_scene(FALLING), 2)
    place = lambda: sim.read("xpos")[:, 1, 2].copy()  # noqa: E731
    state = lambda: sim.read("qpos")[:, 2].copy()  # noqa: E731
    assert place() == pytest.approx([1, 1])
    sim.step()
    assert (place() == state()).all()
    sim.write("qpos", [5.0], env_ids=[1], ids=[2])
    assert (place() == state()).all()
    assert place()[1] == 5.0
    sim.state("qpos")[0, 2] = 7.0
    sim.touch()
    assert place() == pytest.approx([7, 5])
    sim.state("qpos")[1, 2] = 8.0
    sim.touch([1])
    assert place() == pytest.approx([7, 8])
    sim.reset([0])
    assert place() == pytest.approx([1, 8])
    sim.step(env_ids=[1])
    assert (place() == state()).all()
    sim.reset()
    assert place() == pytest.approx([1, 1])
    sim.set_param("body_pos", [0.0, 0.0, 0.0], ids=[1])
    assert (place() == state()).all()


def test_forces_after_a_step_are_those_of_the_step():
    hang = engine(one_joint(dof(drive=DriveDescription(stiffness=10.0)), inertia=np.full(3, 0.1)))
    hang.write("ctrl", [0.5, 0.0, 0.0])
    hang.step()
    assert hang.read("actuator_force")[0, 0] == pytest.approx(5.0)
    hang.write("qpos", [0.1])
    assert hang.read("actuator_force")[0, 0] == pytest.approx(4.0)
    hang.write("ctrl", [0.2, 0.0, 0.0])
    assert hang.read("actuator_force")[0, 0] == pytest.approx(1.0)
    assert hang.read("qacc")[0, 0] == pytest.approx(10.0)
    hang.state("ctrl")[0, 0] = 0.3
    hang.touch(field="ctrl")
    assert hang.read("actuator_force")[0, 0] == pytest.approx(2.0)


def test_fields_opened_after_a_step_are_filled():
    sim = CpuEngine(TUMBLING, 2)
    sim.step(3)
    data = sim.world_data(1)
    assert (sim.read("xquat")[1] == data.xquat).all()
    assert (sim.read("qacc")[1] == data.qacc).all()
    assert np.abs(data.qacc).max() > 1.0


def test_force_sensors_are_fresh_after_a_write():
    sensor = GenericDescription(
        path="/s",
        kind="sensor",
        overrides={
            "type": int(mujoco.mjtSensor.mjSENS_JOINTACTFRC),
            "objtype": int(mujoco.mjtObj.mjOBJ_JOINT),
            "objname": "/joint",
        },
    )
    driven = one_joint(dof(drive=DriveDescription(stiffness=10.0)))
    sim = engine(replace(driven, elements=(sensor,)))
    sim.write("ctrl", [0.5, 0.0, 0.0])
    assert sim.read("sensordata")[0] == pytest.approx([5.0])


def test_staleness_of_fields():
    assert needs("sensordata", False) == needs("xpos", True) == Stale.KINEMATICS
    assert needs("sensordata", True) == Stale.MOTION
    assert needs("qacc", False) == Stale.FORCES
    assert needs("qpos", True) == Stale.NOTHING
    assert makes_stale("xpos") is None
    assert (makes_stale("ctrl"), makes_stale("qpos")) == (Stale.FORCES, Stale.MOTION)


def test_arrays_handed_out_cannot_lose_a_write():
    sim = CpuEngine(TUMBLING, 2)
    for field in ("qpos", "xpos", "time"):
        with pytest.raises(ValueError, match="read-only"):
            sim.read(field)[:] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        sim.param("body_mass")[:] = 0.0
    with pytest.raises(InvalidValueError, match=r"'xpos'.*qpos"):
        sim.state("xpos")
    with pytest.raises(InvalidValueError, match="'xpos'"):
        sim.write("xpos", 0.0)


def test_write_selects_worlds_and_elements():
    sim = CpuEngine(TUMBLING, 4)
    sim.write("ctrl", 0.0)
    sim.write("ctrl", [1.0, 2.0], env_ids=[2, 0], ids=[2, 1])
    sim.write("ctrl", [[5.0], [6.0]], env_ids=np.array([False, True, False, True]), ids=[0])
    expected = [[0, 2, 1], [5, 0, 0], [0, 2, 1], [6, 0, 0]]
    assert sim.read("ctrl") == pytest.approx(np.array(expected))
    sim.write("xfrc_applied", np.arange(6), env_ids=[3], ids=[1])
    assert sim.read("xfrc_applied")[3, 1] == pytest.approx(np.arange(6))
    assert not sim.read("xfrc_applied")[:3].any()


def test_step_and_reset_of_some_worlds():
    sim = CpuEngine(TUMBLING, 4)
    sim.step(3, env_ids=[3, 1])
    assert sim.time == pytest.approx([0, 0.006, 0, 0.006])
    sim.reset(np.array([False, True, False, False]))
    assert sim.time == pytest.approx([0, 0, 0, 0.006])
    assert (sim.read("qpos")[1] == TUMBLING.initial.qpos).all()
    assert sim.read("ctrl")[1] == pytest.approx([0.5, 0, 0])


def test_no_steps_and_steps_of_no_world_change_nothing():
    engine = perturbed(2, 1)
    before = engine.read("qpos").copy()
    engine.step(0)
    engine.step(3, env_ids=[])
    np.testing.assert_array_equal(engine.read("qpos"), before)
    np.testing.assert_array_equal(engine.read("time"), 0.0)


def test_reset_to_a_keyframe():
    key = GenericDescription(path="/home", kind="key", name="home", overrides={"qpos": [0.7]})
    sim = engine(replace(one_joint(dof(position=0.2)), elements=(key,)), num_envs=2)
    sim.reset([1], keyframe="home")
    assert sim.read("qpos")[:, 0] == pytest.approx([0.2, 0.7])
    sim.reset(keyframe=0)
    assert sim.read("qpos")[:, 0] == pytest.approx([0.7, 0.7])
    sim.reset()
    assert sim.read("qpos")[:, 0] == pytest.approx([0.2, 0.2])


def test_mass_of_one_world_changes_only_that_world():
    pushed = scene([body()], gravity=np.zeros(3))
    plain, mixed = engine(pushed, num_envs=3), engine(pushed, num_envs=3)
    mixed.set_param("body_mass", [4.0], env_ids=[1], ids=[1])
    for sim in (plain, mixed):
        sim.write("xfrc_applied", [2.0, 0, 0, 0, 0, 0], ids=[1])
        sim.step(100)
    speed = mixed.read("qvel")[:, 0]
    assert speed == pytest.approx([0.4, 0.1, 0.4])
    assert (mixed.read("qpos")[[0, 2]] == plain.read("qpos")[[0, 2]]).all()
    assert mixed.param("body_mass")[:, 1] == pytest.approx([1, 4, 1])
    # Constants derived from the mass follow.
    assert mixed.param("body_subtreemass")[:, 0] == pytest.approx([1, 4, 1])
    assert mixed.world_model(1).body_mass[1] == 4.0
    assert mixed.compiled.mj.body_mass[1] == 1.0


def test_parameters_shared_by_all_worlds_are_read_without_copies():
    sim = CpuEngine(TUMBLING, 5)
    assert sim.param("body_mass").shape == (5, TUMBLING.mj.nbody)
    assert sim.param("opt.timestep") == pytest.approx(np.full(5, 0.002))
    assert sim.param("opt.gravity")[3] == pytest.approx([0, 0, -G])


def test_gravity_of_each_world():
    sim = engine(scene([body()]), num_envs=2)
    sim.set_param("opt.gravity", [0.0, 0.0, -1.62], env_ids=[1])
    sim.step(50)
    assert sim.read("qvel")[:, 2] == pytest.approx([-0.981, -0.162])


def test_setting_a_parameter_keeps_the_state():
    sim = perturbed(3, 1)
    sim.step(20)
    before = sim.read("qpos").copy()
    sim.set_param("body_mass", 2.0, env_ids=[0], ids=[1])
    assert (sim.read("qpos") == before).all()


# -- failures --------------------------------------------------------------------------------------


def poisoned(policy: str, field="qpos", element=2, value=np.nan) -> CpuEngine:
    sim = CpuEngine(TUMBLING, 4, 2, on_failure=policy)
    sim.step(10)
    sim.write(field, value, env_ids=[2], ids=[element])
    return sim


def test_one_bad_world_raises_with_world_time_and_prims_and_leaves_the_others():
    healthy = CpuEngine(TUMBLING, 4, 2)
    healthy.step(15)
    sim = poisoned("raise")
    with pytest.raises(
        SimulationError, match=r"1 of 4 worlds.*\n.*World 2 at 0\.0200 s.*/b0"
    ) as info:
        sim.step()
    assert (info.value.worlds, info.value.prims) == ((2,), (("/b0",),))
    assert info.value.times == pytest.approx([0.02])
    assert (sim.read("qpos")[2] == TUMBLING.initial.qpos).all()
    sim.step(4)
    others = [0, 1, 3]
    assert (sim.read("qpos")[others] == healthy.read("qpos")[others]).all()
    assert sim.time[others] == pytest.approx(np.full(3, 0.03))
    assert len(sim.failures) == 1


def crowded(memory: int):
    """Boxes whose contacts need more memory than the stage grants."""
    boxes = [body(f"/b{i}", pose((1e-3 * i, 0, 0.1))) for i in range(40)]
    shapes = [geom(f"/b{i}/box", i, "box", (0.1, 0.1, 0.1)) for i in range(40)]
    return compile_scene(scene(boxes, (), [ground(), *shapes], options={"memory": memory}))


def test_what_the_engine_refuses_is_a_failure_in_its_words():
    sim = CpuEngine(crowded(60_000), 2)
    with pytest.raises(SimulationError, match=r"2 of 2 worlds.*\n.*World 0.*out of memory"):
        sim.step()
    assert [failure.world for failure in sim.failures] == [0, 1]
    with pytest.raises(SimulationError, match="out of memory"):
        sim.forward()


def test_failure_does_not_cut_short_a_call_that_enforces_velocity_limits():
    limited = one_joint(dof(velocity_limit=1.0))
    sim = engine(limited, num_envs=2)
    sim.write("qpos", np.nan, env_ids=[0])
    sim.write("qfrc_applied", 1.0)
    with pytest.raises(SimulationError, match="World 0"):
        sim.step(10)
    assert sim.time[1] == pytest.approx(0.02)
    assert sim.read("qvel")[1] == pytest.approx([1.0])


def test_failed_world_starts_over_under_reset():
    sim = poisoned("reset")
    sim.step()
    assert (sim.read("qpos")[2] == TUMBLING.initial.qpos).all()
    assert sim.time == pytest.approx([0.022, 0.022, 0, 0.022])
    sim.step(5)
    fresh = CpuEngine(TUMBLING)
    fresh.step(5)
    assert (sim.read("qpos")[2] == fresh.read("qpos")[0]).all()
    assert [failure.world for failure in sim.failures] == [2]


def test_report_goes_on_and_counts_each_failure_once():
    sim = poisoned("report")
    sim.step(3)
    sim.step(3)
    assert np.isfinite(sim.read("qpos")).all()
    (failure,) = sim.failures
    assert (failure.world, failure.prims) == (2, ("/b0",))
    assert failure.time == pytest.approx(0.02)
    assert "position is not finite" in str(failure)


@pytest.mark.parametrize(
    ("field", "element", "value", "words", "prim"),
    [
        ("qvel", 3, 1e13, "velocity", "/b0"),
        ("qpos", 21, np.inf, "position", "/elbow"),
        ("ctrl", 0, np.nan, "control", "/elbow"),
        ("qfrc_applied", 0, np.nan, "acceleration", "/b0"),
    ],
)
def test_every_way_to_fail_names_its_prim(field, element, value, words, prim):
    sim = poisoned("report", field, element, value)
    sim.step()
    failure = sim.failures[-1]
    assert words in failure.message
    assert prim in failure.prims


def test_failure_within_a_call_of_many_steps_has_its_own_time():
    """A drive too stiff for the stage's own integrator blows up after some steps."""
    drive = DriveDescription(stiffness=2e5)
    wild = replace(one_joint(dof(drive=drive)), options={"option.integrator": 0})
    once, singly = (engine(wild, num_envs=2, on_failure="report") for _ in range(2))
    for sim in (once, singly):
        sim.write("qpos", 1e-3, env_ids=[1])
    while not singly.failures:
        singly.step()
    once.step(round(singly.failures[0].time / 0.002) + 3)
    assert once.failures[0].world == singly.failures[0].world == 1
    assert singly.failures[0].time > 0.004
    assert once.failures[0].time == pytest.approx(singly.failures[0].time)


def test_nothing_is_written_beside_the_program(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    sim = poisoned("report")
    sim.step()
    assert os.listdir(tmp_path) == []
    assert capfd.readouterr() == ("", "")


def test_threads_are_those_asked_for():
    assert CpuEngine(TUMBLING, 8, 3).threads == 3
    assert CpuEngine(TUMBLING, 1, 3).threads == 1
    assert CpuEngine(TUMBLING, 64).threads >= 1


def test_spinning_body_keeps_its_momentum():
    top = body(inertia=np.array([0.02, 0.01, 0.03]), angular_velocity=3 * X + 0.1 * Y + 0.2 * Z)
    sim = engine(scene([top], gravity=np.zeros(3)))

    def momentum():
        rotation = sim.read("xmat")[0, 1].reshape(3, 3)
        return rotation @ (top.inertia * sim.read("qvel")[0, 3:])

    before = momentum()
    run(sim, 1.0)
    assert momentum() == pytest.approx(before, abs=2e-3 * np.linalg.norm(before))


@pytest.fixture
def heard():
    """SIGINT as Python has it: processes that a shell starts in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_ends_a_long_call_after_whole_steps():
    """Without it the call would take some seconds, and Python hear of it then."""
    compiled = compile_scene(one_joint(dof()))
    sim, twin = (CpuEngine(compiled, 2, threads=1) for _ in range(2))
    asked = 5_000_000
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sim.step(asked)
    timer.join()
    steps = round(float(sim.time[0]) / compiled.mj.opt.timestep)
    assert 0 < steps < asked
    twin.step(steps)
    for field in ("qpos", "qvel"):
        np.testing.assert_array_equal(sim.read(field), twin.read(field))
    sim.step(3)
    twin.step(3)
    np.testing.assert_array_equal(sim.read("qpos"), twin.read("qpos"))
