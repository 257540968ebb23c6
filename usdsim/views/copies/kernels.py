"""Kernels that copy between engine arrays and those of an asset, where NumPy cannot reach them.

Instance i is match i % matches of world i // matches; column tables have a row per match. Indices
that are out of range are passed over: whoever could say so would have to wait for the device.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["chosen", "gather_columns", "scatter_columns"]

device.init_kernels(__name__)


@wp.func
def chosen(
    i: wp.int32,
    ids: wp.array(dtype=wp.int32),
    mask: wp.array(dtype=wp.bool),
    count: wp.int32,
):
    """Index that a thread writes of `count`, chosen by indices or a mask, if any; -1: nothing."""
    found = i
    if ids:
        found = ids[i]
    if found < 0 or found >= count:
        return -1
    if mask:  # noqa: SIM102  both sides of an `and` would be evaluated
        if not mask[found]:
            return -1
    return found


@wp.kernel
def gather_columns(
    # Engine:
    source_in: wp.array2d(dtype=wp.float32),
    # Layout:
    columns: wp.array2d(dtype=wp.int32),
    # Out:
    values_out: wp.array2d(dtype=wp.float32),
):
    """Gather columns of an array (world, column) to one (instance, element)."""
    instance, i = wp.tid()
    matches = columns.shape[0]
    column = columns[instance % matches, i]
    values_out[instance, i] = source_in[instance // matches, column]


@wp.kernel
def scatter_columns(
    # Selection:
    rows: wp.array(dtype=wp.int32),
    ids: wp.array(dtype=wp.int32),
    row_mask: wp.array(dtype=wp.bool),
    id_mask: wp.array(dtype=wp.bool),
    full: wp.bool,
    # In:
    values_in: wp.array3d(dtype=wp.float32),
    # Layout:
    columns: wp.array2d(dtype=wp.int32),
    # Out:
    target_out: wp.array2d(dtype=wp.float32),
):
    """Scatter values of some instances and elements to columns of an array (world, column).

    An element has as many columns as it has values, one after the other in the table.
    """
    i, j = wp.tid()
    matches = columns.shape[0]
    width = values_in.shape[2]
    row = chosen(i, rows, row_mask, matches * target_out.shape[0])
    element = chosen(j, ids, id_mask, columns.shape[1] // width)
    if row < 0 or element < 0:
        return
    if full:
        i = row
        j = element
    for k in range(width):
        column = columns[row % matches, width * element + k]
        target_out[row // matches, column] = values_in[i, j, k]
