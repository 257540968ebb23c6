"""What a user may choose instead, measured on the same files."""

from __future__ import annotations

from . import conversion, motrix, reading, running

__all__ = ["conversion", "motrix", "reading", "running"]
