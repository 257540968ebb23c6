"""Confinement of what a source file may have read to folders of its own and allowed ones.

A model names other files: meshes, textures, parts of itself. Whoever converts models of others does
not want them to name just any file of the machine.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

__all__ = ["AssetRoots", "home", "is_image"]

_MARKS = ("package.xml", "model.config", "pyproject.toml", "setup.py", ".git")
"""Marks of the root of a ROS package, a Gazebo model, a Python project and a repository."""
_PYTHON = "__init__.py"
"""Mark of each folder of a Python package, as installed ones have no other."""
_PARTS = frozenset(("urdf", "xacro", "robot", "robots", "mjcf", "xml", "sdf"))
"""Names of folders that hold only the description of a model, whose meshes lie beside them."""
_BESIDE = (
    "assets", "common", "include", "materials", "mesh", "meshes", "obj", "scene", "scenes",
    "shared", "stl", "stls", "texture", "textures",
)  # fmt: skip
"""Names of folders that models in folders beside them share, one or two levels up."""

_SIGNATURES = (
    b"\x89PNG", b"\xff\xd8\xff", b"BM", b"GIF8", b"II*\0", b"MM\0*", b"RIFF", b"#?RADIANCE",
    b"#?RGBE", b"\x76\x2f\x31\x01", b"DDS ", b"\xabKTX", b"8BPS", b"P5", b"P6", b"Pf", b"PF",
    b"\0\0\0\x0cjP  ", b"\x13\xab\xa1\x5c",
)  # fmt: skip
_TGA_KINDS = (1, 2, 3, 9, 10, 11)
_TGA_DEPTHS = (8, 15, 16, 24, 32)


class AssetRoots:
    """The folders that the files a source names are read from.

    Args:
        source: the source file. Its own folders are the one it lies in, and the root of the package
            around it: the nearest folder above with a ``package.xml``, ``model.config``,
            ``pyproject.toml``, ``setup.py`` or ``.git``, other than the user's home, or, if there
            is none, the Python package around it, which is the outermost folder with an
            ``__init__.py``, or the one above a folder called ``urdf``, ``mjcf``, ``robots`` and so
            on;
            besides, folders called ``meshes``, ``textures``, ``shared`` and so on, next to it or
            to the folder around it.
        allowed: folders to read from besides the one it lies in, in place of the package's;
            ``("/",)`` for every file. None: its own folders.
        packages: folders of packages by name, which the caller trusts too.

    Attributes:
        allowed: as given.
    """

    def __init__(
        self,
        source: Path,
        allowed: Sequence[str | os.PathLike[str]] | None = None,
        packages: Mapping[str, str] | None = None,
    ):
        self.allowed = None if allowed is None else [os.fspath(folder) for folder in allowed]
        self._own = source.resolve().parent
        named = [*(packages or {}).values()]
        if allowed is None:
            for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
                named += filter(None, os.environ.get(variable, "").split(os.pathsep))
        # Links below folders that the caller names are the caller's.
        self._packages = [Path(os.path.abspath(folder)) for folder in named]
        self._strict = allowed is not None

    @cached_property
    def _folders(self) -> list[Path]:
        """Folders but those of packages; most sources name nothing outside their own."""
        own = self._own
        if self.allowed is None:
            around = own.parents[:2]
            more = [_package(own), *(folder / name for folder in around for name in _BESIDE)]
        else:
            more = [Path(folder) for folder in self.allowed]
        return [own, *(folder.resolve() for folder in more)]

    @property
    def folders(self) -> list[Path]:
        """All folders, links resolved."""
        return [*self._folders, *(folder.resolve() for folder in self._packages)]

    def problem(self, file: Path) -> str:
        """Reason why an existing file must not be read; empty if it may."""
        try:
            real = file.resolve(strict=True)
            if not stat.S_ISREG(real.stat().st_mode):
                return f"{str(file)!r} is no regular file"
        except OSError as error:
            return f"{str(file)!r} cannot be read ({error.strerror})"
        if real.is_relative_to(self._own):
            return ""
        if any(real.is_relative_to(folder) for folder in self._folders):
            return ""
        given = Path(os.path.abspath(file))
        if any(given.is_relative_to(folder) for folder in self._packages):
            return ""
        if not self._strict and any((folder / _MARKS[0]).is_file() for folder in real.parents):
            return ""
        return (
            f"{str(file)!r} lies outside the model's own folders; add its folder to `asset_roots` "
            "if it is to be read"
        )


def home() -> Path | None:
    """The user's home, which is no package though settings in it may be kept in a repository."""
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return None


def _is_python(folder: Path) -> bool:
    return folder != home() and (folder / _PYTHON).is_file()


def _package(folder: Path) -> Path:
    for above in (folder, *folder.parents):
        if above != home() and any((above / mark).exists() for mark in _MARKS):
            return above
    inside = next((above for above in (folder, *folder.parents) if _is_python(above)), None)
    if inside is not None:
        while _is_python(inside.parent):
            inside = inside.parent
        return inside
    outer = folder.parent
    return outer if folder.name.lower() in _PARTS and outer != outer.parent else folder


def is_image(file: Path) -> bool:
    """Whether a file is a picture, by its first bytes."""
    with file.open("rb") as opened:
        head = opened.read(18)
    if head.startswith(_SIGNATURES):
        return True
    # Targa files have no signature, but a header that little else looks like.
    targa = len(head) == 18 and head[1] < 2 and head[2] in _TGA_KINDS and head[16] in _TGA_DEPTHS
    return targa and file.suffix.lower() == ".tga"
