"""TOML files, which extensions of Isaac Lab read their versions from, where ``toml`` is missing."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

__all__ = ["load", "loads"]

loads = tomllib.loads
"""Values of a text by name."""


def load(f: Any) -> dict[str, Any]:
    """Values of a file by name.

    Args:
        f: its path, or the open file.
    """
    text = f.read() if hasattr(f, "read") else Path(f).read_text(encoding="utf-8")
    return tomllib.loads(text)
