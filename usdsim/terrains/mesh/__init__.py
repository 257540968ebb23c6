"""Mesh terrains: boxes and other solids."""

from __future__ import annotations

from . import cfg
from .cfg import *

__all__ = [*cfg.__all__]
