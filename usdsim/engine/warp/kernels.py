"""Kernels of the Warp engine: what happens around the solver's own in each step."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

from typing import Any

import mujoco
import warp as wp

from usdsim.engine import device

__all__ = [
    "FAILED",
    "OVERFLOWED",
    "begin_step",
    "clear_columns",
    "combine_inputs",
    "copy_byte_rows",
    "copy_rows",
    "limit_columns",
    "watch_capacity",
    "watch_state",
]

device.init_kernels(__name__)

FAILED = 1
"""Bit of the alarm: a world diverged or was given controls that are not finite."""
OVERFLOWED = 2
"""Bit of the alarm: contacts or constraints did not fit."""

_vec10f = wp.types.vector(10, wp.float32)
_BAD_POSITION = wp.constant(int(mujoco.mjtWarning.mjWARN_BADQPOS))
_BAD_VELOCITY = wp.constant(int(mujoco.mjtWarning.mjWARN_BADQVEL))
_BAD_ACCELERATION = wp.constant(int(mujoco.mjtWarning.mjWARN_BADQACC))
_BAD_CONTROL = wp.constant(int(mujoco.mjtWarning.mjWARN_BADCTRL))
_HUGE = wp.constant(float(mujoco.mjMAXVAL))
_POS = wp.constant(int(mujoco.mjtCtrlInput.mjINPUT_POS))
_VEL = wp.constant(int(mujoco.mjtCtrlInput.mjINPUT_VEL))
_FF = wp.constant(int(mujoco.mjtCtrlInput.mjINPUT_FF))


@wp.func
def _is_bad(values: wp.array(dtype=wp.float32), i: int):
    """Whether there is an i-th number and it is not finite or huge."""
    if i < values.shape[0]:
        return not (wp.abs(values[i]) <= _HUGE)
    return False


@wp.func
def _is_beyond(values: wp.array(dtype=wp.float32), limits: wp.array(dtype=wp.float32), i: int):
    """Whether there is an i-th number and its size is more than its limit."""
    if i < values.shape[0]:
        return wp.abs(values[i]) > limits[i]
    return False


@wp.func
def _first_bad(values: wp.array(dtype=wp.float32)):
    """Index of the first number that is not finite or huge; -1: there is none."""
    for i in range(values.shape[0]):
        if _is_bad(values, i):
            return i
    return -1


@wp.kernel
def begin_step(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    time_in: wp.array(dtype=wp.float64),
    qpos_in: wp.array2d(dtype=wp.float32),
    qvel_in: wp.array2d(dtype=wp.float32),
    # Out:
    time_out: wp.array(dtype=wp.float32),
    started_out: wp.array(dtype=wp.float64),
    lost_out: wp.array(dtype=wp.bool),
    ctrl_inout: wp.array2d(dtype=wp.float32),
    failure_inout: wp.array2d(dtype=wp.int32),
    when_inout: wp.array(dtype=wp.float64),
    before_out: wp.array2d(dtype=wp.float32),
    known_out: wp.array(dtype=wp.bool),
    any_out: wp.array(dtype=wp.int32),
    alarm_inout: wp.array(dtype=wp.int32),
):
    """Hand the time to the solver, and look at what was written; bad controls are dropped.

    Velocities are kept where there is room for them. No world has diverged yet. A thread has the
    i-th number of everything of a world; the one with the first bad number sees to all of them.
    """
    world, i = wp.tid()
    if i == 0:
        if world == 0:
            any_out[0] = 0
        time_out[world] = wp.float32(time_in[world])
        started_out[world] = time_in[world]
        lost_out[world] = False
    if not chosen_in[world]:
        return
    if before_out:
        if i == 0:
            known_out[world] = True
        if i < qvel_in.shape[1]:
            before_out[world, i] = qvel_in[world, i]
    controls = _is_bad(ctrl_inout[world], i)
    if not (controls or _is_bad(qpos_in[world], i) or _is_bad(qvel_in[world], i)):
        return
    first_control = wp.int32(-1)
    if controls:
        first_control = _first_bad(ctrl_inout[world])
    kind = wp.int32(_BAD_POSITION)
    index = _first_bad(qpos_in[world])
    if index < 0:
        kind = wp.int32(_BAD_VELOCITY)
        index = _first_bad(qvel_in[world])
    if index < 0:
        kind = wp.int32(_BAD_CONTROL)
        index = first_control
    if index == i and wp.atomic_cas(failure_inout, world, 0, -1, kind) < 0:
        failure_inout[world, 1] = index
        when_inout[world] = time_in[world]
    wp.atomic_or(alarm_inout, 0, wp.static(FAILED))
    if first_control == i:
        for k in range(ctrl_inout.shape[1]):
            ctrl_inout[world, k] = 0.0


@wp.func
def _input(
    world: int,
    address: int,
    ctrl: wp.array2d(dtype=wp.float32),
    limited: wp.array(dtype=wp.bool),
    ranges: wp.array2d(dtype=wp.vec2f),
):
    """An input as it acts."""
    value = ctrl[world, address]
    if limited[address]:
        ends = ranges[world % ranges.shape[0], address]
        value = wp.clamp(value, ends[0], ends[1])
    return value


@wp.kernel
def combine_inputs(
    # Model:
    address: wp.array(dtype=wp.int32),
    number: wp.array(dtype=wp.int32),
    inputs: wp.array(dtype=wp.int32),
    gains: wp.array2d(dtype=_vec10f),
    ranges: wp.array2d(dtype=wp.vec2f),
    pid: wp.array(dtype=wp.bool),
    limited: wp.array(dtype=wp.bool),
    # In:
    ctrl_in: wp.array2d(dtype=wp.float32),
    # Out:
    ctrl_out: wp.array2d(dtype=wp.float32),
):
    """Hand controls to the solver: those of other actuators as they are, of drives as one."""
    world, actuator = wp.tid()
    place = int(address[actuator])
    count = number[actuator]
    if not pid[actuator]:
        for i in range(count):
            ctrl_out[world, place + i] = ctrl_in[world, place + i]
        return
    if count == 0:
        return
    first = place
    total = wp.float32(0.0)
    gain = gains[world % gains.shape[0], actuator]
    if (inputs[actuator] & _POS) != 0:
        total -= gain[1] * _input(world, place, ctrl_in, limited, ranges)
        place += 1
    if (inputs[actuator] & _VEL) != 0:
        total -= gain[2] * _input(world, place, ctrl_in, limited, ranges)
        place += 1
    if (inputs[actuator] & _FF) != 0:
        total += _input(world, place, ctrl_in, limited, ranges)
    ctrl_out[world, first] = total


@wp.kernel
def watch_state(
    # Model:
    timestep: wp.array(dtype=wp.float32),
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    started_in: wp.array(dtype=wp.float64),
    qpos_in: wp.array2d(dtype=wp.float32),
    qvel_in: wp.array2d(dtype=wp.float32),
    qacc_in: wp.array2d(dtype=wp.float32),
    limit_in: wp.array2d(dtype=wp.float32),
    # Out:
    lost_out: wp.array(dtype=wp.bool),
    beyond_out: wp.array(dtype=wp.bool),
    time_out: wp.array(dtype=wp.float64),
    failure_inout: wp.array2d(dtype=wp.int32),
    when_inout: wp.array(dtype=wp.float64),
    any_inout: wp.array(dtype=wp.int32),
    alarm_inout: wp.array(dtype=wp.int32),
):
    """Advance the time of worlds that stepped, and mark those that diverged as lost.

    Those with a velocity beyond its limit are marked as well, where there are limits. A thread has
    the i-th number of everything of a world; the one with the first bad number sees to all of them.
    """
    world, i = wp.tid()
    if not chosen_in[world]:
        return
    when = started_in[world]
    end = when + wp.float64(timestep[world % timestep.shape[0]])
    if i == 0:
        time_out[world] = end
    beyond = False
    if limit_in:
        beyond = _is_beyond(qvel_in[world], limit_in[world], i)
    if beyond:
        beyond_out[world] = True
        any_inout[0] = 1
    if not (_is_bad(qacc_in[world], i) or _is_bad(qpos_in[world], i) or _is_bad(qvel_in[world], i)):
        return
    kind = wp.int32(_BAD_ACCELERATION)
    index = _first_bad(qacc_in[world])
    if index < 0:
        when = end
        kind = wp.int32(_BAD_POSITION)
        index = _first_bad(qpos_in[world])
    if index < 0:
        kind = wp.int32(_BAD_VELOCITY)
        index = _first_bad(qvel_in[world])
    if index != i:
        return
    lost_out[world] = True
    any_inout[0] = 1
    wp.atomic_or(alarm_inout, 0, wp.static(FAILED))
    if failure_inout[world, 0] < 0 or failure_inout[world, 0] == _BAD_CONTROL:
        failure_inout[world, 0] = kind
        failure_inout[world, 1] = index
        when_inout[world] = when


@wp.kernel
def watch_capacity(
    # Model:
    most_constraints: wp.int32,
    most_contacts: wp.int32,
    flags: wp.int32,
    # In:
    constraints_in: wp.array(dtype=wp.int32),
    contacts_in: wp.array(dtype=wp.int32),
    pairs_in: wp.array(dtype=wp.int32),
    overflow_in: wp.array(dtype=wp.int32),
    # Out:
    peak_inout: wp.array(dtype=wp.int32),
    alarm_inout: wp.array(dtype=wp.int32),
):
    """Record contacts and constraints that found no room."""
    world = wp.tid()
    constraints = constraints_in[world]
    wp.atomic_max(peak_inout, 0, constraints)
    if world == 0:
        wp.atomic_max(peak_inout, 1, contacts_in[0])
        wp.atomic_max(peak_inout, 2, pairs_in[0])
        if contacts_in[0] > most_contacts or pairs_in[0] > most_contacts:
            wp.atomic_or(alarm_inout, 0, wp.static(OVERFLOWED))
    if constraints > most_constraints or (overflow_in[world] & flags) != 0:
        wp.atomic_or(alarm_inout, 0, wp.static(OVERFLOWED))


@wp.func
def _copy_row(
    world: wp.int32,
    chosen_in: wp.array(dtype=wp.bool),
    source_in: wp.array2d(dtype=Any),
    target_out: wp.array2d(dtype=Any),
):
    """Copy a world's row if it is chosen; a source of one row serves all worlds."""
    if chosen_in[world]:
        row = world % source_in.shape[0]
        for i in range(target_out.shape[1]):
            target_out[world, i] = source_in[row, i]


@wp.kernel
def copy_rows(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    source_in: wp.array2d(dtype=wp.int32),
    # Out:
    target_out: wp.array2d(dtype=wp.int32),
):
    """Copy rows of chosen worlds, bit by bit; a source of one row serves all worlds."""
    _copy_row(wp.tid(), chosen_in, source_in, target_out)


@wp.kernel
def copy_byte_rows(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    source_in: wp.array2d(dtype=wp.uint8),
    # Out:
    target_out: wp.array2d(dtype=wp.uint8),
):
    """The same for rows of bytes."""
    _copy_row(wp.tid(), chosen_in, source_in, target_out)


@wp.kernel
def clear_columns(
    # Model:
    columns: wp.array(dtype=wp.int32),
    # Out:
    values_out: wp.array2d(dtype=wp.float32),
):
    """Set columns of all worlds to zero."""
    world, i = wp.tid()
    values_out[world, columns[i]] = 0.0


@wp.kernel
def limit_columns(
    # Model:
    columns: wp.array(dtype=wp.int32),
    limits: wp.array(dtype=wp.float32),
    # Out:
    values_inout: wp.array2d(dtype=wp.float32),
):
    """Clip columns of all worlds to their limits."""
    world, i = wp.tid()
    values_inout[world, columns[i]] = wp.min(values_inout[world, columns[i]], limits[i])
