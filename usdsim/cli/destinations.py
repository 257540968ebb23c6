"""Output destinations, checked before a long run instead of after it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from usdsim.core.errors import FileError

__all__ = ["require_writable"]


def require_writable(path: Path | None) -> None:
    """Try to write a file, and leave everything as it was.

    Args:
        path: the file; None: nothing to check.

    Raises:
        FileError: it cannot be written.
    """
    if path is None:
        return
    try:
        folder = path.parent
        while not folder.exists():
            folder = folder.parent
        if folder == path.parent:
            _touch(path)
        else:
            with tempfile.TemporaryFile(dir=folder):
                pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"Cannot write {str(path)!r}: {reason}.") from error


def _touch(path: Path) -> None:
    existed = path.exists()
    with path.open("ab"):
        pass
    if not existed:
        path.unlink()
