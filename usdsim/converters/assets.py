"""Asset files of a stage: textures that travel with it."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from usdsim.core.boundary import boundary
from usdsim.core.transaction import Transaction

from .confinement import AssetRoots, is_image

__all__ = ["AssetPlacer"]


class AssetPlacer:
    """Collects the files a stage will need beside it, and copies them once it is complete.

    Args:
        destination: file the stage will be saved as; None leaves assets where they are.
        roots: what may be read; None: every file.

    Attributes:
        refused: why files were not read or placed, each once.
    """

    def __init__(self, destination: Path | None = None, roots: AssetRoots | None = None):
        self._destination = destination
        self.roots = roots or AssetRoots(Path("/"), ("/",))
        self.refused: list[str] = []
        self._files: dict[str, Path | bytes] = {}
        self._names: dict[Path | str, str] = {}

    @property
    def folder(self) -> str:
        """Folder of the assets, relative to the stage's file."""
        return "" if self._destination is None else f"{self._destination.stem}_textures"

    def may_read(self, source: Path) -> bool:
        """Whether a file that the source names is read; if it must not be, `refused` says why."""
        problem = self.roots.problem(source)
        if problem:
            self._refuse(problem)
        return not problem

    def place(self, source: Path, *, decoded: bool = False) -> str:
        """The asset path to author for an image file; ``""`` for one that must not be read.

        Args:
            source: the file.
            decoded: whether it is known to be an image.
        """
        if not self.may_read(source):
            return ""
        if not decoded and not is_image(source):
            self._refuse(f"{str(source)!r} is no image")
            return ""
        if self._destination is None:
            return str(source.resolve())
        key = source.resolve()
        if key not in self._names:
            self._names[key] = self._claim(source.name, source)
        return f"./{self.folder}/{self._names[key]}"

    def place_bytes(self, name: str, data: bytes) -> str:
        """The asset path to author for a file that exists in memory only, or ``""``.

        A stage in memory has no folder for it.
        """
        if self._destination is None:
            return ""
        key = hashlib.md5(data, usedforsecurity=False).hexdigest()
        if key not in self._names:
            self._names[key] = self._claim(name, data)
        return f"./{self.folder}/{self._names[key]}"

    def stage(self, transaction: Transaction) -> None:
        """Have everything that was placed written beside the target of a transaction.

        Raises:
            FileError: a file cannot be read or written.
        """
        for name, source in self._files.items():
            target = transaction.stage(f"{self.folder}/{name}")
            with boundary(f"Cannot copy {name!r} for {str(transaction.target)!r}"):
                if isinstance(source, bytes):
                    target.write_bytes(source)
                else:
                    shutil.copyfile(source, target)

    def _refuse(self, problem: str) -> None:
        if problem not in self.refused:
            self.refused.append(problem)

    def _claim(self, name: str, source: Path | bytes) -> str:
        stem, suffix = Path(name).stem, Path(name).suffix
        number, free = 0, name
        while free in self._files:
            number += 1
            free = f"{stem}_{number}{suffix}"
        self._files[free] = source
        return free
