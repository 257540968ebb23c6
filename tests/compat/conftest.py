"""Isaac Lab's names, installed for a test."""

from __future__ import annotations

import pytest

from usdsim.compat import install, uninstall
from usdsim.sim import SimulationContext


@pytest.fixture
def installed():
    install()
    yield
    SimulationContext.clear_instance()
    uninstall()
