"""Registers the schema definitions usdsim reads and writes with OpenUSD.

OpenUSD builds its schema registry once, from the plugins known at that moment. If pxr is not
loaded yet, its search path is extended, which costs nothing; otherwise the plugins are registered
directly, which is silently too late if the registry exists. Everything in usdsim therefore works
without registered schemas too (`usdsim.usd.schemas`).
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from ._resources import resource_dir

__all__ = ["SEARCH_PATH", "plugin_dirs", "register"]

SEARCH_PATH = "PXR_PLUGINPATH_NAME"
"""Environment variable with the folders in which OpenUSD looks for plugins."""


def plugin_dirs() -> list[Path]:
    """Folders with a ``plugInfo.json``: usdsim's own schemas and Newton's."""
    found = [resource_dir("schemas")]
    newton = importlib.util.find_spec("newton_usd_schemas")
    if newton is not None and newton.origin is not None:
        found.append(Path(newton.origin).parent)
    return [folder for folder in found if (folder / "plugInfo.json").is_file()]


def register() -> None:
    """Make the definitions known to OpenUSD."""
    folders = [str(folder) for folder in plugin_dirs()]
    if "pxr.Plug" in sys.modules:
        from pxr import Plug

        Plug.Registry().RegisterPlugins(folders)
        return
    present = [entry for entry in os.environ.get(SEARCH_PATH, "").split(os.pathsep) if entry]
    missing = [folder for folder in folders if folder not in present]
    os.environ[SEARCH_PATH] = os.pathsep.join([*present, *missing])
