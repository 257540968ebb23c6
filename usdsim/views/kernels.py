"""Kernels that turn engine arrays into what assets report.

Engine arrays are (world, element); outputs are (instance, element), where instance i is match
i % matches of world i // matches and index tables have a row per match. The engine's quaternions
are wxyz, and its spatial velocities (angular, linear) refer to the centre of mass of the tree.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = [
    "accelerations",
    "body_velocities",
    "com_poses",
    "com_velocities",
    "free_poses",
    "free_velocities",
    "gravity_directions",
    "headings",
    "incoming_wrenches",
    "link_poses",
    "origin_velocities",
    "poses_and_velocities",
]

device.init_kernels(__name__)

_vec6d = wp.types.vector(6, wp.float64)


@wp.func
def _twist(linear: wp.vec3f, angular: wp.vec3f) -> wp.spatial_vectorf:
    return wp.spatial_vectorf(linear[0], linear[1], linear[2], angular[0], angular[1], angular[2])


@wp.kernel
def link_poses(
    # Engine:
    pos_in: wp.array2d(dtype=wp.vec3d),
    quat_in: wp.array2d(dtype=wp.vec4d),
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    # Out:
    pose_out: wp.array2d(dtype=wp.transformf),
):
    """Link frames in world."""
    instance, i = wp.tid()
    matches = bodies.shape[0]
    world, body = instance // matches, bodies[instance % matches, i]
    q = quat_in[world, body]
    rotation = wp.quatf(wp.float32(q[1]), wp.float32(q[2]), wp.float32(q[3]), wp.float32(q[0]))
    pose_out[instance, i] = wp.transformf(wp.vec3f(pos_in[world, body]), rotation)


@wp.func
def _turn(qpos: wp.array2d(dtype=wp.float64), world: int, at: int) -> wp.quatd:
    return wp.normalize(
        wp.quatd(qpos[world, at + 1], qpos[world, at + 2], qpos[world, at + 3], qpos[world, at])
    )


@wp.func
def _triple(values: wp.array2d(dtype=wp.float64), world: int, at: int) -> wp.vec3d:
    return wp.vec3d(values[world, at], values[world, at + 1], values[world, at + 2])


@wp.kernel
def free_poses(
    # Engine:
    qpos_in: wp.array2d(dtype=wp.float64),
    # Layout:
    starts: wp.array2d(dtype=wp.int32),
    # Out:
    pose_out: wp.array2d(dtype=wp.transformf),
):
    """Link frames in world of free bodies, from their coordinates."""
    instance, i = wp.tid()
    matches = starts.shape[0]
    world, at = instance // matches, starts[instance % matches, i]
    q = _turn(qpos_in, world, at + 3)
    rotation = wp.quatf(q)
    pose_out[instance, i] = wp.transformf(wp.vec3f(_triple(qpos_in, world, at)), rotation)


@wp.kernel
def free_velocities(
    # Engine:
    qpos_in: wp.array2d(dtype=wp.float64),
    qvel_in: wp.array2d(dtype=wp.float64),
    # Layout:
    starts: wp.array2d(dtype=wp.int32),
    dofs: wp.array2d(dtype=wp.int32),
    # Out:
    velocity_out: wp.array2d(dtype=wp.spatial_vectorf),
):
    """Velocities in world of the origins of free bodies, which spin in their own axes."""
    instance, i = wp.tid()
    matches = dofs.shape[0]
    world, match = instance // matches, instance % matches
    at = dofs[match, i]
    rotation = _turn(qpos_in, world, starts[match, i] + 3)
    angular = wp.quat_rotate(rotation, _triple(qvel_in, world, at + 3))
    velocity_out[instance, i] = _twist(wp.vec3f(_triple(qvel_in, world, at)), wp.vec3f(angular))


@wp.kernel
def com_velocities(
    # In:
    link_pose_in: wp.array2d(dtype=wp.transformf),
    link_velocity_in: wp.array2d(dtype=wp.spatial_vectorf),
    com_pose_b_in: wp.array2d(dtype=wp.transformf),
    # Out:
    velocity_out: wp.array2d(dtype=wp.spatial_vectorf),
):
    """Velocities in world of centres of mass, from those of the links' origins."""
    instance, i = wp.tid()
    rotation = wp.transform_get_rotation(link_pose_in[instance, i])
    arm = wp.quat_rotate(rotation, wp.transform_get_translation(com_pose_b_in[instance, i]))
    v = link_velocity_in[instance, i]
    angular = wp.spatial_bottom(v)
    velocity_out[instance, i] = _twist(wp.spatial_top(v) + wp.cross(angular, arm), angular)


@wp.kernel
def com_poses(
    # In:
    link_pose_in: wp.array2d(dtype=wp.transformf),
    com_pose_b_in: wp.array2d(dtype=wp.transformf),
    # Out:
    pose_out: wp.array2d(dtype=wp.transformf),
):
    """Centres of mass and principal axes in world, from link frames."""
    instance, i = wp.tid()
    pose_out[instance, i] = link_pose_in[instance, i] * com_pose_b_in[instance, i]


@wp.kernel
def origin_velocities(
    # Engine:
    velocity_in: wp.array2d(dtype=_vec6d),
    tree_com_in: wp.array2d(dtype=wp.vec3d),
    origin_in: wp.array2d(dtype=wp.vec3d),
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    trees: wp.array2d(dtype=wp.int32),
    # Out:
    velocity_out: wp.array2d(dtype=wp.spatial_vectorf),
):
    """Velocities in world of points of bodies, linear first."""
    instance, i = wp.tid()
    matches = bodies.shape[0]
    world, match = instance // matches, instance % matches
    body = bodies[match, i]
    v = velocity_in[world, body]
    angular, linear = wp.vec3d(v[0], v[1], v[2]), wp.vec3d(v[3], v[4], v[5])
    arm = origin_in[world, body] - tree_com_in[world, trees[match, i]]
    velocity_out[instance, i] = _twist(wp.vec3f(linear + wp.cross(angular, arm)), wp.vec3f(angular))


@wp.kernel
def body_velocities(
    # In:
    pose_in: wp.array2d(dtype=wp.transformf),
    velocity_in: wp.array2d(dtype=wp.spatial_vectorf),
    # Out:
    velocity_out: wp.array2d(dtype=wp.spatial_vectorf),
):
    """Velocities in the axes of a body."""
    instance, i = wp.tid()
    rotation = wp.transform_get_rotation(pose_in[instance, i])
    v = velocity_in[instance, i]
    velocity_out[instance, i] = _twist(
        wp.quat_rotate_inv(rotation, wp.spatial_top(v)),
        wp.quat_rotate_inv(rotation, wp.spatial_bottom(v)),
    )


@wp.kernel
def gravity_directions(
    # In:
    direction_w_in: wp.array2d(dtype=wp.vec3f),
    pose_in: wp.array2d(dtype=wp.transformf),
    # Out:
    direction_b_out: wp.array2d(dtype=wp.vec3f),
):
    """Direction of gravity in the axes of a body."""
    instance, i = wp.tid()
    rotation = wp.transform_get_rotation(pose_in[instance, i])
    direction_b_out[instance, i] = wp.quat_rotate_inv(rotation, direction_w_in[instance, i])


@wp.kernel
def headings(
    # In:
    pose_in: wp.array2d(dtype=wp.transformf),
    # Out:
    heading_out: wp.array2d(dtype=wp.float32),
):
    """Angle in the horizontal plane of the bodies' x axes [rad]."""
    instance, i = wp.tid()
    rotation = wp.transform_get_rotation(pose_in[instance, i])
    forward = wp.quat_rotate(rotation, wp.vec3f(1.0, 0.0, 0.0))
    heading_out[instance, i] = wp.atan2(forward[1], forward[0])


@wp.kernel
def poses_and_velocities(
    # In:
    pose_in: wp.array2d(dtype=wp.transformf),
    velocity_in: wp.array2d(dtype=wp.spatial_vectorf),
    # Out:
    state_out: wp.array3d(dtype=wp.float32),
):
    """Poses and velocities in rows of thirteen numbers."""
    instance, i = wp.tid()
    pose, velocity = pose_in[instance, i], velocity_in[instance, i]
    for k in range(7):
        state_out[instance, i, k] = pose[k]
    for k in range(6):
        state_out[instance, i, 7 + k] = velocity[k]


@wp.kernel
def accelerations(
    # Engine:
    dof_axis_in: wp.array2d(dtype=_vec6d),
    dof_axis_rate_in: wp.array2d(dtype=_vec6d),
    qvel_in: wp.array2d(dtype=wp.float64),
    qacc_in: wp.array2d(dtype=wp.float64),
    velocity_in: wp.array2d(dtype=_vec6d),
    tree_com_in: wp.array2d(dtype=wp.vec3d),
    origin_in: wp.array2d(dtype=wp.vec3d),
    last_dof: wp.array(dtype=wp.int32),
    dof_parent: wp.array(dtype=wp.int32),
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    trees: wp.array2d(dtype=wp.int32),
    # Out:
    acceleration_out: wp.array2d(dtype=wp.spatial_vectorf),
):
    """Accelerations in world of points of bodies, linear first.

    The sum over the degrees of freedom that move a body: Featherstone 2008, section 5.3.
    """
    instance, i = wp.tid()
    matches = bodies.shape[0]
    world, match = instance // matches, instance % matches
    body = bodies[match, i]
    a = _vec6d()
    dof = last_dof[body]
    while dof >= 0:
        a += dof_axis_rate_in[world, dof] * qvel_in[world, dof]
        a += dof_axis_in[world, dof] * qacc_in[world, dof]
        dof = dof_parent[dof]
    angular, linear = wp.vec3d(a[0], a[1], a[2]), wp.vec3d(a[3], a[4], a[5])
    v = velocity_in[world, body]
    omega, v_tree = wp.vec3d(v[0], v[1], v[2]), wp.vec3d(v[3], v[4], v[5])
    arm = origin_in[world, body] - tree_com_in[world, trees[match, i]]
    v_origin = v_tree + wp.cross(omega, arm)
    # A spatial acceleration is of what passes a fixed point; that of a moving point adds w x v.
    linear = linear + wp.cross(angular, arm) + wp.cross(omega, v_origin)
    acceleration_out[instance, i] = _twist(wp.vec3f(linear), wp.vec3f(angular))


@wp.kernel
def incoming_wrenches(
    # Engine:
    wrench_in: wp.array2d(dtype=_vec6d),
    pos_in: wp.array2d(dtype=wp.vec3d),
    quat_in: wp.array2d(dtype=wp.vec4d),
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    parents: wp.array2d(dtype=wp.int32),
    # Out:
    wrench_out: wp.array2d(dtype=wp.spatial_vectorf),
):
    """Wrenches of bodies on their parents, in the parents' frames and about their origins.

    The world is given no origin: what acts on it stays about that of the body.
    """
    instance, i = wp.tid()
    matches = bodies.shape[0]
    world, match = instance // matches, instance % matches
    body, parent = bodies[match, i], parents[match, i]
    wrench = wrench_in[world, body]
    force = -wp.vec3d(wrench[0], wrench[1], wrench[2])
    torque = -wp.vec3d(wrench[3], wrench[4], wrench[5])
    if parent > 0:
        torque += wp.cross(pos_in[world, body] - pos_in[world, parent], force)
    q = quat_in[world, parent]
    rotation = wp.quatd(q[1], q[2], q[3], q[0])
    force, torque = wp.quat_rotate_inv(rotation, force), wp.quat_rotate_inv(rotation, torque)
    wrench_out[instance, i] = _twist(wp.vec3f(force), wp.vec3f(torque))
