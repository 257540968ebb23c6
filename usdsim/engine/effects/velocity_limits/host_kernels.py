"""Velocity limit kernels in double precision: joint impulses from the engine's own factors."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

from .kernels import move_joint_back, solve_active

__all__ = ["limit_speeds", "move_back"]

device.init()
wp.set_module_options({"enable_backward": False})

_DEPENDENT = wp.constant(wp.float64(1.0e-13))
"""Share of an axis' own response below which it yields to no impulse but those of others."""


@wp.func
def _respond(
    dof: int,
    row_size: wp.array(dtype=wp.int32),
    row_start: wp.array(dtype=wp.int32),
    column: wp.array(dtype=wp.int32),
    factor: wp.array(dtype=wp.float64),
    inverse: wp.array(dtype=wp.float64),
    x: wp.array(dtype=wp.float64),
):
    """Velocities after a unit impulse on one axis: L^T D L x = unit, as `mj_solveM` has it.

    Rows of the factor L hold their ancestors, and the diagonal last.
    """
    count = x.shape[0]
    for i in range(count):
        x[i] = wp.float64(0.0)
    x[dof] = wp.float64(1.0)
    # Nothing but the ancestors of an axis has a part in the first half.
    for back in range(dof + 1):
        i = dof - back
        value = x[i]
        if value != wp.float64(0.0):
            for entry in range(row_start[i], row_start[i] + row_size[i] - 1):
                x[column[entry]] = x[column[entry]] - factor[entry] * value
    for i in range(count):
        total = x[i] * inverse[i]
        for entry in range(row_start[i], row_start[i] + row_size[i] - 1):
            total -= factor[entry] * x[column[entry]]
        x[i] = total


@wp.kernel
def limit_speeds(
    # Model:
    row_size: wp.array(dtype=wp.int32),
    row_start: wp.array(dtype=wp.int32),
    column: wp.array(dtype=wp.int32),
    dofs: wp.array(dtype=wp.int32),
    # In:
    worlds: wp.array(dtype=wp.int32),
    limit_in: wp.array2d(dtype=wp.float64),
    factor_in: wp.array2d(dtype=wp.float64),
    inverse_in: wp.array2d(dtype=wp.float64),
    # Out:
    active_out: wp.array2d(dtype=wp.int32),
    sign_out: wp.array2d(dtype=wp.int32),
    response_out: wp.array3d(dtype=wp.float64),
    block_out: wp.array3d(dtype=wp.float64),
    impulse_out: wp.array2d(dtype=wp.float64),
    change_out: wp.array2d(dtype=wp.float64),
    qvel_inout: wp.array2d(dtype=wp.float64),
):
    """Joint impulses that bring axes back to their limits; slowing one may push another over.

    What is solved lies side by side for the axes that are slowed, whose numbers, from one on, are
    in `active_out`; `sign_out` says of every axis which way it is too fast.
    """
    thread = wp.tid()
    world = worlds[thread]
    count, nv = dofs.shape[0], qvel_inout.shape[1]
    qvel, limit = qvel_inout[world], limit_in[world]
    active, sign, impulse = active_out[thread], sign_out[thread], impulse_out[thread]
    response, block, change = response_out[thread], block_out[thread], change_out[thread]
    size = wp.int32(0)
    for i in range(count):
        sign[i] = 0
    for _attempt in range(count):
        more = wp.int32(0)
        for i in range(count):
            if sign[i] != 0:
                continue
            dof = dofs[i]
            after = qvel[dof]
            for k in range(size):
                after -= impulse[k] * response[active[k] - 1, dof]
            if wp.abs(after) > limit[dof]:
                sign[i] = wp.where(after > wp.float64(0.0), 1, -1)
                _respond(
                    dof,
                    row_size,
                    row_start,
                    column,
                    factor_in[world],
                    inverse_in[world],
                    response[i],
                )
                more = 1
        if more == 0:
            break
        size = wp.int32(0)
        for i in range(count):
            if sign[i] != 0:
                active[size] = i + 1
                impulse[size] = qvel[dofs[i]] - wp.float64(sign[i]) * limit[dofs[i]]
                size += 1
        for i in range(size):
            for k in range(i + 1):
                block[i, k] = response[active[i] - 1, dofs[active[k] - 1]]
        solve_active(size, active, _DEPENDENT, block, impulse)
    for dof in range(nv):
        total = wp.float64(0.0)
        for k in range(size):
            total += impulse[k] * response[active[k] - 1, dof]
        change[dof] = total
        qvel[dof] = qvel[dof] - total


@wp.kernel
def move_back(
    # Model:
    jnt_type: wp.array(dtype=wp.int32),
    jnt_qposadr: wp.array(dtype=wp.int32),
    jnt_dofadr: wp.array(dtype=wp.int32),
    # In:
    worlds: wp.array(dtype=wp.int32),
    timestep: wp.array(dtype=wp.float64),
    change_in: wp.array2d(dtype=wp.float64),
    # Out:
    qpos_inout: wp.array2d(dtype=wp.float64),
):
    """Undo what velocity beyond the limits moved during the step."""
    place, joint = wp.tid()
    world = worlds[place]
    move_joint_back(
        jnt_type[joint],
        int(jnt_qposadr[joint]),
        int(jnt_dofadr[joint]),
        timestep[world],
        change_in[place],
        qpos_inout[world],
    )
