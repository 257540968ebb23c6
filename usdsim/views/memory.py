"""Memory views: arrays over a part of another's memory."""

from __future__ import annotations

from typing import Any

import warp as wp

__all__ = ["part_of"]


def part_of(
    whole: wp.array,
    dtype: Any,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    first: int = 0,
) -> wp.array:
    """An array over a part of another's memory, which lives as long as any of the two.

    Args:
        whole: the other array.
        dtype: type of an element.
        shape: shape.
        strides: distances of neighbours [bytes].
        first: where it begins [bytes].
    """
    if not whole.size:  # it has no memory
        return wp.empty(shape, dtype=dtype, device=whole.device)
    array = wp.array(
        ptr=whole.ptr + first,
        dtype=dtype,
        shape=shape,
        strides=strides,
        device=whole.device,
        copy=False,
    )
    # The owner of the memory must outlive what users keep.
    array.owner = whole
    return array
