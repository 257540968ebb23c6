"""Sensors measure the same whatever engine simulates, and wherever their arrays live."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from device_under_test import DEVICE, assert_repeated
from sensor_stages import box, floor, pendulum, vectors

from usdsim.assets.participation import set_current_simulation
from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser import parse_stage
from usdsim.sensors import (
    ContactSensorCfg,
    FrameTransformerCfg,
    ImuCfg,
    JointWrenchSensorCfg,
    OffsetCfg,
    RayCaster,
    RayCasterCfg,
)
from usdsim.sensors.patterns import GridPatternCfg
from usdsim.usd import create_stage

STEPS = 50


class Worlds:
    """Two worlds of a stage without environments."""

    device = "cpu"
    num_envs = 2
    env_paths = ()

    def __init__(self):
        self.stage = create_stage()
        floor(self.stage)
        box(self.stage, "/World/box", (0, 0, 0.1), mass=2.0)
        pendulum(self.stage, "/World/robot")
        self.engine = None
        set_current_simulation(self)

    def register(self, participant):
        """Tests bind sensors themselves."""


@pytest.fixture
def worlds():
    yield Worlds()
    set_current_simulation(None)


def configurations():
    target = FrameTransformerCfg.FrameCfg(prim_path="/World/robot/.*")
    return [
        ContactSensorCfg(
            prim_path="/World/box",
            track_pose=True,
            track_air_time=True,
            track_contact_points=True,
            track_friction_forces=True,
            history_length=2,
            filter_prim_paths_expr=["/World/floor"],
        ),
        ImuCfg(prim_path="/World/robot/rod", offset=OffsetCfg(pos=(0, 0, -0.7))),
        RayCasterCfg(
            prim_path="/World/robot/rod",
            mesh_prim_paths=["/World/floor", "/World/box"],
            pattern_cfg=GridPatternCfg(),
            drift_range=(-0.1, 0.1),
            seed=1,
        ),
        FrameTransformerCfg(prim_path="/World/box", target_frames=[target]),
        JointWrenchSensorCfg(prim_path="/World/robot/rod", history_length=2),
    ]


def measured(worlds, make_engine):
    """All arrays of all sensors after some steps and a reset of one sensor instance each."""
    sensors = [cfg.class_type(cfg) for cfg in configurations()]
    scene = parse_stage(worlds.stage).scene
    for sensor in sensors:
        scene = sensor.prepare(scene)
    worlds.engine = make_engine(compile_scene(scene))
    for sensor in sensors:
        sensor.initialize(worlds)
    qpos = np.array(worlds.engine.read("qpos"))
    qpos[:, -1] = 0.7
    worlds.engine.write("qpos", qpos)
    sliding = np.array(worlds.engine.read("qvel"))
    sliding[:, :2] = [[1.0, 0.0], [0.6, -0.8]]
    worlds.engine.write("qvel", sliding)
    for _ in range(STEPS):
        worlds.engine.step()
        for sensor in sensors:
            sensor.update(0.002)
    sensors[0].reset([1])
    found = {}
    for sensor in sensors:
        for name, value in vars(sensor.data).items():
            if hasattr(value, "numpy"):
                found[f"{type(sensor).__name__}.{name}"] = vectors(value)
    return found


def on_cpu(compiled):
    return CpuEngine(compiled, 2)


def test_arrays_that_numpy_cannot_reach_are_brought_over(worlds, request):
    """As on a GPU, the host form of every array is a copy."""
    expected = measured(worlds, on_cpu)
    request.getfixturevalue("separate_memory")
    found = measured(worlds, on_cpu)
    assert found.keys() == expected.keys() and len(found) > 25
    for name, array in found.items():
        assert np.array_equal(array, expected[name]), name
        assert array.any() or "last" in name or "torque" in name or "air" in name, name


@pytest.mark.parametrize("memory", ["shared", "separate"])
def test_an_engine_of_a_device_gives_the_same(worlds, memory, request):
    pytest.importorskip("mujoco_warp")
    from usdsim.engine.create import create_engine

    expected = measured(worlds, on_cpu)
    if memory == "separate":
        request.getfixturevalue("separate_memory")
    found = measured(worlds, lambda compiled: create_engine(compiled, 2, device=DEVICE))
    assert found.keys() == expected.keys()
    for name, array in found.items():
        np.testing.assert_allclose(array, expected[name], 1e-3, 2e-3, err_msg=name)


@pytest.mark.usefixtures("separate_memory")
def test_updates_bring_nothing_to_the_host(worlds, monkeypatch):
    pytest.importorskip("mujoco_warp")
    from usdsim.engine.create import create_engine

    sensors = [cfg.class_type(cfg) for cfg in configurations()]
    scene = parse_stage(worlds.stage).scene
    for sensor in sensors:
        scene = sensor.prepare(scene)
    # Looking whether a world failed is the engine's own affair.
    worlds.engine = create_engine(compile_scene(scene), 2, device=DEVICE, check_interval=0)
    for sensor in sensors:
        sensor.initialize(worlds)

    def advance():
        worlds.engine.step()
        for sensor in sensors:
            sensor.update(0.002, force_recompute=True)
            assert sensor.data is not None
        sensors[0].compute_first_contact(0.01)

    advance()

    def refuse(*args, **kwargs):
        raise AssertionError("the host looked at an array of the device")

    monkeypatch.setattr(wp.array, "numpy", refuse)
    monkeypatch.setattr(wp.array, "list", refuse)
    advance()
    mask = wp.array([True, False], dtype=wp.bool)
    ids = wp.array([1], dtype=wp.int32)
    for sensor in sensors:
        sensor.reset([1])
        # Random numbers are drawn on the host.
        if not isinstance(sensor, RayCaster):
            sensor.reset(env_mask=mask)
            sensor.reset(ids)
    advance()


@pytest.mark.usefixtures("separate_memory")
def test_resets_on_the_device_are_those_on_the_host(worlds):
    pytest.importorskip("mujoco_warp")
    from usdsim.engine.create import create_engine

    def play(**which):
        cfgs = [configurations()[0], configurations()[-1]]
        sensors = [cfg.class_type(cfg) for cfg in cfgs]
        scene = parse_stage(worlds.stage).scene
        for sensor in sensors:
            scene = sensor.prepare(scene)
        worlds.engine = create_engine(compile_scene(scene), 2, device=DEVICE)
        found = {}
        for sensor in sensors:
            sensor.initialize(worlds)
        for step in range(12):
            worlds.engine.step()
            if step == 9:
                worlds.engine.reset([1])
            for sensor in sensors:
                if step == 9:
                    sensor.reset(**which)
                sensor.update(0.002)
        for sensor in sensors:
            found |= {k: vectors(v) for k, v in vars(sensor.data).items() if v is not None}
        return found

    wanted = play(env_ids=[1])
    forms = {
        "env_mask": wp.array([False, True], dtype=wp.bool),
        "env_ids": wp.array([1], dtype=wp.int32),
    }
    for name, which in forms.items():
        found = play(**{name: which})
        for key, array in wanted.items():
            assert_repeated(found[key], array, f"{key} by {name}")
    assert wanted["current_air_time"].max() < 12.5 * 0.002 and len(wanted) > 10
    assert wanted["force_history"].shape[1] == 2


def test_shapes_that_only_the_host_knows_are_hit_too(worlds, monkeypatch):
    from usdsim.engine.create import create_engine

    device_rays = pytest.importorskip("usdsim.sensors.rays.device")
    expected = measured(worlds, on_cpu)
    monkeypatch.setattr(device_rays, "casts_on_device", lambda engine, geoms: False)
    monkeypatch.setattr(device_rays, "DeviceRays", None)
    found = measured(worlds, lambda compiled: create_engine(compiled, 2, device=DEVICE))
    for name in ("distances", "normals", "ray_hits_w"):
        key = f"RayCaster.{name}"
        np.testing.assert_allclose(found[key], expected[key], atol=2e-3, err_msg=name)
