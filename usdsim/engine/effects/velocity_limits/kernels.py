"""Velocity limit kernels: joint impulses that take out the excess."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

from typing import Any

import mujoco
import warp as wp

from usdsim.engine import device

__all__ = [
    "limiting_impulses",
    "move_back",
    "move_joint_back",
    "slow_down",
    "solve_active",
]

device.init_kernels(__name__)

_FREE = wp.constant(int(mujoco.mjtJoint.mjJNT_FREE))
_HINGE = wp.constant(int(mujoco.mjtJoint.mjJNT_HINGE))
_SLIDE = wp.constant(int(mujoco.mjtJoint.mjJNT_SLIDE))


@wp.func
def solve_active(
    count: int,
    active: wp.array(dtype=wp.int32),
    floor: Any,
    block: wp.array2d(dtype=Any),
    x: wp.array(dtype=Any),
):
    """Solve block x = x on the active rows in place, by Cholesky factors in the lower triangle.

    Rows whose pivot is at most `floor`, relative to what it is made from, follow from others: they
    get nothing.
    """
    for j in range(count):
        if active[j] == 0:
            continue
        for i in range(j, count):
            if active[i] == 0:
                continue
            total = block[i, j]
            least = floor * total
            for k in range(j):
                if active[k] != 0:
                    total -= block[i, k] * block[j, k]
            if i == j:
                # An inverse of zero takes a row out of what follows.
                block[i, j] = wp.where(
                    total > least, type(total)(1.0) / wp.sqrt(total), total - total
                )
            else:
                block[i, j] = total * block[j, j]
    for i in range(count):
        if active[i] != 0:
            total = x[i]
            for k in range(i):
                if active[k] != 0:
                    total -= block[i, k] * x[k]
            x[i] = total * block[i, i]
    for back in range(count):
        i = count - 1 - back
        if active[i] != 0:
            total = x[i]
            for k in range(i + 1, count):
                if active[k] != 0:
                    total -= block[k, i] * x[k]
            x[i] = total * block[i, i]


@wp.func
def move_joint_back(
    kind: int,
    adr: int,
    dof: int,
    step: Any,
    change: wp.array(dtype=Any),
    qpos: wp.array(dtype=Any),
):
    """Undo what too large a velocity moved a joint in a step."""
    if kind == _FREE:
        for i in range(3):
            qpos[adr + i] = qpos[adr + i] - step * change[dof + i]
        adr += 3
        dof += 3
    if kind != _HINGE and kind != _SLIDE:
        turn = -step * wp.vector(change[dof], change[dof + 1], change[dof + 2])
        angle = wp.length(turn)
        if angle > step - step:
            q = wp.quaternion(qpos[adr + 1], qpos[adr + 2], qpos[adr + 3], qpos[adr])
            q = wp.normalize(q * wp.quat_from_axis_angle(turn / angle, angle))
            qpos[adr] = q[3]
            for i in range(3):
                qpos[adr + 1 + i] = q[i]
    else:
        qpos[adr] = qpos[adr] - step * change[dof]


@wp.kernel
def limiting_impulses(
    # Model:
    dofs: wp.array(dtype=wp.int32),
    # In:
    lost_in: wp.array(dtype=wp.bool),
    limit_in: wp.array2d(dtype=wp.float32),
    qvel_in: wp.array2d(dtype=wp.float32),
    # Out:
    over_inout: wp.array(dtype=wp.bool),
    active_out: wp.array2d(dtype=wp.int32),
    diagonal_out: wp.array2d(dtype=wp.float32),
    impulse_out: wp.array2d(dtype=wp.float32),
    block_inout: wp.array3d(dtype=wp.float32),
    impulses_out: wp.array2d(dtype=wp.float32),
):
    """Joint impulses that bring axes back to their limits; slowing one may push another over.

    The upper triangle of the inverse mass matrix stays, as the lower one takes its factors. Worlds
    that diverged have no say: they are not over any limit from here on.
    """
    world = wp.tid()
    if lost_in[world]:
        over_inout[world] = False
    if not over_inout[world]:
        return
    count = dofs.shape[0]
    for i in range(count):
        active_out[world, i] = 0
        impulse_out[world, i] = 0.0
        diagonal_out[world, i] = block_inout[world, i, i]
    for _attempt in range(count):
        more = wp.int32(0)
        for i in range(count):
            after = qvel_in[world, dofs[i]] - impulse_out[world, i] * diagonal_out[world, i]
            for k in range(count):
                if k != i:
                    first, second = wp.min(i, k), wp.max(i, k)
                    after -= impulse_out[world, k] * block_inout[world, first, second]
            # What was brought to its limit may miss it by rounding.
            if active_out[world, i] == 0 and wp.abs(after) > limit_in[world, dofs[i]]:
                active_out[world, i] = wp.where(after > 0.0, 1, -1)
                more = 1
        if more == 0:
            break
        for i in range(count):
            impulse_out[world, i] = 0.0
            if active_out[world, i] != 0:
                target = float(active_out[world, i]) * limit_in[world, dofs[i]]
                impulse_out[world, i] = qvel_in[world, dofs[i]] - target
            block_inout[world, i, i] = diagonal_out[world, i]
            for k in range(i):
                block_inout[world, i, k] = block_inout[world, k, i]
        solve_active(
            count, active_out[world], wp.float32(0.0), block_inout[world], impulse_out[world]
        )
    for i in range(count):
        impulses_out[world, dofs[i]] = impulse_out[world, i]


@wp.kernel
def slow_down(
    # In:
    over_in: wp.array(dtype=wp.bool),
    limit_in: wp.array2d(dtype=wp.float32),
    change_in: wp.array2d(dtype=wp.float32),
    # Out:
    qvel_inout: wp.array2d(dtype=wp.float32),
):
    """Reduce velocities to the limits."""
    world, dof = wp.tid()
    if over_in[world]:
        limit = limit_in[world, dof]
        slower = qvel_inout[world, dof] - change_in[world, dof]
        # What was brought to its limit may miss it by rounding.
        qvel_inout[world, dof] = wp.clamp(slower, -limit, limit)


@wp.kernel
def move_back(
    # Model:
    timestep: wp.array(dtype=wp.float32),
    jnt_type: wp.array(dtype=wp.int32),
    jnt_qposadr: wp.array(dtype=wp.int32),
    jnt_dofadr: wp.array(dtype=wp.int32),
    # In:
    over_in: wp.array(dtype=wp.bool),
    change_in: wp.array2d(dtype=wp.float32),
    # Out:
    qpos_inout: wp.array2d(dtype=wp.float32),
):
    """Undo what velocity beyond the limits moved during the step."""
    world, joint = wp.tid()
    if not over_in[world]:
        return
    move_joint_back(
        jnt_type[joint],
        int(jnt_qposadr[joint]),
        int(jnt_dofadr[joint]),
        timestep[world % timestep.shape[0]],
        change_in[world],
        qpos_inout[world],
    )
