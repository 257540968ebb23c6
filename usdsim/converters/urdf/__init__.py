"""URDF files: reading them, and writing them as USD."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .convert import convert_urdf as convert_urdf
    from .convert import load_urdf as load_urdf

__all__ = ["convert_urdf", "load_urdf"]


def __getattr__(name: str) -> Any:
    # The process that expands a xacro file needs none of the heavy imports.
    if name in __all__:
        return getattr(importlib.import_module(".convert", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
