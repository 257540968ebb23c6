"""Conversion check: a converted stage against its source file."""

from __future__ import annotations

import os
from pathlib import Path

import mujoco
from pxr import Usd

from usdsim.converters.cfg import AssetConverterBaseCfg
from usdsim.converters.conversion import convert_file
from usdsim.converters.sniff import source_kind
from usdsim.core.errors import ConversionError, UnsupportedError
from usdsim.engine.compile.pipeline import compile_with_spec
from usdsim.engine.compile.shapes.surface_velocity import CARRYING
from usdsim.engine.quiet import Quiet
from usdsim.exporters.urdf.elements import Names
from usdsim.exporters.urdf.robot import link_names, written_joints, written_links
from usdsim.parser import parse_stage

from .mjcf_law import compare_mjcf, compare_models
from .physics import Side, compare_sides
from .urdf_law import compare_urdf

__all__ = ["check_conversion", "check_export"]


def check_conversion(
    source: str | os.PathLike[str],
    converted: str | os.PathLike[str] | Usd.Stage | None = None,
    *,
    cfg: AssetConverterBaseCfg | None = None,
) -> list[str]:
    """Compare a source file with its conversion.

    URDF: kinematic tree, poses at random joint positions, masses, limits and mimic relations equal
    an independent reading of the file. MJCF: the stage compiles to the same model, array by array.

    Args:
        source: MJCF or URDF file.
        converted: its stage, converted with default options; None converts it now, in memory.
        cfg: options of a xacro file: its arguments, packages and limits.

    Returns:
        One sentence per difference; empty if the law holds.

    Raises:
        UnsupportedError: the source is of a kind without a law, such as a mesh.
    """
    file = Path(source)
    kind = source_kind(file)
    if kind not in ("mjcf", "urdf"):
        raise UnsupportedError(
            f"{str(file)!r} is a {kind} file; only MJCF and URDF can be checked."
        )
    stage = convert_file(file, cfg=cfg).stage if converted is None else converted
    scene = parse_stage(stage, exact=kind == "mjcf").scene
    return compare_urdf(file, scene, cfg=cfg) if kind == "urdf" else compare_mjcf(file, scene)


def check_export(
    source: str | os.PathLike[str] | Usd.Stage, exported: str | os.PathLike[str]
) -> list[str]:
    """Compare the model of a stage with that of a file it was exported to.

    MJCF: every array and name; a keyframe of the initial state, which the export adds, is no
    difference, nor that kinematic bodies carry what touches them here and that static friction is
    felt, of which the export warns. URDF: masses, joints and drives by name, poses, mass matrix and
    gravity forces.

    Args:
        source: the stage, or any file that converts to one.
        exported: the MJCF or URDF file, with its assets beside it.

    Returns:
        One sentence per difference; empty if there is none.

    Raises:
        ConversionError: MuJoCo refuses the exported file.
    """
    stage = source if isinstance(source, Usd.Stage) else convert_file(Path(source)).stage
    if str(exported).lower().endswith(".urdf"):
        # Shapes of other kinds may stand for those that URDF has not, and scenes are no robots.
        return [
            str(contrast)
            for contrast in compare_sides(_Written(stage), Side(exported), samples=5, steps=0)
            if contrast.kind != "scene" and "collider" not in contrast.quantity
        ]
    expected = compile_with_spec(parse_stage(stage, exact=True).scene, exact=True)[0].mj
    try:
        with Quiet():
            found = mujoco.MjModel.from_xml_path(str(exported))
    except ValueError as error:
        raise ConversionError(f"{exported}: {error}") from error
    sentences = compare_models(expected, found)
    if found.nkey == expected.nkey + 1:
        sentences = [line for line in sentences if not line.startswith(("nkey", "key_"))]
    return [line for line in sentences if not line.startswith(CARRYING)]


class _Written(Side):
    """A model whose elements have the names that an export to URDF gives them.

    Bodies at several places of a stage may have one name; links of a file may not.
    """

    def named(self, kind: str) -> dict[str, int]:
        if kind == "body":
            found = written_links(self.compiled, link_names(self.compiled))
        else:
            found = written_joints(self.compiled, Names())
        return {name: index for index, name in found.items()}
