"""Write plans: many quantities of all worlds written from one array, resolved once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import truth
from usdsim.core.errors import InvalidValueError
from usdsim.scene.checks import unit_quaternion
from usdsim.scene.data.given import check_data

from .plan import CompiledPlan, placed
from .programs import WriteProgram
from .quantities import writable
from .query import Entry, Request

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["WritePlan"]

Ids = NDArray[np.intp]


class WritePlan(CompiledPlan):
    """Quantities of a model, written into any of its data from one array.

    Get one from `SceneModel.compile_write`.

    Args:
        model: the model.
        requests: what to write.
        reset: whether programs put worlds back to their initial state first.
        reset_overrides: whether that also drops parameters set for single worlds.
        forward_kinematic: whether programs compute kinematics at once.
    """

    def __init__(
        self,
        model: SceneModel,
        requests: Sequence[Request] | Mapping[str, Request],
        reset: bool = False,
        reset_overrides: bool = True,
        forward_kinematic: bool = False,
    ):
        super().__init__(model, requests, writable)
        self.reset = truth("reset", reset)
        """Whether programs put worlds back to their initial state first."""
        self.reset_overrides = truth("reset_overrides", reset_overrides)
        """Whether that also drops parameters set for single worlds."""
        self.forward_kinematic = truth("forward_kinematic", forward_kinematic)
        """Whether programs compute kinematics at once."""
        self._targets = _targets(self._entries)
        self._setters = [
            (place, columns.setter)
            for _, place, columns in placed(self._entries)
            if columns.setter is not None
        ]
        self._quaternions = _quaternions(model, self._targets)

    @property
    def quaternions(self) -> tuple[int, ...]:
        """Places of the values at which quaternions (x, y, z, w) start."""
        return tuple(self._quaternions)

    def allocate(self, data: SceneData) -> WriteProgram:
        """Make a buffer for the worlds of `data`, which is filled and written again and again."""
        return WriteProgram(self, data)

    def write(
        self,
        data: SceneData,
        values: ArrayLike,
        reset: bool = False,
        reset_overrides: bool = False,
        forward_kinematic: bool = False,
    ) -> None:
        """Write everything.

        Args:
            data: the worlds; a view writes into these alone.
            values: shape (width,) for all worlds alike or (*B, width).
            reset: put the worlds back to their initial state first.
            reset_overrides: with `reset`, also drop parameters set for single worlds.
            forward_kinematic: compute kinematics now; they are computed on first use otherwise.

        Raises:
            ShapeError: `values` has another shape.
            InvalidValueError: a value is not finite, or a quaternion is not of unit length; nothing
                is written then.
        """
        check_data(data, self._model)
        tail = (self._width,)
        array = data.finite(values, tail, "values of the write", self._title).copy()
        for start in self._quaternions:
            at = slice(start, start + 4)
            array[..., at] = unit_quaternion(array[..., at], self._title(start), data.world_ids)
        late = [
            (setter, array[..., place].reshape(*array.shape[:-1], *setter.shape))
            for place, setter in self._setters
        ]
        for setter, part in late:
            if setter.check is not None:
                setter.check(data, part)
        if reset:
            data.reset(reset_overrides=reset_overrides)
        for field, (places, columns) in self._targets.items():
            data.write_columns(field, places, array[..., columns])
        for setter, part in late:
            setter.put(data, part)
        if forward_kinematic:
            data.forward()

    def _title(self, column: int) -> str:
        """Name of a value in messages."""
        name = next(name for name, place in self._slices.items() if column < place.stop)
        return f"{name!r} of the write"


def _targets(entries: Sequence[Entry]) -> dict[str, tuple[Ids, Ids]]:
    """Engine array: places in it, and columns of the values that go there."""
    found: dict[str, tuple[list[Ids], list[Ids]]] = {}
    seen: dict[tuple[str, int], str] = {}
    for entry, part, columns in placed(entries):
        if columns.setter is not None:
            continue
        for place in map(int, columns.at):
            other = seen.setdefault((columns.field, place), entry.name)
            if other != entry.name:
                what, allowed = f"{entry.name!r} of the write", f"what {other!r} does not write too"
                raise InvalidValueError(what, entry.name, allowed)
        places, sources = found.setdefault(columns.field, ([], []))
        places.append(columns.at)
        sources.append(np.arange(part.start, part.stop))
    return {
        field: (np.concatenate(places), np.concatenate(sources))
        for field, (places, sources) in found.items()
    }


def _quaternions(model: SceneModel, targets: Mapping[str, tuple[Ids, Ids]]) -> list[int]:
    """Columns of the values at which quaternions (x, y, z, w) start."""
    starts = []
    places, columns = targets.get("qpos", (np.zeros(0, np.intp),) * 2)
    for first in model.layout.quaternions(slice(0, model.low.nq)):
        # The engine stores the scalar first, so x is one further on.
        starts += [int(column) for column in columns[places == first + 1]]
    places, columns = targets.get("mocap_quat", (np.zeros(0, np.intp),) * 2)
    return starts + [int(column) for column in columns[places % 4 == 1]]
