"""Cache on disk: results kept under a key, with the content of every file they depend on.

An entry counts only while each of these files is what it was, and what was not there still is not.
The key names the code that made the result, so that another version never reads it. Entries are
written beside their place and renamed, and have a checksum: many processes share them, and one that
is killed leaves none behind.

``USDSIM_CACHE_DIR`` is the folder; empty, nothing is kept. By default it lies where the system has
its caches. Entries are read by `pickle`, so only a folder that no other user may write into counts.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["LARGEST", "DiskCache", "cache_folder", "contents"]

LARGEST = 1 << 30
"""Size of all entries together above which the oldest are removed [bytes]."""
_VARIABLE = "USDSIM_CACHE_DIR"
_SUFFIX = ".entry"
_PACKAGES = (
    "mujoco-core",
    "mujoco",
    "usd-core",
    "numpy",
    "newton-usd-schemas",
    "trimesh",
    "scipy",
    "coacd",
)
_PLUGINS = "PXR_PLUGINPATH_NAME"
_IMPORTED = time.time_ns()


def cache_folder() -> Path | None:
    """Folder of kept results; None: nothing is kept."""
    given = os.environ.get(_VARIABLE)
    if given is not None:
        return Path(given).absolute() if given else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "usdsim"


def contents(files: Iterable[str | os.PathLike[str]]) -> dict[str, str | None]:
    """Digest of each file; ``""`` of what is no regular file, None where there is nothing."""
    return {os.fspath(file): _content(file) for file in files}


def _content(file: str | os.PathLike[str]) -> str | None:
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):
            return ""
        with open(file, "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except (OSError, ValueError):
        return None


class DiskCache:
    """Results of one kind, kept in a folder.

    Args:
        kind: what is kept, a word; part of every key.
    """

    def __init__(self, kind: str):
        self._kind = kind

    def load(self, key: object) -> Any:
        """The result kept under a key while all it depends on is unchanged; None: there is none.

        Args:
            key: what the result depends on besides files; its ``repr`` counts.
        """
        file = self._file(key)
        if file is None or not _is_private(file.parent):
            return None
        # An entry that cannot be read for any reason, such as another layout, is no entry.
        with suppress(Exception):
            data = file.read_bytes()
            if zlib.crc32(memoryview(data)[4:]) != int.from_bytes(data[:4], "little"):
                return None
            files, payload = pickle.loads(memoryview(data)[4:])
            if contents(files) != files:
                return None
            result = pickle.loads(payload)
            os.utime(file)
            return result
        return None

    def store(self, key: object, result: Any, files: Mapping[str, str | None]) -> None:
        """Keep a result; where that is impossible, nothing happens.

        Args:
            key: what it depends on besides files.
            result: what is kept; it must be possible to pickle it.
            files: `contents` of what it was made from, before it was made. If they are others by
                now, nothing is kept.
        """
        file = self._file(key)
        if file is None or contents(files) != files:
            return
        with suppress(OSError, pickle.PicklingError, TypeError, AttributeError):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_private(file.parent):
                return
            data = pickle.dumps((dict(files), pickle.dumps(result, 5)), 5)
            _write(file, zlib.crc32(data).to_bytes(4, "little") + data)
            _prune(file.parent)

    def _file(self, key: object) -> Path | None:
        folder, made_by = cache_folder(), _fingerprint()
        if folder is None or made_by is None:
            return None
        name = hashlib.sha256(f"{self._kind}\n{made_by}\n{key!r}".encode("utf-8", "surrogatepass"))
        return folder / f"{self._kind}-{name.hexdigest()[:40]}{_SUFFIX}"


@lru_cache(maxsize=1)
def _fingerprint() -> str | None:
    """Identify the code that makes results; None: it has changed since it was imported."""
    root = Path(__file__).resolve().parent.parent
    parts = [sys.version, platform.machine(), f"{_PLUGINS}={os.environ.get(_PLUGINS)}"]
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            parts.append(f"{package} {version(package)}")
    for folder, inner, names in os.walk(root):
        inner.sort()
        for name in sorted(names):
            if name.endswith(".pyc"):
                continue
            state = os.stat(os.path.join(folder, name))
            if state.st_mtime_ns > _IMPORTED:
                return None
            parts.append(f"{folder}/{name} {state.st_size} {state.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _is_private(folder: Path) -> bool:
    """Whether no other user can have put something into a folder."""
    try:
        state = os.stat(folder)
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return True
    return state.st_uid == os.getuid() and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(file: Path, data: bytes) -> None:
    handle, scratch = tempfile.mkstemp(dir=file.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(data)
        os.replace(scratch, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(scratch)
        raise


def _prune(folder: Path) -> None:
    """Remove the entries that were not used for longest, and scratch files of killed writers."""
    entries = []
    for entry in os.scandir(folder):
        with suppress(OSError):
            state = entry.stat()
            if entry.name.endswith(_SUFFIX):
                entries.append((state.st_mtime, state.st_size, entry.path))
            elif entry.name.endswith(".part") and state.st_mtime < time.time() - 3600.0:
                os.unlink(entry.path)
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries)[:-1]:
        if total <= LARGEST:
            break
        with suppress(OSError):
            os.unlink(path)
            total -= size
