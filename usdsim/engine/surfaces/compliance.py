"""Compliance of contacts and limits: springs and dashpots in the engine's words."""

from __future__ import annotations

import numpy as np

__all__ = ["compliant", "grip"]

Params = tuple[tuple[float, float], tuple[float, float, float, float, float]]

SOFT = 0.01
"""Impedance of a spring that acts on force rather than on acceleration, whatever the mass."""


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
    return (-stiffness * scale, -damping * scale), (SOFT, SOFT, 0.001, 0.5, 2.0)


def grip(timestep: float) -> tuple[float, float]:
    """Reference of the friction of a compliant contact, which shares its impedance.

    The engine divides damping by the impedance. What is left stops what slides within a step [s],
    however many contacts act together; more would turn it round, and less lets it creep.
    """
    return -1.0, -SOFT / timestep
