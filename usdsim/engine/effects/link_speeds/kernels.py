"""Link speed kernel: forces against the motion of links that are beyond their limits."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.engine.effects.body_speeds.kernels import kept_share
from usdsim.engine.effects.step_forces.kernels import angular_momentum

__all__ = ["slow_links"]

device.init_kernels(__name__)


@wp.kernel
def slow_links(
    # Model:
    timestep: wp.array(dtype=wp.float32),
    body_rootid: wp.array(dtype=wp.int32),
    body_mass: wp.array2d(dtype=wp.float32),
    body_inertia: wp.array2d(dtype=wp.vec3f),
    bodies: wp.array(dtype=wp.int32),
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    limit_in: wp.array3d(dtype=wp.float32),
    cvel_in: wp.array2d(dtype=wp.spatial_vectorf),
    xipos_in: wp.array2d(dtype=wp.vec3f),
    subtree_com_in: wp.array2d(dtype=wp.vec3f),
    ximat_in: wp.array2d(dtype=wp.mat33f),
    # Out:
    force_inout: wp.array2d(dtype=wp.spatial_vectorf),
):
    """Add forces and torques to links of worlds that are about to step."""
    world, i = wp.tid()
    if not chosen_in[world]:
        return
    body = bodies[i]
    turning = wp.spatial_top(cvel_in[world, body])
    arm = xipos_in[world, body] - subtree_com_in[world, body_rootid[body]]
    moving = wp.spatial_bottom(cvel_in[world, body]) + wp.cross(turning, arm)
    much = 1.0 - kept_share(moving, limit_in[world, i, 0])
    fast = 1.0 - kept_share(turning, limit_in[world, i, 1])
    if much == 0.0 and fast == 0.0:
        return
    rate = 1.0 / timestep[world % timestep.shape[0]]
    inertia = body_inertia[world % body_inertia.shape[0], body]
    momentum = angular_momentum(turning, ximat_in[world, body], inertia)
    force = -(body_mass[world % body_mass.shape[0], body] * rate * much) * moving
    torque = -(rate * fast) * momentum
    force_inout[world, body] += wp.spatial_vectorf(
        force[0], force[1], force[2], torque[0], torque[1], torque[2]
    )
