"""Kernels that collect external wrenches and bring them to the engine.

What was asked for is kept per instance and body in six slots, so that it can be composed anew at
every pose: for each frame (link first, then world) the forces at the centre of mass, the forces at
points, and the torques, which include those of the latter forces about the frame's origin.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.views.copies.kernels import chosen

__all__ = [
    "SLOTS",
    "add_slots",
    "add_wrenches",
    "apply_wrenches",
    "clear_wrenches",
    "compose_wrenches",
    "local_forces",
]

device.init_kernels(__name__)

SLOTS = 6
"""Number of slots."""

_vec6d = wp.types.vector(6, wp.float64)


@wp.func
def _vector(values: wp.array3d(dtype=wp.float32), i: wp.int32, j: wp.int32):
    """A vector of an array, zero where there is no array."""
    found = wp.vec3f()
    if values:
        found = wp.vec3f(values[i, j, 0], values[i, j, 1], values[i, j, 2])
    return found


@wp.kernel
def add_wrenches(
    # Selection:
    rows: wp.array(dtype=wp.int32),
    ids: wp.array(dtype=wp.int32),
    row_mask: wp.array(dtype=wp.bool),
    id_mask: wp.array(dtype=wp.bool),
    full: wp.bool,
    # In:
    force_in: wp.array3d(dtype=wp.float32),
    torque_in: wp.array3d(dtype=wp.float32),
    position_in: wp.array3d(dtype=wp.float32),
    in_world: wp.bool,
    at_points: wp.bool,
    replaces: wp.bool,
    # Out:
    slots_out: wp.array3d(dtype=wp.vec3f),
):
    """Add forces, torques and positions to slots of some bodies, or replace what is there."""
    i, j = wp.tid()
    row = chosen(i, rows, row_mask, slots_out.shape[1])
    column = chosen(j, ids, id_mask, slots_out.shape[2])
    if row < 0 or column < 0:
        return
    if full:
        i = row
        j = column
    if replaces:
        for k in range(6):
            slots_out[k, row, column] = wp.vec3f()
    first = wp.where(in_world, 3, 0)
    force = _vector(force_in, i, j)
    slots_out[first + 2, row, column] += _vector(torque_in, i, j)
    if at_points:
        slots_out[first + 1, row, column] += force
        slots_out[first + 2, row, column] += wp.cross(_vector(position_in, i, j), force)
    else:
        slots_out[first, row, column] += force


@wp.func
def _wrench(
    link: wp.transformf,
    com: wp.vec3f,
    force_b: wp.vec3f,
    force_at_b: wp.vec3f,
    torque_b: wp.vec3f,
    force_w: wp.vec3f,
    force_at_w: wp.vec3f,
    torque_w: wp.vec3f,
):
    """Force, and torque about the centre of mass, in world axes."""
    rotation = wp.transform_get_rotation(link)
    turned = wp.quat_rotate(rotation, force_at_b)
    force = force_w + force_at_w + turned + wp.quat_rotate(rotation, force_b)
    torque = torque_w - wp.cross(com, force_at_w)
    torque += wp.quat_rotate(rotation, torque_b)
    torque -= wp.cross(com - wp.transform_get_translation(link), turned)
    return force, torque


@wp.kernel
def compose_wrenches(
    # In:
    link_pose_in: wp.array2d(dtype=wp.transformf),
    com_pos_in: wp.array2d(dtype=wp.vec3f),
    slots_in: wp.array3d(dtype=wp.vec3f),
    # Out:
    force_w_out: wp.array2d(dtype=wp.vec3f),
    torque_w_out: wp.array2d(dtype=wp.vec3f),
    force_b_out: wp.array2d(dtype=wp.vec3f),
    torque_b_out: wp.array2d(dtype=wp.vec3f),
):
    """Wrenches at centres of mass, in world axes and in those of the links."""
    i, j = wp.tid()
    link = link_pose_in[i, j]
    force, torque = _wrench(
        link,
        com_pos_in[i, j],
        slots_in[0, i, j],
        slots_in[1, i, j],
        slots_in[2, i, j],
        slots_in[3, i, j],
        slots_in[4, i, j],
        slots_in[5, i, j],
    )
    rotation = wp.transform_get_rotation(link)
    force_w_out[i, j] = force
    torque_w_out[i, j] = torque
    # What was given in the link's axes is not turned to world and back, which would round it.
    com = com_pos_in[i, j]
    com_b = wp.quat_rotate_inv(rotation, com - wp.transform_get_translation(link))
    world_force = slots_in[3, i, j] + slots_in[4, i, j]
    world_torque = slots_in[5, i, j] - wp.cross(com, slots_in[4, i, j])
    force_b_out[i, j] = slots_in[0, i, j] + slots_in[1, i, j]
    force_b_out[i, j] += wp.quat_rotate_inv(rotation, world_force)
    torque_b_out[i, j] = slots_in[2, i, j] - wp.cross(com_b, slots_in[1, i, j])
    torque_b_out[i, j] += wp.quat_rotate_inv(rotation, world_torque)


@wp.func
def _sum(
    first: wp.array3d(dtype=wp.vec3f),
    second: wp.array3d(dtype=wp.vec3f),
    k: wp.int32,
    i: wp.int32,
    j: wp.int32,
):
    """Sum of a slot of two sets, either of which may be absent."""
    total = wp.vec3f()
    if first:
        total += first[k, i, j]
    if second:
        total += second[k, i, j]
    return total


@wp.kernel
def apply_wrenches(
    # In:
    link_pose_in: wp.array2d(dtype=wp.transformf),
    com_pos_in: wp.array2d(dtype=wp.vec3f),
    first_in: wp.array3d(dtype=wp.vec3f),
    second_in: wp.array3d(dtype=wp.vec3f),
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    # Out:
    wrench_out: wp.array2d(dtype=_vec6d),
):
    """Write the sum of two sets of slots to the engine, which has (force, torque) per body.

    A set in which nothing acts is absent.
    """
    i, j = wp.tid()
    matches = bodies.shape[0]
    force, torque = _wrench(
        link_pose_in[i, j],
        com_pos_in[i, j],
        _sum(first_in, second_in, 0, i, j),
        _sum(first_in, second_in, 1, i, j),
        _sum(first_in, second_in, 2, i, j),
        _sum(first_in, second_in, 3, i, j),
        _sum(first_in, second_in, 4, i, j),
        _sum(first_in, second_in, 5, i, j),
    )
    wrench_out[i // matches, bodies[i % matches, j]] = _vec6d(
        wp.float64(force[0]),
        wp.float64(force[1]),
        wp.float64(force[2]),
        wp.float64(torque[0]),
        wp.float64(torque[1]),
        wp.float64(torque[2]),
    )


@wp.kernel
def clear_wrenches(
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    # Out:
    wrench_out: wp.array2d(dtype=_vec6d),
):
    """Set the engine's wrenches on an asset's bodies to zero."""
    i, j = wp.tid()
    matches = bodies.shape[0]
    wrench_out[i // matches, bodies[i % matches, j]] = _vec6d()


@wp.kernel
def add_slots(
    # In:
    slots_in: wp.array3d(dtype=wp.vec3f),
    # Out:
    slots_out: wp.array3d(dtype=wp.vec3f),
):
    """Add what one set of slots holds to another."""
    k, i, j = wp.tid()
    slots_out[k, i, j] += slots_in[k, i, j]


@wp.kernel
def local_forces(
    # In:
    slots_in: wp.array3d(dtype=wp.vec3f),
    # Out:
    force_b_out: wp.array2d(dtype=wp.vec3f),
):
    """Forces given in link frames, at centres of mass and at points together."""
    i, j = wp.tid()
    force_b_out[i, j] = slots_in[0, i, j] + slots_in[1, i, j]
