"""Kernels that report impacts: to the sums of contact forces, and contact by contact."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["add_impacts", "clear_reports", "hand_over", "report"]

device.init_kernels(__name__)


@wp.func
def _counts(wanted_body: int, wanted_geom: int, body: int, geom: int):
    return (wanted_body < 0 or wanted_body == body) and (wanted_geom < 0 or wanted_geom == geom)


@wp.kernel
def add_impacts(
    # Model:
    timestep: wp.array(dtype=wp.float32),
    geom_bodyid: wp.array(dtype=wp.int32),
    columns: wp.array(dtype=wp.int32),
    bodies: wp.array(dtype=wp.int32),
    other_bodies: wp.array(dtype=wp.int32),
    other_geoms: wp.array(dtype=wp.int32),
    # In:
    count_in: wp.array(dtype=wp.int32),
    contact_in: wp.array2d(dtype=wp.int32),
    geom_in: wp.array(dtype=wp.vec2i),
    frame_in: wp.array(dtype=wp.mat33),
    impulse_in: wp.array2d(dtype=wp.float32),
    # Out:
    sum_inout: wp.array2d(dtype=wp.float32),
):
    """Impulses per time step, as forces that bodies exert."""
    world, sensor = wp.tid()
    total = wp.vec3(0.0)
    for slot in range(wp.min(count_in[world], contact_in.shape[1])):
        contact = contact_in[world, slot]
        first, second = geom_in[contact][0], geom_in[contact][1]
        along = wp.vec3(
            impulse_in[world, 3 * slot],
            impulse_in[world, 3 * slot + 1],
            impulse_in[world, 3 * slot + 2],
        )
        force = wp.transpose(frame_in[contact]) * along
        a, b = geom_bodyid[first], geom_bodyid[second]
        if bodies[sensor] == a and _counts(other_bodies[sensor], other_geoms[sensor], b, second):
            total += force
        if bodies[sensor] == b and _counts(other_bodies[sensor], other_geoms[sensor], a, first):
            total -= force
    step = timestep[world % timestep.shape[0]]
    for i in range(3):
        column = columns[sensor] + i
        sum_inout[world, column] = sum_inout[world, column] + total[i] / step


@wp.kernel
def hand_over(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    # Out:
    early_inout: wp.array2d(dtype=wp.float32),
    sum_inout: wp.array2d(dtype=wp.float32),
):
    """Add what met before a step to the sums of that step."""
    world, column = wp.tid()
    if chosen_in[world]:
        sum_inout[world, column] = sum_inout[world, column] + early_inout[world, column]
        early_inout[world, column] = 0.0


@wp.kernel
def clear_reports(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    early: bool,
    # Out:
    early_inout: wp.array(dtype=wp.bool),
    count_inout: wp.array(dtype=wp.int32),
):
    """Clear the reports of impulses, unless these were early, for the step that ends."""
    world = wp.tid()
    if chosen_in[world]:
        if early or not early_inout[world]:
            count_inout[world] = 0
        early_inout[world] = early


@wp.kernel
def report(
    # Model:
    timestep: wp.array(dtype=wp.float32),
    # In:
    count_in: wp.array(dtype=wp.int32),
    contact_in: wp.array2d(dtype=wp.int32),
    geom_in: wp.array(dtype=wp.vec2i),
    pos_in: wp.array(dtype=wp.vec3),
    frame_in: wp.array(dtype=wp.mat33),
    dist_in: wp.array(dtype=wp.float32),
    impulse_in: wp.array2d(dtype=wp.float32),
    # Out:
    count_inout: wp.array(dtype=wp.int32),
    geom_out: wp.array2d(dtype=wp.vec2i),
    pos_out: wp.array2d(dtype=wp.vec3),
    frame_out: wp.array2d(dtype=wp.mat33),
    dist_out: wp.array2d(dtype=wp.float32),
    force_out: wp.array2d(dtype=wp.vec3),
):
    """Add the impulses of now to the reports; one thread per world."""
    world = wp.tid()
    first = count_inout[world]
    step = timestep[world % timestep.shape[0]]
    number = wp.min(wp.min(count_in[world], contact_in.shape[1]), geom_out.shape[1] - first)
    for slot in range(number):
        contact, row = contact_in[world, slot], first + slot
        geom_out[world, row] = geom_in[contact]
        pos_out[world, row] = pos_in[contact]
        frame_out[world, row] = frame_in[contact]
        dist_out[world, row] = dist_in[contact]
        force = wp.vec3(0.0)
        for i in range(3):
            force[i] = impulse_in[world, 3 * slot + i] / step
        force_out[world, row] = force
    count_inout[world] = first + number
