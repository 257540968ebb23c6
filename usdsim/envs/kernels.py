"""Kernels that draw random numbers for environments."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["draw"]

device.init_kernels(__name__)


@wp.kernel
def draw(
    seed: wp.int32,
    kind: wp.int32,
    env_ids: wp.array(dtype=wp.int64),
    counters: wp.array(dtype=wp.int32),
    # Out:
    values_out: wp.array2d(dtype=wp.float32),
):
    """Numbers of rows: uniform in [0, 1) if `kind` is 0, else normal (mean 0, deviation 1)."""
    row, column = wp.tid()
    env = int(env_ids[row])
    own = wp.rand_init(seed, env)
    state = wp.rand_init(wp.int32(own), counters[env] + column)
    if kind == 0:
        values_out[row, column] = wp.randf(state)
    else:
        values_out[row, column] = wp.randn(state)
