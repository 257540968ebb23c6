"""Row tables written from compiled arrays and spec fields to ``mjc:`` attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import mujoco
import numpy as np
from pxr import Gf

from usdsim.core.dialects.mjc import MjcRow
from usdsim.core.dialects.mjc_tables import ROWS

from .context import Context

__all__ = ["write_rows"]

_MAKERS: dict[str, Callable[[mujoco.MjSpec], Any]] = {
    "body": lambda spec: spec.worldbody.add_body(),
    "joint": lambda spec: spec.worldbody.add_body().add_joint(),
    "geom": lambda spec: spec.worldbody.add_geom(),
    "site": lambda spec: spec.worldbody.add_site(),
    "camera": lambda spec: spec.worldbody.add_camera(),
    "light": lambda spec: spec.worldbody.add_light(),
}
_DEGREE = math.pi / 180.0
_LINKS = {
    "material": "material",
    "targetbody": "body",
    "texture": "texture",
    "geomname1": "geom",
    "geomname2": "geom",
}
"""Kind of the element a reference of the compiled model points at."""
_APIS = {
    "camera": "MjcCameraAPI",
    "light": "MjcLightAPI",
    "material": "MjcMaterialAPI",
    "mesh": "MjcMeshCollisionAPI",
}
"""Schema of the attributes where nothing else calls for it."""


@cache
def _default_spec() -> mujoco.MjSpec:
    return mujoco.MjSpec()


@cache
def _default(kind: str, field: str) -> Any:
    return getattr(_default_element(kind), field)


@cache
def _default_element(kind: str) -> Any:
    spec = _default_spec()
    maker = _MAKERS.get(kind)
    return maker(spec) if maker else getattr(spec, f"add_{kind}")()


def write_rows(
    context: Context,
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
    for row in ROWS[kind]:
        if row.field in skip or ":" in row.field or row.field == "quat":
            continue
        if row.type == "rel":
            _write_link(context, path, row, index)
            continue
        value = _part(_read(context, row, element, index), row, bool(row.model))
        if value is None or (row.sparse and _is_default(kind, row, value)):
            continue
        if row.angle and context.model.jnt_type[index] == int(mujoco.mjtJoint.mjJNT_HINGE):
            value = _degrees(float(value))
        context.set(path, row.usd, row.type, _convert(row, value))


def _write_link(context: Context, path: str, row: MjcRow, index: int) -> None:
    kind = _LINKS.get(row.spec)
    if kind is None or not row.model:
        return
    target = context.path(kind, int(getattr(context.model, row.model)[index]))
    if target is not None:
        context.link(path, row.usd, [target])


def _read(context: Context, row: MjcRow, element: Any, index: int) -> Any:
    if not row.model:
        return getattr(element, row.field)
    name, _, inside = row.model.partition("[")
    model = context.model
    if name.startswith("dof_"):
        index = int(model.jnt_dofadr[index])
    elif name.startswith("qpos"):
        if model.jnt_type[index] < int(mujoco.mjtJoint.mjJNT_SLIDE):
            return None
        index = int(model.jnt_qposadr[index])
    value = getattr(model, name)[index]
    if not inside:
        return value
    start, colon, stop = inside.rstrip("]").partition(":")
    return value[int(start) : int(stop)] if colon else value[int(start)]


def _degrees(angle: float) -> float:
    """An angle [rad] in degrees, the unit of stages that name none, as of a robot in a scene.

    Of the neighbours in double precision it is the one that gives the very angle back, if any does.
    """
    nearest = angle / _DEGREE
    for near in (nearest, *(float(np.nextafter(nearest, end)) for end in (-np.inf, np.inf))):
        if near * _DEGREE == angle:
            return near
    return nearest


def _part(value: Any, row: MjcRow, compiled: bool) -> Any:
    # Compiled arrays hold the part alone; spec fields hold the whole.
    return value if value is None or compiled or row.part is None else value[row.part]


def _is_default(kind: str, row: MjcRow, value: Any) -> bool:
    if row.spec in ("userdata",):
        return not np.asarray(value).any()
    default = _part(_default(kind, row.field), row, False)
    array, expected = _array(value), _array(default)
    return array.shape == expected.shape and bool(np.array_equal(array, expected))


def _array(value: Any) -> np.ndarray:
    if isinstance(value, (str, bytes, np.ndarray, int, float)) or not hasattr(value, "__len__"):
        return np.asarray(value)
    return np.array([value[i] for i in range(len(value))])


def _convert(row: MjcRow, value: Any) -> Any:
    if row.tokens:
        return row.tokens[int(value)]
    if row.type == "bool":
        return bool(value)
    if row.type == "quatd":
        return Gf.Quatd(*map(float, value))
    if row.type in ("int", "int64"):
        return int(value)
    if row.type == "double":
        return float(value)
    return value if isinstance(value, (str, np.ndarray)) else _array(value)
