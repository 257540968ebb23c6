"""Overrides of the MuJoCo dialect: values that the description has no field for."""

from __future__ import annotations

from typing import Any

from .mjc import MujocoReader
from .prims import PrimView

__all__ = ["overrides_of"]


def overrides_of(reader: MujocoReader, view: PrimView, kind: str) -> dict[str, Any]:
    """Authored ``mjc:`` values of a prim by field of MuJoCo's spec.

    Args:
        reader: of the stage.
        view: the prim.
        kind: of element, ``joint``.
    """
    return reader.overrides(view, kind) if view.in_mujoco else {}
