"""Kernels of sticking contacts: where contacts came, and which friction of a pair acts."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.engine.surfaces.sticking import SLOTS, WIDTH

from .cpu import STEADY

__all__ = ["choose_friction", "count_apart", "count_contacts", "find_new", "forget"]

device.init_kernels(__name__)

_SLOTS = wp.constant(SLOTS)
_WIDTH = wp.constant(WIDTH)
_STEADY = wp.constant(STEADY)
_vec5 = wp.types.vector(5, wp.float32)


@wp.kernel
def count_contacts(
    # In:
    nacon_in: wp.array(dtype=wp.int32),
    world_in: wp.array(dtype=wp.int32),
    # Out:
    count_inout: wp.array(dtype=wp.int32),
):
    """Contacts of each world."""
    contact = wp.tid()
    if contact < nacon_in[0]:
        wp.atomic_add(count_inout, world_in[contact], 1)


@wp.kernel
def find_new(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    count_in: wp.array(dtype=wp.int32),
    # Out:
    seen_inout: wp.array(dtype=wp.int32),
    any_inout: wp.array(dtype=wp.int32),
):
    """Whether any world that steps has more contacts than before its last step."""
    world = wp.tid()
    if not chosen_in[world]:
        return
    if count_in[world] > wp.max(seen_inout[world], 0):
        any_inout[0] = 1
    seen_inout[world] = count_in[world]


@wp.kernel
def forget(
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    # Out:
    seen_out: wp.array(dtype=wp.int32),
    points_out: wp.array2d(dtype=wp.float32),
    steady_out: wp.array2d(dtype=wp.int32),
    holds_out: wp.array2d(dtype=wp.bool),
):
    """Start anew in some worlds."""
    world = wp.tid()
    if chosen_in[world]:
        seen_out[world] = -1
        for pair in range(holds_out.shape[1]):
            holds_out[world, pair] = True
            points_out[world, pair] = 0.0
            steady_out[world, pair] = _STEADY


@wp.kernel
def count_apart(
    # Model:
    first: wp.int32,
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    sensors_in: wp.array2d(dtype=wp.float32),
    # Out:
    apart_inout: wp.array2d(dtype=wp.int32),
):
    """Steps since two shapes touched."""
    world, i = wp.tid()
    if not chosen_in[world]:
        return
    apart = apart_inout[world, i] + 1
    for slot in range(_SLOTS):
        if sensors_in[world, first + (i * _SLOTS + slot) * _WIDTH] > 0.0:
            apart = 0
    apart_inout[world, i] = apart


@wp.kernel
def choose_friction(
    # Model:
    pairs: wp.array(dtype=wp.int32),
    first: wp.int32,
    pyramid: wp.bool,
    least: wp.float32,
    parted: wp.int32,
    # In:
    apart_in: wp.array2d(dtype=wp.int32),
    static_in: wp.array2d(dtype=wp.float32),
    dynamic_in: wp.array2d(dtype=wp.float32),
    sensors_in: wp.array2d(dtype=wp.float32),
    # Out:
    seen_inout: wp.array(dtype=wp.int32),
    points_inout: wp.array2d(dtype=wp.float32),
    steady_inout: wp.array2d(dtype=wp.int32),
    holds_inout: wp.array2d(dtype=wp.bool),
    friction_inout: wp.array2d(dtype=_vec5),
):
    """Static friction for pairs that hold, dynamic friction for those that slide."""
    world, i = wp.tid()
    if seen_inout[world] >= 0:
        pressed = wp.float32(0.0)
        rub = wp.float32(0.0)
        found = wp.float32(0.0)
        for slot in range(_SLOTS):
            column = first + (i * _SLOTS + slot) * _WIDTH
            x = sensors_in[world, column + 2]
            y = sensors_in[world, column + 3]
            found = wp.max(found, sensors_in[world, column])
            pressed += sensors_in[world, column + 1]
            if pyramid:
                rub += wp.abs(x) + wp.abs(y)
            else:
                rub += wp.sqrt(x * x + y * y)
        acting = wp.where(holds_inout[world, i], static_in[world, i], dynamic_in[world, i])
        before = points_inout[world, i]
        points_inout[world, i] = found
        steady_inout[world, i] = wp.where(
            before > 0.0 and before != found, 0, steady_inout[world, i] + 1
        )
        if pressed > 0.0:
            unsure = holds_inout[world, i] and steady_inout[world, i] < _STEADY
            holds_inout[world, i] = unsure or rub < least * acting * pressed
        elif holds_inout[world, i] and found > 0.0:
            # What meets without pressing yet is tried again.
            seen_inout[world] = 0
        elif apart_in[world, i] > parted:
            holds_inout[world, i] = True
    mu = wp.where(holds_inout[world, i], static_in[world, i], dynamic_in[world, i])
    friction = friction_inout[world, pairs[i]]
    friction[0] = mu
    friction[1] = mu
    friction_inout[world, pairs[i]] = friction
