"""Sources of a batch: folders, patterns of file names, and archives."""

from __future__ import annotations

import glob
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from usdsim.core.errors import FileError

__all__ = ["Batch", "is_batch", "open_batch"]

_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_LARGEST = 4 * 2**30
"""Most bytes an archive may unfold to."""


@dataclass(frozen=True)
class Batch:
    """Files to be converted."""

    files: list[Path]
    folder: Path
    """Folder their places are relative to."""
    label: str
    """Name of the folder in messages."""
    unpacked: bool = False
    """Whether the folder lasts only as long as the batch."""

    def shown(self, file: str) -> str:
        """A file's name as its user knows it."""
        return file.replace(str(self.folder), self.label, 1)


def is_batch(source: str) -> bool:
    """Whether a source stands for several files: a folder, an archive, or a pattern."""
    path = Path(source)
    if path.is_dir() or _is_archive(path):
        return True
    return glob.has_magic(source) and not path.exists()


@contextmanager
def open_batch(source: str) -> Iterator[Batch]:
    """The files of a folder, pattern or archive; an archive is unpacked for as long.

    Raises:
        FileError: nothing is there to convert, or the archive cannot be unpacked.
    """
    from usdsim.converters.batch import sources_in

    path = Path(source)
    if path.is_dir():
        yield _batch_of(sources_in(path), path, source)
    elif _is_archive(path):
        with tempfile.TemporaryDirectory(prefix="usdsim-") as scratch:
            folder = Path(scratch).resolve()
            _unpack(path, folder)
            yield _batch_of(sources_in(folder), folder, source, unpacked=True)
    else:
        names = sorted(name for name in glob.glob(source, recursive=True) if Path(name).is_file())
        fixed = source[: len(source) - len(source.lstrip("/"))]
        for part in Path(source).parts:
            if glob.has_magic(part):
                break
            fixed = str(Path(fixed) / part)
        base = Path(fixed) if fixed else Path(".")
        yield _batch_of([Path(name) for name in names], base, str(base))


def _batch_of(files: list[Path], folder: Path, label: str, *, unpacked: bool = False) -> Batch:
    if not files:
        raise FileError(f"{label!r} holds no .xml, .mjcf, .urdf or .xacro file to convert.")
    return Batch(files, folder, label, unpacked)


def _is_archive(path: Path) -> bool:
    name = path.name.lower()
    return path.is_file() and name.endswith((".zip", *_TAR))


def _unpack(path: Path, folder: Path) -> None:
    try:
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive:
                _limit(path, sum(entry.file_size for entry in archive.infolist()))
                archive.extractall(folder)
        else:
            with tarfile.open(path) as archive_tar:
                _limit(path, sum(entry.size for entry in archive_tar.getmembers()))
                archive_tar.extractall(folder, filter="data")
    except (OSError, zipfile.BadZipFile, tarfile.TarError, RuntimeError, ValueError) as error:
        raise FileError(f"Cannot unpack {str(path)!r}: {error}.") from error


def _limit(path: Path, size: int) -> None:
    if size > _LARGEST:
        raise FileError(
            f"{str(path)!r} unfolds to {size / 2**30:.1f} GiB, over {_LARGEST / 2**30:g}; unpack "
            "it first and convert the folder."
        )
