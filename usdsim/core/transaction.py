"""Atomic replacement of files and new folders: written beside their place, synced, and swapped in.

A result is one file, and possibly others it refers to. All are written into a hidden staging folder
beside the target. The others are then put in place under names that nothing else has, and at last
the file itself is renamed over its predecessor: before this one call the old result is there, after
it the new one. What the old one had of its own is removed last.

A writer locks its staging folder. One that nobody holds is the leftover of a killed run, and the
next writer in the same folder removes it, with what its journal says was put in place in vain.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from .boundary import boundary, require_regular
from .errors import FileError
from .locks import FolderLock

__all__ = ["Transaction", "digest", "new_folder", "remove_leftovers", "replace_file", "replacing"]

_PREFIX = ".usdsim-"
_JOURNAL = "journal.json"
_MAIN = "main"
_BESIDE = "beside"


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write a file completely or not at all; its folder is made if there is none.

    Yields:
        Where to write it; it takes its place when the ``with`` block ends without an exception.

    Raises:
        FileError: it cannot be written; what was there before stays.
    """
    target = Path(path)
    with boundary(f"Cannot write {os.fspath(path)!r}"):
        target.parent.mkdir(parents=True, exist_ok=True)
    with Transaction(target) as transaction:
        with boundary(f"Cannot write {os.fspath(path)!r}"):
            yield transaction.staged
        transaction.commit()


def replace_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file completely or not at all, text in UTF-8; see `replacing`."""
    with replacing(path) as staged:
        if isinstance(content, bytes):
            staged.write_bytes(content)
        else:
            staged.write_text(content, encoding="utf-8")


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Fill a folder that is not there yet, completely or not at all.

    Yields:
        Where to write; it takes its place when the ``with`` block ends without an exception.

    Raises:
        FileError: something is there already, or it cannot be written.
    """
    target = Path(path)
    if os.path.lexists(target):
        raise FileError(f"{str(target)!r} is there already; name another folder.")
    with boundary(f"Cannot write {str(target)!r}"):
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(target.parent)
        staging, lock = _staging(target.parent)
    try:
        with boundary(f"Cannot write {str(target)!r}"):
            staged = staging / _MAIN
            staged.mkdir()
            yield staged
            _sync(staged)
            os.rename(staged, target)
            _sync_folder(target.parent)
    finally:
        _drop(staging, lock)


class Transaction:
    """One file, and others beside it, that replace what was there together or not at all.

    Args:
        target: the file.

    Raises:
        FileError: nothing can be written into its folder, or it is a folder, pipe or device.
    """

    def __init__(self, target: Path):
        self.target = target
        with boundary(f"Cannot write {str(target)!r}"):
            if target.is_dir():
                raise FileError(f"Cannot write {str(target)!r}: it is a folder.")
            require_regular(target)
            remove_leftovers(target.parent)
            self._folder, self._lock = _staging(target.parent)
        self._names: dict[str, str] = {}
        self._settled: set[str] = set()
        self._digests: dict[str, str] = {}
        self._alone: FolderLock | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        _drop(self._folder, self._lock)
        if self._alone is not None:
            self._alone.release()

    @property
    def staged(self) -> Path:
        """Path at which the file itself is to be written."""
        return self._folder / _BESIDE / self.target.name

    def stage(self, name: str) -> Path:
        """Return the path at which something beside the target is to be written.

        Args:
            name: a file or a whole folder, relative to the target's folder.
        """
        self._names[name] = name
        self._digests.pop(name, None)
        path = self._folder / _BESIDE / name
        with boundary(f"Cannot write {str(path)!r}"):
            path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def place(self) -> dict[str, str]:
        """Settle the names of what is staged, where something else may have them already.

        From here on until the transaction ends, other writers into the folder wait.

        Returns:
            The name each will have, by the name it was staged under; what refers to it has to use
            that one.
        """
        if self._alone is None and self._names:
            self._alone = FolderLock(self.target.parent, wait=True)
        with boundary(f"Cannot write {str(self.target)!r}"):
            for name in self._names.keys() - self._settled:
                self._names[name] = self._free(name)
                self._settled.add(name)
        return dict(self._names)

    def absorb(self) -> None:
        """Keep what is staged to the target itself, which contains it."""
        self._names.clear()

    def contents(self) -> dict[str, str]:
        """Digest of everything staged, by the name it will have."""
        return {free: self._digest(name) for name, free in self._names.items()}

    def commit(self, owned: Mapping[str, str] | None = None) -> list[Path]:
        """Put everything in its place.

        Args:
            owned: digests of what belongs to the result that is replaced, by name; what has not
                been changed since and is not part of the new one is removed.

        Returns:
            What was put beside the target.

        Raises:
            FileError: something cannot be written; what was there before stays.
        """
        self.place()
        folder, contents = self.target.parent, self.contents()
        new = {n: d for n, d in contents.items() if not os.path.lexists(folder / n)}
        old = {n: d for n, d in (owned or {}).items() if n not in contents}
        main = self._folder / _MAIN
        with boundary(f"Cannot write {str(self.target)!r}"):
            os.rename(self.staged, main)
            _sync(main)
            if new or old:
                for name, free in self._names.items():
                    if free in new:
                        _sync(self._folder / _BESIDE / name)
                self._note({"placed": new, "replaced": old})
            try:
                for name, free in self._names.items():
                    if free in new:
                        _move_to_free_name(self._folder / _BESIDE / name, folder / free)
                changed = {folder, *(folder / os.path.dirname(name) for name in new)}
                # Folders come after those inside them, the target's own last.
                for parent in sorted(changed, reverse=True) if new else ():
                    _sync_folder(parent)
                # Between the lines before and after this one, the result changes.
                os.replace(main, self.target)
            except BaseException:
                _remove(folder, new, self._folder)
                raise
            _sync_folder(folder)
            _remove(folder, old, self._folder)
        return [folder / name for name in new]

    def _digest(self, name: str) -> str:
        """Digest of what is staged under a name, which stays as it is once names are settled."""
        if name not in self._digests:
            self._digests[name] = digest(self._folder / _BESIDE / name)
        return self._digests[name]

    def _free(self, name: str) -> str:
        """The first variation of a name that nothing else has."""
        own, path = self._digest(name), Path(name)
        taken = {free for other, free in self._names.items() if other != name}
        for number in itertools.count():
            free = path.with_name(f"{path.stem}_{number}{path.suffix}") if number else path
            there = self.target.parent / free
            if str(free) not in taken and not (os.path.lexists(there) and digest(there) != own):
                break
        return str(free)

    def _note(self, journal: Mapping[str, Mapping[str, str]]) -> None:
        note = self._folder / _JOURNAL
        note.write_text(json.dumps(journal))
        _sync(note)
        _sync_folder(self._folder)


def digest(path: Path) -> str:
    """Hash of a file's content, or of the names and contents of everything in a folder.

    Anything else, such as a link or a device, has the digest ``""`` and is never opened.
    """
    if path.is_symlink() or not (path.is_file() or path.is_dir()):
        return ""
    total = hashlib.sha256()
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        total.update(os.fsencode(file.relative_to(path)) + b"\0")
        if file.is_symlink() or not (file.is_file() or file.is_dir()):
            return ""
        if file.is_file():
            with file.open("rb") as opened:
                total.update(hashlib.file_digest(opened, "sha256").digest())
    return total.hexdigest()


def _staging(folder: Path) -> tuple[Path, FolderLock]:
    """A new staging folder that this process holds."""
    while True:
        staging = Path(tempfile.mkdtemp(dir=folder, prefix=_PREFIX))
        try:
            lock = FolderLock(staging, wait=True)
            # Another writer may have taken it for a leftover before it was locked.
            if staging.is_dir():
                (staging / _BESIDE).mkdir()
                return staging, lock
            lock.release()
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise


def _drop(staging: Path, lock: FolderLock) -> None:
    """Remove a staging folder, even where an interrupt comes meanwhile."""
    try:
        shutil.rmtree(staging, ignore_errors=True)
    finally:
        if staging.exists():
            shutil.rmtree(staging, ignore_errors=True)
        lock.release()


def remove_leftovers(folder: Path) -> None:
    """Remove what killed writers left in a folder."""
    with os.scandir(folder) as entries:
        found = [Path(entry.path) for entry in entries if entry.name.startswith(_PREFIX)]
    for staging in found:
        try:
            lock = FolderLock(staging, wait=False)
        except OSError:
            continue
        try:
            _settle(folder, staging)
            shutil.rmtree(staging, ignore_errors=True)
        finally:
            lock.release()


def _settle(folder: Path, staging: Path) -> None:
    """Take back what was put in place for a result that did not come, or what it replaced."""
    try:
        journal = json.loads((staging / _JOURNAL).read_text())
        came = not (staging / _MAIN).exists()
        _remove(folder, dict(journal["replaced" if came else "placed"]), staging)
    except (OSError, ValueError, KeyError, TypeError):
        return


def _move_to_free_name(staged: Path, target: Path) -> None:
    """Move something to a name that nothing has."""
    target.parent.mkdir(exist_ok=True)
    if staged.is_dir():
        os.rename(staged, target)
    else:
        try:
            # A rename would replace a file that came in between.
            os.link(staged, target)
        except FileExistsError:
            raise
        except OSError:
            os.rename(staged, target)


def _remove(folder: Path, entries: Mapping[str, str], staging: Path) -> None:
    """Remove files and folders, but only those that are still what was written.

    Folders go into the staging folder first: one that is half removed would not be recognized.
    """
    for number, (name, expected) in enumerate(entries.items()):
        path = folder / name
        if Path(name).is_absolute() or ".." in Path(name).parts or not expected:
            continue
        with suppress(OSError):
            if digest(path) == expected:
                if path.is_dir():
                    os.rename(path, staging / f"removed_{os.getpid()}_{number}")
                else:
                    path.unlink()
        if path.parent != folder:
            with suppress(OSError):
                # It may be empty already, where a killed writer came no further.
                path.parent.rmdir()


def _sync(path: Path) -> None:
    """Flush a file, or everything in a folder, to the disk."""
    if path.is_dir():
        for inner in path.iterdir():
            _sync(inner)
        _sync_folder(path)
        return
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    """Flush the names in a folder to the disk, where the system can."""
    with suppress(OSError, AttributeError):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
