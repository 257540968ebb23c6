"""Law of limited drives whose forces follow from the accelerations that they cause."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["bounded_forces"]

Floats = NDArray[np.float64]


def bounded_forces(
    constant: Floats,
    slope: Floats,
    limits: tuple[Floats, Floats],
    acceleration: Floats,
    mobility: Floats,
    force: Floats,
) -> Floats:
    """Forces f = clip(c - D a, limits) at the accelerations a that they cause.

    Drives without a slope keep the force they have. Limits are found one round after the other:
    what is beyond its own stays there, and the others answer to that.

    Args:
        constant: c [N or N m], shape (n, drives).
        slope: D [kg or kg m^2], shape (n, drives) or (1, drives).
        limits: least and largest force, as the slope.
        acceleration: at forces that are known [m/s^2 or rad/s^2], shape (n, drives).
        mobility: change of acceleration per force, shape (n, drives, drives).
        force: those forces [N or N m], shape (n, drives).
    """
    slope, low, high = (np.broadcast_to(v, force.shape) for v in (slope, *limits))
    alone = acceleration - np.einsum("nij,nj->ni", mobility, force)
    fixed, found = slope <= 0.0, np.array(force)
    matrix = np.eye(force.shape[1]) + slope[..., None] * mobility
    right = constant - slope * alone
    for _ in range(force.shape[1] + 1):
        rows = np.where(fixed[..., None], np.eye(force.shape[1]), matrix)
        found = np.linalg.solve(rows, np.where(fixed, found, right)[..., None])[..., 0]
        beyond = ~fixed & ((found < low) | (found > high))
        if not beyond.any():
            break
        found = np.where(beyond, np.clip(found, low, high), found)
        fixed |= beyond
    return found
