"""Precedence of dialects: one physical quantity from all the attributes that state it.

One rule for every quantity. Of the attributes that state it,

1. those that still say what the converter wrote (`usdsim.usd.converted`) give way to those that
   were edited or added since;
2. among these, the dialects' order decides: ``mjc``, ``newton``, ``physx``, ``physics``, unless
   another is asked for; those that disagree with the first are findings;
3. where nothing was edited, the value is the converted one, in double precision.

Standard attributes are always read, last where the order leaves them out; other dialects that it
leaves out are not read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from usdsim.core.dialects.base import DialectRow
from usdsim.core.dialects.deformable import DRAFT_DEFORMABLE, PHYSX_DEFORMABLE
from usdsim.core.dialects.newton import NEWTON
from usdsim.core.dialects.physx import PHYSX
from usdsim.core.errors import InvalidValueError

from .prims import PrimView
from .report import Report
from .units import Units

__all__ = ["DIALECTS", "Quantities", "Statement", "disagree", "rounds_to"]

DIALECTS = ("mjc", "newton", "physx", "physics")
"""Default precedence of what different tools wrote about one quantity."""

_MUJOCO: tuple[DialectRow, ...] = (
    DialectRow("mjc:armature", "double", "joint.armature"),
    DialectRow("mjc:damping", "double", "joint.damping"),
    DialectRow("mjc:frictionloss", "double", "joint.friction"),
    DialectRow("mjc:gravcomp", "double", "body.gravity_compensation"),
    DialectRow("mjc:margin", "double", "geom.rest_offset"),
    DialectRow("mjc:gap", "double", "geom.contact_gap"),
    DialectRow("mjc:torsionalfriction", "double", "material.torsional_friction"),
    DialectRow("mjc:rollingfriction", "double", "material.rolling_friction"),
)
"""Numbers of the MuJoCo dialect, in SI and radians, that other dialects state too."""

_FEW = 16
"""Numbers up to which plain floats compare faster than arrays."""
_SINGLE, _DOUBLE = 2.5e-7, 1e-14
"""Relative rounding of single and of double precision, over a conversion of units."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """Statement of one attribute, or a group of them, about a quantity."""

    dialect: str
    name: str
    """The attribute, the first one of a group."""
    value: Any
    """In SI and radians."""
    precise: bool = False
    """Whether it is in double precision."""
    converted: bool = False
    """Whether nothing was edited since the conversion, whose value this is."""


def rounds_to(value: Any, exact: Any, precise: bool = False) -> bool:
    """Whether a value is an exact one after rounding, number by number."""
    relative, absolute = (_DOUBLE, 0.0) if precise else (_SINGLE, 1e-37)
    if isinstance(value, float) and isinstance(exact, float):
        return _rounds_to(value, exact, relative, absolute)
    a, b = np.asarray(value), np.asarray(exact)
    if a.shape != b.shape or not {a.dtype.kind, b.dtype.kind} <= set("iuf"):
        return a.shape == b.shape and bool(np.all(a == b))
    if a.ndim == 1 and len(a) <= _FEW:
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        return all(_rounds_to(x, y, relative, absolute) for x, y in pairs)
    tolerance = relative * np.abs(b) + absolute
    with np.errstate(invalid="ignore"):
        # Nothing but infinity rounds to infinity.
        return bool(np.all((a == b) | ((np.abs(a - b) <= tolerance) & np.isfinite(b))))


def _rounds_to(value: float, exact: float, relative: float, absolute: float) -> bool:
    near = abs(value - exact) <= relative * abs(exact) + absolute
    return value == exact or (near and math.isfinite(exact))


def disagree(a: Any, b: Any) -> bool:
    """Whether two values differ by more than single precision explains."""
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.shape != second.shape:
        return True
    finite = np.isfinite(first) & np.isfinite(second)
    numbers = np.abs(np.append(first[finite], second[finite]))
    with np.errstate(invalid="ignore"):
        near = np.abs(first - second) <= 1e-5 * numbers.max(initial=0.0) + 1e-9
    # Infinite is how quantities say that they have no bound: no number is near that.
    return not bool(np.all((first == second) | (near & finite)))


_Row = tuple[str, str, DialectRow, float]
"""Dialect, attribute, row, and factor to SI."""
_TABLES: Mapping[str, Iterable[DialectRow]] = {
    "mjc": _MUJOCO,
    "newton": NEWTON,
    "physx": (*PHYSX, *PHYSX_DEFORMABLE),
    "physics": DRAFT_DEFORMABLE,
}


@lru_cache(maxsize=1024)
def _rows_of(units: Units, kind: str, quantity: str, axis: str, angular: bool) -> Sequence[_Row]:
    """Rows of all dialects that set a quantity."""
    return tuple(
        (
            dialect,
            row.usd.replace("{axis}", axis),
            row,
            units.axis_factor(row.unit, angular=angular),
        )
        for dialect, rows in _TABLES.items()
        for row in rows
        if row.spec == f"{kind}.{quantity}"
    )


class Quantities:
    """Reads quantities by name, in the chosen order of dialects.

    Attributes:
        precedence: dialects, the one that wins first.
    """

    def __init__(self, units: Units, report: Report, precedence: Sequence[str] = DIALECTS):
        self._report = report
        if any(dialect not in DIALECTS for dialect in precedence):
            raise InvalidValueError("precedence", tuple(precedence), ", ".join(DIALECTS))
        self.precedence = tuple(dict.fromkeys((*precedence, "physics")))
        self._rank = {dialect: place for place, dialect in enumerate(self.precedence)}
        self._units = units
        self._rows: dict[tuple[str, str, str, bool], Sequence[_Row]] = {}

    def read(
        self,
        view: PrimView,
        kind: str,
        quantity: str,
        *more: Statement,
        axis: str = "",
        angular: bool = False,
    ) -> Any:
        """A quantity in SI and radians; None where no dialect states it.

        Args:
            view: the prim.
            kind: element the quantity belongs to, ``joint``.
            quantity: its name in the tables, ``armature``.
            *more: what attributes outside the tables state.
            axis: instance of multiple-apply schemas, ``rotX``.
            angular: whether the axis turns.
        """
        stated = [*more, *self.stated(view, kind, quantity, axis=axis, angular=angular)]
        return self.settle(view, quantity, stated) if stated else None

    def stated(
        self, view: PrimView, kind: str, quantity: str, *, axis: str = "", angular: bool = False
    ) -> list[Statement]:
        """Statements of the tables' attributes about a quantity."""
        key = kind, quantity, axis, angular
        rows = self._rows.get(key)
        if rows is None:
            rows = self._rows[key] = _rows_of(self._units, *key)
        found = []
        for dialect, name, row, factor in rows:
            if name not in view.names:
                continue
            if row.type == "bool":
                value: Any = view.flag(name) if view.raw(name) is not None else None
            elif row.type == "token":
                value = view.value(name)
            else:
                number = view.number(name)
                value = None if number is None else number * factor
            if value is not None:
                found.append(Statement(dialect, name, value, row.type.startswith("double")))
        return found

    def settle(
        self,
        view: PrimView,
        quantity: str,
        stated: Iterable[Statement],
        same: Callable[[Statement, Any], bool] | None = None,
    ) -> Any:
        """The value that holds; see `choose`."""
        chosen = self.choose(view, quantity, stated, same)
        return None if chosen is None else chosen.value

    def choose(
        self,
        view: PrimView,
        quantity: str,
        stated: Iterable[Statement],
        same: Callable[[Statement, Any], bool] | None = None,
        differ: Callable[[Any, Any], bool] = disagree,
    ) -> Statement | None:
        """The statement that holds, with the converted value where nothing was edited.

        Args:
            view: the prim.
            quantity: its name among the converted values.
            stated: what attributes say, in any order.
            same: whether a statement still says the converted value; by default, rounded.
            differ: whether two values contradict each other.
        """
        order = self._in_order(view, stated)
        if not order:
            return None
        exact = view.converted.get(quantity)
        fresh = order
        if exact is not None:
            exact = exact if isinstance(exact, (bool, float)) else np.asarray(exact)
            fresh = [s for s in order if not _unedited(s, exact, same or _says)]
        if not fresh:
            return Statement(order[0].dialect, order[0].name, exact, True, True)
        chosen = fresh[0]
        for other in fresh[1:]:
            if isinstance(other.value, str) or not differ(chosen.value, other.value):
                continue
            self._report.conflict(
                view.path, other.name, other.value,
                f"is {_words(other.value)} in SI, but {quantity.replace('_', ' ')} is already "
                f"{_words(chosen.value)}, as {chosen.name} says, which goes first",
            )  # fmt: skip
        return chosen

    def _in_order(self, view: PrimView, stated: Iterable[Statement]) -> list[Statement]:
        """Statements by precedence, less those of dialects that are not read."""
        known: list[Statement] = []
        for statement in stated:
            if statement.dialect in self._rank:
                known.append(statement)
                continue
            self._report.unsupported(
                view.path, statement.name, statement.value,
                f"is authored, but the precedence leaves {statement.dialect} out",
            )  # fmt: skip
        if len(known) > 1:
            known.sort(key=lambda statement: self._rank[statement.dialect])
        return known


def _unedited(statement: Statement, exact: Any, same: Callable[[Statement, Any], bool]) -> bool:
    """Whether a statement says the converted value; a record of another form says nothing."""
    try:
        return same(statement, exact)
    except (TypeError, ValueError, IndexError):
        return False


def _says(statement: Statement, exact: Any) -> bool:
    return rounds_to(statement.value, exact, statement.precise)


def _words(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    array = np.asarray(value, np.float64)
    if not array.ndim:
        return f"{float(array):g}"
    return "(" + ", ".join(f"{number:g}" for number in array.ravel().tolist()) + ")"
