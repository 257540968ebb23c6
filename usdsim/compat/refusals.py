"""Errors that are also of the kinds which programs for Isaac Lab catch."""

from __future__ import annotations

from usdsim.core.errors import UnknownNameError, UsdsimError

__all__ = ["MissingValuesError", "NoMatchError", "UnknownFieldError"]


class NoMatchError(UnknownNameError, ValueError):
    """An expression matches no name."""


class UnknownFieldError(UnknownNameError, KeyError):
    """A configuration has no field of a name."""

    __str__ = Exception.__str__  # a KeyError shows the repr of its message


class MissingValuesError(UsdsimError, TypeError):
    """Fields of a configuration were never set."""
