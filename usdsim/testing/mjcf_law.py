"""MJCF law: a converted stage compiles to the model of its source."""

from __future__ import annotations

from pathlib import Path

import mujoco

from usdsim.converters.mjcf.reading.source import load_source
from usdsim.engine import compile_scene
from usdsim.engine.compile.mjc import compare_models as differences
from usdsim.engine.compile.mjc import compare_trajectories
from usdsim.engine.quiet import Quiet
from usdsim.parser.description import SceneDescription

__all__ = ["compare_mjcf", "compare_models"]

_STEPS = 500
_TOLERANCE = 1e-6


def compare_mjcf(source: Path, scene: SceneDescription) -> list[str]:
    """Differences between the model of an MJCF file and that of its converted stage.

    Args:
        source: the MJCF file.
        scene: the converted stage, parsed with ``exact=True``.

    Returns:
        One sentence per difference; empty if the law holds.

    Raises:
        ConversionError: MuJoCo refuses the source, also without what only other engines know.
    """
    try:
        with Quiet():
            expected = mujoco.MjModel.from_xml_path(str(source))
    except ValueError:
        expected = load_source(source).spec.compile()
    found = compile_scene(scene, exact=True).mj
    sentences = compare_models(expected, found)
    if not sentences:
        gap = compare_trajectories(expected, found, steps=_STEPS)
        if gap > _TOLERANCE:
            sentences = [f"positions are {gap:.3g} apart after {_STEPS} steps under equal controls"]
    return sentences


def compare_models(expected: mujoco.MjModel, found: mujoco.MjModel) -> list[str]:
    """Differences between two models: sizes, names, numbers.

    Args:
        expected: the model to hold against.
        found: the model in question.

    Returns:
        One sentence per difference.
    """
    return [str(difference) for difference in differences(expected, found)]
