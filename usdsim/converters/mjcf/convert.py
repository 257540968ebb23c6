"""MJCF to a stage."""

from __future__ import annotations

import os
from collections.abc import Callable

import mujoco
from pxr import Usd

from usdsim.converters.assets import AssetPlacer
from usdsim.converters.report import ConversionReport

from .actuators import convert_actuators
from .bodies import convert_bodies
from .constraints import convert_equalities, convert_excludes, convert_pairs
from .context import MjcfContext
from .deformables import convert_flexes, convert_skins
from .joints import convert_joints
from .layout import assign_paths, define_root
from .reading.extensions import report_omissions
from .reading.source import load_source
from .scene import convert_scene
from .sensors import (
    convert_custom,
    convert_keyframes,
    convert_plugins,
    convert_sensors,
)
from .shapes.collision import convert_masks
from .shapes.drawn import draw_deformables
from .shapes.geoms import convert_geoms
from .shapes.hfields import convert_hfields
from .shapes.materials import (
    bind_materials,
    convert_materials,
    convert_textures,
)
from .shapes.meshes import convert_meshes
from .sites import convert_cameras, convert_lights, convert_sites
from .start import start_in
from .tendons import convert_tendons

__all__ = ["convert_mjcf"]


def convert_mjcf(
    source: str | os.PathLike[str] | mujoco.MjSpec,
    stage: Usd.Stage,
    *,
    placer: AssetPlacer | None = None,
    change: Callable[[mujoco.MjSpec], None] | None = None,
    start: bool = False,
    keyframe: str | None = None,
) -> ConversionReport:
    """Convert an MJCF model, as MuJoCo compiles it, to an empty stage.

    Loaded with ``exact=True``, the stage compiles to the same `MjModel` as the source.

    Args:
        source: file, XML text, or a spec, which is compiled.
        stage: where to author; Z up, in metres.
        placer: collects textures that belong beside the stage's file; None refers to them where
            they are.
        change: what is done to the model before it is compiled.
        start: whether the stage starts in a keyframe, not in the reference pose.
        keyframe: which one; None: the first, if there is any.

    Raises:
        FileError: there is no such file.
        ConversionError: MuJoCo refuses the model, or an asset cannot be read.
        InvalidValueError: there is no such keyframe.
    """
    loaded = load_source(source, change=change)
    report = ConversionReport(source=loaded.label)
    report_omissions(loaded.omissions, report)
    context = MjcfContext(stage, loaded, report, placer or AssetPlacer())
    _write(context)
    context.note_restated()
    if start:
        start_in(context, keyframe)
        context.note_restated()
    for kind, elements in loaded.elements.items():
        report.count(kind, len(elements))
    return report


def _write(context: MjcfContext) -> None:
    define_root(context)
    assign_paths(context)
    convert_scene(context)
    images = convert_textures(context)
    convert_materials(context, images)
    convert_meshes(context)
    convert_hfields(context)
    convert_bodies(context)
    convert_joints(context)
    convert_geoms(context)
    bind_materials(context)
    convert_sites(context)
    convert_cameras(context)
    convert_lights(context)
    context.scope_path("")
    convert_plugins(context)
    convert_tendons(context)
    convert_equalities(context)
    convert_pairs(context)
    convert_excludes(context)
    convert_masks(context)
    convert_actuators(context)
    convert_sensors(context)
    convert_skins(context)
    convert_flexes(context)
    draw_deformables(context)
    convert_custom(context)
    convert_keyframes(context)
    context.flush()
