"""An environment for tests, and none before and after those that make their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cart_env import cart_env

from usdsim.envs import ManagerBasedRLEnv
from usdsim.sim import SimulationContext


@pytest.fixture
def env() -> Iterator[ManagerBasedRLEnv]:
    """The cart environment at its start."""
    with cart_env() as made:
        made.reset(seed=7)
        yield made


@pytest.fixture
def closing() -> Iterator[None]:
    """Ends what a test made and did not close."""
    yield
    SimulationContext.clear_instance()
