"""Newton's law of restitution and Coulomb's of friction, for impulses at several contacts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SWEEPS", "impulses"]

Floats = NDArray[np.float64]

SWEEPS = 50
"""Times that the contacts of a world are gone through; corners of a box need twenty."""


def impulses(response: Floats, velocity: Floats, restitution: Floats, friction: Floats) -> Floats:
    """Impulses that send contacts back, by projected Gauss-Seidel iteration.

    A contact that is pushed leaves with `restitution` times the speed it came with. Its tangential
    velocity vanishes, unless that takes more than `friction` times the normal impulse.

    Args:
        response: change of velocity per impulse, shape (3 n, 3 n): of each contact the normal
            direction and two tangents.
        velocity: of approach, negative along normals [m/s], shape (3 n,).
        restitution: of each contact, shape (n,).
        friction: sliding coefficient of each contact, shape (n,).

    Returns:
        Impulses [N s], shape (3 n,).
    """
    found = np.zeros(len(velocity))
    after = velocity.copy()
    diagonal = np.maximum(np.diagonal(response), 1e-30)
    for _ in range(SWEEPS):
        for i, (e, mu) in enumerate(zip(restitution, friction, strict=True)):
            n, t = 3 * i, slice(3 * i + 1, 3 * i + 3)
            old = found[n : n + 3].copy()
            found[n] = max(0.0, old[0] - (after[n] + e * velocity[n]) / diagonal[n])
            after += response[:, n] * (found[n] - old[0])
            tangent = old[1:] - after[t] / diagonal[t].max()
            size, most = float(np.hypot(*tangent)), mu * found[n]
            found[t] = tangent * (most / size) if size > most else tangent
            after += response[:, t] @ (found[t] - old[1:])
    return found
