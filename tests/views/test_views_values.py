"""Values and selections in whatever form callers have them."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import warp as wp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from usdsim.core.domains import FINITE, LIMIT, NON_NEGATIVE, POSITIVE, RANGE
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine import device
from usdsim.views.copies.device_selection import DeviceSelection, selected_rows
from usdsim.views.memory import part_of
from usdsim.views.selection import selected, selected_by_mask
from usdsim.views.values import broadcast, to_numpy

device.init()


@pytest.mark.parametrize(
    "values",
    [
        [[1.0, 2.0, 3.0]],
        np.array([[1, 2, 3]]),
        np.array([[1, 2, 3]], np.float16),
        wp.array([[1.0, 2.0, 3.0]], dtype=wp.float32, device="cpu"),
        wp.array([wp.vec3f(1.0, 2.0, 3.0)], dtype=wp.vec3f, device="cpu"),
    ],
)
def test_every_kind_of_array_is_read(values):
    np.testing.assert_array_equal(to_numpy(values), [[1.0, 2.0, 3.0]])
    found = broadcast("values", values, (2, 3))
    assert found.dtype in (np.float32, np.float64)
    np.testing.assert_array_equal(found, [[1.0, 2.0, 3.0]] * 2)


def test_torch_tensors_are_read():
    torch = pytest.importorskip("torch")
    tensor = torch.ones(2, 3, requires_grad=True)
    np.testing.assert_array_equal(broadcast("values", tensor, (2, 3)), np.ones((2, 3)))
    np.testing.assert_array_equal(selected("ids", torch.tensor([2, 0]), 3), [2, 0])
    np.testing.assert_array_equal(selected_by_mask("m", torch.tensor([True, False]), 2), [0])


@settings(max_examples=60)
@given(st.data())
def test_shapes_broadcast_as_in_numpy(data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4))
    given_shape, wanted = shapes.input_shapes
    values = np.arange(np.prod(given_shape, dtype=int), dtype=float).reshape(given_shape)
    try:
        expected = np.broadcast_to(values, wanted)
    except ValueError:
        with pytest.raises(ShapeError, match="values"):
            broadcast("values", values, wanted)
        return
    np.testing.assert_array_equal(broadcast("values", values, wanted), expected)


@pytest.mark.parametrize("values", ["a", [[1.0], [1.0, 2.0]], None, [True], {"a": 1}, object()])
def test_what_is_not_numbers_is_refused(values):
    with pytest.raises(InvalidValueError, match="values"):
        broadcast("values", values, (2,))


@pytest.mark.parametrize(
    ("domain", "good", "bad"),
    [
        (FINITE, [-1.0, 0.0], [np.nan, np.inf, -np.inf]),
        (None, [-np.inf, np.nan], []),
        (NON_NEGATIVE, [0.0, 2.0], [-1e-9, np.inf, np.nan]),
        (POSITIVE, [1e-9], [0.0, np.inf, np.nan]),
        (LIMIT, [0.0, np.inf], [-1.0, np.nan]),
    ],
)
def test_domains_say_what_is_allowed(domain, good, bad):
    for value in good:
        np.testing.assert_equal(broadcast("value", value, (3,), domain=domain)[1], value)
    for value in bad:
        values = np.zeros(3) + max(good)
        values[1] = value
        with pytest.raises(InvalidValueError, match="value of entry 1"):
            broadcast("value", values, (3,), domain=domain, entry=lambda i: f"entry {i[0]}")


def test_ranges_are_pairs_in_order():
    good = np.array([[-1.0, 1.0], [2.0, 2.0], [-np.inf, np.inf]])
    np.testing.assert_array_equal(broadcast("range", good, (3, 2), domain=RANGE), good)
    for pair in ([1.0, 0.0], [np.nan, 1.0], [0.0, np.nan]):
        with pytest.raises(InvalidValueError, match="in order"):
            broadcast("range", [good[0], pair, good[2]], (3, 2), domain=RANGE)


@settings(max_examples=60)
@given(values=hnp.arrays(np.float32, hnp.array_shapes(max_dims=2, max_side=5)), at=st.data())
def test_one_value_that_is_not_finite_is_always_found(values, at):
    values = np.nan_to_num(values, nan=0.0, posinf=1e38, neginf=-1e38)
    np.testing.assert_array_equal(broadcast("values", values, values.shape), values)
    index = tuple(at.draw(st.integers(0, n - 1)) for n in values.shape)
    values[index] = at.draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    with pytest.raises(InvalidValueError):
        broadcast("values", values, values.shape)


def test_everything_is_none():
    assert selected("ids", None, 3) is None
    assert selected("ids", slice(None), 3) is None
    assert selected_by_mask("mask", None, 3) is None
    assert selected_by_mask("mask", [True] * 3, 3) is None


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([], []),
        ((2, 0), [2, 0]),
        (slice(1, None), [1, 2]),
        (slice(None, None, -1), [2, 1, 0]),
        (1, [1]),
        ([False, True, True], [1, 2]),
        (np.array([2], np.int64), [2]),
    ],
)
def test_selections_keep_the_callers_order(ids, expected):
    np.testing.assert_array_equal(selected("ids", ids, 3), expected)


@pytest.mark.parametrize("ids", [[3], [-1], [0.5], ["a"], [0, 0], [[0, 1]], [True, False]])
def test_selections_of_what_is_not_there_are_refused(ids):
    with pytest.raises((InvalidValueError, ShapeError), match="ids"):
        selected("ids", ids, 3)


def test_parts_keep_the_memory_they_show():
    whole = wp.array(np.arange(14, dtype=np.float32).reshape(2, 7), device="cpu")
    part = part_of(whole, wp.vec3f, (2,), (28,), 8)
    kept = part.numpy()
    del whole, part
    gc.collect()
    junk = [np.full(14, -1.0, np.float32) for _ in range(200)]
    np.testing.assert_array_equal(kept, [[2.0, 3.0, 4.0], [9.0, 10.0, 11.0]])
    assert len(junk) == 200


def test_instances_may_be_named_twice_where_that_is_said():
    with pytest.raises(InvalidValueError, match="each index once"):
        selected("ids", [2, 0, 2], 3)
    np.testing.assert_array_equal(selected("ids", [2, 0, 2], 3, repeats=True), [2, 0, 2])


@pytest.mark.parametrize("ids", [[0, 2], slice(0, 3, 2), [True, False, True]])
def test_instances_for_kernels_are_chosen_as_anywhere(ids):
    np.testing.assert_array_equal(selected_rows("ids", ids, 3, "cpu").rows.numpy(), [0, 2])


def test_all_instances_and_selections_need_no_indices():
    every = selected_rows("ids", None, 3, "cpu")
    assert every.rows is None and every.row_mask is None
    known = DeviceSelection(row_mask=wp.zeros(3, dtype=wp.bool, device="cpu"))
    assert selected_rows("ids", known, 3, "cpu") is known
    with pytest.raises(InvalidValueError, match="0 to 2"):
        selected_rows("ids", [3], 3, "cpu")
