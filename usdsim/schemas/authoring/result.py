"""Schema result: the changes that a writer really made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["SchemaResult", "Skipped"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Field that was not written."""

    path: str
    """Prim or attribute path."""
    reason: str


class SchemaResult(int):
    """Outcome of writing a configuration; true if at least one prim took it.

    Attributes:
        prims: paths of the prims that took the configuration.
        changed: paths of the attributes and relationships whose authored value changed.
        skipped: what was left out, and why.
    """

    prims: tuple[str, ...]
    changed: tuple[str, ...]
    skipped: tuple[Skipped, ...]

    def __new__(
        cls,
        prims: Iterable[str] = (),
        changed: Iterable[str] = (),
        skipped: Iterable[Skipped] = (),
    ) -> SchemaResult:
        """Make an outcome of its parts."""
        found = tuple(prims)
        self = super().__new__(cls, bool(found))
        self.prims, self.changed, self.skipped = found, tuple(changed), tuple(skipped)
        return self

    def __add__(self, other: object) -> SchemaResult:
        """Both outcomes as one."""
        if not isinstance(other, SchemaResult):
            return NotImplemented
        return SchemaResult(
            dict.fromkeys(self.prims + other.prims),
            self.changed + other.changed,
            self.skipped + other.skipped,
        )

    def __repr__(self) -> str:
        return (
            f"SchemaResult({bool(self)}, prims={list(self.prims)}, changed={list(self.changed)}, "
            f"skipped={[(s.path, s.reason) for s in self.skipped]})"
        )
