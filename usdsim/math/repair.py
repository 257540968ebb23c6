"""Repair rules: what converting and reading do about physics that is impossible to simulate."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from usdsim.core.units import DEFAULT_DENSITY

__all__ = [
    "LEAST_INERTIA",
    "LEAST_MASS",
    "LEAST_MOMENT",
    "REPAIRS",
    "moments_text",
    "needs_repair",
    "repair_moments",
]

Array = NDArray[np.float64]

LEAST_MASS = 1e-6
"""Mass of what moves and weighs nothing [kg]."""
LEAST_INERTIA = 1e-9
"""Principal moments of the same [kg m^2]."""
LEAST_MOMENT = 1e-14
"""Least moment the engine can take, with some room [kg m^2]."""
_LEAST = 1e-6
"""Smallest moment, relative to the largest: a body that resists no rotation at all about an axis
cannot be simulated."""
_MARGIN = 1e-6
"""Margin of repaired moments inside the possible, relative to the largest: at the limit itself,
rounding decides, and others turn them by their axes in single precision."""

REPAIRS: Mapping[str, str] = {
    "inertia-repaired": (
        "Principal moments that no body has become the closest ones a body can have: negative ones "
        "zero, then where one exceeds the sum of the others these grow equally, and none stays "
        f"below a millionth of the largest, nor in a body that moves below {LEAST_MOMENT:g} kg m^2."
    ),
    "inertia-left-out": (
        "Moments of which none is positive count as not authored: they follow from the colliders. "
        "Those of a URDF link without mass are none."
    ),
    "massless-moving": (
        f"A link that moves, with nothing heavy fixed to it, weighs {LEAST_MASS:g} kg; one of a "
        "URDF that carries others at most a billionth of these."
    ),
    "size-zero": "A collider without extent collides with nothing and is left out.",
    "degenerate-mesh": (
        "A mesh without faces, or with all its points on a line, is left out; a flat one collides "
        "as a thin slab behind its faces."
    ),
    "dangling-filter": "A collision filter with a prim that does not exist filters nothing.",
    "dangling-owner": (
        "What names a scene that does not exist, or that is none, is simulated by the first scene, "
        "as if it named none."
    ),
    "dangling-joint": (
        "A joint to a prim that is missing, inactive or not simulated, or between bodies of two "
        "scenes, is left out, and so is a follower of a joint that is none; the bodies stay."
    ),
    "dangling-element": (
        "An actuator, tendon, sensor, attachment, constraint, contact pair, exclusion, skin or "
        "tuple that refers to a prim that is missing, inactive, not simulated, or of a kind it "
        "cannot act on is left out, and so is what refers to it; a missing material or "
        "plugin leaves the element."
    ),
    "keyframe-left-out": (
        "A keyframe whose positions are of another number than the model's is left out; controls "
        "and activations of another number are left out of it."
    ),
    "activation-left-out": (
        "Activation variables of an actuator without dynamics are left out: it has none."
    ),
    "zero-velocity-limit": (
        "A velocity limit of zero says that none is known, as importers write it; a joint that "
        "must not move is a fixed one."
    ),
}
"""Each rule by the code of its findings. ``strict`` refuses all of them."""


def moments_text(moments: Array) -> str:
    """Principal moments as messages show them: six digits each, between commas."""
    return ", ".join(f"{moment:.6g}" for moment in moments)


def needs_repair(moments: Array, tolerance: float = 1e-4) -> bool:
    """Whether no body has these finite principal moments [kg m^2], shape (3,).

    Args:
        moments: in any order.
        tolerance: by how much of the sum of the others a moment may exceed it: single precision
            rounds, and thin plates are right at the limit.
    """
    low, middle, high = np.sort(moments)
    return bool(low <= 0.0 or high > (low + middle) * (1.0 + tolerance))


def repair_moments(moments: Array, mass: float) -> Array:
    """The closest principal moments a body can have.

    Negative moments become zero; where one exceeds the sum of the others, these grow equally until
    it no longer does; none stays below a millionth of the largest; no moments at all become those
    of a ball of water of the same mass.

    Args:
        moments: principal moments [kg m^2], shape (3,).
        mass: of the body [kg].
    """
    fixed = np.maximum(moments, 0.0)
    if not fixed.any():
        radius = (3.0 * mass / (4.0 * np.pi * DEFAULT_DENSITY)) ** (1.0 / 3.0)
        return np.full(3, 0.4 * mass * radius * radius)
    excess = 2.0 * fixed.max() - fixed.sum() + _MARGIN * fixed.max()
    if excess > 0.0:
        others = np.arange(3) != int(fixed.argmax())
        fixed[others] += 0.5 * excess
    return np.maximum(fixed, _LEAST * fixed.max())
