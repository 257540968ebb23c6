"""What a user may choose instead, measured on the same files."""

from __future__ import annotations

from . import conversion, motrix, motrix_kinematics, motrix_learning, reading, running

__all__ = [
    "conversion",
    "motrix",
    "motrix_kinematics",
    "motrix_learning",
    "reading",
    "running",
]
