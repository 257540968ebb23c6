"""Result of an export: the stage it starts from, its report, and the files it is written to."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pxr import Usd

from usdsim.converters.conversion import (
    convert_file,
    default_cfg,
    make_folder_of,
    require_other_file,
)
from usdsim.converters.report import ConversionFinding, ConversionReport
from usdsim.converters.sniff import source_kind
from usdsim.core.boundary import boundary
from usdsim.core.errors import ConversionError, InvalidValueError
from usdsim.core.transaction import Transaction
from usdsim.parser import parse_stage
from usdsim.parser.description import SceneDescription
from usdsim.usd.prims import get_prim
from usdsim.usd.stage import stage_name

__all__ = ["Export", "open_source", "parse_source", "refuse_losses", "to_text", "write_document"]

_NUMBERED = re.compile(r"(.*?)\d+")
_OWNED = re.compile(r"<!-- usdsim:files (?P<name>\S+) (?P<digest>[0-9a-f]{64}) -->")


@dataclass(frozen=True, eq=False)
class Export:
    """The result of exporting one stage."""

    path: Path
    """The file that was written."""
    report: ConversionReport
    """Findings: what the file cannot say, and what was done about it."""


def open_source(
    source: str | os.PathLike[str] | Usd.Stage, target: Path, options: dict[str, Any]
) -> tuple[Usd.Stage, ConversionReport]:
    """The stage to export, converted in memory unless it is one, and the report so far.

    Args:
        source: a stage, or any file that converts to one.
        target: file that will be written.
        options: of the conversion.

    Raises:
        FileError: the source is missing or unreadable.
        ConversionError: the source cannot be converted, or is the target.
        InvalidValueError: an option is unknown.
    """
    if isinstance(source, Usd.Stage):
        if options:
            raise InvalidValueError("option for an open stage", next(iter(options)), "strict")
        identifier = stage_name(source)
        return source, ConversionReport(source=identifier, destination=str(target))
    file = Path(source)
    require_other_file(target, file)
    result = convert_file(file, None, default_cfg(source_kind(file), **options))
    result.report.destination = str(target)
    return result.stage, result.report


def parse_source(stage: Usd.Stage, env: str | None) -> SceneDescription:
    """Parse a stage, or one of its environments with what all share.

    Args:
        stage: the stage.
        env: prim path of the environment; its siblings that are called alike but for their number
            are left out. None: the whole stage.

    Raises:
        StageError: there is no such prim.
        ParseError: the stage has no physics, or is physically invalid.
    """
    others: list[str] = []
    if env is not None:
        prim = get_prim(stage, env)
        stem = _NUMBERED.fullmatch(prim.GetName())
        for sibling in prim.GetParent().GetAllChildren() if stem is not None else ():
            like = _NUMBERED.fullmatch(sibling.GetName())
            if sibling != prim and like is not None and stem is not None and like[1] == stem[1]:
                others.append(str(sibling.GetPath()))
    return parse_stage(stage, exact=True, exclude=others).scene


def refuse_losses(findings: Iterable[ConversionFinding], language: str) -> None:
    """Raise `ConversionError` if there are warnings.

    Args:
        findings: of the export alone.
        language: name of the format.
    """
    warnings = [finding for finding in findings if finding.severity == "warning"]
    if warnings:
        lost = "\n".join(f"  {finding.where}: {finding.message}" for finding in warnings)
        raise ConversionError(f"Cannot say all of it in {language}; nothing was written:\n{lost}")


def to_text(root: ET.Element) -> str:
    """The document as indented text."""
    ET.indent(root, "  ")
    return ET.tostring(root, encoding="unicode") + "\n"


def write_document(target: Path, text: Callable[[str], str], files: Mapping[str, bytes]) -> None:
    """Write a document and the folder of its assets, both or neither.

    Args:
        target: the document.
        text: its text, given the name of the folder beside it, or ``""``.
        files: contents of the folder by file name.

    Raises:
        FileError: something cannot be written; what was there before stays.
    """
    make_folder_of(target)
    with Transaction(target) as transaction:
        note = name = ""
        if files:
            wanted = f"{target.stem.replace(' ', '_')}_assets"
            folder = transaction.stage(wanted)
            with boundary(f"Cannot write {str(folder)!r}"):
                folder.mkdir()
                for file, data in files.items():
                    (folder / file).write_bytes(data)
            name = transaction.place()[wanted]
            note = f"<!-- usdsim:files {name} {transaction.contents()[name]} -->\n"
        with boundary(f"Cannot write {str(target)!r}"):
            transaction.staged.write_text(note + text(name), encoding="utf-8")
        transaction.commit(_owned(target))


def _owned(target: Path) -> dict[str, str]:
    """The folder that belongs to the file about to be replaced, and its digest."""
    try:
        with target.open(encoding="utf-8") as file:
            found = _OWNED.match(file.readline())
    except (OSError, ValueError):
        return {}
    return {found["name"]: found["digest"]} if found else {}
