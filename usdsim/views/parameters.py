"""Model parameters as an asset's users know them: how each is read from the engine and written."""

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

from .layout import AssetLayout
from .scatter import Columns

__all__ = [
    "Flagged",
    "Friction",
    "Gain",
    "Inertia",
    "ModelValue",
    "Parameter",
    "Pose",
    "VelocityLimit",
    "unit_quaternions",
]

Array = NDArray[Any]
Ids = NDArray[np.intp]


@dataclass(frozen=True)
class Parameter:
    """A parameter kept in engine fields; `table` names the layout's columns it is found in."""

    table: str
    """Attribute of `AssetLayout` with the engine's columns."""

    def columns(self, layout: AssetLayout) -> Columns:
        """The engine's columns."""
        return Columns(getattr(layout, self.table))

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """Values of all instances, float64, shape (num_instances, elements, ...)."""
        raise TypeError(f"{type(self).__name__} says nothing about reading")

    def write(
        self,
        engine: Engine,
        layout: AssetLayout,
        values: Array,
        rows: Ids | None,
        ids: Ids | None,
    ) -> None:
        """Set values of some instances and elements, shape (rows, ids, ...)."""
        parts = list(self.columns(layout).parts(rows, ids))
        if len(parts) > 1:  # one alone is refused before anything of it is written
            for _, columns, part in parts:
                self.check(engine, values[part], columns)
        for worlds, columns, part in parts:
            self.put(engine, values[part], worlds, columns)

    def check(self, engine: Engine, values: Array, columns: Ids) -> None:
        """Raise what `put` would raise for values of one match."""

    def put(self, engine: Engine, values: Array, worlds: Ids | None, columns: Ids) -> None:
        """Set values of one match in some worlds, shape (worlds, columns, ...)."""
        raise TypeError(f"{type(self).__name__} says nothing about writing")

    def _rows(self, engine: Engine, layout: AssetLayout, field: str) -> Array:
        """An engine field in the asset's order, shape (num_instances, elements, ...)."""
        values = engine.param(field)[:, self.columns(layout).table]
        shape = (layout.num_instances, values.shape[2], *values.shape[3:])
        return np.asarray(values.reshape(shape))


@dataclass(frozen=True)
class ModelValue(Parameter):
    """One engine field, or one component of it."""

    field: str
    """As in `mujoco.MjModel`."""
    component: int | tuple[int, ...] | None = None
    """Component of each row; several get the same value; None: the whole row."""
    factor: float = 1.0
    """What the user's value is multiplied with."""

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """See `Parameter.read`."""
        values = self._rows(engine, layout, self.field)
        if self.component is not None:
            first = self.component if isinstance(self.component, int) else self.component[0]
            values = values[..., first]
        return np.asarray(values, dtype=np.float64) / self.factor

    def put(self, engine: Engine, values: Array, worlds: Ids | None, columns: Ids) -> None:
        """See `Parameter.put`."""
        new = values * self.factor
        if self.component is not None:
            current = _current(engine, self.field, worlds, columns)
            parts = (self.component,) if isinstance(self.component, int) else self.component
            for part in parts:
                current[..., part] = new
            new = current
        engine.set_param(self.field, new, env_ids=worlds, ids=columns)


@dataclass(frozen=True)
class Gain(ModelValue):
    """A gain of the joints' drives; joints without a drive have none."""

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """See `Parameter.read`."""
        values = super().read(engine, layout)
        missing = self.columns(layout).table < 0
        if missing.any():
            shape = (layout.num_worlds, *missing.shape, *values.shape[2:])
            values = np.array(values)
            values.reshape(shape)[:, missing] = 0.0
        return values

    def check(self, engine: Engine, values: Array, columns: Ids) -> None:
        """See `Parameter.check`."""
        _require_drives(engine, columns)

    def put(self, engine: Engine, values: Array, worlds: Ids | None, columns: Ids) -> None:
        """See `Parameter.put`."""
        self.check(engine, values, columns)
        super().put(engine, values, worlds, columns)


@dataclass(frozen=True)
class Flagged(Parameter):
    """A range with a flag that says whether it is in force; infinite ends mean it is not.

    The engine has no one-sided ranges: a missing end becomes `far`.
    """

    field: str
    flag: str
    symmetric: bool = False
    """Whether the user gives one number for a range about zero."""
    far: float = 1e10

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """See `Parameter.read`."""
        values = np.array(self._rows(engine, layout, self.field), dtype=np.float64)
        active = self._rows(engine, layout, self.flag).astype(bool)
        missing = self.columns(layout).table < 0
        if missing.any():
            active = np.array(active)
            active.reshape(layout.num_worlds, *missing.shape)[:, missing] = False
        low, high = values[..., 0], values[..., 1]
        low[~active | (low <= -self.far)] = -np.inf
        high[~active | (high >= self.far)] = np.inf
        return high if self.symmetric else values

    def check(self, engine: Engine, values: Array, columns: Ids) -> None:
        """See `Parameter.check`."""
        if self.symmetric:
            _require_drives(engine, columns)

    def put(self, engine: Engine, values: Array, worlds: Ids | None, columns: Ids) -> None:
        """See `Parameter.put`."""
        self.check(engine, values, columns)
        if self.symmetric:
            values = np.stack([-values, values], axis=-1)
        active = np.asarray(np.isfinite(values).any(axis=-1))
        bounded = np.where(active[..., None], np.clip(values, -self.far, self.far), 0.0)
        engine.set_param(self.field, bounded, env_ids=worlds, ids=columns)
        engine.set_param(self.flag, active, env_ids=worlds, ids=columns)


@dataclass(frozen=True)
class VelocityLimit(Parameter):
    """Largest speeds, which the engine keeps beside the model."""

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """See `Parameter.read`."""
        values = engine.velocity_limits[:, self.columns(layout).table]
        return np.asarray(values.reshape(layout.num_instances, -1))

    def put(self, engine: Engine, values: Array, worlds: Ids | None, columns: Ids) -> None:
        """See `Parameter.put`."""
        engine.set_velocity_limits(values, env_ids=worlds, dofs=columns)


@dataclass(frozen=True)
class Friction(Parameter):
    """Dry friction, which the engine keeps for sticking and sliding joints beside the model."""

    sliding: bool
    """Whether it is that of sliding joints."""

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """See `Parameter.read`."""
        values = engine.joint_friction[int(self.sliding)][:, self.columns(layout).table]
        return np.asarray(values.reshape(layout.num_instances, -1))

    def write(
        self,
        engine: Engine,
        layout: AssetLayout,
        values: Array,
        rows: Ids | None,
        ids: Ids | None,
    ) -> None:
        """See `Parameter.write`; the engine compares it with the other friction, so all at once."""
        friction = np.array(engine.joint_friction[int(self.sliding)])
        columns = self.columns(layout)
        columns.scatter(values, friction, rows, ids)
        dofs = columns.table.reshape(-1)
        if self.sliding:
            engine.set_joint_friction(dynamic=friction[:, dofs], dofs=dofs)
        else:
            engine.set_joint_friction(static=friction[:, dofs], dofs=dofs)


@dataclass(frozen=True)
class Pose(Parameter):
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


def unit_quaternions(quat: Array) -> Array:
    """Quaternions scaled to unit length, which callers' arrays miss by their precision.

    Raises:
        InvalidValueError: one misses it by more than 1e-3.
    """
    norm = np.linalg.norm(quat.astype(np.float64), axis=-1, keepdims=True)
    if (np.abs(norm - 1.0) > 1e-3).any():
        index = tuple(np.argwhere(np.abs(norm[..., 0] - 1.0) > 1e-3)[0])
        raise InvalidValueError(
            "quaternion",
            quat[index].tolist(),
            "unit length, in the order x, y, z, w",
            "Nothing was written.",
        )
    return np.asarray(quat / norm)


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


def _current(engine: Engine, field: str, worlds: Ids | None, columns: Ids) -> Array:
    values = engine.param(field)
    picked = values[:, columns] if worlds is None else values[worlds[:, None], columns]
    return np.array(picked)


def _require_drives(engine: Engine, columns: Ids) -> None:
    if (columns < 0).any():
        raise InvalidValueError(
            "joint",
            int(np.argmax(columns < 0)),
            "a joint with a drive",
            "Apply PhysicsDriveAPI to it, or let an articulation configure an actuator for it.",
        )
