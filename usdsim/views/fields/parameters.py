"""Model parameters as an asset's users know them: how each is read from the engine and written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine.base import Engine
from usdsim.engine.compile.joints import UNLIMITED
from usdsim.engine.indices import cells
from usdsim.math.rotations import UNIT_TOLERANCE
from usdsim.views.copies.scatter import InstanceColumns
from usdsim.views.layout import AssetLayout

__all__ = [
    "Flagged",
    "Friction",
    "Gain",
    "ModelValue",
    "Parameter",
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

    def columns(self, layout: AssetLayout) -> InstanceColumns:
        """The engine's columns."""
        return InstanceColumns(getattr(layout, self.table))

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
    """Factor of the user's value."""

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

    The engine has no one-sided ranges: a missing end becomes `UNLIMITED`.
    """

    field: str
    flag: str
    symmetric: bool = False
    """Whether the user gives one number for a range about zero."""

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """See `Parameter.read`."""
        values = np.array(self._rows(engine, layout, self.field), dtype=np.float64)
        active = self._rows(engine, layout, self.flag).astype(bool)
        missing = self.columns(layout).table < 0
        if missing.any():
            active = np.array(active)
            active.reshape(layout.num_worlds, *missing.shape)[:, missing] = False
        low, high = values[..., 0], values[..., 1]
        low[~active | (low <= -UNLIMITED)] = -np.inf
        high[~active | (high >= UNLIMITED)] = np.inf
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
        bounded = np.where(active[..., None], np.clip(values, -UNLIMITED, UNLIMITED), 0.0)
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


def unit_quaternions(quat: Array, of: str = "") -> Array:
    """Quaternions scaled to unit length, which callers' arrays miss by their precision.

    Args:
        quat: the quaternions, shape (..., 4).
        of: what they are of, for messages.

    Raises:
        InvalidValueError: one misses it by more than 1e-3.
    """
    norm = np.linalg.norm(quat.astype(np.float64), axis=-1, keepdims=True)
    off = np.abs(norm[..., 0] - 1.0) > UNIT_TOLERANCE
    if off.any():
        index = tuple(np.argwhere(off)[0])
        raise InvalidValueError(
            f"quaternion{f' of {of}' if of else ''}{f' in row {index[0]}' if index else ''}",
            quat[index].tolist(),
            "unit length, in the order x, y, z, w",
            "Nothing was written.",
        )
    return np.asarray(quat / norm)


def _current(engine: Engine, field: str, worlds: Ids | None, columns: Ids) -> Array:
    values = engine.param(field)
    return np.array(values[cells(field, values, worlds, columns)])


def _require_drives(engine: Engine, columns: Ids) -> None:
    if (columns < 0).any():
        raise InvalidValueError(
            "joint",
            int(np.argmax(columns < 0)),
            "a joint with a drive",
            "Apply PhysicsDriveAPI to it, or let an articulation configure an actuator for it.",
        )
