"""Findings: what is wrong, or worth knowing, from parsing, conversion and validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

__all__ = ["AnyFinding", "Finding", "Findings", "Severity"]

Severity = Literal["info", "warning", "error"]


class AnyFinding(Protocol):
    """Finding about a prim or about an element of a file."""

    @property
    def severity(self) -> Severity:
        """Weight of the finding."""
        ...

    @property
    def code(self) -> str:
        """Stable short name of its kind."""
        ...

    @property
    def where(self) -> str:
        """Prim and property, or file, line and element."""
        ...

    @property
    def message(self) -> str:
        """Message: what was found, and what was done about it."""
        ...


F = TypeVar("F", bound=AnyFinding)


class Findings(Generic[F]):
    """Findings of a report in the order they were found, by weight and kind."""

    findings: list[F]

    @property
    def errors(self) -> list[F]:
        """Findings that make the source invalid."""
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def warnings(self) -> list[F]:
        """Changes and losses; findings that `strict` turns into errors."""
        return [finding for finding in self.findings if finding.severity == "warning"]

    def by_code(self, code: str) -> list[F]:
        """Findings of one kind."""
        return [finding for finding in self.findings if finding.code == code]


@dataclass(frozen=True, slots=True)
class Finding:
    """Finding: something wrong, or worth knowing, about a prim."""

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

    @property
    def where(self) -> str:
        """Prim path, with the property where one is concerned."""
        return f"{self.path}.{self.attribute}" if self.attribute else self.path

    def __reduce__(self) -> Any:
        # Values of stages, such as quaternions, cannot be pickled.
        text = None if self.value is None else str(self.value)
        parts = self.severity, self.code, self.path, self.message, self.attribute, text
        return type(self), (*parts, self.layer, None, self.fixed)

    def __str__(self) -> str:
        """One line: where, what, in which file (if another than the stage's), whether repaired."""
        layer = f" [{self.layer}]" if self.layer else ""
        return f"{self.where}: {self.message}{layer}{' (fixed)' if self.fixed else ''}"
