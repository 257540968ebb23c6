"""New folders: written beside their place and renamed into it, completely or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from usdsim.core.boundary import boundary
from usdsim.core.errors import FileError

__all__ = ["new_folder"]


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Fill a folder that is not there yet.

    Yields:
        Where to write; it takes its place when the ``with`` block ends without an exception.

    Raises:
        FileError: something is there already, or it cannot be written.
    """
    if path.exists():
        raise FileError(f"{str(path)!r} is there already; name another folder.")
    with boundary(f"Cannot write {str(path)!r}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
        staged.chmod(0o755)
    try:
        with boundary(f"Cannot write {str(path)!r}"):
            yield staged
            staged.rename(path)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
