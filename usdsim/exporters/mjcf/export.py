"""MJCF export of a stage, compiled again and compared before anything is written."""

from __future__ import annotations

import os
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from pxr import Usd

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError
from usdsim.engine.compile.mjc import compare_models
from usdsim.engine.compile.pipeline import CompiledModel, compile_with_spec
from usdsim.engine.compile.shapes.surface_velocity import CARRYING
from usdsim.engine.quiet import Quiet
from usdsim.exporters.result import (
    Export,
    open_source,
    parse_source,
    refuse_losses,
    to_text,
    write_document,
)
from usdsim.exporters.unsaid import unsaid

from .assets import take_assets
from .carry import add_initial_key, carry_over
from .defaults import factor_defaults
from .document import to_element

__all__ = ["editable_spec", "export_mjcf"]

_COUNTED = {
    "body": "nbody", "joint": "njnt", "geom": "ngeom", "actuator": "nactuator", "sensor": "nsensor",
    "mesh": "nmesh", "texture": "ntex", "keyframe": "nkey",
}  # fmt: skip
"""Kinds of elements of a summary, and the member of the model that counts each."""


def editable_spec(
    source: str | os.PathLike[str] | Usd.Stage, **options: Any
) -> tuple[mujoco.MjSpec, ConversionReport]:
    """Specification of a stage as MuJoCo's editor has it, with meshes and textures inside.

    Args:
        source: a stage, or any file that converts to one.
        **options: of the conversion, if `source` is no USD file.

    Returns:
        The specification, and a report that warns of what it cannot say, as for `export_mjcf`.

    Raises:
        FileError: the source is missing or unreadable.
        ConversionError: the source cannot be converted.
        ParseError: the stage has no physics, or is physically invalid.
        CompileError: the engine refuses the stage.
        InvalidValueError: an option is unknown.
    """
    stage, report = open_source(source, Path("spec.xml"), options)
    compiled, spec = compile_with_spec(parse_source(stage, None), exact=True)
    carry_over(spec, compiled)
    add_initial_key(spec, compiled)
    _note_losses(compiled, report)
    return spec, report


def export_mjcf(
    source: str | os.PathLike[str] | Usd.Stage,
    destination: str | os.PathLike[str],
    *,
    strict: bool = False,
    env: str | None = None,
    **options: Any,
) -> Export:
    """Write a stage as MJCF, with its meshes and textures in a folder beside it.

    The file compiles to the model that the stage compiles to here, in every array and name. What
    the format cannot say is a warning in the report: restitution, static friction above the
    dynamic one, breaking joints, largest speeds, kinematic bodies that carry, bending of shells,
    damping of bodies that is no damping of joints. A state at time zero that is not the rest pose
    becomes the keyframe ``initial``.

    Args:
        source: a stage, or any file that converts to one.
        destination: ``.xml`` file to write.
        strict: raise instead of leaving out what the format cannot say.
        env: prim path of the environment to write with what all share; None: the whole stage.
        **options: of the conversion, if `source` is no USD file.

    Raises:
        FileError: the source is missing or unreadable, or the result cannot be written.
        ConversionError: the source cannot be converted, or not in full and `strict`; nothing is
            written.
        ParseError: the stage has no physics, or is physically invalid.
        StageError: `env` is no prim.
        CompileError: the engine refuses the stage.
        InvalidValueError: an option is unknown.
    """
    target = Path(destination)
    stage, report = open_source(source, target, options)
    known = len(report.findings)
    compiled, spec = compile_with_spec(parse_source(stage, env), exact=True)
    if spec.modelname in ("", "MuJoCo Model"):
        spec.modelname = target.stem
    carry_over(spec, compiled)
    added = add_initial_key(spec, compiled)
    files = take_assets(spec)
    element = factor_defaults(to_element(spec, compiled.mj))
    _note_losses(compiled, report)
    _verify(compiled.mj, element, files, report, skip=("key_", "nkey") if added else ())
    if strict:
        refuse_losses(report.findings[known:], "MJCF")
    _count(compiled.mj, report)

    def text(folder: str) -> str:
        for compiler in element.iter("compiler") if folder else ():
            compiler.set("meshdir", folder)
            compiler.set("texturedir", folder)
        return to_text(element)

    write_document(target, text, files)
    return Export(target, report)


def _note_losses(compiled: CompiledModel, report: ConversionReport) -> None:
    """Warn of what the engine keeps beside its model."""
    for path, message in compiled.notes:
        report.warn("engine", path, message)
    for body in compiled.scene.bodies:
        if body.kinematic and body.carries:
            report.warn("no-carrying", body.path, "carries what touches it, which MJCF cannot say")
    for code, path, what in unsaid(compiled.scene):
        report.warn(f"no-{code}", path, f"{what}, which MJCF cannot say")
    for joint in compiled.scene.joints:
        for dof in joint.dofs:
            if np.isfinite(dof.velocity_limit):
                report.warn(
                    "no-speed-limit", dof.path,
                    f"has a largest speed, {dof.velocity_limit:g}, which MJCF cannot say",
                )  # fmt: skip
    for path in compiled.breakable.paths:
        report.warn("no-breaking", path, "the joint breaks under load, which MJCF cannot say")
    surfaces, paths = compiled.surfaces, compiled.names.paths("geom")
    for geom, dynamic in enumerate(compiled.mj.geom_friction[:, 0].tolist()):
        value, static = surfaces.restitution[geom], surfaces.static[geom]
        if value > 0.0 and surfaces.bouncing[geom]:
            report.warn(
                "no-restitution", paths[geom], f"restitution {value:g}, which MJCF cannot say"
            )
        if static > dynamic:
            report.warn(
                "no-static-friction", paths[geom],
                f"static friction {static:g}, which MJCF cannot say; the dynamic one, {dynamic:g}, "
                "acts alone",
            )  # fmt: skip


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
        if not difference.array.startswith((*skip, CARRYING)):
            report.warn("model-differs", difference.name or "model", str(difference))


def _count(model: mujoco.MjModel, report: ConversionReport) -> None:
    report.counts.clear()
    for kind, size in _COUNTED.items():
        number = int(getattr(model, size)) - (kind == "body")
        if number:
            report.count(kind, number)
