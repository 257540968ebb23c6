"""Springs and dashpots in the engine's words: restitution, compliant contacts, soft limits."""

from __future__ import annotations

import numpy as np

__all__ = ["compliant", "damping_ratio", "restituting"]

Params = tuple[tuple[float, float], tuple[float, float, float, float, float]]

RIGID = 0.99
SOFT = 0.01
"""Impedances: near 1 the spring acts on acceleration, near 0 on force, whatever the mass."""
BOUNCE_STEPS = 10.0
"""Duration of a bounce in time steps: enough for the coefficient to come out right."""


def _impedance(value: float) -> tuple[float, float, float, float, float]:
    return value, value, 0.001, 0.5, 2.0


def damping_ratio(restitution: float) -> float:
    """Damping ratio of a spring and dashpot that cannot pull and rebounds with `restitution`.

    The bodies part when the force, not the overlap, is back to zero (Schwager and Poeschel 2007).
    The relation falls with the ratio, so it is inverted by bisection.
    """
    low, high = 0.0, 1.0 - 1e-9
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _rebound(middle) > restitution:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _rebound(ratio: float) -> float:
    root = np.sqrt(1.0 - ratio**2)
    angle = np.arctan2(2.0 * ratio * root, 2.0 * ratio**2 - 1.0)
    return float(np.exp(-ratio / root * angle))


def restituting(restitution: float, timestep: float) -> Params:
    """Contact reference and impedance of a bounce."""
    rate = np.pi / (BOUNCE_STEPS * timestep)
    ratio = damping_ratio(min(restitution, 1.0))
    # The engine divides direct values by the impedance.
    stiffness = rate**2 * RIGID
    return (-float(stiffness), -float(2.0 * ratio * rate * RIGID)), _impedance(RIGID)


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
