"""Kernels of saturated drives: who is beyond its limits, and the forces within them."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["find_saturated", "narrow_ranges"]

device.init_kernels(__name__)

_SWEEPS = wp.constant(50)
"""Times that coupled drives are gone through; slopes make most settle in a few."""


@wp.func
def bounded_forces(
    count: int,
    constant: wp.array(dtype=wp.float32),
    slope: wp.array(dtype=wp.float32),
    low: wp.array(dtype=wp.float32),
    high: wp.array(dtype=wp.float32),
    acceleration: wp.array(dtype=wp.float32),
    block: wp.array2d(dtype=wp.float32),
    force: wp.array(dtype=wp.float32),
):
    """Solve f = clip(c - D a, low, high) with a = a_0 + B f, by projected Gauss-Seidel iteration.

    `acceleration` and `force` come as any that belong together. Drives without a slope keep theirs.
    """
    for i in range(count):
        for j in range(count):
            acceleration[i] = acceleration[i] - block[i, j] * force[j]
    for _sweep in range(_SWEEPS):
        moved = wp.int32(0)
        for i in range(count):
            if slope[i] > 0.0:
                rest = acceleration[i]
                for j in range(count):
                    if j != i:
                        rest += block[i, j] * force[j]
                scale = 1.0 + slope[i] * block[i, i]
                value = wp.clamp((constant[i] - slope[i] * rest) / scale, low[i], high[i])
                if value != force[i]:
                    moved = 1
                force[i] = value
        if moved == 0:
            break


@wp.func
def most_force(
    limit: wp.float32,
    velocity: wp.float32,
    top: wp.float32,
    gradient: wp.float32,
    resistance: wp.float32,
    response: wp.float32,
):
    """Largest force in the direction in which velocities count, within an envelope."""
    if resistance == 0.0 and wp.isinf(top):
        return limit
    gain = wp.where(velocity >= 0.0, response, -response)
    size = wp.abs(velocity)
    most = limit
    if 1.0 + resistance * gain > 0.0:
        most = wp.min(most, (limit - resistance * size) / (1.0 + resistance * gain))
    if gradient + gain > 0.0:
        most = wp.min(most, (top - size) / (gradient + gain))
    return wp.max(most, 0.0)


@wp.kernel
def find_saturated(
    # Model:
    dofs: wp.array(dtype=wp.int32),
    places: wp.array(dtype=wp.int32),
    inputs: wp.array(dtype=wp.int32),
    damping: wp.array2d(dtype=wp.float32),
    stiffness: wp.array2d(dtype=wp.float32),
    ahead: wp.array2d(dtype=wp.float32),
    low: wp.array2d(dtype=wp.float32),
    high: wp.array2d(dtype=wp.float32),
    speed: wp.array2d(dtype=wp.float32),
    gradient: wp.array2d(dtype=wp.float32),
    resistance: wp.array2d(dtype=wp.float32),
    response: wp.array2d(dtype=wp.float32),
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    qpos_in: wp.array2d(dtype=wp.float32),
    qvel_in: wp.array2d(dtype=wp.float32),
    ctrl_in: wp.array2d(dtype=wp.float32),
    # Out:
    beyond_out: wp.array2d(dtype=wp.bool),
    constant_out: wp.array2d(dtype=wp.float32),
    low_out: wp.array2d(dtype=wp.float32),
    high_out: wp.array2d(dtype=wp.float32),
    any_inout: wp.array(dtype=wp.int32),
):
    """Drives beyond their limits, and all laws at the velocities that hold now."""
    world, k = wp.tid()
    own = world % damping.shape[0]
    velocity = qvel_in[world, dofs[k]]
    force = ctrl_in[world, inputs[k] + 2]
    force += stiffness[own, k] * (ctrl_in[world, inputs[k]] - qpos_in[world, places[k]])
    force += damping[own, k] * (ctrl_in[world, inputs[k] + 1] - velocity)
    answer = response[world % response.shape[0], k]
    least = -most_force(
        -low[own, k], -velocity, speed[0, k], gradient[0, k], resistance[0, k], answer
    )
    most = most_force(high[own, k], velocity, speed[0, k], gradient[0, k], resistance[0, k], answer)
    low_out[world, k] = least
    high_out[world, k] = most
    beyond = chosen_in[world] and (force < least or force > most)
    beyond_out[world, k] = beyond
    constant_out[world, k] = force - ahead[own, k] * velocity
    if beyond:
        any_inout[0] = 1


@wp.kernel
def narrow_ranges(
    # Model:
    actuators: wp.array(dtype=wp.int32),
    dofs: wp.array(dtype=wp.int32),
    slope: wp.array2d(dtype=wp.float32),
    # In:
    beyond_in: wp.array2d(dtype=wp.bool),
    constant_in: wp.array2d(dtype=wp.float32),
    low_in: wp.array2d(dtype=wp.float32),
    high_in: wp.array2d(dtype=wp.float32),
    discrete: wp.bool,
    qacc_in: wp.array2d(dtype=wp.float32),
    force_in: wp.array2d(dtype=wp.float32),
    block_in: wp.array3d(dtype=wp.float32),
    # Out:
    acceleration_out: wp.array2d(dtype=wp.float32),
    force_out: wp.array2d(dtype=wp.float32),
    range_out: wp.array2d(dtype=wp.vec2),
):
    """Narrow ranges of drives beyond their limits to the implicit force; one thread per world."""
    world = wp.tid()
    own = world % slope.shape[0]
    count = dofs.shape[0]
    needed = wp.bool(False)
    for k in range(count):
        needed = needed or beyond_in[world, k]
    if not needed:
        return
    for k in range(count):
        acceleration_out[world, k] = qacc_in[world, dofs[k]]
        force_out[world, k] = force_in[world, actuators[k]]
        # There accelerations are those of forces at the end of the step.
        if discrete and slope[own, k] > 0.0 and not beyond_in[world, k]:
            ends = slope[own, k] * acceleration_out[world, k]
            force_out[world, k] = constant_in[world, k] - ends
    bounded_forces(
        count,
        constant_in[world],
        slope[own],
        low_in[world],
        high_in[world],
        acceleration_out[world],
        block_in[world],
        force_out[world],
    )
    for k in range(count):
        if beyond_in[world, k]:
            # Drives without gains have kept the engine's force.
            force = wp.clamp(force_out[world, k], low_in[world, k], high_in[world, k])
            range_out[world, actuators[k]] = wp.vec2(force, force)
