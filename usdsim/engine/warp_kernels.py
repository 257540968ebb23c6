"""Kernels of the Warp engine: what happens around the solver's own in each step."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import mujoco
import warp as wp

from . import device

__all__ = [
    "FAILED",
    "OVERFLOWED",
    "act_friction",
    "begin_step",
    "clear_columns",
    "combine_inputs",
    "copy_byte_rows",
    "copy_rows",
    "derive_acceleration",
    "find_excess",
    "limit_speeds",
    "move_back",
    "set_unit",
    "watch_capacity",
    "watch_state",
]

device.init()
wp.set_module_options({"enable_backward": False})

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
_FREE = wp.constant(int(mujoco.mjtJoint.mjJNT_FREE))
_HINGE = wp.constant(int(mujoco.mjtJoint.mjJNT_HINGE))
_SLIDE = wp.constant(int(mujoco.mjtJoint.mjJNT_SLIDE))


@wp.func
def _bad(values: wp.array(dtype=wp.float32)):
    """Index of the first number that is not finite or huge; -1: there is none."""
    found = wp.int32(-1)
    for i in range(values.shape[0]):
        if found < 0 and not (wp.abs(values[i]) <= _HUGE):
            found = i
    return found


@wp.kernel
def begin_step(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    time_in: wp.array(dtype=wp.float64),
    qpos_in: wp.array2d(dtype=wp.float32),
    qvel_in: wp.array2d(dtype=wp.float32),
    # Out:
    time_out: wp.array(dtype=wp.float32),
    ctrl_inout: wp.array2d(dtype=wp.float32),
    failure_inout: wp.array2d(dtype=wp.int32),
    when_inout: wp.array(dtype=wp.float64),
    alarm_inout: wp.array(dtype=wp.int32),
):
    """Hand the time to the solver, and look at what was written; bad controls are dropped."""
    world = wp.tid()
    time_out[world] = wp.float32(time_in[world])
    if not chosen_in[world]:
        return
    kind = wp.int32(_BAD_POSITION)
    index = _bad(qpos_in[world])
    if index < 0:
        kind = wp.int32(_BAD_VELOCITY)
        index = _bad(qvel_in[world])
    control = _bad(ctrl_inout[world])
    if control >= 0:
        for i in range(ctrl_inout.shape[1]):
            ctrl_inout[world, i] = 0.0
        if index < 0:
            kind = wp.int32(_BAD_CONTROL)
            index = control
    if index < 0:
        return
    wp.atomic_or(alarm_inout, 0, wp.static(FAILED))
    if failure_inout[world, 0] < 0:
        failure_inout[world, 0] = kind
        failure_inout[world, 1] = index
        when_inout[world] = time_in[world]


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
    qpos_in: wp.array2d(dtype=wp.float32),
    qvel_in: wp.array2d(dtype=wp.float32),
    qacc_in: wp.array2d(dtype=wp.float32),
    # Out:
    lost_out: wp.array(dtype=wp.bool),
    time_inout: wp.array(dtype=wp.float64),
    failure_inout: wp.array2d(dtype=wp.int32),
    when_inout: wp.array(dtype=wp.float64),
    any_inout: wp.array(dtype=wp.int32),
    alarm_inout: wp.array(dtype=wp.int32),
):
    """Advance the time of worlds that stepped, and take note of those that diverged."""
    world = wp.tid()
    lost_out[world] = False
    if not chosen_in[world]:
        return
    when = time_inout[world]
    time_inout[world] = when + wp.float64(timestep[world % timestep.shape[0]])
    kind = wp.int32(_BAD_ACCELERATION)
    index = _bad(qacc_in[world])
    if index < 0:
        when = time_inout[world]
        kind = wp.int32(_BAD_POSITION)
        index = _bad(qpos_in[world])
    if index < 0:
        kind = wp.int32(_BAD_VELOCITY)
        index = _bad(qvel_in[world])
    if index < 0:
        return
    lost_out[world] = True
    time_inout[world] = wp.float64(0.0)
    wp.atomic_or(any_inout, 0, 1)
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
    """Take note of contacts and constraints that found no room."""
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


@wp.kernel
def copy_rows(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    source_in: wp.array2d(dtype=wp.int32),
    # Out:
    target_out: wp.array2d(dtype=wp.int32),
):
    """Copy rows of chosen worlds, bit by bit; a source of one row serves all worlds."""
    world = wp.tid()
    if not chosen_in[world]:
        return
    row = world % source_in.shape[0]
    for i in range(target_out.shape[1]):
        target_out[world, i] = source_in[row, i]


@wp.kernel
def copy_byte_rows(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    source_in: wp.array2d(dtype=wp.uint8),
    # Out:
    target_out: wp.array2d(dtype=wp.uint8),
):
    """The same for rows of bytes."""
    world = wp.tid()
    if not chosen_in[world]:
        return
    row = world % source_in.shape[0]
    for i in range(target_out.shape[1]):
        target_out[world, i] = source_in[row, i]


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
def act_friction(
    # In:
    qvel_in: wp.array2d(dtype=wp.float32),
    static_in: wp.array2d(dtype=wp.float32),
    dynamic_in: wp.array2d(dtype=wp.float32),
    speed_in: wp.array2d(dtype=wp.float32),
    # Out:
    friction_out: wp.array2d(dtype=wp.float32),
):
    """Static friction for axes at rest, dynamic friction for those in motion."""
    world, dof = wp.tid()
    if wp.abs(qvel_in[world, dof]) <= speed_in[world, dof]:
        friction_out[world, dof] = static_in[world, dof]
    else:
        friction_out[world, dof] = dynamic_in[world, dof]


@wp.kernel
def find_excess(
    # Model:
    dofs: wp.array(dtype=wp.int32),
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    qvel_in: wp.array2d(dtype=wp.float32),
    limit_in: wp.array2d(dtype=wp.float32),
    # Out:
    over_out: wp.array(dtype=wp.bool),
    any_inout: wp.array(dtype=wp.int32),
):
    """Worlds in which an axis is beyond its velocity limit."""
    world = wp.tid()
    over_out[world] = False
    if not chosen_in[world]:
        return
    for i in range(dofs.shape[0]):
        dof = dofs[i]
        if wp.abs(qvel_in[world, dof]) > limit_in[world, dof]:
            over_out[world] = True
            any_inout[0] = 1


@wp.kernel
def set_unit(
    # Model:
    dof: wp.int32,
    # Out:
    unit_out: wp.array2d(dtype=wp.float32),
):
    """A unit impulse on one degree of freedom."""
    world, i = wp.tid()
    unit_out[world, i] = wp.where(i == dof, 1.0, 0.0)


@wp.func
def _solve_active(
    count: int,
    active: wp.array(dtype=wp.int32),
    block: wp.array2d(dtype=wp.float32),
    x: wp.array(dtype=wp.float32),
):
    """Solve block x = x on the active rows in place, by Cholesky factors in the lower triangle."""
    for j in range(count):
        if active[j] == 0:
            continue
        for i in range(j, count):
            if active[i] == 0:
                continue
            total = block[i, j]
            for k in range(j):
                if active[k] != 0:
                    total -= block[i, k] * block[j, k]
            if i == j:
                block[i, j] = wp.sqrt(wp.max(total, 1.0e-30))
            else:
                block[i, j] = total / block[j, j]
    for i in range(count):
        if active[i] != 0:
            total = x[i]
            for k in range(i):
                if active[k] != 0:
                    total -= block[i, k] * x[k]
            x[i] = total / block[i, i]
    for back in range(count):
        i = count - 1 - back
        if active[i] != 0:
            total = x[i]
            for k in range(i + 1, count):
                if active[k] != 0:
                    total -= block[k, i] * x[k]
            x[i] = total / block[i, i]


@wp.kernel
def limit_speeds(
    # Model:
    dofs: wp.array(dtype=wp.int32),
    # In:
    over_in: wp.array(dtype=wp.bool),
    limit_in: wp.array2d(dtype=wp.float32),
    response_in: wp.array3d(dtype=wp.float32),
    # Out:
    active_out: wp.array2d(dtype=wp.int32),
    block_out: wp.array3d(dtype=wp.float32),
    impulse_out: wp.array2d(dtype=wp.float32),
    change_out: wp.array2d(dtype=wp.float32),
    qvel_inout: wp.array2d(dtype=wp.float32),
):
    """Joint impulses that bring axes back to their limits; slowing one may push another over."""
    world = wp.tid()
    if not over_in[world]:
        return
    count = dofs.shape[0]
    for i in range(count):
        active_out[world, i] = 0
        impulse_out[world, i] = 0.0
    for _attempt in range(count):
        more = wp.int32(0)
        for i in range(count):
            after = qvel_inout[world, dofs[i]]
            for k in range(count):
                after -= impulse_out[world, k] * response_in[k, world, dofs[i]]
            limit = limit_in[world, dofs[i]]
            # What was brought to its limit may miss it by rounding.
            if active_out[world, i] == 0 and wp.abs(after) > limit:
                active_out[world, i] = wp.where(after > 0.0, 1, -1)
                more = 1
        if more == 0:
            break
        for i in range(count):
            impulse_out[world, i] = 0.0
            if active_out[world, i] != 0:
                target = float(active_out[world, i]) * limit_in[world, dofs[i]]
                impulse_out[world, i] = qvel_inout[world, dofs[i]] - target
            for k in range(count):
                block_out[world, i, k] = response_in[k, world, dofs[i]]
        _solve_active(count, active_out[world], block_out[world], impulse_out[world])
    for dof in range(qvel_inout.shape[1]):
        change = wp.float32(0.0)
        for k in range(count):
            change += impulse_out[world, k] * response_in[k, world, dof]
        change_out[world, dof] = change
        qvel_inout[world, dof] = qvel_inout[world, dof] - change
    for i in range(count):
        if active_out[world, i] != 0:
            dof = dofs[i]
            limit = limit_in[world, dof]
            qvel_inout[world, dof] = wp.clamp(qvel_inout[world, dof], -limit, limit)


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
    step = timestep[world % timestep.shape[0]]
    adr = int(jnt_qposadr[joint])
    dof = int(jnt_dofadr[joint])
    kind = jnt_type[joint]
    if kind == _FREE:
        for i in range(3):
            qpos_inout[world, adr + i] = (
                qpos_inout[world, adr + i] - step * change_in[world, dof + i]
            )
        adr += 3
        dof += 3
    if kind != _HINGE and kind != _SLIDE:
        turn = -step * wp.vec3f(
            change_in[world, dof], change_in[world, dof + 1], change_in[world, dof + 2]
        )
        angle = wp.length(turn)
        if angle > 0.0:
            q = wp.quatf(
                qpos_inout[world, adr + 1],
                qpos_inout[world, adr + 2],
                qpos_inout[world, adr + 3],
                qpos_inout[world, adr],
            )
            q = wp.normalize(q * wp.quat_from_axis_angle(turn / angle, angle))
            qpos_inout[world, adr] = q[3]
            for i in range(3):
                qpos_inout[world, adr + 1 + i] = q[i]
    else:
        qpos_inout[world, adr] = qpos_inout[world, adr] - step * change_in[world, dof]


@wp.kernel
def derive_acceleration(
    # Model:
    timestep: wp.array(dtype=wp.float32),
    # In:
    known_in: wp.array(dtype=wp.bool),
    before_in: wp.array2d(dtype=wp.float32),
    qvel_in: wp.array2d(dtype=wp.float32),
    qacc_in: wp.array2d(dtype=wp.float32),
    # Out:
    acceleration_out: wp.array2d(dtype=wp.float32),
):
    """Change of velocity per time over the last step, or what the forces imply."""
    world, dof = wp.tid()
    value = qacc_in[world, dof]
    if known_in[world]:
        change = qvel_in[world, dof] - before_in[world, dof]
        value = change / timestep[world % timestep.shape[0]]
    acceleration_out[world, dof] = value
