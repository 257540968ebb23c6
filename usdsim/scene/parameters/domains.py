"""Domains of physical parameters that several numbers make up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from usdsim.core.domains import Domain
from usdsim.math.rotations import UNIT_TOLERANCE

__all__ = [
    "INERTIA",
    "INTERVAL",
    "SOLIMP",
    "SOLREF",
    "UNIT_QUATERNION",
    "inertia_matrix",
]

Floats = NDArray[np.float64]
Test = Callable[[Floats], NDArray[np.bool_]]

# Moments computed from shapes may miss the inequality by rounding.
_ROUNDING = 1e-9


def _rows(test: Test) -> Test:
    """Judge whole rows: all numbers of a row share the verdict."""

    def judged(values: Floats) -> NDArray[np.bool_]:
        with np.errstate(invalid="ignore"):
            return np.broadcast_to(test(values)[..., None], values.shape)

    return judged


def _interval(v: Floats) -> NDArray[np.bool_]:
    return (v[..., 0] <= v[..., 1]) & (v[..., 0] < np.inf) & (v[..., 1] > -np.inf)


def _solref(v: Floats) -> NDArray[np.bool_]:
    alike = (v > 0.0).all(axis=-1) | (v <= 0.0).all(axis=-1)
    return np.asarray(np.isfinite(v).all(axis=-1) & alike)


def _solimp(v: Floats) -> NDArray[np.bool_]:
    inside = (v[..., [0, 1, 3]] >= 0.0) & (v[..., [0, 1, 3]] <= 1.0)
    return inside.all(axis=-1) & (v[..., 2] >= 0.0) & (v[..., 4] >= 1.0) & np.isfinite(v).all(-1)


def _inertia(v: Floats) -> NDArray[np.bool_]:
    finite = np.asarray(np.isfinite(v).all(axis=-1))
    moments = np.linalg.eigvalsh(inertia_matrix(np.where(np.isfinite(v), v, 1.0)))
    triangle = moments[..., 0] + moments[..., 1] >= moments[..., 2] * (1.0 - _ROUNDING)
    return finite & (moments[..., 0] > 0.0) & triangle


def inertia_matrix(values: Floats) -> Floats:
    """Symmetric matrices of (xx, yy, zz, xy, xz, yz), shape (..., 3, 3)."""
    return values[..., [[0, 3, 4], [3, 1, 5], [4, 5, 2]]]


INTERVAL = Domain(
    "a lower and an upper bound in this order, infinite for none", _rows(_interval), False
)
SOLREF = Domain(
    "(time constant [s], damping ratio), both above 0, or (-stiffness, -damping), both 0 or less",
    _rows(_solref),
    False,
)
SOLIMP = Domain(
    "(dmin, dmax, width, midpoint, power): dmin, dmax and midpoint in 0 to 1, width 0 or more, "
    "power 1 or more",
    _rows(_solimp),
    False,
)
INERTIA = Domain(
    "(xx, yy, zz, xy, xz, yz) of a positive definite matrix whose principal moments fulfil the "
    "triangle inequality",
    _rows(_inertia),
    False,
)
UNIT_QUATERNION = Domain(
    "a unit quaternion (x, y, z, w)",
    _rows(lambda v: np.abs(np.linalg.norm(v, axis=-1) - 1.0) <= UNIT_TOLERANCE),
    False,
)
