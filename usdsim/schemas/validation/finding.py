"""Validation findings and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pxr import Usd

from usdsim.core.findings import Finding, Severity

__all__ = ["Finding", "Rule", "Severity", "found"]


def found(
    path: str,
    message: str,
    attribute: str | None = None,
    value: Any = None,
    repair: Callable[[], None] | None = None,
) -> Finding:
    """A finding of the rule that is being checked, which adds its code and severity."""
    return Finding("info", "", path, message, attribute, value, repair=repair)


@dataclass(frozen=True, slots=True)
class Rule:
    """One check."""

    code: str
    severity: Severity
    doc: str
    check: Callable[[Usd.Stage], Iterator[Finding]]
    """Finds the places; it gives its findings the rule's code and severity."""
