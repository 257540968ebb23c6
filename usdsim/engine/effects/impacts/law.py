"""Newton's law of restitution and Coulomb's of friction, for impulses at several contacts."""

from __future__ import annotations

from math import hypot

import numpy as np
from numpy.typing import NDArray

__all__ = ["SWEEPS", "impulses"]

Floats = NDArray[np.float64]

SWEEPS = 50
"""Most times that the contacts of a world are gone through; corners of a box need twenty."""
_SETTLED = 1e-8
"""Change in a sweep, relative to the largest impulse, from which there are no more sweeps."""
_LEAST = 1e-30


def impulses(
    response: Floats, velocity: Floats, restitution: Floats, static: Floats, friction: Floats
) -> Floats:
    """Impulses that send contacts back, by projected Gauss-Seidel iteration.

    A contact that is pushed leaves with `restitution` times the speed it came with. Its tangential
    velocity vanishes, unless that takes more than `static` times the normal impulse: then it is
    braked by `friction` times that.

    Args:
        response: change of velocity per impulse, shape (3 n, 3 n): of each contact the normal
            direction and two tangents.
        velocity: of approach, negative along normals [m/s], shape (3 n,).
        restitution: of each contact, shape (n,).
        static: static coefficient of each contact, shape (n,).
        friction: sliding coefficient of each contact, shape (n,).

    Returns:
        Impulses [N s], shape (3 n,).
    """
    # Sixteen contacts at most: numbers are faster than arrays, which a call costs as much as these.
    columns, after = response.T.tolist(), velocity.tolist()
    back = (-restitution * velocity[::3]).tolist()
    limits = list(zip(static.tolist(), friction.tolist(), strict=True))
    found = [0.0] * len(after)
    for _ in range(SWEEPS):
        change = 0.0
        for i, (hold, mu) in enumerate(limits):
            n, x, y = 3 * i, 3 * i + 1, 3 * i + 2
            stiffness = max(columns[n][n], _LEAST)
            push = max(0.0, found[n] - (after[n] - back[i]) / stiffness)
            change = max(change, _push(after, found, columns, n, push))
            stiffness = max(columns[x][x], columns[y][y], _LEAST)
            rub = found[x] - after[x] / stiffness, found[y] - after[y] / stiffness
            size = hypot(*rub)
            scale = mu * push / size if size > hold * push else 1.0
            change = max(change, _push(after, found, columns, x, rub[0] * scale))
            change = max(change, _push(after, found, columns, y, rub[1] * scale))
        if change <= _SETTLED * max(map(abs, found)):
            break
    return np.array(found)


def _push(
    after: list[float], found: list[float], columns: list[list[float]], row: int, value: float
) -> float:
    """Change the impulse of one direction; returns by how much."""
    change = value - found[row]
    if change:
        found[row] = value
        for j, response in enumerate(columns[row]):
            after[j] += response * change
    return abs(change)
