"""Widgets of applications, by the name that programs of others import them by.

They are those of `usdsim.viewer.app`, a package below this one, which nothing here uses.
"""

from __future__ import annotations

import importlib
from typing import Any

_NAMES = ("CameraViewport", "ImageWidget")

__all__ = [*_NAMES]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module("usdsim.viewer.app"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
