"""Worlds on a Warp device go where those on the CPU go."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from device_under_test import DEVICE, assert_repeated, changed
from engine_scenes import (
    G,
    X,
    Z,
    body,
    compile_scene,
    dof,
    geom,
    ground,
    joint,
    one_joint,
    pose,
    scene,
)
from warp_scenes import compiled_workshop, engines

from usdsim.core.errors import InvalidValueError, ShapeError, UnknownNameError, UnsupportedError
from usdsim.engine import CpuEngine, create
from usdsim.parser.description import DriveDescription

warp_engine = pytest.importorskip("usdsim.engine.warp.engine")

KINEMATICS = ("qpos", "qvel", "xpos", "xquat", "xipos", "xmat", "cvel", "subtree_com", "cdof")
FORCES = ("qacc", "qfrc_constraint", "actuator_force", "sensordata")
POSITIONS = frozenset({"qpos", "xpos", "xquat", "xipos", "xmat", "subtree_com", "time"})
START = np.array([[0.0], [0.05], [0.1]])
"""How much higher the box starts in each world [m]."""


@pytest.fixture(scope="module")
def module_pair():
    return engines(compiled_workshop())


@pytest.fixture
def pair(module_pair):
    """The same worlds on the CPU and on the device, at their start."""
    for engine in module_pair:
        engine.reset()
        engine.write("qpos", 0.13 + START, ids=[2])
    return module_pair


def close(pair, *fields, atol=None):
    """Positions agree to 1e-4, what depends on velocities while a box tumbles to 1e-3."""
    cpu, device = pair
    for field in fields:
        bound = atol or (1e-4 if field in POSITIONS else 1e-3)
        wanted, found = cpu.read(field), device.read(field)
        assert found.shape == wanted.shape, field
        scale = max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(found, wanted, atol=bound * scale, rtol=0.0, err_msg=field)


def both(pair, method, *args, **kwargs):
    return [getattr(engine, method)(*args, **kwargs) for engine in pair]


def test_three_hundred_steps_with_contacts_agree(pair):
    assert pair[1].read("xpos").dtype == np.float32
    both(pair, "step", 150)
    assert pair[1].read("ncon").max() > 2
    close(pair, *KINEMATICS)
    both(pair, "step", 150)
    close(pair, *KINEMATICS, *FORCES, "time")


def test_kinematics_describe_the_state_after_a_step_and_after_a_write(pair):
    both(pair, "step")
    close(pair, *KINEMATICS, *FORCES)
    both(pair, "write", "qpos", 0.3, env_ids=[1], ids=[1])
    assert pair[1].read("xpos")[:, 1, 1] == pytest.approx([0.0, 0.3, 0.0], abs=1e-3)
    close(pair, *KINEMATICS)


def test_forces_are_those_of_the_step_until_something_is_written(pair):
    both(pair, "step", 3)
    close(pair, *FORCES)
    before = np.array(pair[1].read("qacc"))
    both(pair, "write", "ctrl", 1.0, env_ids=[0], ids=[0])
    close(pair, *FORCES)
    after = pair[1].read("qacc")
    assert not np.array_equal(after[0], before[0])
    assert np.array_equal(after[1:], before[1:])
    both(pair, "forward", [2])
    close(pair, *FORCES, *KINEMATICS)
    both(pair, "forward")
    close(pair, *FORCES)


def test_steps_of_some_worlds_leave_the_others_alone(pair):
    both(pair, "step", 2)
    kept = {f: np.array(pair[1].read(f)[1]) for f in (*KINEMATICS, *FORCES, "time")}
    both(pair, "step", 20, env_ids=[0, 2])
    close(pair, *KINEMATICS, *FORCES, "time")
    for field, values in kept.items():
        assert pair[1].read(field)[1] == pytest.approx(values, abs=1e-6), field
    both(pair, "step", 5)
    close(pair, *KINEMATICS, *FORCES)


def test_controls_of_a_drive_act_as_on_the_cpu(pair):
    ctrl = np.array([[0.2, 0.0, 0.0], [0.0, 1.0, 0.0], [0.1, -0.5, 3.0]])
    both(pair, "write", "ctrl", ctrl)
    assert pair[1].read("ctrl") == pytest.approx(ctrl)
    both(pair, "step", 60)
    close(pair, *KINEMATICS)
    # A box is about to leave the ground, which single precision shifts a little.
    close(pair, *FORCES, atol=3e-3)
    assert pair[1].read("ctrl") == pytest.approx(ctrl)


def test_applied_forces_and_kinematic_bodies_act(pair):
    both(pair, "write", "xfrc_applied", [0.0, 0.0, 15.0, 0.0, 0.0, 0.1], ids=[1])
    both(pair, "write", "qfrc_applied", 2.0, env_ids=[2], ids=[12])
    both(pair, "write", "mocap_pos", [2.5, 0.1, 0.4], env_ids=[0])
    close(pair, "xpos")
    both(pair, "step", 40)
    close(pair, *KINEMATICS)


def test_reset_restores_state_time_and_warm_start(pair):
    cpu, device = pair
    first = device.read("qpos").copy()
    both(pair, "step", 50)
    both(pair, "write", "ctrl", 2.0)
    both(pair, "write", "xfrc_applied", 5.0, ids=[1])
    both(pair, "reset", [1])
    for field in ("qpos", "qvel", "ctrl", "xfrc_applied", "qacc_warmstart", "mocap_pos", "time"):
        np.testing.assert_allclose(device.read(field)[1], cpu.read(field)[1], atol=1e-6)
        if field in ("qpos", "ctrl", "xfrc_applied", "time"):
            assert not np.allclose(device.read(field)[0], device.read(field)[1]), field
    both(pair, "write", "qpos", 0.13 + START[1], env_ids=[1], ids=[2])
    assert device.read("qpos")[1] == pytest.approx(first[1], abs=1e-6)
    close(pair, *KINEMATICS)
    both(pair, "step", 30)
    close(pair, *KINEMATICS)


def test_worlds_return_to_initial_states_of_their_own(pair):
    device = pair[1]
    for engine in pair:
        engine.initial.write("qpos", [[5.0], [6.0], [7.0]], ids=[0])
    both(pair, "reset", [0, 2])
    assert device.read("qpos")[:, 0] == pytest.approx([5.0, 0.0, 7.0])
    both(pair, "reset")
    assert device.read("xpos")[:, 1, 0] == pytest.approx([5.0, 6.0, 7.0])
    for engine in pair:
        engine.initial.write("qpos", 0.0, ids=[0])
    both(pair, "reset")
    assert device.read("qpos")[:, 0] == pytest.approx(0.0)


def test_a_recording_does_what_single_launches_do(pair):
    device = pair[1]
    device.step(20)
    recorded = {f: np.array(device.read(f)) for f in (*KINEMATICS, *FORCES, "time")}
    device.step(7, env_ids=[1])
    device.write("ctrl", 0.7)
    device.forward([0])
    recorded |= {f"then {f}": np.array(device.read(f)) for f in (*KINEMATICS, *FORCES)}
    device._program.graphs.enabled = False
    try:
        device.reset()
        device.write("qpos", 0.13 + START, ids=[2])
        device.step(20)
        for field in (*KINEMATICS, *FORCES, "time"):
            assert_repeated(device.read(field), recorded[field], field)
        device.step(7, env_ids=[1])
        device.write("ctrl", 0.7)
        device.forward([0])
        for field in (*KINEMATICS, *FORCES):
            assert_repeated(device.read(field), recorded[f"then {field}"], field)
    finally:
        device._program.graphs.enabled = True


def test_time_does_not_lose_precision(pair):
    device = pair[1]
    device.write("time", 4000.0)
    device.step(50)
    assert device.time == pytest.approx(4000.1, abs=1e-6)
    device.reset([0])
    assert device.time[0] == 0.0
    assert device.time[1] > 4000.0


def test_views_of_state_are_live_on_the_cpu(pair):
    device = pair[1]
    device.state("qpos")[2, 0] = 9.0
    device.touch([2], "qpos")
    assert device.read("xpos")[2, 1, 0] == pytest.approx(9.0)
    with pytest.raises(ValueError, match="read-only"):
        device.read("qpos")[0, 0] = 1.0
    with pytest.raises(InvalidValueError, match="qvel"):
        device.state("xpos")
    with pytest.raises(UnknownNameError, match="xpos"):
        device.read("xpoz")
    with pytest.raises(UnknownNameError, match="engine field"):
        device.state("xpoz")
    with pytest.raises(ShapeError, match="qpos"):
        device.write("qpos", [1.0, 2.0])


def test_state_of_a_remote_device_is_a_copy_until_it_is_touched(pair, monkeypatch):
    device = pair[1]
    monkeypatch.setattr(device, "_remote", True)
    view = device.state("qpos")
    view[0, 0], view[1, 0] = 3.0, 4.0
    assert device.state("qpos") is view
    device.state("qvel")[2, 6] = 0.25
    assert device.read("xpos")[0, 1, 0] == pytest.approx(0.0)
    device.touch([0, 1], "qpos")
    device.touch([2], "qvel")
    assert device.read("xpos")[:2, 1, 0] == pytest.approx([3.0, 4.0])
    assert device.read("qvel")[2, 6] == 0.25
    device.step()
    assert device.state("qpos") is not view
    device.write("qpos", 7.0, env_ids=[2], ids=[0])
    assert device.read("xpos")[:, 1, 0] == pytest.approx([3.0, 4.0, 7.0])
    device.state("qpos")[:] = 99.0
    changed(device.device_array("qpos"), (1, 0), 5.0)
    device.touch_device([1], "qpos")
    assert device.read("xpos")[:, 1, 0] == pytest.approx([3.0, 5.0, 7.0])
    with pytest.raises(ShapeError):
        device.write("qpos", np.zeros((7, 7)))
    device.touch(field="qpos")
    assert device.read("qpos")[1, 0] == 5.0
    device.reset([1])
    assert device.time[1] == 0.0


def test_steps_are_counted_as_on_the_cpu(pair):
    device = pair[1]
    now = device.versions.motion, device.versions.forces
    device.step(0)
    device.step(3, env_ids=[])
    assert (device.versions.motion, device.versions.forces) == now
    device.step()
    assert device.versions.motion > now[0]


def test_velocity_limits_hold_without_recoil():
    bodies = [
        body("/base", inertia=np.full(3, 0.2)),
        body("/cart", joints=(0,), parent=0),
        body("/wheel", joints=(1,), parent=1),
    ]
    joints = [
        joint(dof("/rail", "slide", X), path="/rail", kind="prismatic", parent=0, child=1),
        joint(dof("/axle", axis=Z), path="/axle", parent=1, child=2),
    ]
    pair = engines(compile_scene(scene(bodies, joints, gravity=np.zeros(3))))
    both(pair, "set_velocity_limits", [[1.0, np.inf], [np.inf, 2.0], [0.5, 0.25]])
    both(pair, "write", "qfrc_applied", [8.0, 1.0], ids=[6, 7])
    both(pair, "step", 100)
    device = pair[1]
    speed = np.array(device.read("qvel"))
    assert speed[0, 6] == pytest.approx(1.0, rel=1e-5)
    assert speed[1, 7] == pytest.approx(2.0, rel=1e-5)
    assert speed[2, 6:] == pytest.approx([0.5, 0.25], rel=1e-5)
    # Limits act between bodies, so the base recoils only from what the cart gained.
    assert 3.0 * speed[2, 0] + 2.0 * speed[2, 6] == pytest.approx(0.0, abs=1e-3)
    close(pair, "qpos", "qvel", "subtree_com", atol=2e-3)
    assert device.velocity_limits == pytest.approx(pair[0].velocity_limits)
    both(pair, "set_velocity_limits", np.inf)
    both(pair, "step", 20)
    assert (device.read("qvel")[:, 6] > speed[:, 6] + 0.05).all()


def test_static_friction_holds_and_dynamic_friction_brakes():
    rail = one_joint(dof(kind="slide", axis=X), kind="prismatic", mass=2.0)
    pair = engines(compile_scene(rail))
    both(pair, "set_joint_friction", 6.0, 2.0)
    both(pair, "write", "qfrc_applied", [[5.0], [7.0], [0.0]])
    both(pair, "write", "qvel", [[0.0], [0.0], [1.0]])
    both(pair, "step", 200)
    close(pair, "qvel", "qpos", "qacc", atol=1e-3)
    device = pair[1]
    assert abs(device.read("qvel")[0, 0]) < 1e-4
    assert device.read("qvel")[1, 0] == pytest.approx(0.4 * 2.5, abs=0.03)
    assert device.param("dof_frictionloss")[:, 0].tolist() == [6.0, 2.0, 2.0]
    assert device.joint_friction[0] == pytest.approx(6.0)
    both(pair, "set_joint_friction", 3.0, 3.0)
    both(pair, "step", 50)
    close(pair, "qvel", atol=1e-3)


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICIT", "IMPLICITFAST", "DISCRETE"])
def test_every_integrator_agrees(integrator):
    drive = DriveDescription(stiffness=30.0, damping=1.0, target_position=0.5)
    swing = one_joint(dof(drive=drive, damping=0.2), gravity=(0.0, 0.0, -G), com=0.3 * X)
    compiled = compile_scene(swing)
    compiled.mj.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    compiled.mj.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    pair = engines(compiled, 2)
    both(pair, "write", "ctrl", 0.3, env_ids=[1], ids=[0])
    both(pair, "step", 40)
    close(pair, "qpos", "qvel", "xpos", "energy", "qacc", atol=2e-4)
    both(pair, "forward")
    close(pair, "qacc", "actuator_force", atol=2e-4)
    both(pair, "step", 5)
    close(pair, "qpos", "qvel", atol=2e-4)


def test_sleeping_bodies_agree():
    compiled = compile_scene(scene([body("/box")], (), [ground(), geom("/box/s", 0)]))
    compiled.mj.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    pair = engines(compiled, 2)
    both(pair, "write", "qpos", [[0.3], [0.099]], ids=[2])
    both(pair, "step", 400)
    close(pair, "xpos")
    both(pair, "reset", [1])
    both(pair, "write", "qvel", 0.5, env_ids=[1], ids=[0])
    both(pair, "step", 50)
    close(pair, "xpos", "qvel")


def test_bodies_that_start_asleep_or_never_sleep_are_simulated(caplog):
    """The device's solver refuses the policies by which the CPU's is told so."""
    boxes = [
        body(f"/b{i}", pose((i, 0, 0.1)), starts_asleep=i == 0, sleep_threshold=0.0 if i else None)
        for i in range(2)
    ]
    shapes = [geom(f"/b{i}/s", i) for i in range(2)]
    pair = engines(compile_scene(scene(boxes, (), [ground(), *shapes])), 2)
    assert [record.getMessage() for record in caplog.records if "asleep" in record.msg] == [
        "/b0: starts awake on this device; only the CPU lets bodies start asleep"
    ]
    both(pair, "step", 50)
    close(pair, "xpos")


def test_acceleration_is_that_of_the_last_step(pair):
    both(pair, "acceleration")
    both(pair, "step", 5)
    cpu, device = both(pair, "acceleration")
    assert device == pytest.approx(cpu, abs=2e-2)
    both(pair, "write", "qvel", 0.0, env_ids=[1])
    cpu, device = both(pair, "acceleration")
    assert device == pytest.approx(cpu, abs=2e-2)
    assert device[1] == pytest.approx(pair[1].read("qacc")[1])


def test_joint_wrenches_and_single_worlds_agree(pair):
    both(pair, "step", 10)
    cpu, device = both(pair, "joint_wrenches")
    assert device == pytest.approx(cpu, abs=2e-3)
    assert both(pair, "joint_wrenches", [2])[1] == pytest.approx(cpu[[2]], abs=2e-3)
    data = pair[1].world_data(1)
    assert data.xpos == pytest.approx(pair[1].read("xpos")[1], abs=1e-6)
    assert data.ncon == pair[1].read("ncon")[1]
    both(pair, "set_param", "body_mass", 3.0, env_ids=[1], ids=[1])
    try:
        assert pair[1].world_model(1).body_mass[1] == 3.0
        assert pair[1].world_model(0).body_mass[1] == 1.0
        assert pair[1].batch.get_model(1).body_mass[1] == 3.0
    finally:
        both(pair, "set_param", "body_mass", 1.0, ids=[1])


def test_keyframes_and_their_errors(pair):
    with pytest.raises(InvalidValueError, match="no keyframes"):
        pair[1].reset(keyframe=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"threads": -1}, "threads"),
        ({"on_failure": "ignore"}, "on_failure"),
        ({"on_overflow": "ignore"}, "on_overflow"),
        ({"check_interval": -1}, "check_interval"),
        ({"nconmax": -1}, "nconmax"),
        ({"njmax": 2.5}, "njmax"),
        ({"device": "warp:gpu"}, "device"),
    ],
)
def test_arguments_are_checked(options, message):
    arguments = {"num_envs": 1, "device": DEVICE} | options
    with pytest.raises(InvalidValueError, match=message):
        warp_engine.WarpEngine(compiled_workshop(), **arguments)


def test_the_factory_chooses_by_device(caplog):
    assert isinstance(create.create_engine(compiled_workshop()), CpuEngine)
    device = create.create_engine(compiled_workshop(), 2, device=DEVICE)
    assert isinstance(device, warp_engine.WarpEngine)
    assert (device.device, device.num_envs) == (create.array_device(DEVICE), 2)
    assert create.array_device("warp:cpu") == create.array_device("cpu") == "cpu"
    for bad in ("gpu", "warp", "cuda:99", 3):
        with pytest.raises(InvalidValueError, match="device"):
            create.create_engine(compiled_workshop(), device=bad)
    for device in ("cpu", DEVICE):
        with pytest.raises(UnknownNameError, match=r"'nconmx'.*Did you mean 'nconmax'"):
            create.create_engine(compiled_workshop(), device=device, nconmx=3)
    with pytest.raises(InvalidValueError, match="fallback"):
        create.create_engine(compiled_workshop(), fallback="gpu")


def test_a_missing_package_is_named():
    """In a process of its own: modules imported anew would stay with the tests after this one."""
    code = f"""
import sys
sys.modules["mujoco_warp"] = None
from usdsim.core.errors import UnsupportedError
from usdsim.engine import create
from usdsim.engine.cpu.engine import CpuEngine
from warp_scenes import compiled_workshop
try:
    create.create_engine(compiled_workshop(), device={DEVICE!r})
except UnsupportedError as error:
    print(error)
assert isinstance(
    create.create_engine(compiled_workshop(), device={DEVICE!r}, fallback="cpu"), CpuEngine
)
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(rf"'{DEVICE}' needs .*pip install 'usdsim\[gpu\]'", run.stdout)


def test_worlds_that_do_not_fit_into_memory_are_refused(monkeypatch):
    def refuse(*args, **kwargs):
        raise RuntimeError("Failed to allocate 1 bytes on device 'cuda:0'")

    monkeypatch.setattr("mujoco_warp.make_data", refuse)
    with pytest.raises(InvalidValueError, match=r"num_envs is 2; .*fit into the memory"):
        warp_engine.WarpEngine(compiled_workshop(), 2, DEVICE)


def test_what_the_device_cannot_do_is_refused_or_done_on_the_cpu(caplog):
    description = scene([body("/box")], (), [ground(), geom("/box/shape", 0)])
    compiled = compile_scene(description)
    compiled.mj.opt.solver = 0  # the engine's own dual solver
    with pytest.raises(UnsupportedError, match="the scene: no solver PGS"):
        create.create_engine(compiled, device=DEVICE)
    with caplog.at_level("WARNING", logger="usdsim"):
        engine = create.create_engine(compiled, device=DEVICE, fallback="cpu")
    assert isinstance(engine, CpuEngine)
    assert "PGS" in caplog.text


def test_unsupported_elements_are_named_by_their_prims():
    compiled = compile_scene(compiled_workshop().scene)
    compiled.mj.actuator_dyntype[0] = int(mujoco.mjtDyn.mjDYN_PID)
    compiled.mj.sensor_type[0] = int(mujoco.mjtSensor.mjSENS_PLUGIN)
    with pytest.raises(UnsupportedError, match=r"(?s)/elbow: .*PID.*/touch: no sensor"):
        warp_engine.WarpEngine(compiled, 1, DEVICE)
