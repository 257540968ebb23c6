"""Rods: curves that keep the length of their segments, and resist bending and twisting.

The engine's model of discrete elastic rods has an angle for each segment of a chain, by which the
section is turned about it. It finds the joints of these angles by their names.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.parser.description import DeformableDescription

from .context import Build
from .options import EQUALITY_SOLREF, TIE_SOLIMP

__all__ = ["add_rod", "clamp_ends", "rod_elasticity"]

_MASS = 1e-9
"""Mass of what turns about a segment, whose points have its mass [kg]."""
_LEAST = 1e-12
"""Moment of inertia of thin segments [kg m^2]: the engine refuses smaller ones."""


def rod_elasticity(flex: Any, body: DeformableDescription) -> None:
    """Give a flex the moduli of bending and twisting."""
    shear = body.youngs_modulus / (2.0 * (1.0 + body.poissons_ratio))
    flex.young = body.youngs_modulus if body.bend_modulus is None else body.bend_modulus
    flex.shear = shear if body.twist_modulus is None else body.twist_modulus


def clamp_ends(flex: Any, body: DeformableDescription, held: set[int]) -> None:
    """Make the first and last segments parts of what holds both of their points.

    The engine clamps the direction and the turning of a segment whose points are of one body.
    """
    if not _is_chain(body):
        return
    names, places = list(flex.vertbody), np.zeros_like(body.rest_points)
    for near, end in _clamped(body, held).values():
        names[near] = names[end]
        places[near] = body.rest_points[near] - body.rest_points[end]
    flex.vertbody, flex.vert = names, places.ravel().tolist()


def add_rod(
    build: Build, flex: Any, body: DeformableDescription, held: set[int], elastic: bool
) -> list[Any]:
    """Add what keeps segments at their length, and the angles of a chain.

    Args:
        build: the spec.
        flex: the flex of the body.
        body: the curves.
        held: vertices that stand still.
        elastic: whether they resist bending.

    Returns:
        Bodies of the spec that turn about the segments.
    """
    build.spec.add_equality(
        name=build.namer.take("equality", None, f"{body.mesh}:length"),
        type=mujoco.mjtEq.mjEQ_FLEX,
        name1=flex.name,
        solref=EQUALITY_SOLREF,
        solimp=TIE_SOLIMP,
    )
    if not elastic or not _is_chain(body) or len(held) == len(body.points):
        return []
    clamped, last = _clamped(body, held), len(body.elements) - 1
    ends = body.rest_points[body.elements]
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    found = []
    for i, length in enumerate(lengths.tolist()):
        if i in clamped:
            continue
        mass = body.mass * length / lengths.sum()
        turning = build.spec.worldbody.add_body(
            name=build.namer.take("body", None, f"{body.mesh}:twist:{i}"),
            explicitinertial=True,
            ipos=np.zeros(3),
            mass=_MASS,
            inertia=np.full(3, max(mass * body.thickness**2 / 8.0, _LEAST)),
        )
        name = f"{flex.name}_twist" if i == last else f"{flex.name}_twist_{i}"
        turning.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=(1, 0, 0))
        found.append(turning)
    return found


def _is_chain(body: DeformableDescription) -> bool:
    """Whether it is one open curve of several segments; others have no angles in the engine."""
    ends: NDArray[np.int32] = body.elements
    return len(ends) > 1 and bool((ends[1:, 0] == ends[:-1, 1]).all()) and ends[-1, 1] != ends[0, 0]


def _clamped(body: DeformableDescription, held: set[int]) -> dict[int, tuple[int, int]]:
    """Point next to the end and the end, of the first and last segments that stand still."""
    count = len(body.elements)
    found = {0: tuple(body.elements[0, ::-1].tolist())}
    if count > 2:
        found[count - 1] = tuple(body.elements[-1].tolist())
    return {i: (near, end) for i, (near, end) in found.items() if {near, end} <= held}
