"""MuJoCo dialect values: authored ``mjc:`` properties as values of spec fields."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from pxr import Gf, Sdf

from usdsim.core.dialects.mjc import MjcRow
from usdsim.core.dialects.mjc_tables import ROWS
from usdsim.core.dialects.mjc_tokens import LIMITED
from usdsim.parser.prims import PrimView
from usdsim.parser.report import Report
from usdsim.usd.attributes import numbers

__all__ = ["rows_by_attribute", "spec_values"]

_QUATS = (Gf.Quatd, Gf.Quatf)


@cache
def rows_by_attribute(kind: str) -> dict[str, MjcRow]:
    """Rows of a kind by USD property name."""
    return {row.usd: row for row in ROWS[kind]}


@cache
def _ranges(kind: str) -> tuple[dict[str, str], tuple[tuple[str, tuple[str, str]], ...]]:
    """USD property names by spec field, and of each range its switch and its ends."""
    names = {row.spec: row.usd for row in ROWS[kind]}
    fields = (spec.removesuffix("[0]") for spec in names if spec.endswith("range[0]"))
    return names, tuple(
        (f"{field.removesuffix('range')}limited", (f"{field}[0]", f"{field}[1]"))
        for field in fields
    )


_PROPERTIES = ("material", "texture", "plugin")
"""References an element can do without; `without_dangling` leaves out those without the others."""
_SCALARS = ("bool", "int", "int64", "float", "double")


def spec_values(
    view: PrimView,
    kind: str,
    report: Report,
    *,
    angle: float = 1.0,
) -> dict[str, Any]:
    """Authored ``mjc:`` values of a prim by `MjcRow.spec`, less those of `MjcRow.described`.

    Quaternions are wxyz and enumerations numbers, as the spec has them; references are prim paths.

    Args:
        view: the prim.
        kind: which table applies.
        report: where unusable values are noted.
        angle: radians per unit of angles.
    """
    rows = rows_by_attribute(kind)
    values: dict[str, Any] = {}
    for name in view.mujoco:
        row = rows.get(name)
        if row is None or row.described:
            continue
        value = (_targets if row.type == "rel" else _value)(view, row, report)
        if value is not None:
            values[row.spec] = value * angle if row.angle else value
    _check_ranges(view, kind, values, report)
    return values


def _targets(view: PrimView, row: MjcRow, report: Report) -> Any:
    targets = view.targets(row.usd)
    for target in targets if row.spec in _PROPERTIES else ():
        if not view.prim.GetStage().GetPrimAtPath(target):
            report.repaired(
                "dangling-element",
                view.path,
                f"refers to {target}, which does not exist: the reference is left out",
                attribute=row.usd,
                value=str(target),
            )
            return None
    if row.many:
        return tuple(map(str, targets))
    return str(targets[0]) if targets else None


def _value(view: PrimView, row: MjcRow, report: Report) -> Any:
    value = view.raw(row.usd)
    if value is None:
        return None
    if row.tokens:
        if value in row.tokens:
            return row.tokens.index(value)
        report.error(
            "invalid-token",
            view.path,
            f"is {value!r}; allowed: {', '.join(row.tokens)}",
            attribute=row.usd,
            value=value,
        )
        return None
    plain = _plain(value)
    if not _fits(plain, row.type):
        without = " without NaN" if "nan" in str(value) else ""
        view.invalid(row.usd, value, f"a {row.type}{without}")
        return None
    if row.least is None or plain >= row.least:
        return plain
    if not row.spec.startswith("option."):
        view.invalid(row.usd, value, f"{row.least:g} or more")
        return None
    report.warning(
        "unusual-value",
        view.path,
        f"is {value}; MuJoCo accepts it, but less than {row.least:g} means nothing more",
        attribute=row.usd,
        value=value,
    )
    return plain


def _check_ranges(view: PrimView, kind: str, values: dict[str, Any], report: Report) -> None:
    """Report ranges whose ends are crossed, and those in force that are empty."""
    names, ranges = _ranges(kind)
    for switch, ends in ranges:
        limited = values.get(switch, LIMITED.index("auto"))
        lower, upper = (values.get(end, 0.0) for end in ends)
        if switch not in names or limited == LIMITED.index("false"):
            continue
        empty = lower == upper and limited == LIMITED.index("true") and ends[0] in values
        if lower > upper or empty:
            report.error(
                "crossed-range",
                view.path,
                f"is {lower:g}; allowed: less than {names[ends[1]]}, which is {upper:g}; swap "
                f"them, or set {names[switch]} to false",
                attribute=names[ends[0]],
                value=lower,
            )


def _fits(value: Any, kind: str) -> bool:
    """Whether a value is of a kind: text or numbers, one or several, and not NaN."""
    if isinstance(value, (str, tuple)):
        return kind.rstrip("[]") in ("string", "token", "asset")
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf" and kind not in _SCALARS and not np.isnan(value).any()
    return kind in _SCALARS and value == value


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, _QUATS):
        return np.array([value.GetReal(), *numbers(value.GetImaginary())])
    if isinstance(value, Sdf.AssetPath):
        return value.resolvedPath or value.path
    kind = type(value).__name__
    if kind in ("StringArray", "TokenArray"):
        return tuple(value)
    if kind == "AssetPathArray":
        return tuple(entry.resolvedPath or entry.path for entry in value)
    array = np.array(value)
    return array.astype(np.float64) if array.dtype == np.float32 and array.size <= 16 else array
