"""Kernels that evaluate small networks, one row per joint of every world."""

# What Warp gives a kernel depends on how it is launched, which a type checker does not know.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.views.copies.kernels import chosen

__all__ = [
    "WIDTH",
    "advance_cells",
    "clear_rows",
    "gather_errors",
    "gather_history",
    "lanes",
    "multiply",
    "scatter_efforts",
]

device.init_kernels(__name__)

WIDTH = 16
"""Outputs of a layer computed together: they fill the vector registers of a CPU."""
lanes = wp.types.vector(length=WIDTH, dtype=wp.float32)
"""So many outputs of one row."""


@wp.func
def _sigmoid(x: wp.float32):
    return 1.0 / (1.0 + wp.exp(-x))


@wp.func
def _tanh(x: wp.float32):
    # The exponential costs a third of the library's hyperbolic tangent.
    return 2.0 * _sigmoid(2.0 * x) - 1.0


@wp.func
def _activate(kind: wp.int32, x: wp.float32):
    """Activation functions by their place in `usdsim.actuators.networks.network.ACTIVATIONS`."""
    if kind == 1:
        return wp.max(x, 0.0)
    if kind == 2:
        if x > 0.0:
            return x
        return wp.exp(x) - 1.0
    if kind == 3:
        return x / (1.0 + wp.abs(x))
    if kind == 4:
        return _tanh(x)
    if kind == 5:
        return _sigmoid(x)
    if kind == 6:
        return x * _sigmoid(x)
    return x


@wp.kernel
def gather_history(
    # Model:
    joint: wp.array[wp.int32],
    chosen: wp.array[wp.int32],
    error_column: wp.int32,
    velocity_column: wp.int32,
    error_scale: wp.float32,
    velocity_scale: wp.float32,
    # Inputs:
    position_target_in: wp.array2d[wp.float32],
    joint_pos_in: wp.array2d[wp.float32],
    joint_vel_in: wp.array2d[wp.float32],
    # Outputs:
    errors_inout: wp.array2d[wp.float32],
    velocities_inout: wp.array2d[wp.float32],
    features_out: wp.array2d[wp.float32],
):
    """Inputs of a network from past position errors and velocities, newest first."""
    env, c = wp.tid()
    row = env * joint.shape[0] + c
    j = joint[c]
    last = errors_inout.shape[1] - 1
    for k in range(last):
        errors_inout[row, last - k] = errors_inout[row, last - k - 1]
        velocities_inout[row, last - k] = velocities_inout[row, last - k - 1]
    errors_inout[row, 0] = position_target_in[env, j] - joint_pos_in[env, j]
    velocities_inout[row, 0] = joint_vel_in[env, j]
    for k in range(chosen.shape[0]):
        features_out[row, error_column + k] = error_scale * errors_inout[row, chosen[k]]
        features_out[row, velocity_column + k] = velocity_scale * velocities_inout[row, chosen[k]]


@wp.kernel
def gather_errors(
    # Model:
    joint: wp.array[wp.int32],
    # Inputs:
    position_target_in: wp.array2d[wp.float32],
    joint_pos_in: wp.array2d[wp.float32],
    joint_vel_in: wp.array2d[wp.float32],
    # Outputs:
    features_out: wp.array2d[wp.float32],
):
    """Inputs of a network: position error and velocity."""
    env, c = wp.tid()
    row = env * joint.shape[0] + c
    j = joint[c]
    features_out[row, 0] = position_target_in[env, j] - joint_pos_in[env, j]
    features_out[row, 1] = joint_vel_in[env, j]


@wp.kernel
def multiply(
    # Model:
    weights: wp.array2d[lanes],
    num_inputs: wp.int32,
    activation: wp.int32,
    # Inputs:
    features_in: wp.array2d[wp.float32],
    # Outputs:
    features_out: wp.array2d[lanes],
):
    """A dense layer, `WIDTH` outputs at a time; the last column of the weights is the bias."""
    row, block = wp.tid()
    total = weights[block, num_inputs]
    for k in range(num_inputs):
        total += weights[block, k] * features_in[row, k]
    if activation != 0:
        for i in range(WIDTH):
            total[i] = _activate(activation, total[i])
    features_out[row, block] = total


@wp.kernel
def advance_cells(
    # Inputs:
    gates_in: wp.array2d[wp.float32],
    # Outputs:
    cell_inout: wp.array2d[wp.float32],
    hidden_out: wp.array2d[wp.float32],
    next_out: wp.array2d[wp.float32],
):
    """Memory and hidden state of an LSTM layer from its gates, also as inputs of the next layer."""
    row = wp.tid()
    size = cell_inout.shape[1]
    for unit in range(size):
        enter = _sigmoid(gates_in[row, unit])
        keep = _sigmoid(gates_in[row, size + unit])
        candidate = _tanh(gates_in[row, 2 * size + unit])
        memory = keep * cell_inout[row, unit] + enter * candidate
        hidden = _sigmoid(gates_in[row, 3 * size + unit]) * _tanh(memory)
        cell_inout[row, unit] = memory
        hidden_out[row, unit] = hidden
        next_out[row, unit] = hidden


@wp.kernel
def scatter_efforts(
    # Model:
    scale: wp.float32,
    # Inputs:
    rows_in: wp.array2d[wp.float32],
    # Outputs:
    effort_out: wp.array2d[wp.float32],
):
    """The first column of the rows as efforts of worlds and joints."""
    env, c = wp.tid()
    effort_out[env, c] = scale * rows_in[env * effort_out.shape[1] + c, 0]


@wp.kernel
def clear_rows(
    # Inputs:
    env_ids: wp.array[wp.int32],
    env_mask: wp.array[wp.bool],
    num_joints: wp.int32,
    # Outputs:
    rows_out: wp.array2d[wp.float32],
):
    """Zero the rows of some worlds."""
    i, c, k = wp.tid()
    env = chosen(i, env_ids, env_mask, rows_out.shape[0] // num_joints)
    if env >= 0:
        rows_out[env * num_joints + c, k] = 0.0
