"""Kernel that gathers single contacts: mean points and sums of friction."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["SLOT", "gather_details"]

device.init_kernels(__name__)

SLOT = 14
"""Numbers of a contact: how many were found, force along its axes, distance, position, normal and
tangent."""


@wp.func
def _vector(data: wp.array2d(dtype=wp.float64), world: int, first: int):
    return wp.vec3d(data[world, first], data[world, first + 1], data[world, first + 2])


@wp.kernel
def gather_details(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # Engine:
    sensordata_in: wp.array2d(dtype=wp.float64),
    # Layout:
    starts: wp.array3d(dtype=wp.int32),
    ends: wp.array3d(dtype=wp.int32),
    addresses: wp.array(dtype=wp.int32),
    slots: wp.int32,
    # Out:
    point_out: wp.array3d(dtype=wp.vec3f),
    friction_out: wp.array3d(dtype=wp.vec3f),
    count_out: wp.array3d(dtype=wp.int32),
    most_inout: wp.array(dtype=wp.int32),
):
    """Contacts that press; normals point away from the body, and forces are those it exerts."""
    row, k, column = wp.tid()
    instance = rows_in[row]
    matches = starts.shape[0]
    world, match = instance // matches, instance % matches
    point, friction = wp.vec3d(), wp.vec3d()
    count = wp.int32(0)
    for part in range(starts[match, k, column], ends[match, k, column]):
        first = addresses[part]
        found = wp.int32(sensordata_in[world, first])
        if found > slots:
            wp.atomic_max(most_inout, 0, found)
        for slot in range(wp.min(found, slots)):
            at = first + SLOT * slot
            force = _vector(sensordata_in, world, at + 1)
            if force[0] > wp.float64(0.0):
                normal = _vector(sensordata_in, world, at + 8)
                tangent = _vector(sensordata_in, world, at + 11)
                friction -= force[1] * tangent + force[2] * wp.cross(normal, tangent)
                point += _vector(sensordata_in, world, at + 5)
                count += 1
    friction_out[instance, k, column] = wp.vec3f(friction)
    # Nowhere, where nothing presses.
    point_out[instance, k, column] = wp.vec3f(point / wp.float64(count))
    count_out[instance, k, column] = count
