"""Row tables written from compiled arrays and spec fields to ``mjc:`` attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

import mujoco
import numpy as np
from pxr import Gf

from usdsim.core.dialects.mjc import MjcRow
from usdsim.core.dialects.mjc_tables import ROWS
from usdsim.core.dialects.mjc_tokens import LIMITED

from .context import MjcfContext

__all__ = ["default_spec", "row_value", "write_rows"]

_MAKERS: dict[str, Callable[[mujoco.MjSpec], Any]] = {
    "body": lambda spec: spec.worldbody.add_body(),
    "joint": lambda spec: spec.worldbody.add_body().add_joint(),
    "geom": lambda spec: spec.worldbody.add_geom(),
    "site": lambda spec: spec.worldbody.add_site(),
    "camera": lambda spec: spec.worldbody.add_camera(),
    "light": lambda spec: spec.worldbody.add_light(),
}
_DEGREE = math.pi / 180.0
_SLIDE, _HINGE = int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE)
_LINKS = {
    "material": "material",
    "targetbody": "body",
    "texture": "texture",
    "geomname1": "geom",
    "geomname2": "geom",
}
"""Kind of the element a reference of the compiled model points at."""
_EMPTY = ("userdata", "fluid_coefs")
"""Fields whose zeros say as little as their absence: coefficients are compiled where they act."""
_TURNED = "surfacevel"
"""The field that is compiled into the frame of a geom's mesh; as stated it is in the geom's."""
_APIS = {
    "camera": "MjcCameraAPI",
    "light": "MjcLightAPI",
    "material": "MjcMaterialAPI",
    "mesh": "MjcMeshCollisionAPI",
}
"""Schema of the attributes where nothing else calls for it."""


@cache
def default_spec() -> mujoco.MjSpec:
    """An empty spec, which has the engine's defaults."""
    return mujoco.MjSpec()


@cache
def _default_element(kind: str) -> Any:
    spec = default_spec()
    maker = _MAKERS.get(kind)
    return maker(spec) if maker else getattr(spec, f"add_{kind}")()


@dataclass(frozen=True, slots=True)
class _Column:
    """Columns of the values of a row."""

    row: MjcRow
    field: str
    """Field of the spec's element."""
    array: str
    """Array of the compiled model; empty: the spec has the values."""
    part: int | slice | None
    """Part of the field, or of an entry of the array; None: all of it."""
    default: Any
    """Default of the engine, which is not written; None: every value is."""
    is_plain: bool
    """Whether a compiled value is left out where it is the default, whatever else is stated."""


@cache
def _columns(kind: str) -> tuple[_Column, ...]:
    rows = (row for row in ROWS[kind] if ":" not in row.field)
    return tuple(_column(kind, row) for row in rows if row.field != "quat")


def _column(kind: str, row: MjcRow) -> _Column:
    default = None if row.stated else getattr(_default_element(kind), row.field, None)
    if default is not None and row.part is not None:
        default = default[row.part]
    array = "" if row.field == _TURNED else row.array
    part = row.array_part if array else row.part
    depends = row.stated or row.spec in _EMPTY or _is_end(row) or row.tokens == LIMITED
    return _Column(row, row.field, array, part, _plain(default), bool(array) and not depends)


def _is_end(row: MjcRow) -> bool:
    """Whether a row is one end of a range; readers take both ends or none."""
    return row.usd.endswith((":min", ":max"))


def write_rows(
    context: MjcfContext,
    path: str,
    kind: str,
    index: int,
    *,
    skip: Collection[str] = (),
) -> None:
    """Author every value of an element that has a row.

    Args:
        context: the conversion.
        path: the element's prim.
        kind: its kind.
        index: its index in the compiled model.
        skip: spec fields that are written elsewhere.
    """
    element = context.elements(kind)[index]
    if kind in _APIS:
        context.apply(path, _APIS[kind])
    table = context.tables.get(kind)
    if table is None:
        table = context.tables[kind] = _table(context.model, kind, len(context.elements(kind)))
    for column, found in table[index]:
        row = column.row
        if column.field in skip:
            continue
        if row.type == "rel":
            _write_link(context, path, row, index)
            continue
        value = found if column.array else _stated(column, element)
        if value is None or _is_default(column, value, element):
            continue
        if row.angle and context.model.jnt_type[index] == _HINGE:
            value = _degrees(float(value))
        context.set(path, row.usd, row.type, row_value(row, value))


def _write_link(context: MjcfContext, path: str, row: MjcRow, index: int) -> None:
    kind = _LINKS.get(row.spec)
    if kind is None or not row.model:
        return
    context.refer(path, row.usd, kind, int(getattr(context.model, row.model)[index]))


def _table(model: mujoco.MjModel, kind: str, number: int) -> list[list[tuple[_Column, Any]]]:
    """Columns of each element of a kind that may have to be written, with the compiled values."""
    table: list[list[tuple[_Column, Any]]] = [[] for _ in range(number)]
    for column in _columns(kind):
        values = _compiled(model, column) or [None] * number
        # Most values are defaults: asking for them element by element takes ten times as long.
        usual = column.default if column.is_plain else None
        for entries, value in zip(table, values, strict=False):
            if usual is None or value != usual:
                entries.append((column, value))
    return table


def _compiled(model: mujoco.MjModel, column: _Column) -> list[Any] | None:
    """Values of all elements; None stands for elements that have no such value."""
    if not column.array:
        return None
    values = getattr(model, column.array)
    in_positions = column.array.startswith("qpos")
    if in_positions:
        values = values[model.jnt_qposadr]
    elif column.array.startswith("dof_"):
        values = values[model.jnt_dofadr]
    found: list[Any] = (values if column.part is None else values[:, column.part]).tolist()
    if in_positions:
        return [v if k >= _SLIDE else None for v, k in zip(found, model.jnt_type, strict=True)]
    return found


def _stated(column: _Column, element: Any) -> Any:
    """Value of a spec's element."""
    value = getattr(element, column.field)
    return _plain(value if value is None or column.part is None else value[column.part])


def _degrees(angle: float) -> float:
    """An angle [rad] in degrees, the unit of stages that name none, as of a robot in a scene.

    Of the neighbours in double precision it is the one that gives the very angle back, if any does.
    """
    nearest = angle / _DEGREE
    for near in (nearest, *(float(np.nextafter(nearest, end)) for end in (-np.inf, np.inf))):
        if near * _DEGREE == angle:
            return near
    return nearest


def _is_default(column: _Column, value: Any, element: Any) -> bool:
    row = column.row
    if row.stated:
        return False
    if row.spec in _EMPTY:
        return not any(value)
    if _is_end(row):
        # The compiler takes some from what an actuator acts on, where its element has none.
        return not value and not any(_plain(getattr(element, column.field)))
    if row.tokens == LIMITED and not value:
        # Left to the compiler, what has no range has no limit.
        return not any(_plain(getattr(element, f"{column.field.removesuffix('limited')}range")))
    return bool(value == column.default)


def _plain(value: Any) -> Any:
    """A number, a text or a list; these compare faster than arrays of a few numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (str, bytes, int, float)) or not hasattr(value, "__len__"):
        return value
    return [value[i] for i in range(len(value))]


def row_value(row: MjcRow, value: Any) -> Any:
    """A value of the engine as the attribute of a row has it."""
    if row.tokens:
        return row.tokens[int(value)]
    if row.type == "bool":
        return bool(value)
    if row.type == "quatd":
        return Gf.Quatd(*map(float, value))
    if row.type in ("int", "int64"):
        return int(value)
    if row.type in ("double", "float"):
        return float(value)
    return value if isinstance(value, str) else np.asarray(value)
