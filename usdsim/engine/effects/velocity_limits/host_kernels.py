"""Velocity limit kernels in double precision: joint impulses from the engine's own factors."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

from .kernels import move_joint_back, solve_active

__all__ = ["limit_speeds"]

device.init_kernels(__name__)

_DEPENDENT = wp.constant(wp.float64(1.0e-13))
"""Share of an axis' own response below which it yields to no impulse but those of others."""


@wp.func
def _upward(
    dof: int,
    row_size: wp.array(dtype=wp.int32),
    row_start: wp.array(dtype=wp.int32),
    column: wp.array(dtype=wp.int32),
    factor: wp.array(dtype=wp.float64),
    x: wp.array(dtype=wp.float64),
):
    """Solve L^T x = unit impulse on one axis, in which nothing but its ancestors has a part."""
    for i in range(dof):
        x[i] = wp.float64(0.0)
    x[dof] = wp.float64(1.0)
    for back in range(dof + 1):
        i = dof - back
        value = x[i]
        if value != wp.float64(0.0):
            start = row_start[i]
            for entry in range(start, start + row_size[i] - 1):
                to = column[entry]
                x[to] = x[to] - factor[entry] * value


@wp.func
def _downward(
    row_size: wp.array(dtype=wp.int32),
    row_start: wp.array(dtype=wp.int32),
    column: wp.array(dtype=wp.int32),
    factor: wp.array(dtype=wp.float64),
    x: wp.array(dtype=wp.float64),
):
    """Solve L x = x in place."""
    for i in range(x.shape[0]):
        total = x[i]
        start = row_start[i]
        for entry in range(start, start + row_size[i] - 1):
            total -= factor[entry] * x[column[entry]]
        x[i] = total


@wp.kernel
def limit_speeds(
    # Model:
    row_size: wp.array(dtype=wp.int32),
    row_start: wp.array(dtype=wp.int32),
    column: wp.array(dtype=wp.int32),
    dofs: wp.array(dtype=wp.int32),
    jnt_type: wp.array(dtype=wp.int32),
    jnt_qposadr: wp.array(dtype=wp.int32),
    jnt_dofadr: wp.array(dtype=wp.int32),
    # In:
    worlds: wp.array(dtype=wp.int32),
    timestep: wp.array(dtype=wp.float64),
    limit_in: wp.array2d(dtype=wp.float64),
    factor_in: wp.array2d(dtype=wp.float64),
    inverse_in: wp.array2d(dtype=wp.float64),
    # Out:
    active_out: wp.array2d(dtype=wp.int32),
    sign_out: wp.array2d(dtype=wp.int32),
    upward_out: wp.array3d(dtype=wp.float64),
    block_out: wp.array3d(dtype=wp.float64),
    impulse_out: wp.array2d(dtype=wp.float64),
    change_out: wp.array2d(dtype=wp.float64),
    qvel_inout: wp.array2d(dtype=wp.float64),
    qpos_inout: wp.array2d(dtype=wp.float64),
):
    """Joint impulses that bring axes back to their limits; slowing one may push another over.

    What is solved lies side by side for the axes that are slowed, whose numbers, from one on, are
    in `active_out`; `sign_out` says of every axis which way it is too fast. Positions give back
    what the excess has moved them during the step.
    """
    thread = wp.tid()
    world = worlds[thread]
    count, nv = dofs.shape[0], qvel_inout.shape[1]
    qvel, limit = qvel_inout[world], limit_in[world]
    factor, inverse = factor_in[world], inverse_in[world]
    active, sign, impulse = active_out[thread], sign_out[thread], impulse_out[thread]
    upward, block, change = upward_out[thread], block_out[thread], change_out[thread]
    for i in range(count):
        sign[i] = 0
    for dof in range(nv):
        change[dof] = wp.float64(0.0)
    for _attempt in range(count):
        more = wp.int32(0)
        size = wp.int32(0)
        for i in range(count):
            dof = dofs[i]
            if sign[i] == 0:
                after = qvel[dof] - change[dof]
                if wp.abs(after) > limit[dof]:
                    sign[i] = wp.where(after > wp.float64(0.0), 1, -1)
                    _upward(dof, row_size, row_start, column, factor, upward[i])
                    more = 1
            if sign[i] != 0:
                active[size] = i + 1
                impulse[size] = qvel[dof] - wp.float64(sign[i]) * limit[dof]
                size += 1
        if more == 0:
            break
        for i in range(size):
            one = upward[active[i] - 1]
            for k in range(i + 1):
                two, total = upward[active[k] - 1], wp.float64(0.0)
                for dof in range(wp.min(dofs[active[i] - 1], dofs[active[k] - 1]) + 1):
                    total += one[dof] * inverse[dof] * two[dof]
                block[i, k] = total
        solve_active(size, active, _DEPENDENT, block, impulse)
        for dof in range(nv):
            change[dof] = wp.float64(0.0)
        for k in range(size):
            one = upward[active[k] - 1]
            for dof in range(dofs[active[k] - 1] + 1):
                change[dof] = change[dof] + impulse[k] * one[dof]
        for dof in range(nv):
            change[dof] = change[dof] * inverse[dof]
        _downward(row_size, row_start, column, factor, change)
    for dof in range(nv):
        qvel[dof] = qvel[dof] - change[dof]
    for joint in range(jnt_type.shape[0]):
        move_joint_back(
            jnt_type[joint],
            int(jnt_qposadr[joint]),
            int(jnt_dofadr[joint]),
            timestep[world],
            change,
            qpos_inout[world],
        )
