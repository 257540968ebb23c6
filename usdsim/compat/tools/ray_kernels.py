"""Kernel of rays at Warp meshes."""

# What Warp gives a kernel depends on how it is launched, which a type checker does not know.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["nearest_triangle"]

device.init_kernels(__name__)


@wp.kernel
def nearest_triangle(
    # In:
    mesh_in: wp.array2d(dtype=wp.uint64),
    pose_in: wp.array2d(dtype=wp.transformf),
    start_in: wp.array2d(dtype=wp.vec3f),
    direction_in: wp.array2d(dtype=wp.vec3f),
    farthest: wp.float32,
    # Out:
    distance_out: wp.array2d(dtype=wp.float32),
    normal_out: wp.array2d(dtype=wp.vec3f),
    face_out: wp.array2d(dtype=wp.int32),
    which_out: wp.array2d(dtype=wp.int32),
):
    """The nearest triangle on each ray, of meshes that stand at poses."""
    group, ray = wp.tid()
    row = wp.min(group, mesh_in.shape[0] - 1)
    best = farthest
    for i in range(mesh_in.shape[1]):
        pose = pose_in[wp.min(group, pose_in.shape[0] - 1), i]
        back = wp.transform_inverse(pose)
        start = wp.transform_point(back, start_in[group, ray])
        direction = wp.transform_vector(back, direction_in[group, ray])
        hit = wp.mesh_query_ray(mesh_in[row, i], start, direction, best)
        if hit.result and hit.t < best:
            best = hit.t
            distance_out[group, ray] = hit.t
            normal_out[group, ray] = wp.transform_vector(pose, hit.normal)
            face_out[group, ray] = hit.face
            which_out[group, ray] = i
