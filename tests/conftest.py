"""Shared fixtures: the corpus of real robots, both engines, and memory like a GPU's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus_files import CORPUS

# A model from a cache would hide what a change does to loading.
os.environ["USDSIM_CACHE_DIR"] = ""


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Folder of real robots; skips the test where it is absent."""
    if CORPUS is None:
        pytest.skip("the corpus of real robots is not on this machine")
    return CORPUS


@pytest.fixture(params=["cpu", "warp:cpu"])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test on both engines: simulations are on this device unless told otherwise."""
    from usdsim.sim.cfg import SimulationCfg

    make = SimulationCfg.__init__
    monkeypatch.setattr(make, "__kwdefaults__", {**make.__kwdefaults__, "device": request.param})
    return request.param


@pytest.fixture
def separate_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps NumPy from the memory of Warp arrays, as a GPU does, for engines of Warp devices."""
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
