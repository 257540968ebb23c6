"""The device whose engine tests compare with the CPU's: ``USDSIM_TEST_DEVICE``, such as ``cuda:0``.

Without it they run the same path on Warp's CPU device.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

__all__ = ["CLOSE", "DEVICE", "ON_GPU", "assert_repeated", "changed", "shares_memory"]

DEVICE = os.environ.get("USDSIM_TEST_DEVICE", "warp:cpu")
ON_GPU = DEVICE.startswith("cuda")
"""Whether NumPy does not reach its memory, and sums have their terms in any order."""

CLOSE = 1e-3 if ON_GPU else 1e-5
"""How much the same may differ where it is computed in two ways."""

shares_memory = pytest.mark.skipif(ON_GPU, reason="NumPy reaches no memory of a GPU")
"""Mark of tests of what needs the memory of the host."""


def assert_repeated(found: Any, wanted: Any, name: str = "") -> None:
    """Computed in one way twice: equal, on a GPU to a thousandth of the largest number."""
    loose = 1e-3 * np.abs(wanted).max(initial=1.0) if ON_GPU else 0.0
    np.testing.assert_allclose(found, wanted, 0.0, loose, err_msg=name)


def changed(array: Any, at: Any, values: Any) -> None:
    """Change some numbers of a Warp array, wherever it lives."""
    whole = np.array(array.numpy())
    whole[at] = values
    array.assign(whole)
