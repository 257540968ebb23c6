"""Kernel that tasks set default joint values by."""

# What Warp gives a kernel depends on how it is launched, which a type checker does not know.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["update_default_joint_values"]

device.init_kernels(__name__)


@wp.kernel
def update_default_joint_values(
    # In:
    value_in: wp.array(dtype=wp.float32),
    joint_in: wp.array(dtype=wp.int32),
    # Out:
    default_out: wp.array2d(dtype=wp.float32),
):
    """The same values of some joints in all instances."""
    row, slot = wp.tid()
    default_out[row, joint_in[slot]] = value_in[slot]
