"""The running simulation on a Warp device."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import DEVICE
from environments_stage import author, environments
from pxr import Sdf

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.engine import CpuEngine
from usdsim.engine.create import array_device
from usdsim.sim import SimulationCfg, SimulationContext

pytest.importorskip("mujoco_warp")


def run(device, steps=120, **cfg):
    """Poses of all bodies in every environment after some steps."""
    stage = environments(3, turn=0.3)
    author(stage, "/World/envs/env_1/arm/link", "physics:mass", Sdf.ValueTypeNames.Float, 3.0)
    with SimulationContext(SimulationCfg(device=device, dt=0.005, **cfg), stage) as simulation:
        simulation.reset()
        simulation.step_n(steps)
        engine = simulation.engine
        found = {f: np.array(engine.read(f)) for f in ("xpos", "xquat", "geom_xpos", "ncon")}
        simulation.reset(soft=True)
        found["start"] = np.array(engine.read("xpos"))
        return found, simulation.device, engine


def test_environments_on_a_device_are_those_on_the_cpu():
    wanted, cpu, _ = run("cpu")
    found, device, engine = run(DEVICE)
    assert cpu == "cpu" and device == array_device(DEVICE)
    assert not isinstance(engine, CpuEngine)
    assert found["ncon"].max() > 0
    for field, values in wanted.items():
        np.testing.assert_allclose(found[field], values, atol=2e-4, err_msg=field)
    # Every environment has its own place and the second a heavier arm.
    assert len(np.unique(found["geom_xpos"].round(3)[:, 0], axis=0)) == 3


def test_options_of_the_device_reach_it():
    options = {"nconmax": 40, "njmax": 96, "check_interval": 4}
    _, _, engine = run(DEVICE, 2, device_options=options)
    assert engine.capacity == (40, 96)
    assert engine.check_interval == 4


def test_devices_there_are_not_are_refused():
    for device in ("gpu", "cuda:99", "warp:gpu"):
        with pytest.raises(InvalidValueError, match="device"):
            SimulationContext(SimulationCfg(device=device))


def test_what_a_device_cannot_do_may_run_on_the_cpu(monkeypatch):
    def refuse(compiled):
        raise UnsupportedError("/World: no dice")

    from usdsim.engine.warp import engine as warp_engine

    monkeypatch.setattr(warp_engine, "device_model", refuse)
    with pytest.raises(UnsupportedError, match="no dice"):
        run(DEVICE, 1)
    _, _, engine = run(DEVICE, 1, device_options={"fallback": "cpu"})
    assert isinstance(engine, CpuEngine)
