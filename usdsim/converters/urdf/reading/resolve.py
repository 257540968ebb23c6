"""File resolution: places of the files that a URDF names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlparse

from usdsim.converters.confinement import AssetRoots

from .packages import Packages, installed, sources

__all__ = ["FileResolver"]

_FIND = re.compile(r"\$\(find\s+([^)\s]+)\)")


class FileResolver:
    """Finds the files a URDF refers to.

    Args:
        file: the URDF file; relative names start at its folder.
        packages: folder of each known package, or folders that contain packages.
        roots: what may be read; None: every file.

    Attributes:
        packages: as given.
        refused: why files that exist were not taken, by the name the URDF has for them.
    """

    def __init__(
        self,
        file: Path,
        packages: Mapping[str, str] | None = None,
        roots: AssetRoots | None = None,
    ):
        self.roots = roots
        self.refused: dict[str, str] = {}
        self._folder = file.resolve().parent
        self.packages = dict(packages or {})
        self._packages = Packages(self._folder, self.packages)
        self._found: dict[str, Path | None] = {}

    def find(self, name: str) -> Path | None:
        """The file `name` refers to, or None.

        ``package://``, ``model://`` and ``$(find ...)`` names are looked for in the packages
        given, in ``ROS_PACKAGE_PATH`` and ``AMENT_PREFIX_PATH``, in the folders above the URDF,
        both as ``<package>/<rest>`` and, inside the package, as ``<rest>``, and in the packages of
        the repository around it, or of the folder ``src`` of a workspace. Sources of a package may
        have a file in another folder than the one that its build installs.
        """
        if name not in self._found:
            found = (p for p in self._candidates(name) if os.path.isfile(p))
            self._found[name] = next((p for p in found if self._allowed(name, p)), None)
        return self._found[name]

    def missing(self, name: str) -> tuple[str, str]:
        """Code of a finding, and words, about a file that `find` does not find."""
        if name in self.refused:
            return "asset-refused", self.refused[name]
        return "", f"no file {name!r} beside the URDF or in the packages known"

    def _allowed(self, name: str, file: Path) -> bool:
        problem = "" if self.roots is None else self.roots.problem(file)
        if problem:
            self.refused.setdefault(name, problem)
        return not problem

    def package(self, name: str) -> Path | None:
        """The folder of a package, looked for as in `find`; None if it is not known."""
        return next((folder for folder in self._packages.folders(name) if folder.is_dir()), None)

    def _candidates(self, name: str) -> Iterator[Path]:
        text = _FIND.sub(r"package://\1", name).replace("\\", "/")
        scheme = urlparse(text).scheme if "://" in text else ""
        if scheme in ("package", "model"):
            package, _, rest = unquote(text.split("://", 1)[1]).partition("/")
            yield from self._in_package(package, rest)
            return
        if scheme == "file":
            text = unquote(urlparse(text).path)
        elif scheme:
            return
        path = Path(text)
        if path.is_absolute():
            yield path
            yield installed(path)
            # A machine's absolute path, seen from another: its ending often still fits.
            for depth in range(1, len(path.parts)):
                yield self._folder.joinpath(*path.parts[depth:])
            return
        for folder in (self._folder, *self._folder.parents):
            yield folder / path

    def _in_package(self, package: str, rest: str) -> Iterator[Path]:
        for folder in self._packages.folders(package):
            yield folder / rest
        for folder in self._packages.folders(package):
            yield from sources(folder, rest)
        # A package moved out of its folder keeps its inner layout.
        for folder in (self._folder, *self._folder.parents):
            yield folder / rest
