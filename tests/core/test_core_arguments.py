"""Arguments as callers have them: arrays of any library become NumPy's."""

from collections.abc import Mapping
from numbers import Real

import numpy as np
import pytest
import warp as wp

from usdsim.core.arguments import (
    choice,
    entries,
    interval,
    number,
    of_kind,
    on_host,
    real,
    whole,
)
from usdsim.core.errors import InvalidValueError, ShapeError

torch = pytest.importorskip("torch")

ROWS = [[0.5, -1.25], [2.0, 3.0]]
"""Numbers that all types below hold exactly."""


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("learned", [False, True])
def test_tensors_of_any_float_type_and_in_graphs_of_gradients_are_numbers(dtype, learned):
    tensor = torch.tensor(ROWS, dtype=dtype, requires_grad=learned)
    np.testing.assert_array_equal(real("rows", tensor), ROWS)
    np.testing.assert_array_equal(on_host(tensor * 2), np.multiply(ROWS, 2))


def test_memory_is_shared_and_what_is_no_array_stays():
    tensor = torch.tensor(ROWS)
    assert np.shares_memory(on_host(tensor), tensor.numpy())
    array = wp.array(ROWS, dtype=wp.float32, device="cpu")
    assert np.shares_memory(on_host(array), array.numpy())
    assert on_host(ROWS) is ROWS


@pytest.mark.parametrize(
    ("value", "bounds", "allowed"),
    [
        (0, (1,), "a whole number >= 1"),
        (2.0, (), "a whole number >= 0"),
        (True, (), "a whole number >= 0"),
        ("3", (), "a whole number >= 0"),
        (2**31, (), "a whole number from 0 to 2147483647"),
        (4, (1, 3), "a whole number from 1 to 3"),
    ],
)
def test_what_is_no_whole_number_within_bounds_is_refused(value, bounds, allowed):
    with pytest.raises(InvalidValueError, match=f"steps is .*; allowed: {allowed}"):
        whole("steps", value, *bounds)


def test_whole_numbers_of_any_library_become_those_of_python():
    assert whole("steps", np.int16(3)) == 3 and type(whole("steps", np.int16(3))) is int
    assert whole("seed", 2**63, most=2**64 - 1) == 2**63


@pytest.mark.parametrize(
    ("value", "bounds", "allowed"),
    [
        (0.0, {"unit": "m"}, r"a finite number \[m\] above 0"),
        (-1, {"above": False}, "a finite number >= 0"),
        (1.5, {"most": 1.0, "above": False}, "a finite number >= 0 and <= 1"),
        (np.nan, {"least": -np.inf}, "a finite number"),
        pytest.param(10**400, {}, "a finite number above 0", id="huge"),
        (True, {}, "a finite number above 0"),
        ("1", {}, "a finite number above 0"),
        (np.array("1"), {}, "a finite number above 0"),
        (np.array([1.0]), {}, "a finite number above 0"),
        (np.True_, {}, "a finite number above 0"),
    ],
)
def test_what_is_no_number_within_bounds_is_refused(value, bounds, allowed):
    with pytest.raises(InvalidValueError, match=rf"gain is .*; allowed: {allowed}(\.|$)"):
        number("gain", value, **bounds)


def test_numbers_of_any_library_become_those_of_python():
    assert number("gain", np.float32(0.5)) == 0.5 and type(number("gain", np.int8(2))) is float
    assert number("gain", np.array(3)) == 3.0 and type(number("gain", np.array(3))) is float
    assert interval("range", np.array([0.0, 1.0])) == (0.0, 1.0)


@pytest.mark.parametrize("value", [3.0, (2.0, 1.0), (0.0, 1.0), (1.0, np.inf), "ab", None])
def test_what_is_no_interval_within_bounds_is_refused(value):
    with pytest.raises(InvalidValueError, match="two finite numbers above 0, in order"):
        interval("range", value, 0.0, above=True)
    with pytest.raises(ShapeError, match=r"range"):
        interval("range", (1.0, 2.0, 3.0))


@pytest.mark.parametrize("value", ["fastest", None, 1, ["fast"]])
def test_words_are_one_of_those_there_are(value):
    assert choice("mode", "fast", ("fast", "exact")) == "fast"
    with pytest.raises(InvalidValueError, match="allowed: 'fast', 'exact'"):
        choice("mode", value, ("fast", "exact"))


def test_objects_are_of_a_class_which_messages_name():
    assert of_kind("it", 3, Real) == 3 and of_kind("it", None, str | None) is None
    for kind, words in (
        (Real, "a number"),
        (str | None, "a text or None"),
        (ArithmeticError, "an ArithmeticError"),
        (Mapping, "a mapping"),
    ):
        with pytest.raises(InvalidValueError, match=rf"it is \[\]; allowed: {words}"):
            of_kind("it", [], kind)
    with pytest.raises(InvalidValueError, match="allowed: a pair"):
        of_kind("it", [], tuple, "a pair")


@pytest.mark.parametrize("values", [[], "text", None, 3, iter(())])
def test_lists_have_entries_and_are_no_texts(values):
    with pytest.raises(InvalidValueError, match="allowed: names"):
        entries("it", values, "names")
    assert entries("it", ("a", "b"), "names") == ["a", "b"]
