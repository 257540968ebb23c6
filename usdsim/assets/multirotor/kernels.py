"""Multirotor kernels: copies of thrusts, and the wrench they make."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.views.copies.kernels import chosen

__all__ = ["apply_thrusts", "copy_thrusts"]

device.init_kernels(__name__)

_vec6d = wp.types.vector(6, wp.float64)


@wp.kernel
def copy_thrusts(
    # Selection:
    rows: wp.array(dtype=wp.int32),
    row_mask: wp.array(dtype=wp.bool),
    # In:
    thrust_in: wp.array2d(dtype=wp.float32),
    # Out:
    thrust_out: wp.array2d(dtype=wp.float32),
):
    """Copy the thrusts of some vehicles."""
    i, j = wp.tid()
    row = chosen(i, rows, row_mask, thrust_out.shape[0])
    if row >= 0:
        thrust_out[row, j] = thrust_in[row, j]


@wp.kernel
def apply_thrusts(
    # Model:
    roots: wp.array2d(dtype=wp.int32),
    allocation: wp.array3d(dtype=wp.float32),
    # In:
    adds: wp.bool,
    quat_in: wp.array2d(dtype=wp.vec4d),
    thrust_in: wp.array2d(dtype=wp.float32),
    # Out:
    wrench_inout: wp.array2d(dtype=_vec6d),
):
    """Give the engine the wrench of the thrusts on the root, or add it to what is there.

    There is an allocation matrix for all vehicles, for each match in a world, or for each vehicle.
    """
    i = wp.tid()
    matches = roots.shape[0]
    own = i % allocation.shape[0]
    force = wp.vec3d()
    torque = wp.vec3d()
    for k in range(thrust_in.shape[1]):
        thrust = wp.float64(thrust_in[i, k])
        force += thrust * wp.vec3d(
            wp.float64(allocation[own, 0, k]),
            wp.float64(allocation[own, 1, k]),
            wp.float64(allocation[own, 2, k]),
        )
        torque += thrust * wp.vec3d(
            wp.float64(allocation[own, 3, k]),
            wp.float64(allocation[own, 4, k]),
            wp.float64(allocation[own, 5, k]),
        )
    world = i // matches
    body = roots[i % matches, 0]
    q = quat_in[world, body]
    rotation = wp.quatd(q[1], q[2], q[3], q[0])
    force = wp.quat_rotate(rotation, force)
    torque = wp.quat_rotate(rotation, torque)
    wrench = _vec6d(force[0], force[1], force[2], torque[0], torque[1], torque[2])
    if adds:
        wrench += wrench_inout[world, body]
    wrench_inout[world, body] = wrench
