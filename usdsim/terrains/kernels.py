"""Kernels of terrain: heights below points, and levels that environments move to."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["fall", "move_levels"]

device.init_kernels(__name__)


@wp.kernel
def fall(
    mesh: wp.uint64,
    start: wp.array(dtype=wp.vec3f),
    reach: wp.float32,
    # Out:
    height_out: wp.array(dtype=wp.float32),
):
    """Height of the first triangle below each point; where there is none it stays as it is."""
    i = wp.tid()
    hit = wp.mesh_query_ray(mesh, start[i], wp.vec3f(0.0, 0.0, -1.0), reach)
    if hit.result:
        height_out[i] = start[i][2] - hit.t


@wp.kernel
def move_levels(
    ids: wp.array(dtype=wp.int64),
    up: wp.array(dtype=wp.bool),
    down: wp.array(dtype=wp.bool),
    origins: wp.array(dtype=wp.float32, ndim=3),
    types: wp.array(dtype=wp.int64),
    seed: wp.int32,
    # Out:
    draws_inout: wp.array(dtype=wp.int32),
    levels_inout: wp.array(dtype=wp.int64),
    env_origins_out: wp.array(dtype=wp.float32, ndim=2),
):
    """Move environments a level up or down, and their origins with them."""
    i = wp.tid()
    env = ids[i]
    level = levels_inout[env]
    if up[i]:
        level = level + wp.int64(1)
    if down[i]:
        level = level - wp.int64(1)
    if level >= wp.int64(origins.shape[0]):
        # Whoever passed the last level goes on at any.
        own = wp.rand_init(seed, wp.int32(env))
        state = wp.rand_init(wp.int32(own), draws_inout[env])
        level = wp.int64(wp.randi(state, 0, origins.shape[0]))
        draws_inout[env] = draws_inout[env] + 1
    level = wp.max(level, wp.int64(0))
    levels_inout[env] = level
    for axis in range(3):
        env_origins_out[env, axis] = origins[level, types[env], axis]
