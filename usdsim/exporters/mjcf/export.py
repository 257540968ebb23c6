"""MJCF export of a stage, compiled again and compared before anything is written."""

from __future__ import annotations

import os
import re
import warnings
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
from pxr import Usd

from usdsim.converters.conversion import convert_file, default_cfg
from usdsim.converters.report import ConversionReport
from usdsim.converters.sniff import source_kind
from usdsim.core.boundary import boundary
from usdsim.core.errors import ConversionError, FileError, InvalidValueError
from usdsim.core.transaction import Transaction
from usdsim.engine.compile.mjc import compare_models
from usdsim.engine.compile.pipeline import CompiledModel, compile_with_spec
from usdsim.engine.failures import Quiet
from usdsim.parser import parse_stage

from .assets import take_assets
from .carry import add_initial_key, carry_over
from .defaults import factor_defaults
from .document import to_element, to_text

__all__ = ["Export", "export_mjcf"]

_OWNED = re.compile(r"<!-- usdsim:files (?P<name>\S+) (?P<digest>[0-9a-f]{64}) -->")
_COUNTED = {
    "body": "nbody", "joint": "njnt", "geom": "ngeom", "actuator": "nu", "sensor": "nsensor",
    "mesh": "nmesh", "texture": "ntex", "keyframe": "nkey",
}  # fmt: skip
"""Kinds of elements of a summary, and the member of the model that counts each."""


@dataclass(frozen=True, eq=False)
class Export:
    """The result of exporting one stage."""

    path: Path
    """The file that was written."""
    report: ConversionReport
    """What the file cannot say, and what was done about it."""


def export_mjcf(
    source: str | os.PathLike[str] | Usd.Stage,
    destination: str | os.PathLike[str],
    *,
    strict: bool = False,
    **options: Any,
) -> Export:
    """Write a stage as MJCF, with its meshes and textures in a folder beside it.

    The file compiles to the model that the stage compiles to here, in every array and name. What
    the format cannot say is a warning in the report: restitution, breaking joints, damping of
    bodies that is no damping of joints. A state at time zero that is not the rest pose becomes the
    keyframe ``initial``.

    Args:
        source: a stage, or any file that converts to one.
        destination: ``.xml`` file to write.
        strict: raise instead of leaving out what the format cannot say.
        **options: of the conversion, if `source` is no USD file.

    Raises:
        FileError: the source is missing or unreadable, or the result cannot be written.
        ConversionError: the source cannot be converted, or not in full and `strict`; nothing is
            written.
        ParseError: the stage has no physics, or is physically invalid.
        CompileError: the engine refuses the stage.
        InvalidValueError: an option is unknown.
    """
    target = Path(destination)
    stage, report = _stage(source, options)
    own = isinstance(source, str | os.PathLike) and os.path.exists(target)
    if own and os.path.samefile(str(source), target):
        raise ConversionError(
            f"Cannot write {str(target)!r} over its own source; name another destination."
        )
    report.destination = str(target)
    compiled, spec = compile_with_spec(parse_stage(stage, exact=True).scene, exact=True)
    if spec.modelname in ("", "MuJoCo Model"):
        spec.modelname = target.stem
    carry_over(spec, compiled)
    added = add_initial_key(spec, compiled)
    files = take_assets(spec)
    element = factor_defaults(to_element(spec, compiled.mj))
    _note_losses(compiled, report)
    _verify(compiled.mj, element, files, report, skip=("key_", "nkey") if added else ())
    if strict and report.warnings:
        lost = "\n".join(f"  {finding.where}: {finding.message}" for finding in report.warnings)
        raise ConversionError(f"Cannot say all of it in MJCF; nothing was written:\n{lost}")
    _count(compiled.mj, report)
    _write(target, element, files)
    return Export(target, report)


def _stage(
    source: str | os.PathLike[str] | Usd.Stage, options: dict[str, Any]
) -> tuple[Usd.Stage, ConversionReport]:
    if isinstance(source, Usd.Stage):
        if options:
            raise InvalidValueError("option for an open stage", next(iter(options)), "strict")
        return source, ConversionReport(source=source.GetRootLayer().identifier)
    file = Path(source)
    result = convert_file(file, None, default_cfg(source_kind(file), **options))
    return result.stage, result.report


def _note_losses(compiled: CompiledModel, report: ConversionReport) -> None:
    """Warn of what the engine keeps beside its model."""
    for path, message in compiled.notes:
        report.warn("engine", path, message)
    for path in compiled.breakable.paths:
        report.warn("no-breaking", path, "the joint breaks under load, which MJCF cannot say")
    geoms = {geom: compiled.names.paths("geom")[geom] for geom in range(compiled.mj.ngeom)}
    for geom, path in geoms.items():
        value = compiled.surfaces.restitution[geom]
        if value > 0.0 and compiled.surfaces.bouncing[geom]:
            report.warn("no-restitution", path, f"restitution {value:g}, which MJCF cannot say")


def _verify(
    expected: mujoco.MjModel,
    element: ET.Element,
    files: dict[str, bytes],
    report: ConversionReport,
    skip: tuple[str, ...],
) -> None:
    """Compile what is about to be written, and warn of every array that differs.

    Raises:
        ConversionError: it does not compile.
    """
    try:
        with Quiet(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = mujoco.MjModel.from_xml_string(to_text(element), files)
    except ValueError as error:
        raise ConversionError(
            f"The stage cannot be written as MJCF, which then says: {error}"
        ) from error
    for difference in compare_models(expected, found):
        if not difference.array.startswith(skip or ("\0",)):
            report.warn("model-differs", difference.name or "model", str(difference))


def _count(model: mujoco.MjModel, report: ConversionReport) -> None:
    report.counts.clear()
    for kind, size in _COUNTED.items():
        number = int(getattr(model, size)) - (kind == "body")
        if number:
            report.count(kind, number)


def _write(target: Path, element: ET.Element, files: dict[str, bytes]) -> None:
    """Write the file and its folder of assets, both or neither."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"Cannot create folder {str(target.parent)!r}: {error}.") from error
    with Transaction(target) as transaction:
        note = ""
        if files:
            wanted = f"{target.stem.replace(' ', '_')}_assets"
            folder = transaction.stage(wanted)
            with boundary(f"Cannot write {str(folder)!r}"):
                folder.mkdir()
                for name, data in files.items():
                    (folder / name).write_bytes(data)
            name = transaction.place()[wanted]
            note = f"<!-- usdsim:files {name} {transaction.contents()[name]} -->\n"
            for compiler in element.iter("compiler"):
                compiler.set("meshdir", name)
                compiler.set("texturedir", name)
        with boundary(f"Cannot write {str(target)!r}"):
            transaction.staged.write_text(note + to_text(element), encoding="utf-8")
        transaction.commit(_owned(target))


def _owned(target: Path) -> dict[str, str]:
    """The folder that belongs to the file about to be replaced, and its digest."""
    try:
        with target.open(encoding="utf-8") as file:
            found = _OWNED.match(file.readline())
    except (OSError, ValueError):
        return {}
    return {found["name"]: found["digest"]} if found else {}
