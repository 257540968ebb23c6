"""URDF files: reading them, and writing them as USD."""

from __future__ import annotations

from .convert import convert_urdf, load_urdf

__all__ = ["convert_urdf", "load_urdf"]
