"""Gyroscopic torque kernel: one that makes up for it is applied."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.engine.effects.step_forces.kernels import angular_momentum

__all__ = ["apply_torques"]

device.init_kernels(__name__)


@wp.kernel
def apply_torques(
    # Model:
    bodies: wp.array(dtype=wp.int32),
    body_inertia: wp.array2d(dtype=wp.vec3f),
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    cvel_in: wp.array2d(dtype=wp.spatial_vectorf),
    ximat_in: wp.array2d(dtype=wp.mat33f),
    # Out:
    force_inout: wp.array2d(dtype=wp.spatial_vectorf),
):
    """Apply w x I w to bodies of worlds that are about to step, beside what acts on them."""
    world, i = wp.tid()
    if not chosen_in[world]:
        return
    body = bodies[i]
    turning = wp.spatial_top(cvel_in[world, body])
    inertia = body_inertia[world % body_inertia.shape[0], body]
    torque = wp.cross(turning, angular_momentum(turning, ximat_in[world, body], inertia))
    force_inout[world, body] += wp.spatial_vectorf(0.0, 0.0, 0.0, torque[0], torque[1], torque[2])
