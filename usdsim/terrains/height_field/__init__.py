"""Height field terrains."""

from __future__ import annotations

from . import cfg
from .cfg import *
from .conversion import convert_height_field_to_mesh, height_field_to_mesh

__all__ = [
    *cfg.__all__,
    "convert_height_field_to_mesh",
    "height_field_to_mesh",
]
