"""Kernels of the actuator models: commands and state in, efforts out."""

# What Warp gives a kernel depends on how it is launched, which a type checker does not know.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.views.copies.kernels import chosen

__all__ = [
    "CUSTOM_LIMITS",
    "DELAYED",
    "DRIVEN",
    "MOTOR",
    "NETWORK",
    "TABLE",
    "apply_models",
    "reset_models",
    "take_columns",
]

device.init_kernels(__name__)

DRIVEN = 1
"""The engine's drive makes the effort; commands are handed on."""
DELAYED = 2
"""Commands take effect some steps later."""
NETWORK = 4
"""A network, or a law of the user's, makes the effort."""
MOTOR = 8
"""The effort is limited by the torque-speed curve of a DC motor."""
TABLE = 16
"""The effort is limited by a table over the joint position."""
CUSTOM_LIMITS = 32
"""The effort is within limits of the user's, and what was computed stays as it was told."""


@wp.func
def _lookup(
    x: wp.float32,
    start: wp.int32,
    size: wp.int32,
    positions: wp.array[wp.float32],
    efforts: wp.array[wp.float32],
):
    """Linear interpolation in a table; the ends continue outside."""
    low = wp.int32(0)
    high = size - 1
    if x <= positions[start]:
        return efforts[start]
    if x >= positions[start + high]:
        return efforts[start + high]
    while high - low > 1:
        middle = (low + high) // 2
        if positions[start + middle] <= x:
            low = middle
        else:
            high = middle
    a = positions[start + low]
    share = (x - a) / (positions[start + high] - a)
    return efforts[start + low] + share * (efforts[start + high] - efforts[start + low])


@wp.kernel
def apply_models(
    # Model:
    stride: wp.int32,
    flags: wp.array[wp.int32],
    joint: wp.array[wp.int32],
    stiffness: wp.array2d[wp.float32],
    damping: wp.array2d[wp.float32],
    effort_limit: wp.array2d[wp.float32],
    velocity_limit: wp.array2d[wp.float32],
    saturation: wp.array[wp.float32],
    table_start: wp.array[wp.int32],
    table_size: wp.array[wp.int32],
    table_positions: wp.array[wp.float32],
    table_efforts: wp.array[wp.float32],
    lag: wp.array2d[wp.int32],
    # Inputs:
    position_target_in: wp.array2d[wp.float32],
    velocity_target_in: wp.array2d[wp.float32],
    effort_target_in: wp.array2d[wp.float32],
    joint_pos_in: wp.array2d[wp.float32],
    joint_vel_in: wp.array2d[wp.float32],
    network_in: wp.array2d[wp.float32],
    # Outputs:
    pushes_inout: wp.array2d[wp.int32],
    past_position_inout: wp.array3d[wp.float32],
    past_velocity_inout: wp.array3d[wp.float32],
    past_effort_inout: wp.array3d[wp.float32],
    position_out: wp.array2d[wp.float32],
    velocity_out: wp.array2d[wp.float32],
    effort_out: wp.array2d[wp.float32],
    computed_out: wp.array2d[wp.float32],
    applied_out: wp.array2d[wp.float32],
    own_computed_out: wp.array2d[wp.float32],
    own_applied_out: wp.array2d[wp.float32],
):
    """Commands and efforts of all models.

    A thread does every `stride`-th column: all columns of a world on CPU, one on GPU.
    """
    env, first = wp.tid()
    for c in range(first, flags.shape[0], stride):
        kind = flags[c]
        j = joint[c]
        position = position_target_in[env, j]
        velocity = velocity_target_in[env, j]
        feedforward = effort_target_in[env, j]
        q = joint_pos_in[env, j]
        v = joint_vel_in[env, j]
        if kind & 2:
            length = past_position_inout.shape[0]
            count = pushes_inout[env, c]
            slot = count
            if slot >= length:
                slot -= length
            past_position_inout[slot, env, c] = position
            past_velocity_inout[slot, env, c] = velocity
            past_effort_inout[slot, env, c] = feedforward
            # Before enough was pushed, the oldest command since the reset counts.
            slot = count - wp.min(lag[env, c], count)
            if slot >= length:
                slot -= length
            position = past_position_inout[slot, env, c]
            velocity = past_velocity_inout[slot, env, c]
            feedforward = past_effort_inout[slot, env, c]
            count += 1
            if count >= 2 * length:
                count -= length
            pushes_inout[env, c] = count
        effort = wp.float32(0.0)
        if kind & 4:
            effort = network_in[env, c]
        else:
            effort = (
                stiffness[env, c] * (position - q) + damping[env, c] * (velocity - v) + feedforward
            )
        high = effort_limit[env, c]
        low = -high
        if kind & 8:
            peak = saturation[c]
            fastest = velocity_limit[env, c]
            # Beyond the crossing of both limits the curve would ask for more than the limit.
            bound = fastest * (1.0 + high / peak)
            share = wp.clamp(v, -bound, bound) / fastest
            low = wp.max(peak * (-1.0 - share), low)
            high = wp.min(peak * (1.0 - share), high)
        if kind & 16:
            limit = _lookup(q, table_start[c], table_size[c], table_positions, table_efforts)
            high = wp.min(high, limit)
            low = wp.max(low, -limit)
        applied = wp.clamp(effort, low, high)
        computed = effort
        if kind & 32:
            applied = effort
            computed = own_computed_out[env, c]
        position_out[env, j] = position
        velocity_out[env, j] = velocity
        if kind & 1:
            effort_out[env, j] = feedforward
        else:
            effort_out[env, j] = applied
        computed_out[env, j] = computed
        applied_out[env, j] = applied
        own_computed_out[env, c] = computed
        own_applied_out[env, c] = applied


@wp.kernel
def reset_models(
    # Model:
    seed: wp.array[wp.int32],
    stream: wp.array[wp.int32],
    least_lag: wp.array[wp.int32],
    most_lag: wp.array[wp.int32],
    # Inputs:
    env_ids_in: wp.array[wp.int32],
    env_mask_in: wp.array[wp.bool],
    # Outputs:
    draws_inout: wp.array2d[wp.int32],
    pushes_out: wp.array2d[wp.int32],
    lag_out: wp.array2d[wp.int32],
):
    """Forget past commands of some worlds, and draw their delays."""
    row, c = wp.tid()
    env = chosen(row, env_ids_in, env_mask_in, pushes_out.shape[0])
    if env < 0:
        return
    pushes_out[env, c] = 0
    least = least_lag[c]
    lag = least
    if most_lag[c] > least:
        # Chained, so that a delay depends on nothing but its world and how often it was drawn.
        key = wp.rand_init(wp.int32(wp.rand_init(seed[c], env)), stream[c])
        state = wp.rand_init(wp.int32(key), draws_inout[env, c])
        lag = wp.randi(state, least, most_lag[c] + 1)
    draws_inout[env, c] += 1
    lag_out[env, c] = lag


@wp.kernel
def take_columns(
    # Inputs:
    source_in: wp.array2d[wp.float32],
    joint: wp.array[wp.int32],
    # Outputs:
    columns_out: wp.array2d[wp.float32],
):
    """The columns of some joints."""
    env, c = wp.tid()
    columns_out[env, c] = source_in[env, joint[c]]
