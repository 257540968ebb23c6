"""Schema configuration base: plain dataclasses whose fields carry table rows."""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from typing import Any, TypeVar, dataclass_transform

import numpy as np

from usdsim.core.arguments import choice
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError
from usdsim.schemas.authoring.forms import check_forms
from usdsim.schemas.authoring.table import DIALECTS, FieldRow, row_of

__all__ = ["SchemaCfg", "rows", "schema_cfg"]

T = TypeVar("T", bound=type)

_INTERVAL = re.compile(r"([\[(])(\S+), (\S+)([\])])")


@dataclass_transform(kw_only_default=True, field_specifiers=(dataclasses.field,))
def schema_cfg(cls: T) -> T:
    """Make a class a configuration: a keyword-only dataclass with its fields documented."""
    made: Any = dataclasses.dataclass(kw_only=True)(cls)
    lines = [(made.__doc__ or "").rstrip(), "", "Attributes:"]
    for found in dataclasses.fields(made):
        row = row_of(found)
        if row is not None:
            first = row.targets[0]
            lines.append(f"    {found.name}: {row.doc} Writes ``{first.attribute}``.")
        elif found.metadata.get("doc"):
            lines.append(f"    {found.name}: {found.metadata['doc']}")
    made.__doc__ = "\n".join(lines)
    return made


@dataclasses.dataclass(kw_only=True)
class SchemaCfg(Configuration):
    """Base of the configurations. A field that is None leaves the prim as authored."""

    dialects: tuple[str, ...] | None = None
    """Namespaces to write: any of ``physx``, ``newton``, ``mjc``; None: each field's own."""

    def validate(self) -> None:
        """Check every value.

        Raises:
            InvalidValueError: a value is not of its field's form, or outside what its row allows.
        """
        check_forms(self)
        for dialect in self.dialects or ():
            choice(f"{type(self).__name__}.dialects", dialect, DIALECTS)
        for row in rows(type(self)):
            value = getattr(self, row.field)
            if value is not None and (row.tokens or row.range):
                check(f"{type(self).__name__}.{row.field}", value, row)


_rows: dict[type, tuple[FieldRow, ...]] = {}


def rows(cls: type[SchemaCfg]) -> tuple[FieldRow, ...]:
    """The rows of a configuration class, in field order."""
    found = _rows.get(cls)
    if found is None:
        every = (row_of(field) for field in dataclasses.fields(cls))
        found = _rows[cls] = tuple(row for row in every if row is not None)
    return found


def check(what: str, value: Any, row: FieldRow) -> None:
    """Raise unless a value is among the row's tokens or inside its range."""
    if row.tokens:
        given = [value] if isinstance(value, str) else list(value)
        for token in given:
            if token not in row.tokens:
                raise InvalidValueError(what, token, ", ".join(row.tokens))
        return
    low, high, open_low, open_high = _bounds(row.range)
    try:
        inside = (low < value or (low == value and not open_low)) and (
            value < high or (value == high and not open_high)
        )
    except (TypeError, ValueError):
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "biuf":
            raise InvalidValueError(what, value, f"numbers in {row.range}") from None
        inside = bool(
            ((numbers > low) | ((numbers == low) & (not open_low))).all()
            and ((numbers < high) | ((numbers == high) & (not open_high))).all()
        )
    if not inside:
        raise InvalidValueError(what, value, f"numbers in {row.range}")


@cache
def _bounds(interval: str) -> tuple[float, float, bool, bool]:
    found = _INTERVAL.fullmatch(interval)
    if found is None:
        raise InvalidValueError("range of a table row", interval, "an interval '[low, high)'")
    left, low, high, right = found.groups()
    # A bound at infinity is a permitted value: it means "no limit".
    return (
        float(low),
        float(high),
        left == "(" and low != "-inf",
        right == ")" and high != "inf",
    )
