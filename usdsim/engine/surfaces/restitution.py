"""Restitution, compliant contacts and soft limits as the engine's springs and dashpots."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "BOUNCE_SOLIMP",
    "compliant",
    "damping_ratio",
    "restituting",
    "restituting_rows",
    "restitution_of",
]

Params = tuple[tuple[float, float], tuple[float, float, float, float, float]]

RIGID = 0.99
SOFT = 0.01
"""Impedances: near 1 the spring acts on acceleration, near 0 on force, whatever the mass."""
BOUNCE_STEPS = 10.0
"""Duration of a bounce in time steps: enough for the coefficient to come out right."""
_MOST = 0.98 / (2.0 * RIGID * np.pi / BOUNCE_STEPS)
"""Largest damping ratio: the damper takes nearly all velocity within one step."""
_PHASES = 64
"""At how many depths the first step that ends in contact is looked at."""


def _impedance(value: float) -> tuple[float, float, float, float, float]:
    return value, value, 0.001, 0.5, 2.0


BOUNCE_SOLIMP = _impedance(RIGID)
"""Impedance of a bounce."""


def damping_ratio(restitution: ArrayLike) -> NDArray[np.float64]:
    """Damping ratio of a spring and dashpot that cannot pull and rebounds with `restitution`.

    Time steps being finite, it depends on where in its last free step a body meets the other; the
    coefficient is the mean over that, and single bounces differ from it by up to 0.05. The least
    is 0.05: there the damper stops a body within a step, and the spring is what sends it back.
    """
    ratios, rebounds = _rebounds()
    wanted = np.asarray(restitution, dtype=np.float64)
    return np.asarray(np.interp(wanted, rebounds, ratios), dtype=np.float64)


@cache
def _rebounds() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Damping ratios, falling, and the mean rebound of each, both shape (n,)."""
    ratios = np.linspace(_MOST, 0.0, 81)
    rate = np.pi / BOUNCE_STEPS
    shape = len(ratios), _PHASES
    velocity = np.full(shape, -1.0)
    depth = np.broadcast_to(-(np.arange(_PHASES) + 0.5) / _PHASES, shape)
    for _ in range(round(3 * BOUNCE_STEPS)):
        push = -RIGID * 2.0 * rate * ratios[:, None] * velocity - rate**2 * depth
        velocity = velocity + np.where(depth < 0.0, np.maximum(push, 0.0), 0.0)
        depth = depth + velocity
    return ratios, np.minimum(velocity.mean(axis=1), 1.0)


def restituting(restitution: float, timestep: float) -> Params:
    """Contact reference and impedance of a bounce."""
    stiffness, damping = restituting_rows(np.array(restitution), np.array(timestep)).tolist()
    return (stiffness, damping), BOUNCE_SOLIMP


def restituting_rows(
    restitution: NDArray[np.float64], timestep: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Contact references of bounces; their impedance is `BOUNCE_SOLIMP`.

    Args:
        restitution: coefficients, any shape.
        timestep: what broadcasts to it [s].

    Returns:
        References as the engine has them, one more axis of 2.
    """
    rate = np.broadcast_to(np.pi / (BOUNCE_STEPS * timestep), restitution.shape)
    ratio = damping_ratio(restitution)
    # The engine divides direct values by the impedance.
    return np.stack([-(rate**2) * RIGID, -2.0 * ratio * rate * RIGID], axis=-1)


def restitution_of(solref: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients of restitution of contact references, shape (..., 2); 0 where there is none."""
    stiffness, damping = -solref[..., 0], -solref[..., 1]
    direct = stiffness > 0.0
    ratio = damping / (2.0 * np.sqrt(np.where(direct, stiffness, 1.0) * RIGID))
    bounces = direct & (ratio >= 0.0) & (ratio < _MOST * (1.0 + 1e-6))
    ratios, rebounds = _rebounds()
    return np.where(bounces, np.interp(ratio, ratios[::-1], rebounds[::-1]), 0.0)


def compliant(
    stiffness: float, damping: float, inverse_weight: float, timestep: float
) -> Params | None:
    """Reference and impedance of a constraint with a force law of its own.

    Its force is stiffness times violation plus damping times speed; a hundredth of the effective
    mass is added to it.

    Args:
        stiffness: [N/m or N m/rad].
        damping: [N s/m or N m s/rad].
        inverse_weight: inverse effective mass or inertia of the constraint [1/kg or 1/(kg m^2)].
        timestep: [s].

    Returns:
        None where the spring is too stiff for the time step.
    """
    if stiffness <= 0.0 or inverse_weight <= 0.0:
        return None
    if np.sqrt(stiffness * inverse_weight) * timestep > 0.5:
        return None
    if damping * inverse_weight * timestep > 1.0:
        damping = 1.0 / (inverse_weight * timestep)
    scale = (1.0 - SOFT) * inverse_weight
    return (-stiffness * scale, -damping * scale), _impedance(SOFT)
