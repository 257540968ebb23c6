import copy
import pickle
from dataclasses import MISSING

import pytest

from usdsim.core import errors


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_one_of_the_package(name):
    assert issubclass(getattr(errors, name), errors.UsdsimError)


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("FileError", OSError),
        ("StageError", ValueError),
        ("ConversionError", ValueError),
        ("ParseError", ValueError),
        ("CompileError", ValueError),
        ("UnsupportedError", NotImplementedError),
        ("InvalidValueError", ValueError),
        ("UnknownNameError", LookupError),
        ("UnknownNameError", ValueError),
        ("SimulationError", RuntimeError),
    ],
)
def test_built_in_handlers_keep_working(name, builtin):
    assert issubclass(getattr(errors, name), builtin)


def test_messages_name_culprit_value_allowed_and_remedy():
    error = errors.InvalidValueError("/World/a.mass", -1.0, "positive numbers", "Remove it.")
    assert str(error) == "/World/a.mass is -1.0; allowed: positive numbers. Remove it."
    shape = errors.ShapeError("poses", [3, 2], "(n, 7)")
    assert str(shape) == "poses has shape (3, 2); expected (n, 7)."
    assert isinstance(shape, ValueError)


def test_long_lists_of_names_are_cut():
    error = errors.UnknownNameError("body", "x", [f"body_{i}" for i in range(1000)])
    assert len(str(error)) < 500 and "1000 in all" in str(error)
    assert "Available: none" in str(errors.UnknownNameError("body", "x", []))


def test_failures_carry_their_details():
    error = errors.SimulationError("diverged", [3], [0.5], [["/World/a"]])
    assert (error.worlds, error.times, error.prims) == ((3,), (0.5,), (["/World/a"],))
    assert errors.ParseError("bad", ["x"]).findings == ("x",)


EVERY = (
    errors.InvalidValueError("a", -1.0, "positive numbers", "Remove it."),
    errors.OutOfRangeError("a", 3, "0 to 2"),
    errors.ShapeError("poses", [3, 2], "(n, 7)"),
    errors.UnknownNameError("body", "x", ["y"], "model", "Look."),
    errors.ParseError("wrong", ["finding"]),
    errors.SimulationError("worlds failed", [1], [0.5], [["/World/a"]]),
    errors.FileError(2, "no such file", "a.usda"),
)


@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy])
@pytest.mark.parametrize("error", EVERY, ids=lambda e: type(e).__name__)
def test_errors_of_other_processes_arrive_as_they_were(error, again):
    twin = again(error)
    assert type(twin) is type(error) and str(twin) == str(error) and twin.args == error.args
    assert vars(twin) == vars(error)


def test_values_that_were_never_set_or_are_long_are_said_in_short():
    assert (
        str(errors.InvalidValueError("x", MISSING, "a value")) == "x is missing; allowed: a value."
    )
    message = str(errors.InvalidValueError("x", [0.5] * 1000, "one number"))
    assert len(message) < 500 and message.endswith(" ...; allowed: one number.")


class Named(errors.NamesAbsent):
    @property
    def broken(self):
        raise errors.AbsentError("the cause")


def test_attributes_that_do_not_exist_name_who_lacks_them():
    with pytest.raises(AttributeError, match=r"Named has no 'broke'\.") as found:
        _ = Named().broke
    assert (found.value.name, hasattr(Named(), "broke")) == ("broke", False)
    # What a property raises is not hidden.
    with pytest.raises(errors.AbsentError, match=r"^the cause$"):
        _ = Named().broken
    assert copy.deepcopy(Named()) and pickle.loads(pickle.dumps(Named()))
