"""Body speed kernel: free bodies beyond their limits are slowed down and moved back."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["kept_share", "limit_bodies"]

device.init_kernels(__name__)


@wp.func
def kept_share(vector: wp.vec3f, limit: wp.float32):
    """Share of a vector that is as long as its limit; 1 for one that is no longer."""
    size = wp.length(vector)
    if size > limit:
        return limit / size
    return 1.0


@wp.kernel
def limit_bodies(
    # Model:
    timestep: wp.array(dtype=wp.float32),
    body_ipos: wp.array2d(dtype=wp.vec3f),
    body: wp.array(dtype=wp.int32),
    qposadr: wp.array(dtype=wp.int32),
    dofadr: wp.array(dtype=wp.int32),
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    limit_in: wp.array3d(dtype=wp.float32),
    # Out:
    qpos_inout: wp.array2d(dtype=wp.float32),
    qvel_inout: wp.array2d(dtype=wp.float32),
):
    """Speeds of centres of mass and rotations, in the worlds that just stepped."""
    world, i = wp.tid()
    if not chosen_in[world]:
        return
    dof = dofadr[i]
    adr = qposadr[i]
    v = wp.vec3f(qvel_inout[world, dof], qvel_inout[world, dof + 1], qvel_inout[world, dof + 2])
    w = wp.vec3f(qvel_inout[world, dof + 3], qvel_inout[world, dof + 4], qvel_inout[world, dof + 5])
    q = wp.quatf(
        qpos_inout[world, adr + 4],
        qpos_inout[world, adr + 5],
        qpos_inout[world, adr + 6],
        qpos_inout[world, adr + 3],
    )
    com = body_ipos[world % body_ipos.shape[0], body[i]]
    moving = v + wp.quat_rotate(q, wp.cross(w, com))
    slow = moving * kept_share(moving, limit_in[world, i, 0])
    fast = w * kept_share(w, limit_in[world, i, 1])
    if slow == moving and fast == w:
        return
    new = slow - wp.quat_rotate(q, wp.cross(fast, com))
    step = timestep[world % timestep.shape[0]]
    turn = step * (fast - w)
    angle = wp.length(turn)
    if angle > 0.0:
        q = wp.normalize(q * wp.quat_from_axis_angle(turn / angle, angle))
    for k in range(3):
        qpos_inout[world, adr + k] = qpos_inout[world, adr + k] + step * (new[k] - v[k])
        qvel_inout[world, dof + k] = new[k]
        qvel_inout[world, dof + 3 + k] = fast[k]
        qpos_inout[world, adr + 4 + k] = q[k]
    qpos_inout[world, adr + 3] = q[3]
