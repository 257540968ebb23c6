"""Validation findings and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from pxr import Usd

__all__ = ["Finding", "Rule", "Severity", "found"]

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, or worth knowing, about a prim."""

    code: str
    """Id of the rule, ``joint-frames-apart``."""
    severity: Severity
    path: str
    """Prim path; ``/`` for the stage itself."""
    message: str
    attribute: str | None = None
    """Property, where one is concerned."""
    value: Any = None
    """The authored value, where one is concerned."""
    repair: Callable[[], None] | None = field(default=None, compare=False, repr=False)
    """Repairs it without changing what the stage means; None: a person has to decide."""
    fixed: bool = False
    """Whether it has been repaired."""

    def __str__(self) -> str:
        """One line: where, what."""
        place = f"{self.path}.{self.attribute}" if self.attribute else self.path
        return f"{place}: {self.message}{' (fixed)' if self.fixed else ''}"


def found(
    path: str,
    message: str,
    attribute: str | None = None,
    value: Any = None,
    repair: Callable[[], None] | None = None,
) -> Finding:
    """A finding of the rule that is being checked, which adds its code and severity."""
    return Finding("", "info", path, message, attribute, value, repair)


@dataclass(frozen=True, slots=True)
class Rule:
    """One check."""

    code: str
    severity: Severity
    doc: str
    check: Callable[[Usd.Stage], Iterator[Finding]]
    """Finds the places; it gives its findings the rule's code and severity."""
