"""Model loading, from a file, a stage or a string."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco

from usdsim._resources import elsewhere
from usdsim.converters import ConversionReport, MjcfConverterCfg, convert_file
from usdsim.converters.compose import compose
from usdsim.converters.confinement import AssetRoots
from usdsim.converters.conversion import default_cfg
from usdsim.converters.descriptions import find_description, is_description
from usdsim.converters.mjcf.convert import convert_mjcf
from usdsim.converters.mjcf.inclusions import check_text
from usdsim.converters.sniff import XML_SUFFIXES, source_kind
from usdsim.core.errors import (
    ConversionError,
    FileError,
    InvalidValueError,
    MissingFileError,
    ParseError,
)
from usdsim.engine import compile_scene
from usdsim.engine.compile.shapes.overlaps import initial_overlaps
from usdsim.parser import parse_stage
from usdsim.parser.joints.frames import InitialPoses
from usdsim.parser.quantities import DIALECTS
from usdsim.scene.compiled_cache import CompiledCache
from usdsim.scene.limited import load_limited
from usdsim.scene.model.scene_model import SceneModel
from usdsim.scene.model.visuals import Visuals
from usdsim.scene.process import settle_options, urdf_options
from usdsim.usd import create_stage, open_stage
from usdsim.usd.bulk import uncollected
from usdsim.usd.stage import USD_SUFFIXES, stage_name

__all__ = ["load_mjcf_str", "load_model"]


def load_model(
    path: str | os.PathLike[str] | Any,
    *,
    exact: bool = False,
    strict: bool = False,
    precedence: Sequence[str] = DIALECTS,
    initial_poses: InitialPoses = "joints",
    asset_roots: Sequence[str] | None = None,
    cache: bool = True,
    time_limit: float | None = None,
    memory_limit: float | None = None,
) -> SceneModel:
    """Load a scene.

    Args:
        path: a stage (``.usd``, ``.usda``, ``.usdc``, ``.usdz``), an MJCF file
            (``.xml``, ``.mjcf``) or a URDF file (``.urdf``, ``.xacro``, ``.xml``), which are
            converted to USD in memory; a `Usd.Stage`; a `mujoco.MjSpec`; or a list of any of
            these, which become one stage with each below a prim of its own, see `compose`.
        exact: compile everything, also geoms that neither collide nor weigh nor are referenced.
        strict: raise if anything authored is not understood, listing all of it.
        precedence: which dialect wins where several attributes state one quantity and none of them
            was edited after a conversion; those left out are not read, but for standard ones.
        initial_poses: what the start follows where joint frames and body poses disagree: the frames
            of the ``joints``, or the poses of the ``bodies``; see `parse_stage`.
        asset_roots: folders from which an MJCF or URDF file may have meshes, textures and parts
            read, and a stage layers, besides the one it lies in; ``("/",)`` for all. None: its own
            folders, see `AssetConverterBaseCfg`; for layers of a stage, all.
        cache: take the model of an MJCF file from the cache on disk, while the file and all that it
            may read are what they were, or keep it there. The folder is ``USDSIM_CACHE_DIR``;
            empty means none.
        time_limit: longest time that loading a file may take [s]. With a limit, a process of its
            own loads the file, so that a crash of a reader or of the compiler is an error here;
            that costs a second, and ``model.stage`` is a copy in memory. None: as long as it takes.
        memory_limit: most memory that process may take [MiB], of which libraries need about 2,000;
            without effect on Windows. None: what there is.

    Raises:
        FileError: the file is missing, unreadable, or not of a known kind.
        ConversionError: the MJCF or URDF file is malformed.
        ParseError: the stage is not valid physics, or `strict` and not all understood.
        CompileError: the engine refuses the scene, or a limit is exceeded.
        InvalidValueError: a limit is not positive, or there is no file that it could be for.
    """
    options: dict[str, Any] = {"exact": exact, "strict": strict, "precedence": list(precedence)}
    options["initial_poses"] = initial_poses
    if time_limit is None and memory_limit is None:
        model = _load(path, asset_roots, cache, options)
    else:
        options |= {"asset_roots": asset_roots, "cache": cache}
        model = load_limited(_file(path), options, time_limit, memory_limit)
    settle_options(model.options)
    return model


@uncollected()
def _load(
    path: Any, asset_roots: Sequence[str] | None, cache: bool, options: dict[str, Any]
) -> SceneModel:
    if isinstance(path, mujoco.MjSpec):
        stage = create_stage()
        return _build(stage, convert_mjcf(path, stage), **options)
    if isinstance(path, list | tuple):
        path = compose(path)
    if not isinstance(path, str | os.PathLike):
        return _build(path, None, **options)
    if is_description(path):
        path = find_description(str(path))
    if not os.path.isfile(path):
        folder = os.path.isdir(path)
        kind, reason = (
            (FileError, "it is a folder") if folder else (MissingFileError, "there is no such file")
        )
        raise kind(f"Cannot load {os.fspath(path)!r}: {reason}.{elsewhere(path)}")
    suffix = Path(path).suffix.lower()
    if suffix in XML_SUFFIXES:
        return _load_source(Path(path), asset_roots, cache, options)
    if suffix not in USD_SUFFIXES:
        known = ", ".join((*USD_SUFFIXES, *XML_SUFFIXES))
        raise FileError(f"Cannot load {str(path)!r}: the extension is not one of {known}.")
    problem = None if asset_roots is None else AssetRoots(Path(path), asset_roots).problem
    return _build(open_stage(path, problem=problem), None, **options)


def _file(path: Any) -> Path:
    """The file that a process of its own is to load."""
    if not isinstance(path, str | os.PathLike):
        allowed = "for files only: what is in memory already has no process of its own"
        raise InvalidValueError("time_limit or memory_limit", type(path).__name__, allowed)
    return Path(path)


def _load_source(
    file: Path, asset_roots: Sequence[str] | None, cache: bool, options: dict[str, Any]
) -> SceneModel:
    kind = source_kind(file)
    kept = None
    if cache and kind == "mjcf":
        kept = CompiledCache(file, asset_roots, options)
        model = kept.load()
        if model is not None and model.conversion:
            model.conversion.log()
            model.report.log(model.conversion.source, "model.report")
            return model
    cfg = default_cfg(kind, asset_roots=asset_roots, **urdf_options(kind))
    converted = convert_file(file, cfg=cfg)
    model = _build(converted.stage, converted.report, **options)
    if kept is not None:
        kept.store(model)
    return model


def load_mjcf_str(mjcf: str, *, exact: bool = False, strict: bool = False) -> SceneModel:
    """Load a scene from MJCF text.

    Args:
        mjcf: the text; files it refers to are looked up in the current folder.
        exact: as for `load_model`.
        strict: as for `load_model`.
    """
    if not isinstance(mjcf, str) or not mjcf.lstrip().startswith("<"):
        raise InvalidValueError("mjcf", mjcf, "XML text; load_model(file) loads files")
    check_text(mjcf, MjcfConverterCfg().max_copies)
    stage = create_stage()
    model = _build(stage, convert_mjcf(mjcf, stage), exact=exact, strict=strict)
    settle_options(model.options)
    return model


def _build(
    source: Any,
    conversion: ConversionReport | None,
    *,
    exact: bool,
    strict: bool,
    **options: Any,
) -> SceneModel:
    if strict and conversion is not None and conversion.warnings:
        listed = "\n".join(map(str, conversion.warnings))
        raise ConversionError(f"Not everything in {conversion.source} is understood:\n{listed}")
    stage = open_stage(source)
    try:
        parsed = parse_stage(stage, exact=exact, strict=strict, **options)
    except ParseError as error:
        if conversion is None:
            raise
        layer = stage_name(stage)
        message = str(error).replace(layer, conversion.source)
        raise ParseError(message, error.findings) from error
    source_name = conversion.source if conversion else stage_name(stage)
    scene = parsed.scene
    if conversion is not None:
        scene = replace(scene, source=conversion.source)
    try:
        compiled = compile_scene(scene, exact=exact)
        parsed.report.depart(compiled.departures, strict=strict, source=source_name)
        for path, message in initial_overlaps(compiled):
            parsed.report.info("starts-overlapping", path, message)
    finally:
        parsed.report.log(source_name, "model.report")
    visuals = Visuals(parsed.visuals, tuple(options.items()))
    return SceneModel(compiled, stage, parsed.report, conversion, visuals)
