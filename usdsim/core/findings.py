"""Findings: what is wrong, or worth knowing, about a prim, from parsing and from validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Finding", "Severity"]

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, or worth knowing, about a prim."""

    severity: Severity
    code: str
    """Kind of finding in a word or more: ``unsupported``, ``dangling-target``; of validation, the
    id of the rule, ``joint-frames-apart``."""
    path: str
    """Prim path; ``/`` for the stage itself."""
    message: str
    attribute: str | None = None
    """Property name, where one is concerned."""
    value: Any = None
    """The authored value, where one is concerned; of copies made by pickling, text."""
    layer: str | None = None
    """File that states it, where that is not the stage's own."""
    repair: Callable[[], None] | None = field(default=None, compare=False, repr=False)
    """Repairs it without changing what the stage means; None: a person has to decide. Copies made
    by pickling have none."""
    fixed: bool = False
    """Whether it has been repaired."""

    def __reduce__(self) -> Any:
        # Values of stages, such as quaternions, cannot be pickled.
        text = None if self.value is None else str(self.value)
        parts = self.severity, self.code, self.path, self.message, self.attribute, text
        return type(self), (*parts, self.layer, None, self.fixed)

    def __str__(self) -> str:
        """One line: where, what, in which file (if another than the stage's), whether repaired."""
        place = f"{self.path}.{self.attribute}" if self.attribute else self.path
        layer = f" [{self.layer}]" if self.layer else ""
        return f"{place}: {self.message}{layer}{' (fixed)' if self.fixed else ''}"
