"""Overrides of the MuJoCo dialect, less those another dialect takes over."""

from __future__ import annotations

from typing import Any

from .mjc import MujocoReader
from .prims import PrimView
from .quantities import Quantities

__all__ = ["overrides_of"]


def overrides_of(
    reader: MujocoReader, view: PrimView, kind: str, quantities: Quantities | None = None
) -> dict[str, Any]:
    """Authored ``mjc:`` values of a prim by field of MuJoCo's spec.

    Args:
        reader: of the stage.
        view: the prim.
        kind: of element, ``joint``.
        quantities: knows which fields a dialect of higher precedence sets.
    """
    if not view.in_mujoco:
        return {}
    view.dialect_read = True
    values = reader.overrides(view.prim, kind)
    lost = quantities.superseded.get(view.path) if quantities is not None else None
    return {key: value for key, value in values.items() if key not in lost} if lost else values
