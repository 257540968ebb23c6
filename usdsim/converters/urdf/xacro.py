"""Macro expansion, where the optional ``xacro`` package is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

from usdsim.core.errors import ConversionError

from .xmltree import Node

__all__ = ["expand_xacro", "is_xacro"]


def is_xacro(file: Path, root: Node) -> bool:
    """Whether a file has to be expanded before it is a URDF.

    A ``.urdf`` file with stray ``xacro:`` elements is taken for one where it can be expanded.
    """
    if file.suffix == ".xacro":
        return True
    stray = any(node.tag.startswith("xacro:") for node in root.walk())
    return stray and importlib.util.find_spec("xacro") is not None


def expand_xacro(file: Path, args: Mapping[str, str]) -> bytes:
    """The URDF a xacro file expands to.

    Args:
        file: xacro file.
        args: its arguments.

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
        document = xacro.process_file(str(file), mappings=dict(args))
    except Exception as error:  # xacro raises its own and Python's errors.
        raise ConversionError(f"{file}: xacro: {error}") from error
    text: str = document.toxml()
    return text.encode()
