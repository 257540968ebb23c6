"""Remote folders by fsspec: object stores, archives and servers, as folders of this machine.

A remote folder has a copy in the cache. Fetching brings what has changed there since, publishing
writes what has changed here, so that a file that stays as it is travels once.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from usdsim.core.boundary import boundary
from usdsim.core.cache import cache_folder
from usdsim.core.errors import UnsupportedError
from usdsim.core.extras import library
from usdsim.core.transaction import digest, replace_file, replacing

__all__ = ["fetch_folder", "is_remote", "publish_folder"]


def is_remote(path: str) -> bool:
    """Whether a path is one of fsspec, such as ``s3://bucket/robots`` or ``zip://::robots.zip``."""
    return "://" in path


def fetch_folder(url: str, *, mirror: bool = True) -> Path:
    """A copy of a remote folder on this machine.

    Args:
        url: the folder.
        mirror: whether what is not there any more is removed from the copy.

    Returns:
        The copy, always at the same place; empty, if there is no such folder.

    Raises:
        UnsupportedError: fsspec, or what it needs for this kind of address, is not installed.
        FileError: the folder cannot be read, or the copy not be written.
    """
    system, root = _opened(url)
    folder, known = _copy(url), _notes(url, "fetched")
    with boundary(f"Cannot write {str(folder)!r}"):
        folder.mkdir(parents=True, exist_ok=True)
    with boundary(f"Cannot read {url!r}"):
        system.invalidate_cache()
        found: dict[str, Any] = system.find(root, detail=True) if system.exists(root) else {}
    now: dict[str, str] = {}
    for path, info in found.items():
        name = path[len(root) :].lstrip("/")
        if not name or ".." in PurePosixPath(name).parts:
            continue
        now[name] = hashlib.sha256(repr(sorted(info.items(), key=str)).encode()).hexdigest()
        target = folder / name
        if known.get(name) != now[name] or not target.is_file():
            _get(system, path, target, url)
    if mirror:
        for kept in [p for p in folder.rglob("*") if p.is_file()]:
            if kept.relative_to(folder).as_posix() not in now:
                kept.unlink()
    _note(url, "fetched", now)
    return folder


def publish_folder(url: str, last: Iterable[str] = ()) -> int:
    """Write what has changed in the copy of a remote folder back to it.

    Args:
        url: the folder.
        last: names that are written after all others, because they say that the rest is there.

    Returns:
        Number of files that were written.

    Raises:
        UnsupportedError: fsspec, or what it needs for this kind of address, is not installed.
        FileError: a file cannot be written; those before it are there.
    """
    system, root = _opened(url)
    folder, known = _copy(url), _notes(url, "published")
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    final = [name for name in last if name in files]
    count = 0
    for name in [*(n for n in sorted(files) if n not in final), *final]:
        content, target = digest(files[name]), f"{root.rstrip('/')}/{name}"
        with boundary(f"Cannot write {url}/{name}"):
            if known.get(name) == content and system.exists(target):
                continue
            system.makedirs(target.rpartition("/")[0], exist_ok=True)
            system.put_file(str(files[name]), target)
        count += 1
        known[name] = content
        _note(url, "published", known)
    return count


def _opened(url: str) -> tuple[Any, str]:
    """The file system of an address, and the folder in it."""
    core = library("fsspec.core")
    needs = "Install what fsspec needs for it."
    with (
        boundary(f"Cannot open {url!r}"),
        boundary(f"Cannot open {url!r}", UnsupportedError, remedy=needs, caught=ImportError),
    ):
        system, root = core.url_to_fs(url)
    return system, root


def _get(system: Any, path: str, target: Path, url: str) -> None:
    with replacing(target) as staged, boundary(f"Cannot read {path!r} of {url!r}"):
        system.get_file(path, str(staged))


def _copy(url: str) -> Path:
    base = cache_folder() or Path(tempfile.gettempdir()) / "usdsim"
    return base / "remote" / hashlib.sha256(url.rstrip("/").encode()).hexdigest()[:24]


def _notes(url: str, kind: str) -> dict[str, str]:
    """Fingerprints by name of the files that were fetched or published when last."""
    try:
        found: dict[str, str] = json.loads(
            _copy(url).with_suffix(f".{kind}.json").read_text(encoding="utf-8")
        )
    except (OSError, ValueError):
        return {}
    return found


def _note(url: str, kind: str, fingerprints: dict[str, str]) -> None:
    replace_file(_copy(url).with_suffix(f".{kind}.json"), json.dumps(fingerprints))
