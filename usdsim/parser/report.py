"""Parse report: values read, assumed and not understood, per prim path."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypedDict, Unpack

from usdsim.core.errors import ParseError
from usdsim.core.findings import Finding, Findings, Severity
from usdsim.math.repair import REPAIRS

__all__ = ["Finding", "Report", "Severity"]

_log = logging.getLogger("usdsim")


class About(TypedDict, total=False):
    """Property that a finding is about, by keyword."""

    attribute: str | None
    """Property name."""
    value: Any
    """The authored value."""


class Report(Findings[Finding]):
    """Everything parsing has to say about a stage.

    Attributes:
        findings: in the order they were found.
        read: property names that took effect, per prim path.
        defaulted: values assumed for what is not authored, per prim path and property name.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.read: dict[str, set[str]] = defaultdict(set)
        self.defaulted: dict[str, dict[str, Any]] = defaultdict(dict)
        self._reported: set[tuple[str, str, str | None, str]] = set()

    def add(
        self,
        severity: Severity,
        code: str,
        path: object,
        message: str,
        *,
        attribute: str | None = None,
        value: Any = None,
    ) -> None:
        """Record a finding, once."""
        said = code, str(path), attribute, message
        if said in self._reported:
            return
        self._reported.add(said)
        self.findings.append(Finding(severity, code, str(path), message, attribute, value))

    def error(self, code: str, path: object, message: str, **about: Unpack[About]) -> None:
        """Record something that makes the stage physically invalid."""
        self.add("error", code, path, message, **about)

    def warning(self, code: str, path: object, message: str, **about: Unpack[About]) -> None:
        """Record something that works otherwise than its author may expect."""
        self.add("warning", code, path, message, **about)

    def repaired(self, rule: str, path: object, message: str, **about: Unpack[About]) -> None:
        """Record that something impossible was mended or left out by a rule of `REPAIRS`."""
        if rule not in REPAIRS:
            raise KeyError(rule)
        self.add("warning", rule, path, message, **about)

    def info(self, code: str, path: object, message: str, **about: Unpack[About]) -> None:
        """Record something harmless."""
        self.add("info", code, path, message, **about)

    def mark_read(self, path: object, attributes: Iterable[str]) -> None:
        """Mark properties as read: they took effect."""
        self.read[str(path)].update(attributes)

    def default(self, path: object, attribute: str, value: Any) -> None:
        """Report a value assumed for an unauthored property."""
        self.defaulted[str(path)][attribute] = value

    def unsupported(
        self, path: object, attribute: str, value: Any = None, message: str = ""
    ) -> None:
        """Report an authored property that has no effect on the simulation."""
        self.mark_read(path, (attribute,))
        message = message or "is authored but has no effect"
        self.warning("unsupported", path, message, attribute=attribute, value=value)

    def conflict(self, path: object, attribute: str, value: Any, message: str) -> None:
        """Report two authored properties that disagree about one quantity."""
        self.warning("conflict", path, message, attribute=attribute, value=value)

    def depart(self, notes: Iterable[tuple[str, str]], *, strict: bool, source: str) -> None:
        """Report what an engine does otherwise than the stage says.

        Args:
            notes: prim path and message of each.
            strict: raise if there are any.
            source: name of the stage, for the message.

        Raises:
            ParseError: in strict mode.
        """
        for path, message in notes:
            self.warning("engine", path, message)
        self.raise_if(strict=strict, source=source)

    @property
    def summary(self) -> str:
        """Count of findings by weight; empty if there are neither errors nor warnings."""
        weights = (("error", len(self.errors)), ("warning", len(self.warnings)))
        return ", ".join(f"{count} {name}{'s' * (count > 1)}" for name, count in weights if count)

    def log(self, source: str, holder: str) -> None:
        """Log the counts as a warning, with the holder of the report; nothing where all is well."""
        if said := self.summary:
            _log.warning("%s: %s; %s has them.", source, said, holder)

    def __str__(self) -> str:
        """Findings, one in a line, below counts of what was read and assumed."""
        read, assumed = (sum(map(len, of.values())) for of in (self.read, self.defaulted))
        lines = [
            f"{self.summary or 'no errors or warnings'}; {read} properties read, "
            f"{assumed} values assumed"
        ]
        lines += [f"{finding.severity}: {finding} [{finding.code}]" for finding in self.findings]
        return "\n  ".join(lines)

    def __repr__(self) -> str:
        # Interactive sessions and notebooks show what there is to say.
        return str(self)

    def raise_if(self, *, strict: bool = False, source: str = "") -> None:
        """Raise one error that lists every problem.

        Args:
            strict: treat warnings as errors.
            source: name of the stage, for the message.

        Raises:
            ParseError: there are errors, or warnings in strict mode.
        """
        found = self.errors + (self.warnings if strict else [])
        if not found:
            return
        noun = "problem" if len(found) == 1 else "problems"
        title = f"{source or 'The stage'} has {len(found)} {noun}"
        raise ParseError("\n  ".join([f"{title}:", *map(str, found)]), found)
