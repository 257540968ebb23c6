"""Memory that arrays of actuators live in, and the numbers they are tested with."""

from __future__ import annotations

import numpy as np
import pytest
from actuator_models import RNG, SEED


@pytest.fixture(params=["shared", "separate"])
def memory(request: pytest.FixtureRequest) -> str:
    """Runs a test with arrays that NumPy reaches, and with arrays that it does not, as on a GPU."""
    if request.param == "separate":
        request.getfixturevalue("separate_memory")
    return request.param


@pytest.fixture(autouse=True)
def _same_numbers() -> None:
    """Gives a test the same numbers whichever tests ran before it."""
    RNG.bit_generator.state = np.random.default_rng(SEED).bit_generator.state
