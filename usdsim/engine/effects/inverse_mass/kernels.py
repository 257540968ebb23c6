"""Kernels that make an inverse mass matrix column by column."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["add_to_diagonal", "next_column"]

device.init_kernels(__name__)


@wp.kernel
def add_to_diagonal(
    # Model:
    rowadr: wp.array(dtype=wp.int32),
    rownnz: wp.array(dtype=wp.int32),
    # In:
    added_in: wp.array2d(dtype=wp.float32),
    # Out:
    inertia_inout: wp.array2d(dtype=wp.float32),
):
    """Add to the diagonal of the mass matrix, whose rows end with it."""
    world, i = wp.tid()
    place = rowadr[i] + rownnz[i] - 1
    inertia_inout[world, place] = (
        inertia_inout[world, place] + added_in[world % added_in.shape[0], i]
    )


@wp.kernel
def next_column(
    # Model:
    dofs: wp.array(dtype=wp.int32),
    # In:
    done: wp.int32,
    response_in: wp.array2d(dtype=wp.float32),
    # Out:
    unit_out: wp.array2d(dtype=wp.float32),
    block_out: wp.array3d(dtype=wp.float32),
):
    """Store the response to one unit impulse, where there is one, and set the next."""
    world, i = wp.tid()
    count = dofs.shape[0]
    if done >= 0 and i < count:
        block_out[world, i, done] = response_in[world, dofs[i]]
    following = done + 1
    unit = wp.float32(0.0)
    if following < count:
        unit = wp.where(i == dofs[following], 1.0, 0.0)
    unit_out[world, i] = unit
