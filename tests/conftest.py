"""Shared fixtures: the corpus of real robots, both engines, and memory like a GPU's."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus_files import CORPUS
from device_under_test import DEVICE, ON_GPU
from hypothesis import HealthCheck, settings

# A model from a cache would hide what a change does to loading.
os.environ["USDSIM_CACHE_DIR"] = ""
# Hundreds of processes that tests start would each compile the package.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Tests run side by side, and torch's threads spin while they wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Every model on a device asks for the versions of its packages, and each answer parses a file.
importlib.metadata.version = functools.cache(importlib.metadata.version)
# No test asserts on time, and drawing is slow where characters are listed the first time.
settings.register_profile("any_speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_speed")


def _in_use() -> tuple[Any, Any]:
    """The simulation there is and the stage calls without one would use."""
    context, stage = (sys.modules.get(f"usdsim.{name}") for name in ("sim.context", "usd.stage"))
    simulation = context.SimulationContext.instance() if context else None
    try:
        return simulation, stage.current_stage() if stage else None
    except stage.StageError:
        return simulation, None


@pytest.fixture(autouse=True)
def _nothing_is_left_running() -> Iterator[None]:
    """A test leaves no simulation and no current stage to those after it."""
    before = _in_use()
    yield
    simulation, stage = _in_use()
    if simulation is not None and simulation is not before[0]:
        simulation.clear_instance()
        pytest.fail("This test leaves a simulation running; end it, or use `with`.")
    assert stage == before[1], "This test leaves a current stage; use `with use_stage(...)`."


@pytest.fixture
def simulation_ends() -> Iterator[None]:
    """Ends the simulation that a test starts."""
    from usdsim.sim import SimulationContext

    yield
    SimulationContext.clear_instance()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Folder of real robots; skips the test where it is absent."""
    if CORPUS is None:
        pytest.skip("the corpus of real robots is not on this machine")
    return CORPUS


@pytest.fixture(params=["cpu", DEVICE])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test on both engines: simulations are on this device unless told otherwise."""
    from usdsim.sim.cfg import SimulationCfg

    make = SimulationCfg.__init__
    monkeypatch.setattr(make, "__kwdefaults__", {**make.__kwdefaults__, "device": request.param})
    return request.param


@pytest.fixture
def separate_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps NumPy from the memory of Warp arrays, as a GPU does, for engines of Warp devices."""
    if ON_GPU:
        return
    import warp as wp

    from usdsim.engine import device

    device.init()
    numpy, interface = wp.array.numpy, wp.array.__array_interface__.fget
    copying = [0]

    def copied(array: wp.array, **options: Any) -> np.ndarray[Any, Any]:
        copying[0] += 1
        try:
            return np.array(numpy(array, **options))
        finally:
            copying[0] -= 1

    def unreachable(array: wp.array) -> Any:
        if not copying[0]:
            raise AttributeError("NumPy cannot reach this array")
        return interface(array)

    monkeypatch.setattr(device, "is_shared", lambda name: False)
    monkeypatch.setattr(wp.array, "numpy", copied)
    monkeypatch.setattr(wp.array, "__array_interface__", property(unreachable))
