"""Selections on a device: values, and the instances and elements they are for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.views.memory import part_of
from usdsim.views.selection import Indices, Mask, selected, selected_by_mask

__all__ = [
    "DeviceSelection",
    "device_array",
    "device_instances",
    "device_selection",
    "lives_on",
    "numbers_on_device",
    "selected_rows",
]

Ids = NDArray[np.intp]
Select = Callable[[str, Any, int], Any]


def lives_on(values: Any, device: str) -> bool:
    """Whether something is an array of Warp or torch on a Warp device."""
    array = isinstance(values, wp.array) or hasattr(values, "detach")
    return array and str(values.device) == device


def device_array(values: Any, dtype: Any, device: str) -> wp.array | None:
    """Array of a type that kernels can read where it is; None: it is not of that kind.

    Args:
        values: a Warp array, or one of torch, whose memory Warp shares; anything else is not.
        dtype: type of an element; integers of torch may be wider.
        device: name of the Warp device.
    """
    if not lives_on(values, device):
        return None
    values = _shared(values, integers=dtype is wp.int32)
    return values if values.dtype is dtype else None


def numbers_on_device(
    values: Any, shape: tuple[int, int], width: int, device: str, *, single: bool = False
) -> wp.array | None:
    """Single precision numbers on a device, without a look at them; None: they are not there.

    Args:
        values: what broadcasts to (rows, elements, width), as numbers or as vectors of them.
        shape: rows and elements.
        width: numbers of an element.
        device: name of the Warp device.
        single: whether values may have no axis for the one element there is.

    Returns:
        An array that shares their memory, shape (rows, elements, width).
    """
    if not lives_on(values, device):
        return None
    array = _shared(values)
    if getattr(array.dtype, "_wp_scalar_type_", array.dtype) is not wp.float32:
        return None
    if array.shape == (*shape, width) and array.dtype is wp.float32:
        return array
    sizes, strides = list(array.shape), list(array.strides)
    each = wp.types.type_size(array.dtype)
    if array.dtype is not wp.float32:
        sizes, strides = [*sizes, each], [*strides, 4]
    elif width == 1:
        sizes, strides = [*sizes, 1], [*strides, 4]
    if single and len(sizes) == 2:
        sizes, strides = [sizes[0], 1, sizes[1]], [strides[0], 0, strides[1]]
    while len(sizes) < 3:
        sizes, strides = [1, *sizes], [0, *strides]
    wanted = (*shape, width)
    if len(sizes) > 3 or any(
        size not in (1, count) for size, count in zip(sizes, wanted, strict=True)
    ):
        return None
    strides = [0 if size == 1 else step for size, step in zip(sizes, strides, strict=True)]
    return part_of(array, wp.float32, wanted, (strides[0], strides[1], strides[2]))


def _shared(values: Any, *, integers: bool = False) -> wp.array:
    """An array of torch as one of Warp that shares its memory; one of Warp as it is."""
    if isinstance(values, wp.array):
        return values
    values = values.detach()
    if integers and not (values.is_floating_point() or values.dtype.itemsize == 1):
        values = values.int()
    return wp.from_dlpack(values)


@dataclass(frozen=True, eq=False)
class DeviceSelection:
    """Instances and elements for kernels: indices, or masks, or neither for all of them."""

    rows: wp.array | None = None
    """Indices of instances."""
    ids: wp.array | None = None
    """Indices of elements."""
    row_mask: wp.array | None = None
    """Mask of instances, shape (num_instances,)."""
    id_mask: wp.array | None = None
    """Mask of elements, shape (num_elements,)."""
    full: bool = False
    """Whether values are those of all instances and elements rather than of the selected."""

    @classmethod
    def of(cls, rows: Ids | None, ids: Ids | None, device: str) -> DeviceSelection:
        """The selection of indices that the host knows; None: all."""
        chosen = [None if i is None else _indices(i, device) for i in (rows, ids)]
        return cls(rows=chosen[0], ids=chosen[1])

    def size(self, whole: tuple[int, int]) -> tuple[int, int]:
        """Threads a kernel needs; `whole` is the number of instances and of elements."""
        rows, ids = self.rows, self.ids
        return whole[0] if rows is None else rows.size, whole[1] if ids is None else ids.size

    def shape(self, whole: tuple[int, int]) -> tuple[int, int]:
        """Leading shape of values."""
        return whole if self.full else self.size(whole)

    def worlds(self, matches: int) -> wp.array | None:
        """Worlds that may be written, as indices or a mask on the device; None: any."""
        return None if matches > 1 else self.row_mask if self.rows is None else self.rows

    @property
    def arguments(self) -> list[Any]:
        """First arguments of kernels: indices, masks and whether values are those of all."""
        return [self.rows, self.ids, self.row_mask, self.id_mask, self.full]


def selected_rows(
    what: str, ids: Indices | DeviceSelection, count: int, device: str
) -> DeviceSelection:
    """Instances for kernels, each as often as it is named; a selection stays as it is.

    Args:
        what: what they are, for messages.
        ids: indices, a slice or a mask; None: all.
        count: number of instances.
        device: name of the Warp device.

    Raises:
        InvalidValueError: an instance does not exist.
    """
    if isinstance(ids, DeviceSelection):
        return ids
    return DeviceSelection.of(selected(what, ids, count, repeats=True), None, device)


def device_selection(
    axes: tuple[tuple[str, Indices | Mask, int], tuple[str, Indices | Mask, int]],
    device: str,
    *,
    masks: bool,
    full: bool = False,
) -> DeviceSelection | None:
    """A selection for kernels; of what is on the device the host sees nothing but the shape.

    Args:
        axes: name, indices or mask, and number of instances, then of elements.
        device: name of the Warp device.
        masks: whether there are masks rather than indices.
        full: whether values are those of all instances and elements.

    Returns:
        The selection; None: the host has to look at it.

    Raises:
        InvalidValueError: what the host gave is not allowed.
        ShapeError: what the host gave does not fit.
    """
    chosen = [_chosen(*axis, device, masks) for axis in axes]
    rows, ids = chosen
    if rows is False or ids is False:
        return None
    if masks:
        return DeviceSelection(row_mask=rows, id_mask=ids, full=True)
    return DeviceSelection(rows=rows, ids=ids, full=full)


def device_instances(
    env_ids: Indices, env_mask: Mask, count: int, device: str
) -> DeviceSelection | None:
    """Instances for kernels by a mask where there is one, else by indices, that are on the device.

    Args:
        env_ids: the indices.
        env_mask: the mask; None: there is none.
        count: number of instances.
        device: name of the Warp device.

    Returns:
        The selection, at which the host did not look; None: it has to.
    """
    masked = env_mask is not None
    axis = ("env_mask", env_mask, count) if masked else ("env_ids", env_ids, count)
    if not lives_on(axis[1], device):
        return None
    return device_selection((axis, ("", None, 0)), device, masks=masked)


def _chosen(what: str, given: Any, count: int, device: str, masks: bool) -> Any:
    """An array for kernels, None for all, or False: the host has to look at it."""
    if given is None:
        return None
    dtype: Any = wp.bool if masks else wp.int32
    ready = device_array(given, dtype, device)
    if ready is not None and ready.ndim == 1 and (not masks or ready.size == count):
        return ready
    if lives_on(given, device):
        return False
    select: Select = selected_by_mask if masks else selected
    found = select(what, given, count)
    if found is None:
        return None
    if masks:
        flags = np.zeros(count, np.bool_)
        flags[found] = True
        return wp.array(flags, dtype=wp.bool, device=device)
    return _indices(found, device)


def _indices(chosen: Ids, device: str) -> wp.array:
    return wp.array(chosen.astype(np.int32), dtype=wp.int32, device=device)
