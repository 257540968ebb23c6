"""Locks of folders, which the system releases when their holder ends in whatever way."""

from __future__ import annotations

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks; nothing counts as a leftover there.
    fcntl = None  # type: ignore[assignment]

__all__ = ["lock_folder", "unlock_folder"]

_NONE = -1


def lock_folder(folder: Path, *, wait: bool) -> int:
    """Lock a folder against other holders.

    Args:
        folder: the folder.
        wait: wait for another holder; False raises instead.

    Returns:
        What `unlock_folder` needs.

    Raises:
        OSError: it is held by another one, is gone, or cannot be locked.
    """
    if fcntl is None:
        if wait:
            return _NONE
        raise OSError("folders cannot be locked on this system")
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        if wait:
            return _NONE
        raise
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(handle)
        if wait:
            return _NONE
        raise
    return handle


def unlock_folder(handle: int) -> None:
    """Give a lock back."""
    if handle != _NONE:
        os.close(handle)
