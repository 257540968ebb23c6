"""List the USD schemas that usdsim knows, or put them where other programs find them.

The definitions are OpenUSD plugins without code. A program that reads USD offers their attributes
with type, unit and documentation once the folder is on its plugin search path.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from usdsim._plugins import SEARCH_PATH, plugin_dirs
from usdsim.cli.console import Console
from usdsim.core.boundary import boundary
from usdsim.core.errors import FileError
from usdsim.core.transaction import replace_file, replacing

__all__ = ["DEFAULT", "add_arguments", "install", "run"]

DEFAULT = Path.home() / ".usdsim" / "schemas"
"""Folder of the definitions if none is named."""

_FILES = ("plugInfo.json", "generatedSchema.usda")
_INCLUDES = '{\n    "Includes": ["*/"]\n}\n'
_HOUDINI = "houdini.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--install",
        type=Path,
        nargs="?",
        const=DEFAULT,
        metavar="DIR",
        help="copy the definitions into a folder; without DIR: .usdsim/schemas of your home",
    )
    parser.add_argument(
        "--validators",
        action="store_true",
        help="with --install: usdsim's rules too, for programs whose Python has usdsim",
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """List or copy the definitions, and say what makes a program find them."""
    plugins = {_name(folder): folder for folder in _plugins(validators=arguments.validators)}
    folder = arguments.install
    if folder is None:
        console.pairs(plugins.items())
        console.line("\nusdsim schemas --install [DIR] copies them for other programs")
    else:
        folder = install(folder, validators=arguments.validators)
        console.line(f"{len(plugins)} plugins in {folder}")
        console.pairs(
            [
                ("usdview, Blender", f"start with {SEARCH_PATH}={folder}"),
                ("Omniverse", f"start with {SEARCH_PATH}={folder}"),
                ("Houdini", f"copy {folder / _HOUDINI} into its packages folder"),
            ],
            indent=2,
        )
    console.result({"plugins": list(plugins), "folder": folder, "variable": SEARCH_PATH})
    return 0


def install(folder: Path, *, validators: bool = False) -> Path:
    """Copy the definitions of all plugins, and a package file for Houdini.

    Args:
        folder: where to; a copy of an earlier version is replaced file by file.
        validators: whether usdsim's rules are announced to OpenUSD's validation too. A program
            that asks for them imports usdsim.

    Returns:
        The folder as an absolute path.

    Raises:
        FileError: the folder holds something else, or cannot be written.
    """
    folder = folder.expanduser().absolute()
    top = folder / "plugInfo.json"
    if folder.exists() and not top.is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileError(f"{str(folder)!r} holds something else; name an empty or a new folder.")
    package = {"env": [{SEARCH_PATH: {"value": str(folder), "method": "append"}}]}
    with boundary(f"Cannot write {str(folder)!r}"):
        for source in _plugins(validators=validators):
            target = folder / _name(source)
            target.mkdir(parents=True, exist_ok=True)
            for name in _FILES:
                if (source / name).is_file():
                    with replacing(target / name) as staged:
                        shutil.copyfile(source / name, staged)
        texts = {_HOUDINI: json.dumps(package, indent=4), top.name: _INCLUDES}
        for name, text in texts.items():
            replace_file(folder / name, text)
    return folder


def _plugins(*, validators: bool) -> list[Path]:
    """Folder of each plugin: those with schemas, and the one with rules."""
    found = []
    for folder in plugin_dirs():
        nested = sorted(path.parent for path in folder.glob("*/plugInfo.json"))
        found += nested or [folder]
    return [path for path in found if validators or (path / _FILES[1]).is_file()]


def _name(folder: Path) -> str:
    text = (folder / "plugInfo.json").read_text(encoding="utf-8")
    plugin = json.loads("\n".join(line for line in text.splitlines() if not line.startswith("#")))
    return str(plugin["Plugins"][0]["Name"])
