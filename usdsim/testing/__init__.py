"""Checks that users can run on their own files."""

from __future__ import annotations

from .conversion import check_conversion, check_export
from .mjcf_law import compare_models
from .physics import Contrast, compare_physics

__all__ = ["Contrast", "check_conversion", "check_export", "compare_models", "compare_physics"]
