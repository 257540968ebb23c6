"""Simulations for tests of assets: a stage with environments, and what is put into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from asset_stages import G

from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.usd.prims import define_prim
from usdsim.usd.stage import create_stage
from usdsim.usd.xforms import Pose, set_local_pose


@pytest.fixture
def make_sim(device: str) -> Iterator[Callable[..., SimulationContext]]:
    """A simulation of an empty stage with environments two metres apart."""

    def make(num_envs=3, gravity=(0.0, 0.0, -G), dt=0.002, **units) -> SimulationContext:
        stage = create_stage(**units)
        for i in range(num_envs):
            prim = define_prim(stage, f"/World/envs/env_{i}")
            shift = np.array([2.0 * i, 0.0, 0.0]) / units.get("meters_per_unit", 1.0)
            set_local_pose(prim, Pose(shift, np.array([0.0, 0.0, 0.0, 1.0])))
        return SimulationContext(SimulationCfg(dt=dt, gravity=gravity), stage=stage)

    yield make
    SimulationContext.clear_instance()


@pytest.fixture
def sim(make_sim) -> SimulationContext:
    """Three environments."""
    return make_sim()
