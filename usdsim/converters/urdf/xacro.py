"""Macro expansion, where the optional ``xacro`` package is installed."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from usdsim.core.errors import ConversionError

from .resolve import FileResolver
from .xmltree import Node

__all__ = ["expand_xacro", "is_xacro"]

_INDEX = "ament_index_python"
"""What xacro asks for the folders of packages; part of ROS, and no package for pip."""
_lock = threading.RLock()


def is_xacro(file: Path, root: Node) -> bool:
    """Whether a file has to be expanded before it is a URDF.

    A ``.urdf`` file with stray ``xacro:`` elements is taken for one where it can be expanded.
    """
    if file.suffix == ".xacro":
        return True
    stray = any(node.tag.startswith("xacro:") for node in root.walk())
    return stray and importlib.util.find_spec("xacro") is not None


def expand_xacro(
    file: Path, args: Mapping[str, str], resolver: FileResolver | None = None
) -> bytes:
    """The URDF a xacro file expands to.

    Args:
        file: xacro file.
        args: its arguments.
        resolver: knows the packages that ``$(find ...)`` names; None: those around the file and in
            the environment.

    Raises:
        ConversionError: ``xacro`` is not installed, or refuses the file.
    """
    if importlib.util.find_spec("xacro") is None:
        raise ConversionError(
            f"{file}: xacro files need the 'xacro' package (pip install xacro); or expand it first "
            "with `xacro file.xacro > file.urdf`."
        )
    import xacro

    try:
        # The package keeps the file and the arguments in module variables.
        with _lock, _package_index(resolver or FileResolver(file)):
            document = xacro.process_file(
                str(file), mappings={name: str(value) for name, value in args.items()}
            )
    except Exception as error:  # xacro raises its own and Python's errors.
        raise ConversionError(f"{file}: xacro: {error}") from error
    text: str = document.toxml()
    return text.encode()


@contextmanager
def _package_index(resolver: FileResolver) -> Iterator[None]:
    """Let xacro find packages where meshes are looked for, with or without ROS."""
    real = None
    if importlib.util.find_spec(_INDEX) is not None:
        real = importlib.import_module(f"{_INDEX}.packages").get_package_share_directory

    def share_directory(package: str) -> str:
        folder = resolver.package(package)
        if folder is not None:
            return str(folder)
        if real is not None:
            return str(real(package))
        raise ConversionError(f"no package {package!r} is known; give its folder in `packages`")

    index, packages = ModuleType(_INDEX), ModuleType(f"{_INDEX}.packages")
    packages.get_package_share_directory = share_directory  # type: ignore[attr-defined]
    names = {_INDEX: index, packages.__name__: packages}
    before = {name: sys.modules.get(name) for name in names}
    sys.modules.update(names)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
