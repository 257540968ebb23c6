"""Checks that users can run on their own files."""

from __future__ import annotations

from .conversion import check_conversion, check_export
from .mjcf_law import compare_models

__all__ = ["check_conversion", "check_export", "compare_models"]
