"""Kernels of the dynamics of an articulation."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["jacobians"]

device.init_kernels(__name__)

_vec6d = wp.types.vector(6, wp.float64)


@wp.kernel
def jacobians(
    # Engine:
    dof_axis_in: wp.array2d(dtype=_vec6d),
    tree_com_in: wp.array2d(dtype=wp.vec3d),
    origin_in: wp.array2d(dtype=wp.vec3d),
    last_dof: wp.array(dtype=wp.int32),
    dof_parent: wp.array(dtype=wp.int32),
    # Layout:
    bodies: wp.array2d(dtype=wp.int32),
    trees: wp.array2d(dtype=wp.int32),
    columns: wp.array2d(dtype=wp.int32),
    # Out:
    jacobian_out: wp.array4d(dtype=wp.float32),
):
    """Velocity of points of bodies, linear first, per velocity of each degree of freedom.

    The output has to be zero where a degree of freedom does not move a body.
    """
    instance, i = wp.tid()
    matches = bodies.shape[0]
    world, match = instance // matches, instance % matches
    body = bodies[match, i]
    arm = origin_in[world, body] - tree_com_in[world, trees[match, i]]
    dof = last_dof[body]
    while dof >= 0:
        column = columns[match, dof]
        if column >= 0:
            s = dof_axis_in[world, dof]
            angular = wp.vec3d(s[0], s[1], s[2])
            linear = wp.vec3d(s[3], s[4], s[5]) + wp.cross(angular, arm)
            for k in range(3):
                jacobian_out[instance, i, k, column] = wp.float32(linear[k])
                jacobian_out[instance, i, 3 + k, column] = wp.float32(angular[k])
        dof = dof_parent[dof]
