"""ROS packages: folders by the name of a package, given, in the environment and around a file."""

from __future__ import annotations

import glob
import itertools
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from usdsim.converters.confinement import home

from .xmltree import parse_xml

__all__ = ["Packages", "installed", "sources"]

_MANIFEST = "package.xml"
_MOST = 20_000
"""Number of folders of a repository that are looked into."""


class Packages:
    """Folders of packages.

    Args:
        folder: where the file lies that names them.
        given: folder of each known package, or folders that contain packages.
    """

    def __init__(self, folder: Path, given: Mapping[str, str]):
        self._folder = folder
        self._given = {name: Path(path) for name, path in given.items()}
        self._names: dict[Path, str] = {}

    def folders(self, package: str) -> Iterator[Path]:
        """Folders that may be those of a package, the likeliest first."""
        if package in self._given:
            yield self._given[package]
        for root in self._given.values():
            yield root / package
        for variable, inner in (("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share")):
            for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                yield Path(entry) / inner / package
                if Path(entry).name == package:
                    yield Path(entry)
        for folder in (self._folder, *self._folder.parents):
            if folder.name == package or self._name(folder) == package:
                yield folder
            yield folder / package
        yield from (folder for folder in self._elsewhere if self._name(folder) == package)

    @cached_property
    def _elsewhere(self) -> list[Path]:
        """Packages anywhere in the repository, or in the sources of the workspace, around."""
        around = (self._folder, *self._folder.parents)
        root = next((f for f in around if f != home() and (f / ".git").exists()), None)
        root = root or next((f for f in around if f.name == "src"), None)
        return [] if root is None else list(_packages(root))

    def _name(self, folder: Path) -> str:
        """Name in the manifest of a folder; empty if it has none."""
        if folder not in self._names:
            self._names[folder] = ""
            manifest = folder / _MANIFEST
            if manifest.is_file():
                try:
                    name = parse_xml(manifest.read_bytes(), str(manifest)).find("name")
                except ValueError:
                    name = None
                self._names[folder] = "" if name is None else name.text.strip()
        return self._names[folder]


def sources(folder: Path, rest: str) -> Iterator[Path]:
    """The file among the sources of a package that its build installs under another name.

    Builds install folders of a folder, such as ``description/urdf`` as ``urdf``. Where several
    files may be meant, none is.

    Args:
        folder: that of the package, with its manifest.
        rest: name of the file in the installed package.
    """
    if ".." in Path(rest).parts or not (folder / _MANIFEST).is_file():
        return
    inner = glob.escape(rest)
    found = [path for outer in ("*", "*/*") for path in folder.glob(f"{outer}/{inner}")]
    if len(found) == 1:
        yield from found


def installed(file: Path) -> Path:
    """A file of a package where its sources have it; itself if it is there, or they do not."""
    package = next((folder for folder in file.parents if (folder / _MANIFEST).is_file()), None)
    if package is None or file.exists():
        return file
    return next(sources(package, file.relative_to(package).as_posix()), file)


def _packages(root: Path) -> Iterator[Path]:
    """Folders with a manifest; none lies inside another, and hidden folders hold none."""
    for folder, inner, files in itertools.islice(os.walk(root), _MOST):
        if _MANIFEST in files:
            inner.clear()
            yield Path(folder)
        inner[:] = sorted(name for name in inner if not name.startswith("."))
