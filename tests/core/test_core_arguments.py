"""Arguments as callers have them: arrays of any library become NumPy's."""

import numpy as np
import pytest
import warp as wp

from usdsim.core.arguments import on_host, real

torch = pytest.importorskip("torch")

ROWS = [[0.5, -1.25], [2.0, 3.0]]
"""Numbers that all types below hold exactly."""


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("learned", [False, True])
def test_tensors_of_any_float_type_and_in_graphs_of_gradients_are_numbers(dtype, learned):
    tensor = torch.tensor(ROWS, dtype=dtype, requires_grad=learned)
    np.testing.assert_array_equal(real("rows", tensor), ROWS)
    np.testing.assert_array_equal(on_host(tensor * 2), np.multiply(ROWS, 2))


def test_memory_is_shared_and_what_is_no_array_stays():
    tensor = torch.tensor(ROWS)
    assert np.shares_memory(on_host(tensor), tensor.numpy())
    array = wp.array(ROWS, dtype=wp.float32, device="cpu")
    assert np.shares_memory(on_host(array), array.numpy())
    assert on_host(ROWS) is ROWS
