"""Springs and dashpots in the engine's words: restitution, compliant contacts, soft limits."""

from __future__ import annotations

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
_CRITICAL = 1.0 - 1e-9
"""Largest damping ratio of a bounce: just below the one at which springs stop to oscillate."""


def _impedance(value: float) -> tuple[float, float, float, float, float]:
    return value, value, 0.001, 0.5, 2.0


BOUNCE_SOLIMP = _impedance(RIGID)
"""Impedance of a bounce."""


def damping_ratio(restitution: ArrayLike) -> NDArray[np.float64]:
    """Damping ratio of a spring and dashpot that cannot pull and rebounds with `restitution`.

    The bodies part when the force, not the overlap, is back to zero (Schwager and Poeschel 2007).
    The relation falls with the ratio, so it is inverted by bisection.
    """
    wanted = np.asarray(restitution, dtype=np.float64)
    low, high = np.zeros_like(wanted), np.full_like(wanted, _CRITICAL)
    for _ in range(60):
        middle = 0.5 * (low + high)
        lively = _rebound(middle) > wanted
        low, high = np.where(lively, middle, low), np.where(lively, high, middle)
    return 0.5 * (low + high)


def _rebound(ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    root = np.sqrt(1.0 - ratio**2)
    angle = np.arctan2(2.0 * ratio * root, 2.0 * ratio**2 - 1.0)
    return np.asarray(np.exp(-ratio / root * angle))


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
    # Values often repeat: those of a few materials in thousands of worlds.
    values, where = np.unique(np.minimum(restitution, 1.0), return_inverse=True)
    ratio = damping_ratio(values)[where].reshape(restitution.shape)
    # The engine divides direct values by the impedance.
    return np.stack([-(rate**2) * RIGID, -2.0 * ratio * rate * RIGID], axis=-1)


def restitution_of(solref: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients of restitution of contact references, shape (..., 2); 0 where there is none."""
    stiffness, damping = -solref[..., 0], -solref[..., 1]
    direct = stiffness > 0.0
    ratio = damping / (2.0 * np.sqrt(np.where(direct, stiffness, 1.0) * RIGID))
    bounces = direct & (ratio >= 0.0) & (ratio < _CRITICAL)
    return np.where(bounces, _rebound(np.where(bounces, ratio, 0.0)), 0.0)


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
