"""Inverse kinematics of one world per thread: chains, and damped least squares on them.

A chain is a row of joints. Link `i` is the pose of joint `i` in the frame behind the joint before
it, the last link that of the end behind the last joint; quaternions are (x, y, z, w). Twists are
(linear, angular) in world.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import mujoco
import warp as wp

from usdsim.engine import device

__all__ = ["reach", "search"]

device.init_kernels(__name__, max_unroll=0)

_BALL = wp.constant(int(mujoco.mjtJoint.mjJNT_BALL))
_SLIDE = wp.constant(int(mujoco.mjtJoint.mjJNT_SLIDE))

# Trust in the linear model grows after steps that help and shrinks after others; beyond the
# largest damping no step is left to try.
_EASE = wp.constant(wp.float64(0.2))
_STIFFEN = wp.constant(wp.float64(4.0))
_LEAST = wp.constant(wp.float64(1.0e-12))
_MOST = wp.constant(wp.float64(1.0e8))
# A search is given up after this many steps without one that leaves this share of the cost.
_PROGRESS = wp.constant(wp.float64(0.99))
_PATIENCE = wp.constant(10)
# Joints without limits start again this far to both sides at most.
_FREE_RANGE = wp.constant(wp.float64(wp.PI))


@wp.func
def _both(linear: wp.vec3d, angular: wp.vec3d) -> wp.spatial_vectord:
    return wp.spatial_vectord(linear[0], linear[1], linear[2], angular[0], angular[1], angular[2])


@wp.func
def _take_to(
    joint_in: wp.array2d(dtype=wp.int32),
    end: wp.vec3d,
    twist_out: wp.array(dtype=wp.spatial_vectord),
):
    """Twists of a point, in place of where the axes are and where they point."""
    for i in range(joint_in.shape[0]):
        column = joint_in[i, 2]
        if column >= 0:
            axis = wp.spatial_bottom(twist_out[column])
            if joint_in[i, 0] == _SLIDE:
                twist_out[column] = _both(axis, wp.vec3d())
            else:
                arm = end - wp.spatial_top(twist_out[column])
                twist_out[column] = _both(wp.cross(axis, arm), axis)


@wp.func
def _end(
    joint_in: wp.array2d(dtype=wp.int32),
    zero_in: wp.array(dtype=wp.float64),
    link_in: wp.array(dtype=wp.transformd),
    axis_in: wp.array(dtype=wp.vec3d),
    base: wp.transformd,
    qpos_in: wp.array(dtype=wp.float64),
    value_in: wp.array(dtype=wp.float64),
    twist_out: wp.array(dtype=wp.spatial_vectord),
) -> wp.transformd:
    """End of a chain; and the twist that each of the values gives it."""
    frame = base
    for i in range(joint_in.shape[0]):
        kind, place, column = joint_in[i, 0], joint_in[i, 1], joint_in[i, 2]
        frame = frame * link_in[i]
        point, turn = wp.transform_get_translation(frame), wp.transform_get_rotation(frame)
        if kind == _BALL:
            own = wp.quatd(
                qpos_in[place + 1], qpos_in[place + 2], qpos_in[place + 3], qpos_in[place]
            )
            frame = wp.transformd(point, turn * wp.normalize(own))
            continue
        axis = wp.quat_rotate(turn, axis_in[i])
        value = -zero_in[i]
        if column < 0:
            value += qpos_in[place]
        else:
            value += value_in[column]
            twist_out[column] = _both(point, axis)
        if kind == _SLIDE:
            frame = wp.transformd(point + value * axis, turn)
        else:
            frame = wp.transformd(point, turn * wp.quat_from_axis_angle(axis_in[i], value))
    end = frame * link_in[joint_in.shape[0]]
    _take_to(joint_in, wp.transform_get_translation(end), twist_out)
    return end


@wp.func
def _error(target: wp.transformd, end: wp.transformd) -> wp.spatial_vectord:
    """Way [m] and rotation [rad] from the end of a chain to its target."""
    away = wp.transform_get_translation(target) - wp.transform_get_translation(end)
    turn = wp.transform_get_rotation(target) * wp.quat_inverse(wp.transform_get_rotation(end))
    axis = wp.vec3d(turn[0], turn[1], turn[2])
    if turn[3] < wp.float64(0.0):
        axis = -axis
    sine = wp.length(axis)
    factor = wp.float64(2.0)
    if sine > wp.float64(0.0):
        factor = wp.float64(2.0) * wp.atan2(sine, wp.abs(turn[3])) / sine
    return _both(away, factor * axis)


@wp.func
def _solved(square: wp.spatial_matrixd, right: wp.spatial_vectord) -> wp.spatial_vectord:
    """Solution of linear equations with a symmetric, positive matrix (Cholesky)."""
    for i in range(6):
        for j in range(i + 1):
            value = square[i, j]
            for k in range(j):
                value -= square[i, k] * square[j, k]
            if i == j:
                square[i, j] = wp.sqrt(wp.max(value, _LEAST * _LEAST))
            else:
                square[i, j] = value / square[j, j]
    for i in range(6):
        value = right[i]
        for k in range(i):
            value -= square[i, k] * right[k]
        right[i] = value / square[i, i]
    for back in range(6):
        i = 5 - back
        value = right[i]
        for k in range(i + 1, 6):
            value -= square[k, i] * right[k]
        right[i] = value / square[i, i]
    return right


@wp.func
def _step(
    weights: wp.spatial_vectord,
    damping: wp.float64,
    step_limit: wp.float64,
    error: wp.spatial_vectord,
    low_in: wp.array(dtype=wp.float64),
    high_in: wp.array(dtype=wp.float64),
    twist_in: wp.array(dtype=wp.spatial_vectord),
    value_in: wp.array(dtype=wp.float64),
    value_out: wp.array(dtype=wp.float64),
):
    """Values after one step; those at a limit that they would cross stay."""
    residual = wp.cw_mul(weights, error)
    square = damping * wp.identity(n=6, dtype=wp.float64)
    for j in range(value_in.shape[0]):
        twist = wp.cw_mul(weights, twist_in[j])
        slope = wp.dot(twist, residual)
        down = value_in[j] <= low_in[j] and slope < wp.float64(0.0)
        up = value_in[j] >= high_in[j] and slope > wp.float64(0.0)
        value_out[j] = wp.where(down or up, wp.float64(0.0), wp.float64(1.0))
        square += value_out[j] * wp.outer(twist, twist)
    # The small matrix of the two: it is as large however many joints there are.
    inner = wp.cw_mul(weights, _solved(square, residual))
    largest = step_limit
    for j in range(value_in.shape[0]):
        value_out[j] = value_out[j] * wp.dot(twist_in[j], inner)
        largest = wp.max(largest, wp.abs(value_out[j]))
    for j in range(value_in.shape[0]):
        moved = value_in[j] + value_out[j] * (step_limit / largest)
        value_out[j] = wp.clamp(moved, low_in[j], high_in[j])


@wp.func
def _start(
    seed: int,
    world: int,
    attempt: int,
    place_in: wp.array(dtype=wp.int32),
    qpos_in: wp.array(dtype=wp.float64),
    low_in: wp.array(dtype=wp.float64),
    high_in: wp.array(dtype=wp.float64),
    value_out: wp.array(dtype=wp.float64),
):
    """Start of an attempt: where the world is, then anywhere within the limits."""
    state = wp.rand_init(int(wp.rand_init(seed, world)), attempt)
    for j in range(place_in.shape[0]):
        value = qpos_in[place_in[j]]
        if attempt == 0:
            value_out[j] = wp.clamp(value, low_in[j], high_in[j])
        else:
            low = wp.where(wp.isfinite(low_in[j]), low_in[j], value - _FREE_RANGE)
            high = wp.where(wp.isfinite(high_in[j]), high_in[j], value + _FREE_RANGE)
            value_out[j] = low + wp.float64(wp.randf(state)) * (high - low)


@wp.kernel
def search(
    # Chain:
    joint_in: wp.array2d(dtype=wp.int32),
    place_in: wp.array(dtype=wp.int32),
    zero_in: wp.array(dtype=wp.float64),
    link_in: wp.array2d(dtype=wp.transformd),
    axis_in: wp.array2d(dtype=wp.vec3d),
    # Worlds:
    id_in: wp.array(dtype=wp.int32),
    qpos_in: wp.array2d(dtype=wp.float64),
    base_in: wp.array(dtype=wp.transformd),
    target_in: wp.array(dtype=wp.transformd),
    low_in: wp.array2d(dtype=wp.float64),
    high_in: wp.array2d(dtype=wp.float64),
    # Options:
    weights: wp.spatial_vectord,
    damping_in: wp.float64,
    step_limit: wp.float64,
    restarts: int,
    seed: int,
    tolerance: wp.vec2d,
    iterations: int,
    # Scratch, for where a search is and where it looks:
    value_tmp: wp.array3d(dtype=wp.float64),
    twist_tmp: wp.array3d(dtype=wp.spatial_vectord),
    # Out:
    value_out: wp.array2d(dtype=wp.float64),
    error_out: wp.array(dtype=wp.vec2d),
    converged_out: wp.array(dtype=wp.bool),
    steps_out: wp.array(dtype=wp.int32),
):
    """Values of the joints that bring the end of a chain nearest to its target."""
    world = wp.tid()
    row = wp.where(link_in.shape[0] == 1, 0, world)
    least = wp.float64(wp.INF)
    converged = wp.bool(False)
    steps = wp.int32(0)
    for attempt in range(restarts + 1):
        if converged:
            break
        here = wp.int32(0)
        cost = wp.float64(wp.INF)
        damping = damping_in / _EASE
        stuck = wp.int32(0)
        error = wp.spatial_vectord()
        _start(
            seed, id_in[world], attempt,
            place_in, qpos_in[world], low_in[world], high_in[world], value_tmp[world, 1],
        )  # fmt: skip
        for step in range(iterations + 1):
            there = 1 - here
            if step > 0:
                steps += 1
                _step(
                    weights, damping, step_limit, error, low_in[world], high_in[world],
                    twist_tmp[world, here], value_tmp[world, here], value_tmp[world, there],
                )  # fmt: skip
            end = _end(
                joint_in, zero_in, link_in[row], axis_in[row], base_in[world], qpos_in[world],
                value_tmp[world, there], twist_tmp[world, there],
            )  # fmt: skip
            new_error = _error(target_in[world], end)
            weighted = wp.cw_mul(weights, new_error)
            new_cost = wp.dot(weighted, weighted)
            stuck = wp.where(new_cost < _PROGRESS * cost, 0, stuck + 1)
            damping = wp.max(damping * wp.where(new_cost < cost, _EASE, _STIFFEN), _LEAST)
            # What is no number is found at once, and nothing is better.
            if step == 0 or new_cost < cost:
                here = there
                cost = new_cost
                error = new_error
            far = wp.vec2d(wp.length(wp.spatial_top(error)), wp.length(wp.spatial_bottom(error)))
            placed = far[0] <= tolerance[0] or weights[0] == wp.float64(0.0)
            turned = far[1] <= tolerance[1] or weights[3] == wp.float64(0.0)
            converged = placed and turned
            if converged or damping >= _MOST or stuck >= _PATIENCE:
                break
        if attempt == 0 or converged or cost < least:
            least = cost
            error_out[world] = wp.vec2d(
                wp.length(wp.spatial_top(error)), wp.length(wp.spatial_bottom(error))
            )
            for j in range(value_out.shape[1]):
                value_out[world, j] = value_tmp[world, here, j]
    converged_out[world] = converged
    steps_out[world] = steps


@wp.kernel
def reach(
    # Chain:
    joint_in: wp.array2d(dtype=wp.int32),
    place_in: wp.array(dtype=wp.int32),
    zero_in: wp.array(dtype=wp.float64),
    link_in: wp.array2d(dtype=wp.transformd),
    axis_in: wp.array2d(dtype=wp.vec3d),
    # Worlds:
    qpos_in: wp.array2d(dtype=wp.float64),
    base_in: wp.array(dtype=wp.transformd),
    # Scratch:
    value_tmp: wp.array2d(dtype=wp.float64),
    # Out:
    twist_out: wp.array2d(dtype=wp.spatial_vectord),
):
    """Twists that the end of a chain has where one joint moves at unit speed."""
    world = wp.tid()
    row = wp.where(link_in.shape[0] == 1, 0, world)
    for j in range(place_in.shape[0]):
        value_tmp[world, j] = qpos_in[world, place_in[j]]
    _end(
        joint_in, zero_in, link_in[row], axis_in[row], base_in[world], qpos_in[world],
        value_tmp[world], twist_out[world],
    )  # fmt: skip
