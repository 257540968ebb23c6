"""Writes tables of options with their defaults: of every command, and of every converter."""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pages import table, write

from usdsim.cli.conversion.options import CONFIGURATIONS, documented_fields
from usdsim.cli.main import build_parser
from usdsim.converters import cfg

TITLES = {
    "mjcf": "MJCF",
    "urdf": "URDF and xacro",
    "mesh": "Meshes",
    "usd": "USD to USD",
}
DRIVES = (cfg.JointDriveCfg, cfg.PDGainsCfg, cfg.NaturalFrequencyGainsCfg)

_STATED = re.compile(r"[;,]? ?\(?default:? ([^;)]+)\)?")
_HEADER = ("option", "default", "meaning")


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command by its name."""
    parser = build_parser()
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(found.choices)


def _default(value: Any) -> str:
    """A default as a reader writes it."""
    if isinstance(value, dataclasses._MISSING_TYPE):
        return ""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, dict | list | tuple | str) and not value:
        return "none"
    if isinstance(value, tuple):
        return " ".join(f"`{part}`" for part in value)
    return f"`{value}`"


def _field_default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _name(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{action.metavar or action.dest}`"
    value = ""
    if action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction):
        shown = action.metavar or (
            "{" + ",".join(map(str, action.choices)) + "}" if action.choices else "VALUE"
        )
        value = " " + (" ".join(shown) if isinstance(shown, tuple) else shown)
    return ", ".join(f"`{option}{value}`" for option in action.option_strings)


def option_rows(command: argparse.ArgumentParser) -> Iterator[tuple[str, str, str]]:
    """Name, default and meaning of each argument of a command."""
    for action in command._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        text = (action.help or "").replace("%%", "%")
        stated = _STATED.search(text)
        value = None if action.default is argparse.SUPPRESS else action.default
        default = _default(value) if action.option_strings else ""
        if stated:
            default, text = stated.group(1), text[: stated.start()] + text[stated.end() :]
        yield _name(action), default, text


def _usage(command: argparse.ArgumentParser, name: str) -> str:
    places = [a for a in command._actions if not a.option_strings]
    words = [f"[{_place(a)}]" if a.nargs == "?" else _place(a) for a in places]
    return f"`usdsim {' '.join([name, *words])} [OPTIONS]`"


def _place(action: argparse.Action) -> str:
    return str(action.metavar or action.dest)


def _kinds() -> str:
    """The tables of the configurations of all kinds of sources."""
    shared = {field.name for field in dataclasses.fields(cfg.AssetConverterBaseCfg)}
    parts = ["## For every source\n", _fields(cfg.AssetConverterBaseCfg, set())]
    for kind, configuration in CONFIGURATIONS.items():
        if kind != "usd":
            head = f"## {TITLES[kind]}: `{configuration.__name__}`\n"
            parts += [head, _fields(configuration, shared)]
    parts.append("## Drives of a URDF: `JointDriveCfg`\n")
    parts += [f"`{cls.__name__}`: {cls.__doc__}\n\n{_fields(cls, {'gains'})}" for cls in DRIVES]
    return "\n".join(parts)


def _fields(configuration: type[Any], without: set[str]) -> str:
    rows = [
        (f"`{field.name}`", _type(field), _default(_field_default(field)), text)
        for field, text in documented_fields(configuration)
        if field.name not in without
    ]
    return table(("option", "values", "default", "meaning"), rows)


def _type(field: dataclasses.Field[Any]) -> str:
    text = str(field.type).replace("Values", "float | Mapping[str, float]")
    literal = re.search(r"Literal\[(.*?)\]", text, re.DOTALL)
    if not literal:
        return f"`{text}`"
    rest = text.replace(literal.group(0), "").strip(" |")
    choices = ", ".join(f"`{name}`" for name in re.findall(r"['\"](\w+)['\"]", literal.group(1)))
    return choices + (f", or `{rest}`" if rest else "")


def write_help(folder: Path) -> None:
    """Write ``<command>.txt`` for each command into `folder`, and ``converters.txt``."""
    os.environ["COLUMNS"] = "92"
    pages = {
        f"{name}.txt": f"{_usage(command, name)}\n\n{table(_HEADER, option_rows(command))}"
        for name, command in commands().items()
    }
    write(folder, {**pages, "converters.txt": _kinds()})
