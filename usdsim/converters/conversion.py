"""Any source file to USD."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pxr import Usd

from usdsim.core.boundary import boundary
from usdsim.core.errors import ConversionError, InvalidValueError, meant
from usdsim.core.transaction import Transaction
from usdsim.usd.bulk import uncollected
from usdsim.usd.bundle import supersede
from usdsim.usd.stage import USD_SUFFIXES, create_stage, open_stage, require_utf8, save_layer

from .assets import AssetPlacer, drop_foreign
from .cfg import (
    CONFIGURATIONS,
    CONVERT_DEFAULTS,
    AssetConverterBaseCfg,
    JointDriveCfg,
    MeshConverterCfg,
    MjcfConverterCfg,
    UrdfConverterCfg,
    check_choice,
    check_options,
)
from .confinement import AssetRoots
from .descriptions import find_description, is_description
from .layers import check_layers, is_layered, save_layers
from .report import ConversionReport
from .sniff import SourceKind, source_kind
from .targets.table import TARGETS
from .targets.write import write_target

__all__ = [
    "Conversion",
    "convert",
    "convert_file",
    "default_cfg",
    "make_folder_of",
    "require_other_file",
]

_NO_KEYFRAMES = ("newton", "physx", "all")
"""Targets with a simulator that does not read keyframes."""


@dataclass(frozen=True, eq=False)
class Conversion:
    """The result of converting one file."""

    stage: Usd.Stage
    """The converted stage."""
    report: ConversionReport
    """Report of what was converted, changed, and left out."""
    path: Path | None = None
    """File that was written; None: the stage is in memory only."""


def convert(
    source: str | os.PathLike[str],
    destination: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Path | Usd.Stage:
    """Convert an MJCF, URDF, xacro or mesh file to USD.

    Args:
        source: the file; an ``.xml`` file may be MJCF or URDF. A USD file is copied in one piece.
            ``rd:NAME`` is a robot of the package robot_descriptions.
        destination: stage file to write, or a folder for it; None converts in memory.
        **options: fields of `MjcfConverterCfg`, `UrdfConverterCfg` or `MeshConverterCfg`. Links
            joined by fixed joints stay separate unless ``merge_fixed_joints=True``.

    Returns:
        The file written, or the stage in memory.

    Raises:
        FileError: the source is missing or unreadable, or the result cannot be written.
        ConversionError: the source cannot be converted, with file, line and element; nothing is
            written.
        InvalidValueError: an option is unknown or outside what is allowed.
    """
    file = _path("source", source)
    result = convert_file(file, destination, default_cfg(source_kind(file), **options))
    return result.stage if result.path is None else result.path


def default_cfg(kind: SourceKind, **options: Any) -> AssetConverterBaseCfg:
    """Configuration for one kind of source, which keeps everything the source says.

    Args:
        kind: of the source.
        **options: fields of the configuration; ``joint_drive`` may be a mapping of plain values.

    Raises:
        InvalidValueError: an option is not a field of the configuration.
    """
    cls = CONFIGURATIONS[kind]
    known = {field.name for field in fields(cls)}
    for name in options:
        if name not in known:
            raise InvalidValueError(
                f"option of a {kind} conversion",
                name,
                ", ".join(sorted(known)),
                meant(name, known),
            )
    options = {name: CONVERT_DEFAULTS[name] for name in known & {*CONVERT_DEFAULTS}} | options
    drive = options.get("joint_drive")
    if isinstance(drive, Mapping):
        options["joint_drive"] = JointDriveCfg.from_mapping(drive)
    return cls(**options)


@uncollected()
def convert_file(
    source: str | os.PathLike[str],
    destination: str | os.PathLike[str] | None = None,
    cfg: AssetConverterBaseCfg | None = None,
) -> Conversion:
    """Convert a file and keep the report; see `convert`."""
    file = _path("source", source)
    kind = source_kind(file)
    target = None if destination is None else _target(file, _path("destination", destination))
    cfg = cfg or default_cfg(kind)
    check_options(cfg)
    check_choice("structure", cfg.structure, ("auto", "single", "layered"))
    check_choice("target", cfg.target, (*TARGETS, None))
    if target is not None and cfg.structure == "layered":
        check_layers(target)
    roots = AssetRoots(file, cfg.asset_roots, getattr(cfg, "packages", None))
    placer = AssetPlacer(target, roots)
    if kind == "usd":
        return _copy(file, target, cfg, placer)
    stage = create_stage()
    report = _fill(kind, file, stage, cfg, placer)
    if cfg.target is not None:
        write_target(stage, cfg.target, report)
    _report_refused(file, placer, report)
    if target is not None:
        make_folder_of(target)
        layered = is_layered(cfg.structure, target, stage.GetRootLayer())
        save = save_layers if layered else supersede
        with Transaction(target) as transaction:
            placer.stage(transaction)
            save(stage.GetRootLayer(), transaction)
        report.destination = str(target)
    return Conversion(stage, report, target)


def _copy(
    file: Path, target: Path | None, cfg: AssetConverterBaseCfg, placer: AssetPlacer
) -> Conversion:
    """A USD file in one piece; packed, it takes along what it may."""
    confined = cfg.asset_roots is not None
    stage = open_stage(file, problem=placer.roots.problem if confined else None)
    report = ConversionReport(source=str(file))
    if cfg.target is None and target is None:
        return Conversion(stage, report)
    with boundary(f"Cannot read {str(file)!r}"):
        layer = stage.Flatten(addSourceFileComment=False)
    if cfg.target is not None:
        stage = Usd.Stage.Open(layer)
        write_target(stage, cfg.target, report)
    if target is not None:
        make_folder_of(target)
        if target.suffix == ".usdz":
            drop_foreign(layer, placer, file.resolve().parent)
            _report_refused(file, placer, report)
        save_layer(layer, target)
        report.destination = str(target)
    return Conversion(stage, report, target)


def _report_refused(file: Path, placer: AssetPlacer, report: ConversionReport) -> None:
    for refused in placer.refused:
        report.warn("asset-refused", str(file), f"{refused}; left out")


def _fill(
    kind: SourceKind,
    file: Path,
    stage: Usd.Stage,
    cfg: AssetConverterBaseCfg,
    placer: AssetPlacer,
) -> ConversionReport:
    # Each reader brings heavy imports of its own, so only the one in use is loaded.
    if kind == "urdf" and isinstance(cfg, UrdfConverterCfg):
        from usdsim.converters.urdf.convert import convert_urdf

        return convert_urdf(file, stage, cfg, placer=placer)
    if kind == "mesh" and isinstance(cfg, MeshConverterCfg):
        from .mesh import convert_mesh

        return convert_mesh(file, stage, cfg, placer=placer)
    if kind == "mjcf" and isinstance(cfg, MjcfConverterCfg):
        from usdsim.converters.mjcf.convert import convert_mjcf
        from usdsim.converters.mjcf.inclusions import check_inclusions
        from usdsim.converters.mjcf.tailor import tailoring

        check_inclusions(file, placer.roots, cfg.max_copies)
        start = bool(cfg.keyframe) if cfg.keyframe is not None else cfg.target in _NO_KEYFRAMES
        report = convert_mjcf(
            file,
            stage,
            placer=placer,
            change=tailoring(cfg),
            start=start,
            keyframe=cfg.keyframe or None,
        )
        report.source = str(file)
        return report
    raise InvalidValueError(
        f"configuration for {file}",
        type(cfg).__name__,
        f"{CONFIGURATIONS[kind].__name__} ({kind} file)",
    )


def _path(what: str, value: Any) -> Path:
    if what == "source" and is_description(value):
        return find_description(value)
    if not isinstance(value, str | os.PathLike) or isinstance(os.fspath(value), bytes):
        raise InvalidValueError(what, value, "a file name")
    if "\0" in os.fspath(value):
        raise InvalidValueError(what, value, "a file name, which has no null character")
    require_utf8(value, what)
    return Path(value)


def make_folder_of(target: Path) -> None:
    """Make the folder that a file goes into, if there is none.

    Raises:
        FileError: it cannot be made.
    """
    with boundary(f"Cannot create folder {str(target.parent)!r}"):
        target.parent.mkdir(parents=True, exist_ok=True)


def _target(source: Path, destination: Path) -> Path:
    target = destination
    if destination.suffix not in USD_SUFFIXES:
        if destination.suffix and not os.path.isdir(destination):
            raise ConversionError(
                f"Cannot write {str(destination)!r}: end it with {', '.join(USD_SUFFIXES)}, or "
                "give a folder."
            )
        target = destination / f"{source.stem.removesuffix('.urdf')}.usd"
    require_other_file(target, source)
    return target


def require_other_file(target: Path, source: Path) -> None:
    """Refuse to write a file over its own source.

    Raises:
        ConversionError: they are one file.
    """
    if os.path.exists(target) and os.path.exists(source) and os.path.samefile(target, source):
        raise ConversionError(
            f"Cannot write {str(target)!r} over its own source; name another destination."
        )
