"""Programs of compiled plans: a buffer for the worlds of some data, with a view for each part."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, OutOfRangeError, ShapeError, UnknownNameError
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data

from .plan import CompiledPlan, PlanField

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

    from .read_plan import QueryPlan
    from .write_plan import WritePlan

__all__ = ["Program", "QueryProgram", "WriteProgram"]


class Program:
    """Buffer of a plan for a number of worlds; ``program["name"]`` is a view of it.

    Args:
        plan: the plan.
        data: data whose batch shape the buffer has.
    """

    def __init__(self, plan: CompiledPlan, data: SceneData):
        check_data(data, plan.model)
        self._plan, self._fields = plan, plan.fields
        self._shape = shape = data.shape
        self._buffer = np.zeros((*shape, plan.width), dtype=np.float32)
        self._views = {
            field.name: self._buffer[..., field.offset : field.offset + field.size].reshape(
                *shape, *field.shape
            )
            for field in self._fields
        }

    @property
    def buffer(self) -> FloatArray:
        """All values, shape (*B, width)."""
        return self._buffer

    @property
    def fields(self) -> list[PlanField]:
        """Parts of the plan, in the order of their values."""
        return [*self._fields]

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch shape of the data it is for."""
        return self._shape

    def __getitem__(self, name: str) -> FloatArray:
        """View of a part of the buffer, shape (*B, ...).

        Raises:
            UnknownNameError: the plan has no such part.
        """
        view = self._views.get(name)
        if view is None:
            raise UnknownNameError("name", name, self._views, "the program")
        return view

    def keys(self) -> list[str]:
        """Names of the parts."""
        return [*self._views]

    def values(self) -> list[FloatArray]:
        """Views of the parts."""
        return [*self._views.values()]

    def items(self) -> list[tuple[str, FloatArray]]:
        """Names and views of the parts."""
        return [*self._views.items()]

    def _chosen(self, data: SceneData, env_ids: ArrayLike | None) -> NDArray[np.intp] | None:
        """Worlds to act on, each once; None: all.

        Raises:
            ShapeError: the data have another batch shape, or `env_ids` more than one axis.
            InvalidValueError: no integers, or data without a batch axis.
            OutOfRangeError: there is no such world.
        """
        if data.shape != self._shape:
            raise ShapeError("data", data.shape, f"data of shape {self._shape}")
        if env_ids is None:
            return None
        if not data.shape:
            raise InvalidValueError("env_ids", env_ids, "None for data without a batch axis")
        ids = np.asarray(env_ids)
        if ids.ndim != 1:
            raise ShapeError("env_ids", ids.shape, "(k,)")
        if ids.size and ids.dtype.kind not in "iu":
            raise InvalidValueError("env_ids", ids.dtype, "integers")
        chosen = np.unique(ids.astype(np.intp))
        if len(chosen) and not 0 <= chosen[0] <= chosen[-1] < data.shape[0]:
            bad = chosen[0] if chosen[0] < 0 else chosen[-1]
            raise OutOfRangeError("env_ids", int(bad), f"0 to {data.shape[0] - 1}")
        return chosen


class QueryProgram(Program):
    """Reads of a query plan into a buffer of its own.

    Args:
        plan: what it reads.
        data: data whose batch shape the buffer has.
    """

    _plan: QueryPlan

    def execute(self, data: SceneData, env_ids: ArrayLike | None = None) -> QueryProgram:
        """Read everything in the current state into the buffer.

        Args:
            data: the worlds.
            env_ids: worlds that are read; rows of the others stay. None: all.

        Returns:
            The program itself.

        Raises:
            ShapeError: the data have another batch shape.
            InvalidValueError: `env_ids` are no integers, or the data have no batch axis.
            OutOfRangeError: there is no such world.
        """
        chosen = self._chosen(data, env_ids)
        if chosen is None:
            self._plan.read(data, out=self._buffer)
        elif len(chosen):
            self._buffer[chosen] = self._plan.read(data[chosen])
        return self


class WriteProgram(Program):
    """Writes of a write plan from a buffer of its own: fill the views, then execute.

    Args:
        plan: what it writes.
        data: data whose batch shape the buffer has.
    """

    _plan: WritePlan

    @property
    def reset(self) -> bool:
        """Whether worlds are put back to their initial state first."""
        return self._plan.reset

    @property
    def reset_overrides(self) -> bool:
        """Whether that also drops parameters set for single worlds."""
        return self._plan.reset_overrides

    @property
    def forward_kinematic(self) -> bool:
        """Whether kinematics are computed at once; they are on first use otherwise."""
        return self._plan.forward_kinematic

    def execute(self, data: SceneData, env_ids: ArrayLike | None = None) -> WriteProgram:
        """Write the buffer.

        Args:
            data: the worlds.
            env_ids: worlds that are written, from their rows; None: all.

        Returns:
            The program itself.

        Raises:
            ShapeError: the data have another batch shape.
            InvalidValueError: a value is not allowed, `env_ids` are no integers, or the data have
                no batch axis; nothing is written then.
            OutOfRangeError: there is no such world.
        """
        chosen = self._chosen(data, env_ids)
        if chosen is None:
            self._write(data, self._buffer)
        elif len(chosen):
            self._write(data[chosen], self._buffer[chosen])
        return self

    def _write(self, data: SceneData, values: NDArray[Any]) -> None:
        plan = self._plan
        values = values.copy()
        rows = values.reshape(math.prod(data.shape), plan.width)
        for start in plan.quaternions:
            part = rows[:, start : start + 4]
            norm = np.linalg.norm(part, axis=1, keepdims=True)
            np.divide(part, norm, out=part, where=(norm > 0.0) & np.isfinite(norm))
        plan.write(data, values, self.reset, self.reset_overrides, self.forward_kinematic)
