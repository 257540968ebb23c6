"""Macro expansion, where the optional ``xacro`` package is installed."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from usdsim.converters.report import ConversionReport
from usdsim.core.boundary import reason
from usdsim.core.errors import ConversionError, InvalidValueError

from .resolve import FileResolver
from .xmltree import Node

__all__ = ["expand_xacro", "is_xacro", "package_index", "report_leftovers"]

_PREFIX = "xacro:"
_KEYWORDS = frozenset(
    f"{_PREFIX}{word}"
    for word in (
        "arg", "attribute", "call", "element", "eval", "if", "include", "insert_block", "macro",
        "property", "unless",
    )
)  # fmt: skip
"""Elements that are xacro's own; others of its prefix call macros."""
_INDEX = "ament_index_python"
"""Module that xacro asks for folders of packages; part of ROS, and no package for pip."""


def is_xacro(file: Path, root: Node) -> bool:
    """Whether a file has to be expanded before it is a URDF.

    A ``.urdf`` file with ``xacro:`` elements is taken for one where it can be expanded, unless all
    of them call macros that nothing defines or includes: those were left over by an expansion.
    """
    if file.suffix == ".xacro":
        return True
    stray = any(node.tag in _KEYWORDS for node in root.walk())
    return stray and importlib.util.find_spec("xacro") is not None


def report_leftovers(root: Node, report: ConversionReport) -> None:
    """Warn of elements that nothing expanded: one finding for all of a kind."""
    found: dict[str, list[Node]] = {}
    for node in root.walk():
        if node.tag.startswith(_PREFIX):
            found.setdefault(node.tag, []).append(node)
    for tag, nodes in found.items():
        more = f" and {len(nodes) - 1} more" if len(nodes) > 1 else ""
        report.warn(
            "xacro-leftover", nodes[0].where + more,
            f"<{tag}> was never expanded; left out. Convert the xacro file that this one is from, "
            "or install xacro if it is one itself",
        )  # fmt: skip


def expand_xacro(
    file: Path,
    args: Mapping[str, str],
    resolver: FileResolver | None = None,
    *,
    seconds: float = 60.0,
    megabytes: float = 2048.0,
) -> bytes:
    """The URDF a xacro file expands to, in a process of its own.

    Args:
        file: xacro file.
        args: its arguments.
        resolver: knows the packages that ``$(find ...)`` names, and what may be read; None: those
            around the file and in the environment, and every file.
        seconds: longest time it may take.
        megabytes: most memory it may take [MiB].

    Raises:
        ConversionError: ``xacro`` is not installed, refuses the file, or exceeds a limit.
    """
    for what, limit in (("xacro_time_limit", seconds), ("xacro_memory_limit", megabytes)):
        if not 0.0 < limit < float("inf"):
            raise InvalidValueError(what, limit, "a positive finite number")
    if importlib.util.find_spec("xacro") is None:
        raise ConversionError(
            f"{file}: xacro files need the 'xacro' package (pip install xacro); or expand it first "
            "with `xacro file.xacro > file.urdf`."
        )
    resolver = resolver or FileResolver(file)
    roots = resolver.roots
    request = {
        "file": str(file),
        "args": {name: str(value) for name, value in args.items()},
        "packages": resolver.packages,
        "confined": roots is not None,
        "allowed": None if roots is None else roots.allowed,
        "seconds": seconds,
        "megabytes": megabytes,
    }
    answer = _ask(file, request)
    if "error" in answer:
        raise ConversionError(f"{file}: xacro: {answer['error']}")
    text: str = answer["text"]
    return text.encode()


def _ask(file: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Ask the expanding process, and return its answer."""
    try:
        process = subprocess.run(
            [sys.executable, "-m", "usdsim.converters.urdf.reading.expansion"],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=request["seconds"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    except subprocess.TimeoutExpired as error:
        raise ConversionError(
            f"{file}: xacro: the expansion takes longer than {request['seconds']:g} s. Raise "
            "`xacro_time_limit` if it is to."
        ) from error
    except OSError as error:
        raise ConversionError(f"{file}: xacro: {reason(error)}") from error
    try:
        answer: dict[str, Any] = json.loads(process.stdout)
    except ValueError as error:
        raise ConversionError(
            f"{file}: xacro: the expanding process ended with code {process.returncode}; it may "
            "take more time or memory than `xacro_time_limit` and `xacro_memory_limit` allow."
        ) from error
    return answer


@contextmanager
def package_index(resolver: FileResolver) -> Iterator[None]:
    """Context in which xacro finds packages where meshes are looked for, with or without ROS."""
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
