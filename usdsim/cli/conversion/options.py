"""Conversion options: flags made from the fields of converter configurations, and TOML files."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import re
import textwrap
import tomllib
from collections.abc import Container, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from usdsim.converters import cfg
from usdsim.converters.cfg import CONFIGURATIONS
from usdsim.core.errors import FileError, InvalidValueError

__all__ = [
    "add_options",
    "add_reading_options",
    "documented_fields",
    "in_flags",
    "options_by_kind",
    "options_for",
]

_OWN = ("asset_path", "usd_dir", "usd_file_name", "force_usd_conversion", "joint_drive")
"""Fields that the command says otherwise."""
_READING = ("asset_roots", "packages", "xacro_args")
"""Fields that say where the parts of a source are, and arguments that it may need."""
_DRIVE = (cfg.JointDriveCfg, cfg.PDGainsCfg, cfg.NaturalFrequencyGainsCfg)
_SHORT = {"asset_roots": "--assets", "packages": "--package", "xacro_args": "--xacro-arg"}
"""Second names of flags that are given once per entry."""
_FLAGGED = {flag[2:].replace("-", "_"): name for name, flag in _SHORT.items()}
_DRIVES = [f.name for gains in _DRIVE for f in dataclasses.fields(gains) if f.name != "gains"]
_TICKED = re.compile(r"`(\w+)`")
_QUOTED = re.compile(r"['\"](\w+)['\"]")
_FIRST = re.compile(r"(?<=[.:;]) ")
"""Behind the first part of a text, which is all that a line of help has room for."""
_PREFIX = "option_"
_GAINS = "drive_option_"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every option of every kind of source."""
    parser.add_argument(
        "--config", type=Path, metavar="TOML",
        help="options from a file, named as flags, or tables [urdf], [mjcf], [mesh], [usd] of them",
    )  # fmt: skip
    every = dict.fromkeys(name for kind in CONFIGURATIONS.values() for name in _names(kind))
    names = [name for name in every if name not in _OWN]
    _add_fields(parser.add_argument_group("conversion options"), names)
    parser.set_defaults(flagged=tuple(every))
    drives = parser.add_argument_group("drives of a URDF (PATTERN=VALUE for some joints)")
    for gains in _DRIVE:
        for field, text in documented_fields(gains):
            if field.name != "gains":
                _add_flag(drives, field, text, _GAINS)


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every option without which a source may not be readable."""
    _add_fields(parser.add_argument_group("options of robot files"), _READING)
    parser.set_defaults(flagged=_READING, config=None)


def _add_fields(group: Any, names: Sequence[str]) -> None:
    """A flag for each field of a configuration, which says what kinds of sources it is for."""
    for name in names:
        kinds = [k for k, c in CONFIGURATIONS.items() if name in _names(c)]
        scope = "" if len(kinds) == len(CONFIGURATIONS) else f"{', '.join(kinds)}: "
        documented = documented_fields(CONFIGURATIONS[kinds[0]])
        field, text = next(pair for pair in documented if pair[0].name == name)
        _add_flag(group, field, text, _PREFIX, scope)


def in_flags(message: str, flagged: Container[str]) -> str:
    """Message of an error with names of options, in backticks, as the flags that they are.

    Args:
        message: what Python code is told.
        flagged: names of the options whose flags the command that failed takes itself.
    """
    known = {name for configuration in CONFIGURATIONS.values() for name in _names(configuration)}

    def flag(match: re.Match[str]) -> str:
        name = match[1]
        if name not in known or name in _OWN:
            return match[0]
        where = "" if name in flagged else " of `usdsim convert`"
        return f"`{_SHORT.get(name) or '--' + name.replace('_', '-')}`{where}"

    return _TICKED.sub(flag, message)


def options_by_kind(arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Options by kind of source, as given by file and flags; flags win.

    Raises:
        FileError: the file cannot be read.
        InvalidValueError: an option of the file is unknown.
    """
    found: dict[str, dict[str, Any]] = {kind: {} for kind in CONFIGURATIONS}
    if arguments.config is not None:
        _read_file(arguments.config, found)
    flags = _given(arguments, _PREFIX)
    for kind, configuration in CONFIGURATIONS.items():
        known = _names(configuration)
        found[kind].update({name: value for name, value in flags.items() if name in known})
    if gains := _given(arguments, _GAINS):
        found["urdf"]["joint_drive"] = {**found["urdf"].get("joint_drive", {}), **gains}
    return found


def options_for(arguments: argparse.Namespace, kind: str) -> dict[str, Any]:
    """Options for the one file of a command, whose flags must all belong to its kind.

    Raises:
        InvalidValueError: a flag is for other kinds of sources.
    """
    known = _names(CONFIGURATIONS[kind])
    drives = ["joint_drive"] if _given(arguments, _GAINS) else []
    for option in [*drives, *_given(arguments, _PREFIX)]:
        if option not in known:
            raise InvalidValueError(f"option of a {kind} conversion", option, ", ".join(known))
    return options_by_kind(arguments)[kind]


def _given(arguments: argparse.Namespace, prefix: str) -> dict[str, Any]:
    """Flags of one kind that a command was given, by the names of their fields."""
    given = vars(arguments).items()
    return {name.removeprefix(prefix): v for name, v in given if name.startswith(prefix)}


def _names(configuration: type[Any]) -> list[str]:
    return [field.name for field in dataclasses.fields(configuration)]


def _read_file(path: Path, found: dict[str, dict[str, Any]]) -> None:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"Cannot read options from {str(path)!r}: {error}") from error
    tables = {kind: document.pop(kind) for kind in found if isinstance(document.get(kind), dict)}
    for name, value in document.items():
        if not any([_set_option(found, kind, name, value) for kind in found]):
            every = sorted({name for kind in found for name in _option_names(kind)})
            raise InvalidValueError(f"option in {path}", name, ", ".join(every))
    for kind, table in tables.items():
        for name, value in table.items():
            if not _set_option(found, kind, name, value):
                known = ", ".join(_option_names(kind))
                raise InvalidValueError(f"option in {path} [{kind}]", name, known)


def _option_names(kind: str) -> list[str]:
    """Options that a file may name for a kind of source."""
    names = [name for name in _names(CONFIGURATIONS[kind]) if name not in _OWN]
    return [*names, "joint_drive", *_DRIVES] if kind == "urdf" else names


def _set_option(found: dict[str, dict[str, Any]], kind: str, name: str, value: Any) -> bool:
    """Take an option of a file, named as in Python or as its flag; False: there is no such."""
    plain = name.replace("-", "_")
    plain = _FLAGGED.get(plain, plain)
    if plain not in _option_names(kind):
        return False
    if plain == "joint_drive" or plain in _DRIVES:
        gains = value if plain == "joint_drive" and isinstance(value, dict) else {plain: value}
        found[kind]["joint_drive"] = {**found[kind].get("joint_drive", {}), **gains}
    else:
        found[kind][plain] = value
    return True


def documented_fields(configuration: type[Any]) -> list[tuple[dataclasses.Field[Any], str]]:
    """Fields of a configuration, each with the text that is written below it."""
    texts: dict[str, str] = {}
    for cls in reversed(configuration.__mro__):
        if dataclasses.is_dataclass(cls):
            texts |= _field_texts(cls)
    fields = dataclasses.fields(configuration)
    return [(field, texts.get(field.name, "")) for field in fields]


@cache
def _field_texts(cls: type[Any]) -> dict[str, str]:
    """Texts below the fields of a class, by their names."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    texts: dict[str, str] = {}
    name = ""
    for node in tree.body if isinstance(tree, ast.ClassDef) else ():
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif name and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            texts[name] = " ".join(str(node.value.value).split())
            name = ""
    return texts


def _add_flag(
    group: Any, field: dataclasses.Field[Any], text: str, prefix: str, scope: str = ""
) -> None:
    """A flag that leaves nothing behind unless it is given."""
    kind = str(field.type)
    single = kind.removesuffix(" | None")
    common: dict[str, Any] = {
        "dest": f"{prefix}{field.name}",
        "default": argparse.SUPPRESS,
        "help": scope
        + _FIRST.split(text)[0].replace("`", "").rstrip(".;:").replace("%", "%%")
        + _default_text(field, text),
    }
    flags = [f"--{field.name.replace('_', '-')}"]
    if field.name in _SHORT:
        flags.insert(0, _SHORT[field.name])
    if kind in ("bool", "bool | None"):
        group.add_argument(*flags, action=argparse.BooleanOptionalAction, **common)
    elif kind.startswith("tuple["):
        count = kind.count("float")
        group.add_argument(*flags, type=float, nargs=count, metavar=tuple("XYZW"[:count]), **common)
    elif kind.startswith("Sequence["):
        group.add_argument(*flags, action="append", metavar="DIR", **common)
    elif "Mapping" in kind or single in ("Values", "Any"):
        allowed = _QUOTED.findall(kind) if "Literal" in kind else None
        only = kind == "Mapping[str, str]"
        metavar = "{" + ",".join(allowed) + "}" if allowed else "VALUE"
        common["metavar"] = "NAME=VALUE" if only else metavar
        numeric = single in ("Values", "Any")
        group.add_argument(*flags, action=_Entries, numeric=numeric, only=only, **common)
    elif "Literal" in kind:
        group.add_argument(*flags, choices=_QUOTED.findall(kind), **common)
    else:
        types: dict[str, Any] = {"float": float, "int": int}
        group.add_argument(*flags, type=types.get(kind, str), metavar="VALUE", **common)


def _default_text(field: dataclasses.Field[Any], text: str) -> str:
    """The default, where it is a value."""
    value = cfg.CONVERT_DEFAULTS.get(field.name, field.default)
    if value is dataclasses.MISSING or value is None or value == "" or "default" in text:
        return ""
    words = {True: "on", False: "off"}.get(value) if isinstance(value, bool) else None
    shown = " ".join(map(str, value)) if isinstance(value, tuple) else value
    return f"; default: {words or shown}"


class _Entries(argparse.Action):
    """One value, or a mapping of several ``NAME=VALUE``."""

    def __init__(self, *args: Any, numeric: bool, only: bool, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._numeric, self._only = numeric, only

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Add an entry, or set the value."""
        name, equals, text = str(values).rpartition("=")
        if self._only and not equals:
            raise argparse.ArgumentError(self, f"{values!r} is not NAME=VALUE")
        value = self._value(text)
        before = getattr(namespace, self.dest, None)
        if equals:
            value = {**(before if isinstance(before, Mapping) else {}), name: value}
        setattr(namespace, self.dest, value)

    def _value(self, text: str) -> Any:
        if not self._numeric:
            return text
        try:
            return float(text)
        except ValueError:
            return {"true": True, "false": False}.get(text.lower(), text)
