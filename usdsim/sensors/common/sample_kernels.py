"""Kernels that sum contact forces, keep samples and count times.

A launch covers the instances in `rows_in`, if it has them; instance i is match i % matches of world
i // matches.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.views.copies.kernels import chosen

__all__ = ["clear_words", "count_times", "push_samples", "sum_forces", "within"]

device.init_kernels(__name__)


@wp.kernel
def sum_forces(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # Engine:
    sensordata_in: wp.array2d(dtype=wp.float64),
    # Layout:
    starts: wp.array3d(dtype=wp.int32),
    ends: wp.array3d(dtype=wp.int32),
    addresses: wp.array(dtype=wp.int32),
    # Out:
    force_out: wp.array3d(dtype=wp.vec3f),
):
    """Forces on bodies; the engine says what bodies exert, in one or more parts."""
    row, k, column = wp.tid()
    instance = rows_in[row]
    matches = starts.shape[0]
    world, match = instance // matches, instance % matches
    total = wp.vec3d()
    for part in range(starts[match, k, column], ends[match, k, column]):
        first = addresses[part]
        total -= wp.vec3d(
            sensordata_in[world, first],
            sensordata_in[world, first + 1],
            sensordata_in[world, first + 2],
        )
    force_out[instance, k, column] = wp.vec3f(total)


@wp.kernel
def push_samples(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # In:
    newest_in: wp.array2d(dtype=wp.vec3f),
    # Out:
    history_out: wp.array3d(dtype=wp.vec3f),
):
    """Move samples back by one and put the newest in front; history is (instance, sample, k)."""
    row, k = wp.tid()
    instance = rows_in[row]
    last = history_out.shape[1] - 1
    for back in range(last):
        age = last - back
        history_out[instance, age, k] = history_out[instance, age - 1, k]
    history_out[instance, 0, k] = newest_in[instance, k]


@wp.kernel
def clear_words(
    # Instances:
    ids: wp.array(dtype=wp.int32),
    mask: wp.array(dtype=wp.bool),
    # Out:
    words_out: wp.array2d(dtype=wp.int32),
):
    """Set numbers of instances to zero, given by indices or a mask."""
    row, k = wp.tid()
    instance = chosen(row, ids, mask, words_out.shape[0])
    if instance >= 0:
        words_out[instance, k] = 0


@wp.kernel
def count_times(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # In:
    passed_in: wp.array(dtype=wp.float32),
    force_in: wp.array2d(dtype=wp.vec3f),
    threshold: wp.float32,
    # Out:
    current_air_out: wp.array2d(dtype=wp.float32),
    last_air_out: wp.array2d(dtype=wp.float32),
    current_contact_out: wp.array2d(dtype=wp.float32),
    last_contact_out: wp.array2d(dtype=wp.float32),
):
    """Advance the times in contact and in the air."""
    row, k = wp.tid()
    i = rows_in[row]
    passed, force = passed_in[i], force_in[i, k]
    if wp.dot(force, force) > threshold * threshold:
        current_contact_out[i, k] += passed
        if current_air_out[i, k] > 0.0:
            last_air_out[i, k] = current_air_out[i, k] + passed
        current_air_out[i, k] = 0.0
    else:
        current_air_out[i, k] += passed
        if current_contact_out[i, k] > 0.0:
            last_contact_out[i, k] = current_contact_out[i, k] + passed
        current_contact_out[i, k] = 0.0


@wp.kernel
def within(
    # In:
    time_in: wp.array2d(dtype=wp.float32),
    limit: wp.float32,
    # Out:
    within_out: wp.array2d(dtype=wp.bool),
):
    """Whether a counted time is positive and less than a duration."""
    i, k = wp.tid()
    within_out[i, k] = time_in[i, k] > 0.0 and time_in[i, k] < limit
