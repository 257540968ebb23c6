"""Kernels that turn engine arrays into what sensors report.

Engine arrays are (world, element); instance i is match i % matches of world i // matches. A launch
covers the instances in `rows_in`. The engine's quaternions are wxyz, and its spatial velocities
(angular, linear) refer to the centre of mass of the tree.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = [
    "aim_rays",
    "image_depths",
    "imu_motion",
    "joint_wrenches",
    "poses",
    "ray_hits",
    "relative_poses",
]

device.init_kernels(__name__)

_vec6d = wp.types.vector(6, wp.float64)


@wp.func
def _xyzw(q: wp.vec4d) -> wp.quatd:
    return wp.quatd(q[1], q[2], q[3], q[0])


@wp.kernel
def poses(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # Engine:
    pos_in: wp.array2d(dtype=wp.vec3d),
    quat_in: wp.array2d(dtype=wp.vec4d),
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    offset_in: wp.array2d(dtype=wp.transformf),
    shift_in: wp.array(dtype=wp.vec3f),
    # Out:
    pose_out: wp.array2d(dtype=wp.transformf),
):
    """Frames fixed to bodies, in world, and shifted there."""
    row, k = wp.tid()
    instance = rows_in[row]
    matches = bodies.shape[0]
    world, body = instance // matches, bodies[instance % matches, k]
    offset = offset_in[instance, k]
    rotation = _xyzw(quat_in[world, body])
    arm = wp.quat_rotate(rotation, wp.vec3d(wp.transform_get_translation(offset)))
    turned = rotation * wp.quatd(wp.transform_get_rotation(offset))
    position = wp.vec3f(pos_in[world, body] + arm) + shift_in[instance]
    pose_out[instance, k] = wp.transformf(position, wp.quatf(turned))


@wp.kernel
def relative_poses(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # In:
    source_in: wp.array2d(dtype=wp.transformf),
    target_in: wp.array2d(dtype=wp.transformf),
    # Out:
    pose_out: wp.array2d(dtype=wp.transformf),
):
    """Target frames in the frame of the source."""
    row, k = wp.tid()
    i = rows_in[row]
    pose_out[i, k] = wp.transform_inverse(source_in[i, 0]) * target_in[i, k]


@wp.kernel
def imu_motion(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # Engine:
    pos_in: wp.array2d(dtype=wp.vec3d),
    quat_in: wp.array2d(dtype=wp.vec4d),
    velocity_in: wp.array2d(dtype=_vec6d),
    tree_com_in: wp.array2d(dtype=wp.vec3d),
    dof_axis_in: wp.array2d(dtype=_vec6d),
    dof_axis_rate_in: wp.array2d(dtype=_vec6d),
    qvel_in: wp.array2d(dtype=wp.float64),
    acceleration_in: wp.array2d(dtype=wp.float64),
    gravity_in: wp.array(dtype=wp.vec3f),
    bias: wp.vec3f,
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    offset_in: wp.array2d(dtype=wp.transformf),
    trees: wp.array(dtype=wp.int32),
    last_dof: wp.array(dtype=wp.int32),
    dof_parent: wp.array(dtype=wp.int32),
    # Out:
    linear_velocity_out: wp.array(dtype=wp.vec3f),
    angular_velocity_out: wp.array(dtype=wp.vec3f),
    linear_acceleration_out: wp.array(dtype=wp.vec3f),
    angular_acceleration_out: wp.array(dtype=wp.vec3f),
    gravity_out: wp.array(dtype=wp.vec3f),
):
    """Motion of frames fixed to bodies, in their own axes.

    Accelerations sum over the degrees of freedom that move a body: Featherstone 2008, section 5.3.
    """
    row = wp.tid()
    instance = rows_in[row]
    matches = bodies.shape[0]
    world, body = instance // matches, bodies[instance % matches, 0]
    offset = offset_in[instance, 0]
    rotation = _xyzw(quat_in[world, body])
    point = pos_in[world, body]
    point += wp.quat_rotate(rotation, wp.vec3d(wp.transform_get_translation(offset)))
    axes = rotation * wp.quatd(wp.transform_get_rotation(offset))
    arm = point - tree_com_in[world, trees[body]]

    v = velocity_in[world, body]
    omega = wp.vec3d(v[0], v[1], v[2])
    linear = wp.vec3d(v[3], v[4], v[5]) + wp.cross(omega, arm)

    a = _vec6d()
    dof = last_dof[body]
    while dof >= 0:
        a += dof_axis_rate_in[world, dof] * qvel_in[world, dof]
        a += dof_axis_in[world, dof] * acceleration_in[world, dof]
        dof = dof_parent[dof]
    alpha = wp.vec3d(a[0], a[1], a[2])
    # A spatial acceleration is of what passes a fixed point; that of a moving point adds w x v.
    acceleration = wp.vec3d(a[3], a[4], a[5]) + wp.cross(alpha, arm) + wp.cross(omega, linear)
    acceleration += wp.vec3d(bias)

    linear_velocity_out[instance] = wp.vec3f(wp.quat_rotate_inv(axes, linear))
    angular_velocity_out[instance] = wp.vec3f(wp.quat_rotate_inv(axes, omega))
    linear_acceleration_out[instance] = wp.vec3f(wp.quat_rotate_inv(axes, acceleration))
    angular_acceleration_out[instance] = wp.vec3f(wp.quat_rotate_inv(axes, alpha))
    gravity_out[instance] = wp.vec3f(wp.quat_rotate_inv(axes, wp.vec3d(gravity_in[world])))


@wp.kernel
def joint_wrenches(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # Engine:
    wrench_in: wp.array2d(dtype=_vec6d),
    quat_in: wp.array2d(dtype=wp.vec4d),
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    frames: wp.array2d(dtype=wp.transformf),
    # Out:
    force_out: wp.array2d(dtype=wp.vec3f),
    torque_out: wp.array2d(dtype=wp.vec3f),
):
    """Wrenches along world axes about bodies' origins, in joint frames and about their origins."""
    row, k = wp.tid()
    instance = rows_in[row]
    matches = bodies.shape[0]
    world, match = instance // matches, instance % matches
    body, frame = bodies[match, k], frames[match, k]
    wrench = wrench_in[world, body]
    force = wp.vec3d(wrench[0], wrench[1], wrench[2])
    rotation = _xyzw(quat_in[world, body])
    arm = wp.quat_rotate(rotation, wp.vec3d(wp.transform_get_translation(frame)))
    torque = wp.vec3d(wrench[3], wrench[4], wrench[5]) - wp.cross(arm, force)
    axes = rotation * wp.quatd(wp.transform_get_rotation(frame))
    force_out[instance, k] = wp.vec3f(wp.quat_rotate_inv(axes, force))
    torque_out[instance, k] = wp.vec3f(wp.quat_rotate_inv(axes, torque))


@wp.kernel
def aim_rays(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # In:
    pose_in: wp.array2d(dtype=wp.transformf),
    start_in: wp.array2d(dtype=wp.vec3f),
    direction_in: wp.array2d(dtype=wp.vec3f),
    shift_in: wp.array(dtype=wp.vec3f),
    follows: wp.int32,
    turns_directions: wp.bool,
    block: wp.int32,
    # Out:
    start_out: wp.array2d(dtype=wp.vec3d),
    direction_out: wp.array2d(dtype=wp.vec3d),
):
    """Rays in world; they follow the whole rotation (2), the rotation about z (1) or none (0).

    Where only starts follow the rotation about z, directions stay as they are. The part along x and
    y of the shift, which is in the frame that rays follow, is added to the starts.
    Rays in the frame of the sensor have a row per instance, or one for all. A thread takes so many
    rays, one after the other.
    """
    row, part = wp.tid()
    instance = rows_in[row]
    pose = pose_in[instance, 0]
    rotation = wp.quat_identity()
    if follows == 2:
        rotation = wp.transform_get_rotation(pose)
    elif follows == 1:
        q = wp.transform_get_rotation(pose)
        yaw = wp.atan2(2.0 * (q[3] * q[2] + q[0] * q[1]), 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]))
        rotation = wp.quat_from_axis_angle(wp.vec3f(0.0, 0.0, 1.0), yaw)
    shift = wp.quat_rotate(rotation, shift_in[instance])
    origin = wp.transform_get_translation(pose) + wp.vec3f(shift[0], shift[1], 0.0)
    turn = rotation
    if follows == 1 and not turns_directions:
        turn = wp.quat_identity()
    which = wp.min(instance, start_in.shape[0] - 1)
    for ray in range(part * block, wp.min(part * block + block, start_out.shape[1])):
        start_out[instance, ray] = wp.vec3d(origin + wp.quat_rotate(rotation, start_in[which, ray]))
        turned = wp.quat_rotate(turn, direction_in[which, ray])
        direction_out[instance, ray] = wp.vec3d(wp.normalize(turned))


@wp.kernel
def ray_hits(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # In:
    start_in: wp.array2d(dtype=wp.vec3d),
    direction_in: wp.array2d(dtype=wp.vec3d),
    distance_in: wp.array2d(dtype=wp.float64),
    normal_in: wp.array2d(dtype=wp.vec3d),
    shift_in: wp.array(dtype=wp.vec3f),
    farthest: wp.float64,
    block: wp.int32,
    # Out:
    hit_out: wp.array2d(dtype=wp.vec3f),
    distance_out: wp.array2d(dtype=wp.float32),
    normal_out: wp.array2d(dtype=wp.vec3f),
):
    """Points where rays end, raised by the shift along z; infinite where they hit nothing in reach.

    A thread takes so many rays, one after the other.
    """
    row, part = wp.tid()
    instance = rows_in[row]
    for ray in range(part * block, wp.min(part * block + block, distance_in.shape[1])):
        distance = distance_in[instance, ray]
        if distance < wp.float64(0.0) or distance > farthest:
            hit_out[instance, ray] = wp.vec3f(wp.inf, wp.inf, wp.inf)
            distance_out[instance, ray] = wp.inf
            normal_out[instance, ray] = wp.vec3f()
        else:
            hit = wp.vec3f(start_in[instance, ray] + distance * direction_in[instance, ray])
            hit_out[instance, ray] = hit + wp.vec3f(0.0, 0.0, shift_in[instance][2])
            distance_out[instance, ray] = wp.float32(distance)
            normal_out[instance, ray] = wp.vec3f(normal_in[instance, ray])


@wp.kernel
def image_depths(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # In:
    distance_in: wp.array2d(dtype=wp.float32),
    direction_in: wp.array2d(dtype=wp.vec3f),
    missed: wp.float32,
    # Out:
    length_out: wp.array2d(dtype=wp.float32),
    depth_out: wp.array2d(dtype=wp.float32),
):
    """Lengths of rays and their parts along the axis of the camera; `missed` where none ends."""
    row, ray = wp.tid()
    instance = rows_in[row]
    length = distance_in[instance, ray]
    if wp.isfinite(length):
        length_out[instance, ray] = length
        which = wp.min(instance, direction_in.shape[0] - 1)
        depth_out[instance, ray] = length * direction_in[which, ray][0]
    else:
        length_out[instance, ray] = missed
        depth_out[instance, ray] = missed
