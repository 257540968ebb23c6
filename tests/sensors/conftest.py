"""Simulations for tests of sensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sensor_stages import ENV, SPACING

from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.spawners import clone_environments
from usdsim.usd import create_stage, define_prim


@pytest.fixture
def make_sim(device: str) -> Iterator[Callable[..., SimulationContext]]:
    """A simulation of environments in a row with the same content, to be reset by the test."""

    def make(build, envs=2, dt=0.002, gravity=(0.0, 0.0, -9.81), **units) -> SimulationContext:
        stage = create_stage(**units)
        for path in ("/World", "/World/envs", ENV):
            define_prim(stage, path, "Xform")
        build(stage)
        origins = [(SPACING * i, 0.0, 0.0) for i in range(envs)]
        clone_environments(ENV, envs, origins=origins, stage=stage)
        return SimulationContext(SimulationCfg(dt=dt, gravity=gravity), stage)

    yield make
    SimulationContext.clear_instance()
