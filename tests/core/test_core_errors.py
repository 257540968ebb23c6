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
