"""An environment for tests that only look at it, or put it back to its start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cart_env import cart_env

from usdsim.sim import SimulationContext

_kept: list[Any] = []


@pytest.fixture
def env() -> Any:
    """The cart environment, made again only if another simulation took its place."""
    if not _kept or SimulationContext.instance() is not _kept[0].sim:
        SimulationContext.clear_instance()
        _kept[:] = [cart_env()]
    _kept[0].reset(seed=7)
    return _kept[0]


@pytest.fixture
def closing() -> Iterator[None]:
    """No simulation before a test, nor after it."""
    SimulationContext.clear_instance()
    yield
    SimulationContext.clear_instance()


@pytest.fixture(autouse=True, scope="module")
def _ended() -> Iterator[None]:
    yield
    _kept.clear()
    SimulationContext.clear_instance()
