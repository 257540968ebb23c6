"""Masses set by a physics scene of the MuJoCo dialect for all bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from usdsim.parser.description import BodyDescription
from usdsim.parser.prims import PrimView
from usdsim.parser.report import Report

__all__ = ["adjust_masses"]

_UNITS = {"boundMass": "kg", "boundInertia": "kg m^2", "setTotalMass": "kg"}


def adjust_masses(
    scene: PrimView | None, bodies: Sequence[BodyDescription], report: Report
) -> tuple[BodyDescription, ...]:
    """Raise masses and inertias to the least ones of a scene, and scale them to its total mass.

    Args:
        scene: the physics scene; None: there is none.
        bodies: as they weigh by themselves.
        report: where unusable values are noted.
    """
    found = {name: _stated(scene, name, report) for name in _UNITS}
    least, inertia, total = (found[name] for name in _UNITS)
    if least or inertia:
        bodies = [_bounded(body, least, inertia) for body in bodies]
    before = sum(body.mass for body in bodies)
    if total and before:
        bodies = [_scaled(body, total / before) for body in bodies]
    return tuple(bodies)


def _stated(scene: PrimView | None, name: str, report: Report) -> float:
    """A value of the compiler; 0: none, as zero and negative ones say."""
    value = 0.0 if scene is None else scene.value(f"mjc:compiler:{name}", 0.0)
    if isinstance(value, float) and np.isfinite(value):
        return max(value, 0.0)
    report.error(
        "invalid-value",
        scene.path if scene else "/",
        f"is {value}; allowed: a number [{_UNITS[name]}]; 0 for none",
        attribute=f"mjc:compiler:{name}",
        value=value,
    )
    return 0.0


def _bounded(body: BodyDescription, mass: float, inertia: float) -> BodyDescription:
    return replace(body, mass=max(body.mass, mass), inertia=np.maximum(body.inertia, inertia))


def _scaled(body: BodyDescription, factor: float) -> BodyDescription:
    return replace(body, mass=factor * body.mass, inertia=factor * body.inertia)
