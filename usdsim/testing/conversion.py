"""Conversion check: a converted stage against its source file."""

from __future__ import annotations

import os
from pathlib import Path

from pxr import Usd

from usdsim.converters.conversion import convert_file
from usdsim.converters.sniff import source_kind
from usdsim.core.errors import UnsupportedError
from usdsim.parser import parse_stage

from .mjcf_law import compare_mjcf
from .urdf_law import compare_urdf

__all__ = ["check_conversion"]


def check_conversion(
    source: str | os.PathLike[str],
    converted: str | os.PathLike[str] | Usd.Stage | None = None,
) -> list[str]:
    """Compare a source file with its conversion.

    URDF: kinematic tree, poses at random joint positions, masses, limits and mimic relations equal
    an independent reading of the file. MJCF: the stage compiles to the same model, array by array.

    Args:
        source: MJCF or URDF file.
        converted: its stage, converted with default options; None converts it now, in memory.

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
    stage = convert_file(file).stage if converted is None else converted
    scene = parse_stage(stage, exact=kind == "mjcf").scene
    return compare_urdf(file, scene) if kind == "urdf" else compare_mjcf(file, scene)
