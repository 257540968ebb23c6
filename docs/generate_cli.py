"""Writes the help text of every command, for the command line page to include."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from usdsim.cli.main import build_parser


def write_help(folder: Path) -> None:
    """Write ``<command>.txt`` for each command into `folder`."""
    os.environ["COLUMNS"] = "92"
    folder.mkdir(parents=True, exist_ok=True)
    parser = build_parser()
    commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    texts = {name: command.format_help() for name, command in commands.choices.items()}
    texts["usdsim"] = parser.format_help()
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
