"""Least moments of inertia: those below which the engine takes no body that moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from usdsim.math.repair import LEAST_MOMENT, moments_text
from usdsim.parser.description import BodyDescription, JointDescription
from usdsim.parser.report import Report

from .freedom import has_freedom

__all__ = ["with_least_inertia"]

_LEAST_MASS = 1e-15
"""Mass below which the engine takes no body that moves, whatever its moments [kg]."""


def with_least_inertia(
    bodies: Sequence[BodyDescription], joints: Sequence[JointDescription], report: Report
) -> tuple[BodyDescription, ...]:
    """Bodies whose principal moments the engine takes.

    A grain of a fifth of a millimetre has less, as has what is exported in millimetres and read in
    metres. Bodies of the MuJoCo dialect keep what they have, as their source does.

    Args:
        bodies: as they weigh by themselves; those of too small a mass stay as they are.
        joints: what they hang on; a body that none lets move needs no moments.
        report: receives a repair for each body that is changed.
    """
    return tuple(_raised(body, report) if _lacks(body, joints) else body for body in bodies)


def _lacks(body: BodyDescription, joints: Sequence[JointDescription]) -> bool:
    if body.mass < _LEAST_MASS or body.inertia.min() >= LEAST_MOMENT:
        return False
    return body.carries and has_freedom(body, joints)


def _raised(body: BodyDescription, report: Report) -> BodyDescription:
    inertia = np.maximum(body.inertia, LEAST_MOMENT)
    report.repaired(
        "inertia-repaired",
        body.path,
        f"of {body.mass:.6g} kg has principal moments {moments_text(body.inertia)} kg m^2, too "
        f"small to simulate: taken as {moments_text(inertia)}; are the units of length right?",
    )
    return replace(body, inertia=inertia)
