"""Breakable joint kernel: constraints are dropped above their load limits."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["break_joints"]

device.init_kernels(__name__)


@wp.kernel
def break_joints(
    # Model:
    equalities: wp.array(dtype=wp.int32),
    columns: wp.array2d(dtype=wp.int32),
    limits: wp.array2d(dtype=wp.float32),
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    sensordata_in: wp.array2d(dtype=wp.float32),
    # Out:
    active_inout: wp.array2d(dtype=wp.bool),
):
    """Drop the constraints of joints that transmitted more force or torque than they stand."""
    world, joint = wp.tid()
    if not chosen_in[world]:
        return
    for part in range(2):
        load = wp.vec3f()
        for i in range(3):
            load[i] = sensordata_in[world, columns[joint, 3 * part + i]]
        if wp.length(load) > limits[joint, part]:
            active_inout[world, equalities[joint]] = False
