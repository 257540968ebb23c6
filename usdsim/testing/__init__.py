"""Checks that users can run on their own files."""

from __future__ import annotations

from .conversion import check_conversion
from .mjcf_law import compare_models

__all__ = ["check_conversion", "compare_models"]
