"""Kernels that write poses and velocities of roots to the engine of a device."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.views.copies.kernels import chosen

__all__ = ["write_root_poses", "write_root_velocities"]

device.init_kernels(__name__)


@wp.kernel
def write_root_poses(
    # Selection:
    rows: wp.array(dtype=wp.int32),
    ids: wp.array(dtype=wp.int32),
    row_mask: wp.array(dtype=wp.bool),
    id_mask: wp.array(dtype=wp.bool),
    full: wp.bool,
    # In:
    values_in: wp.array3d(dtype=wp.float32),
    of_com: wp.bool,
    # Layout:
    kinds: wp.array2d(dtype=wp.int32),
    bodies: wp.array2d(dtype=wp.int32),
    starts: wp.array2d(dtype=wp.int32),
    # Model:
    body_ipos: wp.array2d(dtype=wp.vec3f),
    body_iquat: wp.array2d(dtype=wp.vec4f),
    # Out:
    qpos_out: wp.array2d(dtype=wp.float32),
    mocap_pos_out: wp.array2d(dtype=wp.vec3f),
    mocap_quat_out: wp.array2d(dtype=wp.vec4f),
):
    """Poses (x, y, z, qx, qy, qz, qw) in world of free and of kinematic roots."""
    i, j = wp.tid()
    matches = bodies.shape[0]
    row = chosen(i, rows, row_mask, matches * qpos_out.shape[0])
    root = chosen(j, ids, id_mask, bodies.shape[1])
    if row < 0 or root < 0:
        return
    if full:
        i = row
        j = root
    pos = wp.vec3f(values_in[i, j, 0], values_in[i, j, 1], values_in[i, j, 2])
    quat = wp.quatf(values_in[i, j, 3], values_in[i, j, 4], values_in[i, j, 5], values_in[i, j, 6])
    quat = wp.normalize(quat)
    world = row // matches
    match = row % matches
    if of_com:
        body = bodies[match, root]
        # The engine's quaternions begin with w.
        turn = body_iquat[world % body_iquat.shape[0], body]
        quat = quat * wp.quatf(-turn[1], -turn[2], -turn[3], turn[0])
        pos -= wp.quat_rotate(quat, body_ipos[world % body_ipos.shape[0], body])
    start = starts[match, root]
    if kinds[match, root] == 0:
        for k in range(3):
            qpos_out[world, start + k] = pos[k]
            qpos_out[world, start + 4 + k] = quat[k]
        qpos_out[world, start + 3] = quat[3]
    else:
        mocap_pos_out[world, start] = pos
        mocap_quat_out[world, start] = wp.vec4f(quat[3], quat[0], quat[1], quat[2])


@wp.kernel
def write_root_velocities(
    # Selection:
    rows: wp.array(dtype=wp.int32),
    ids: wp.array(dtype=wp.int32),
    row_mask: wp.array(dtype=wp.bool),
    id_mask: wp.array(dtype=wp.bool),
    full: wp.bool,
    # In:
    values_in: wp.array3d(dtype=wp.float32),
    first: wp.int32,
    of_com: wp.bool,
    # Layout:
    kinds: wp.array2d(dtype=wp.int32),
    bodies: wp.array2d(dtype=wp.int32),
    starts: wp.array2d(dtype=wp.int32),
    dofs: wp.array2d(dtype=wp.int32),
    # Model:
    body_ipos: wp.array2d(dtype=wp.vec3f),
    # State:
    qpos_in: wp.array2d(dtype=wp.float32),
    # Out:
    qvel_out: wp.array2d(dtype=wp.float32),
):
    """Velocities (linear, angular) in world of free roots, from column `first` of the values on."""
    i, j = wp.tid()
    matches = bodies.shape[0]
    row = chosen(i, rows, row_mask, matches * qvel_out.shape[0])
    root = chosen(j, ids, id_mask, bodies.shape[1])
    if row < 0 or root < 0:
        return
    if full:
        i = row
        j = root
    world = row // matches
    match = row % matches
    if kinds[match, root] != 0:
        return
    linear = wp.vec3f(
        values_in[i, j, first], values_in[i, j, first + 1], values_in[i, j, first + 2]
    )
    angular = wp.vec3f(
        values_in[i, j, first + 3], values_in[i, j, first + 4], values_in[i, j, first + 5]
    )
    at = starts[match, root] + 3
    quat = wp.quatf(
        qpos_in[world, at + 1], qpos_in[world, at + 2], qpos_in[world, at + 3], qpos_in[world, at]
    )
    if of_com:
        offset = body_ipos[world % body_ipos.shape[0], bodies[match, root]]
        linear -= wp.cross(angular, wp.quat_rotate(quat, offset))
    # The engine keeps the angular velocity of a free body in the body's axes.
    spin = wp.quat_rotate_inv(quat, angular)
    dof = dofs[match, root]
    for k in range(3):
        qvel_out[world, dof + k] = linear[k]
        qvel_out[world, dof + 3 + k] = spin[k]
