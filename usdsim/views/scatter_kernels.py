"""Kernels that copy between engine arrays and those of an asset, where NumPy cannot reach them.

Instance i is match i % matches of world i // matches; column tables have a row per match. Indices
that are out of range are passed over: whoever could say so would have to wait for the device.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["gather_columns", "scatter_columns", "scatter_masked"]

device.init()
wp.set_module_options({"enable_backward": False})


@wp.kernel
def gather_columns(
    # Engine:
    source_in: wp.array2d(dtype=wp.float32),
    # Layout:
    columns: wp.array2d(dtype=wp.int32),
    # Out:
    values_out: wp.array2d(dtype=wp.float32),
):
    """From an array (world, column) to one (instance, element)."""
    instance, i = wp.tid()
    matches = columns.shape[0]
    column = columns[instance % matches, i]
    values_out[instance, i] = source_in[instance // matches, column]


@wp.kernel
def scatter_columns(
    # In:
    values_in: wp.array2d(dtype=wp.float32),
    rows_in: wp.array(dtype=wp.int32),
    ids_in: wp.array(dtype=wp.int32),
    # Layout:
    columns: wp.array2d(dtype=wp.int32),
    # Out:
    target_out: wp.array2d(dtype=wp.float32),
):
    """From values (rows, ids) of some instances and elements to an array (world, column)."""
    i, j = wp.tid()
    matches = columns.shape[0]
    row = rows_in[i]
    element = ids_in[j]
    if row < 0 or row >= matches * target_out.shape[0]:
        return
    if element < 0 or element >= columns.shape[1]:
        return
    target_out[row // matches, columns[row % matches, element]] = values_in[i, j]


@wp.kernel
def scatter_masked(
    # In:
    values_in: wp.array2d(dtype=wp.float32),
    rows_in: wp.array(dtype=wp.bool),
    elements_in: wp.array(dtype=wp.bool),
    # Layout:
    columns: wp.array2d(dtype=wp.int32),
    # Out:
    target_out: wp.array2d(dtype=wp.float32),
):
    """From values (instance, element) to an array (world, column), where masks are true."""
    instance, i = wp.tid()
    if rows_in[instance] and elements_in[i]:
        matches = columns.shape[0]
        column = columns[instance % matches, i]
        target_out[instance // matches, column] = values_in[instance, i]
