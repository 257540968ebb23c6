"""Body parameters: centres of mass and inertia as users know them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine.base import Engine
from usdsim.math.rotations import (
    quat_from_matrix,
    quat_from_wxyz,
    quat_to_matrix,
    quat_to_wxyz,
)
from usdsim.views.layout import AssetLayout

from .parameters import Parameter, unit_quaternions

__all__ = ["Inertia", "PoseParameter"]

Array = NDArray[Any]
Ids = NDArray[np.intp]


@dataclass(frozen=True)
class PoseParameter(Parameter):
    """A position field and a quaternion field as one pose (x, y, z, qx, qy, qz, qw)."""

    pos: str
    quat: str

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """See `Parameter.read`."""
        quat = np.roll(self._rows(engine, layout, self.quat), -1, axis=-1)
        return np.concatenate([self._rows(engine, layout, self.pos), quat], axis=-1)

    def check(self, engine: Engine, values: Array, columns: Ids) -> None:
        """See `Parameter.check`."""
        unit_quaternions(values[..., 3:])

    def put(self, engine: Engine, values: Array, worlds: Ids | None, columns: Ids) -> None:
        """See `Parameter.put`."""
        quat = unit_quaternions(values[..., 3:])
        engine.set_param(self.pos, values[..., :3], env_ids=worlds, ids=columns)
        engine.set_param(self.quat, np.roll(quat, 1, axis=-1), env_ids=worlds, ids=columns)


@dataclass(frozen=True)
class Inertia(Parameter):
    """Inertia about the centre of mass in the body's axes: nine numbers, row by row."""

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """See `Parameter.read`."""
        moments = self._rows(engine, layout, "body_inertia")
        axes = _matrices(self._rows(engine, layout, "body_iquat"))
        full = np.einsum("...ij,...j,...kj->...ik", axes, moments, axes)
        return np.asarray(full.reshape(*moments.shape[:-1], 9))

    def check(self, engine: Engine, values: Array, columns: Ids) -> None:
        """See `Parameter.check`."""
        _principal(values, engine, columns)

    def put(self, engine: Engine, values: Array, worlds: Ids | None, columns: Ids) -> None:
        """See `Parameter.put`."""
        moments, axes = _principal(values, engine, columns)
        engine.set_param("body_inertia", moments, env_ids=worlds, ids=columns)
        engine.set_param("body_iquat", axes, env_ids=worlds, ids=columns)


def _principal(values: Array, engine: Engine, columns: Ids) -> tuple[Array, Array]:
    """Principal moments and axes (quaternion wxyz) of inertia matrices, nine numbers each.

    Raises:
        InvalidValueError: a matrix is not symmetric, not positive, or of no rigid body.
    """
    full = values.reshape(*values.shape[:-1], 3, 3).astype(np.float64)
    scale = np.abs(full).max(axis=(-2, -1), keepdims=True)
    moments, axes = np.linalg.eigh(0.5 * (full + np.swapaxes(full, -1, -2)))
    slack = 1e-5 * scale[..., 0, 0]
    checks: tuple[tuple[str, Array], ...] = (
        ("symmetric", (np.abs(full - np.swapaxes(full, -1, -2)) > 1e-4 * scale).any((-2, -1))),
        ("positive definite", moments[..., 0] <= 0.0),
        (
            "of a rigid body: no principal moment above the sum of the others",
            moments[..., 2] > moments[..., 0] + moments[..., 1] + slack,
        ),
    )
    for words, bad in checks:
        if bad.any():
            row, column = np.argwhere(bad)[0]
            path = engine.compiled.names.paths("body")[columns[column]]
            value = full[row, column].reshape(9).tolist()
            raise InvalidValueError(
                f"inertia of {path}", value, f"a matrix that is {words}", "Nothing was written."
            )
    mirrored = np.linalg.det(axes) < 0.0
    axes[mirrored, :, 0] *= -1.0
    return moments, quat_to_wxyz(quat_from_matrix(axes))


def _matrices(wxyz: Array) -> Array:
    return quat_to_matrix(quat_from_wxyz(wxyz))
