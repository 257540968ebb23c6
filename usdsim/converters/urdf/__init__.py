"""URDF files: reading them, and writing them as USD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usdsim.core.lazy import lazy_names

if TYPE_CHECKING:
    from .convert import convert_urdf as convert_urdf
    from .convert import load_urdf as load_urdf

# The process that expands a xacro file needs none of the heavy imports.
__getattr__, __dir__, __all__ = lazy_names(__name__)
