"""Locks of folders, which the system releases when their holder ends in whatever way."""

from __future__ import annotations

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks; nothing counts as a leftover there.
    fcntl = None  # type: ignore[assignment]

__all__ = ["FolderLock"]


class FolderLock:
    """A lock of a folder, held against other holders until it is released or forgotten.

    Args:
        folder: the folder.
        wait: wait for another holder, and hold nothing where the folder is gone or cannot be
            locked; False raises instead.

    Raises:
        OSError: it is held by another one, is gone, or cannot be locked.
    """

    _handle: int | None = None

    def __init__(self, folder: Path, *, wait: bool):
        if fcntl is None:
            if not wait:
                raise OSError("folders cannot be locked on this system")
            return
        try:
            self._handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            fcntl.flock(self._handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BaseException as error:
            self.release()
            if not wait or not isinstance(error, OSError):
                raise

    def release(self) -> None:
        """Give the lock back; once more does nothing."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            os.close(handle)

    # Whoever is interrupted forgets the lock; the next one must not wait for it.
    __del__ = release
