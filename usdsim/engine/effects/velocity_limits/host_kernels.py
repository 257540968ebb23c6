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
    response_out: wp.array3d(dtype=wp.float64),
    block_out: wp.array3d(dtype=wp.float64),
    impulse_out: wp.array2d(dtype=wp.float64),
    change_out: wp.array2d(dtype=wp.float64),
    qvel_inout: wp.array2d(dtype=wp.float64),
):
    """Joint impulses that bring axes back to their limits; slowing one may push another over.

    Responses are computed for axes that turn out to need them, and hold anything for the others.
    """
    place = wp.tid()
    world = worlds[place]
    count = dofs.shape[0]
    for i in range(count):
        active_out[place, i] = 0
        impulse_out[place, i] = wp.float64(0.0)
    for _attempt in range(count):
        more = wp.int32(0)
        for i in range(count):
            after = qvel_inout[world, dofs[i]]
            for k in range(count):
                if impulse_out[place, k] != wp.float64(0.0):
                    after -= impulse_out[place, k] * response_out[place, k, dofs[i]]
            if active_out[place, i] == 0 and wp.abs(after) > limit_in[world, dofs[i]]:
                active_out[place, i] = wp.where(after > wp.float64(0.0), 2, -2)
                more = 1
        if more == 0:
            break
        for i in range(count):
            if wp.abs(active_out[place, i]) == 2:
                active_out[place, i] = active_out[place, i] // 2
                _respond(
                    dofs[i],
                    row_size,
                    row_start,
                    column,
                    factor_in[world],
                    inverse_in[world],
                    response_out[place, i],
                )
        for i in range(count):
            if active_out[place, i] != 0:
                target = wp.float64(active_out[place, i]) * limit_in[world, dofs[i]]
                impulse_out[place, i] = qvel_inout[world, dofs[i]] - target
                for k in range(count):
                    block_out[place, i, k] = response_out[place, i, dofs[k]]
        solve_active(count, active_out[place], _DEPENDENT, block_out[place], impulse_out[place])
    for dof in range(qvel_inout.shape[1]):
        change = wp.float64(0.0)
        for k in range(count):
            if impulse_out[place, k] != wp.float64(0.0):
                change += impulse_out[place, k] * response_out[place, k, dof]
        change_out[place, dof] = change
        qvel_inout[world, dof] = qvel_inout[world, dof] - change


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
