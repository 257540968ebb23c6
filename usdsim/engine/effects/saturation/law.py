"""Laws of limited drives, and forces that follow from the accelerations that they cause."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.indices import ALL, Rows

from .envelope import Envelopes

__all__ = ["Laws", "bounded_forces", "of_worlds"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Laws:
    """Laws of the stiff drives, f = clip(ff + kp (q* - q) + kd (v* - v), low, high).

    Shapes are (num_envs, drives), or (1, drives) where worlds agree. Drives that are not stiff in
    a world have a slope of zero and no limits there.
    """

    columns: Ids
    """Positions of these drives among all, shape (drives,)."""
    stiffness: Floats
    """kp [N/m or N m/rad]."""
    damping: Floats
    """kd [N s/m or N m s/rad]."""
    ahead: Floats
    """Change of force per velocity at the end of a step that is known at its start: h kp."""
    slope: Floats
    """Change of force per acceleration: h kd + h^2 kp [kg or kg m^2]."""
    low: Floats
    """Least force [N or N m]."""
    high: Floats
    """Largest force [N or N m]."""
    envelope: Envelopes = field(
        default_factory=lambda: Envelopes(*np.zeros((4, 1, 0))), kw_only=True
    )
    """Envelopes that narrow these two as joints move."""

    def limits(self, velocity: Floats, worlds: Ids | None) -> tuple[Floats, Floats]:
        """Least and largest force of drives in some worlds, at the velocities of their joints.

        Args:
            velocity: [m/s or rad/s], shape (n, drives).
            worlds: which they are; None: all.
        """
        low, high = (of_worlds(bound, worlds) for bound in (self.low, self.high))
        if not self.envelope.any:
            return low, high
        return self.envelope.limits(low, high, velocity, ALL if worlds is None else worlds)


def of_worlds(values: Floats, worlds: Rows | None) -> Floats:
    """Values of some worlds, or the one row of all."""
    return values if worlds is None or len(values) == 1 else values[worlds]


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
    # A world gets the same bits alone and among others: sums have one order where numbers lie
    # alike, and forces that are settled stay what they are while other worlds take more rounds.
    settled = np.array(force, order="C")
    alone = acceleration - np.vecdot(np.ascontiguousarray(mobility), settled[:, None])
    fixed = slope <= 0.0
    matrix = np.eye(force.shape[1]) + slope[..., None] * mobility
    right = constant - slope * alone
    for _ in range(force.shape[1] + 1):
        rows = np.where(fixed[..., None], np.eye(force.shape[1]), matrix)
        solved = np.linalg.solve(rows, np.where(fixed, settled, right)[..., None])[..., 0]
        found = np.where(fixed, settled, solved)
        beyond = ~fixed & ((found < low) | (found > high))
        if not beyond.any():
            break
        settled = np.where(beyond, np.clip(found, low, high), settled)
        fixed |= beyond
    return found
