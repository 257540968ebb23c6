"""Kernels that cast rays at a surface that all worlds share."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["cast_at_surface"]

device.init_kernels(__name__)

_ALONG = wp.constant(wp.float64(-1.0e-15))
"""Speed of a ray towards a plane from which it counts as parallel."""


@wp.func
def _plane(planes: wp.array2d(dtype=wp.float64), k: wp.int32, start: wp.vec3d, direction: wp.vec3d):
    """Distance along a ray to the upper side of a plane, negative for none."""
    normal = wp.vec3d(planes[k, 5], planes[k, 8], planes[k, 11])
    arm = start - wp.vec3d(planes[k, 0], planes[k, 1], planes[k, 2])
    distance = wp.float64(-1.0)
    speed = wp.dot(normal, direction)
    if speed < _ALONG:
        length = -wp.dot(normal, arm) / speed
        arm += length * direction
        x = wp.dot(wp.vec3d(planes[k, 3], planes[k, 6], planes[k, 9]), arm)
        y = wp.dot(wp.vec3d(planes[k, 4], planes[k, 7], planes[k, 10]), arm)
        zero = wp.float64(0.0)
        within = planes[k, 12] <= zero or wp.abs(x) <= planes[k, 12]
        if within and (planes[k, 13] <= zero or wp.abs(y) <= planes[k, 13]):
            distance = length
    return distance, normal


@wp.kernel
def cast_at_surface(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # In:
    start_in: wp.array2d(dtype=wp.vec3d),
    direction_in: wp.array2d(dtype=wp.vec3d),
    # Surface:
    mesh: wp.uint64,
    centre: wp.vec3d,
    planes: wp.array2d(dtype=wp.float64),
    farthest: wp.float32,
    # Out:
    distance_out: wp.array2d(dtype=wp.float64),
    normal_out: wp.array2d(dtype=wp.vec3d),
):
    """Distances along rays to what they hit first, -1 for none, and outward normals there."""
    instance = rows_in[wp.tid()]
    for ray in range(start_in.shape[1]):
        start, direction = start_in[instance, ray], direction_in[instance, ray]
        nearest = wp.float64(-1.0)
        outward = wp.vec3d()
        if wp.isfinite(start) and wp.isfinite(direction):
            for k in range(planes.shape[0]):
                distance, normal = _plane(planes, k, start, direction)
                if distance >= wp.float64(0.0) and (
                    nearest < wp.float64(0.0) or distance < nearest
                ):
                    nearest, outward = distance, normal
            if mesh != wp.uint64(0):
                reach = farthest
                if nearest >= wp.float64(0.0):
                    reach = wp.min(reach, wp.float32(nearest))
                query = wp.mesh_query_ray(
                    mesh, wp.vec3f(start - centre), wp.vec3f(direction), reach
                )
                if query.result:
                    nearest, outward = wp.float64(query.t), wp.vec3d(query.normal)
        distance_out[instance, ray] = nearest
        normal_out[instance, ray] = outward
