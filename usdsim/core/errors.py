"""Every failure usdsim reports, one exception per kind of failure.

A message names the culprit (prim path, file or element), the value, what is allowed, and the
remedy. All exceptions derive from `UsdsimError`, and from the built-in one whose place they take,
so ``except ValueError`` keeps working.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, cast

__all__ = [
    "AbsentError",
    "CompileError",
    "ConversionError",
    "FileError",
    "InvalidValueError",
    "MissingFileError",
    "OutOfRangeError",
    "ParseError",
    "ShapeError",
    "SimulationError",
    "StageError",
    "UnknownNameError",
    "UnsupportedError",
    "UsdsimError",
]


_LONGEST = 400
"""Most characters of a value in a message."""


class UsdsimError(Exception):
    """Base of every exception raised by usdsim; it can be pickled, as what raises elsewhere is."""

    def __reduce__(self) -> Any:
        # `__init__` makes the message of other arguments than it is kept in.
        _, arguments, *state = cast("tuple[Any, ...]", super().__reduce__())
        return type(self).__new__, (type(self), *arguments), *state


class FileError(UsdsimError, OSError):
    """A file is missing, unreadable, or not in a format usdsim loads."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no file of a name."""


class StageError(UsdsimError, ValueError):
    """A stage or prim cannot be used as asked: invalid path, no physics, nothing composed."""


class AbsentError(StageError, AttributeError):
    """An object lacks, as it is configured, what was asked of it; `hasattr` says so too."""


class ConversionError(UsdsimError, ValueError):
    """A source file cannot be converted to USD; nothing was written."""


class ParseError(UsdsimError, ValueError):
    """A stage does not describe valid physics.

    Attributes:
        findings: one `usdsim.core.findings.Finding` per problem, in stage order.
    """

    def __init__(self, message: str, findings: Sequence[Any] = ()):
        super().__init__(message)
        self.findings = tuple(findings)


class CompileError(UsdsimError, ValueError):
    """The engine refuses the described scene."""


class UnsupportedError(UsdsimError, NotImplementedError):
    """The chosen engine or option cannot do what the stage or the caller asks for."""


class InvalidValueError(UsdsimError, ValueError):
    """A value is outside what is allowed.

    Args:
        what: the prim, element or argument that carries the value.
        value: the offending value.
        allowed: what would be accepted, in words.
        remedy: what to do about it.
    """

    def __init__(self, what: str, value: Any, allowed: str, remedy: str = ""):
        message = f"{what} is {_in_short(value)}; allowed: {allowed}."
        super().__init__(f"{message} {remedy}".rstrip())


def _in_short(value: Any) -> str:
    """A value in a message, which a whole configuration or array would fill."""
    if isinstance(value, type(MISSING)):
        return "missing"
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


class OutOfRangeError(InvalidValueError, IndexError):
    """An index is outside what there is."""


class ShapeError(InvalidValueError):
    """An array has the wrong shape."""

    def __init__(self, what: str, shape: Sequence[int], expected: str, remedy: str = ""):
        UsdsimError.__init__(
            self, f"{what} has shape {tuple(shape)}; expected {expected}. {remedy}".rstrip()
        )


class UnknownNameError(UsdsimError, LookupError, ValueError):
    """A name, path or pattern matches nothing.

    Args:
        kind: what was looked for, such as ``"joint"``.
        name: the name that matched nothing.
        available: the names that exist.
        where: the model, prim or table that was searched.
        remedy: what to do about it, if more than another name helps.
    """

    def __init__(
        self, kind: str, name: Any, available: Iterable[Any], where: str = "", remedy: str = ""
    ):
        names = [str(n) for n in available]
        shown = ", ".join(names[:20]) + (f", ... ({len(names)} in all)" if len(names) > 20 else "")
        message = f"No {kind} {str(name)!r}{f' in {where}' if where else ''}."
        message = f"{message} {meant(name, names)}".rstrip()
        message = f"{message} Available: {shown or 'none'}."
        super().__init__(f"{message} {remedy}" if remedy else message)


class SimulationError(UsdsimError, RuntimeError):
    """Some worlds failed while stepping; the others ran on.

    Attributes:
        worlds: indices of the failed worlds.
        times: simulation time of each failure [s].
        prims: prim paths involved in each failure.
    """

    def __init__(
        self,
        message: str,
        worlds: Sequence[int] = (),
        times: Sequence[float] = (),
        prims: Sequence[Sequence[str]] = (),
    ):
        super().__init__(message)
        self.worlds, self.times, self.prims = tuple(worlds), tuple(times), tuple(prims)


def meant(name: Any, names: Iterable[str]) -> str:
    """A question for the names closest to one that does not exist; empty if none is close."""
    close = difflib.get_close_matches(str(name), [*names], n=3, cutoff=0.5)
    return f"Did you mean {' or '.join(map(repr, close))}?" if close else ""


class NamesAbsent:
    """Base of objects that say who they are where they lack an attribute."""

    if not TYPE_CHECKING:  # to type checkers, what does not exist does not exist

        def __getattr__(self, name: str) -> Any:
            """Refuse what does not exist; what exists does not come here.

            Raises:
                AbsentError: always, unless the name is private.
            """
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # what its property raised, once more
            if name.startswith("_"):
                raise AttributeError(
                    f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
                )
            title, remedy = self._absent(name)
            error = AbsentError(f"{title} has no {name!r}. {remedy}".rstrip())
            # Tracebacks ask for the attribute that was meant.
            error.name, error.obj = name, self
            raise error

    def _absent(self, name: str) -> tuple[str, str]:
        """Title of what lacks an attribute, and the remedy."""
        return type(self).__name__, ""
