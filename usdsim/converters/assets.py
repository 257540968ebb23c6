"""Asset files of a stage: textures that travel with it."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from pxr import Ar, Sdf, UsdUtils

from usdsim.core.boundary import boundary
from usdsim.core.transaction import Transaction
from usdsim.math.mesh_files.raw_mesh import RawMaterial

from .confinement import AssetRoots, is_image

__all__ = ["AssetPlacer", "drop_foreign"]

_NO_PICTURES = (".ies", ".json", ".mdl", ".mtlx", ".usd", ".usda", ".usdc", ".usdz", ".vdb", ".wav")
"""Files besides pictures that stages take with them: materials, lights, layers and so on."""


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

    def may_pack(self, source: Path) -> bool:
        """Whether a file that a stage names goes into a package; see `may_read`."""
        if not self.may_read(source):
            return False
        if source.suffix.lower() in _NO_PICTURES or is_image(source):
            return True
        self._refuse(f"{str(source)!r} is no image")
        return False

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

    def place_texture(self, material: RawMaterial) -> str | None:
        """The asset path to author for the texture that a mesh file brings along; None: none."""
        if material.texture is not None:
            return self.place(material.texture) or None
        if material.texture_png is None:
            return None
        return self.place_bytes(f"{material.name or 'texture'}.png", material.texture_png) or None

    def stage(self, transaction: Transaction) -> None:
        """Stage everything that was placed beside the target of a transaction.

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


def drop_foreign(layer: Sdf.Layer, placer: AssetPlacer, folder: Path) -> None:
    """Take out of a layer the files that a package of it must not hold; ``refused`` says why.

    Args:
        layer: a flattened stage.
        placer: says what may be read.
        folder: what paths of files are relative to that flattening has not made absolute, as those
            of textures in tiles.
    """

    def kept(path: str) -> str:
        file = folder / Ar.SplitPackageRelativePathOuter(path)[0]
        tiles = file.name.replace("<UDIM>", "[0-9][0-9][0-9][0-9]")
        tiled = tiles != file.name
        found = [each for each in (file.parent.glob(tiles) if tiled else [file]) if _is_there(each)]
        if not all(placer.may_pack(each) for each in found):
            return ""
        return str(file) if tiled and found else path

    UsdUtils.ModifyAssetPaths(layer, kept)


def _is_there(file: Path) -> bool:
    try:
        return os.path.lexists(file)
    except ValueError:  # Its name has a null character.
        return False
