"""Sensors measure the same whatever engine simulates, and wherever their arrays live."""

from __future__ import annotations

import numpy as np
import pytest
from sensor_stages import box, floor, pendulum, vectors

from usdsim.assets.simulation import set_current_simulation
from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser import parse_stage
from usdsim.sensors import (
    ContactSensorCfg,
    FrameTransformerCfg,
    ImuCfg,
    JointWrenchSensorCfg,
    OffsetCfg,
    RayCasterCfg,
    contact_sensor,
    joint_wrench_sensor,
    ray_caster,
)
from usdsim.sensors.mirror import Mirror
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


def test_arrays_that_numpy_cannot_reach_are_brought_over(worlds, monkeypatch):
    """As on a GPU, the host form of every array is a copy."""
    expected = measured(worlds, on_cpu)

    class Apart(Mirror):
        def __init__(self, shape, dtype, device):
            super().__init__(shape, dtype, device)
            self.host, self._apart = self.host.copy(), True

    for module in (contact_sensor, joint_wrench_sensor, ray_caster):
        monkeypatch.setattr(module, "Mirror", Apart)
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
    found = measured(worlds, lambda compiled: create_engine(compiled, 2, device="warp:cpu"))
    assert found.keys() == expected.keys()
    for name, array in found.items():
        np.testing.assert_allclose(array, expected[name], atol=2e-3, err_msg=name)
