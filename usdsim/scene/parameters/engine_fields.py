"""Engine fields of physical parameters, read and written per world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.domains import Domain
from usdsim.engine.parameters.cpu import model_value
from usdsim.scene.arrays import bounded

from .domains import INTERVAL

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.elements.element import Element

__all__ = [
    "FieldShapes",
    "FieldWrite",
    "Interval",
    "PhysicalParameter",
    "Place",
    "owned_rows",
]

Floats = NDArray[np.float64]


class FieldShapes(dict[str, tuple[int, ...]]):
    """Shapes of the arrays of a model by name, each looked up once.

    Args:
        model: the engine's model.
    """

    def __init__(self, model: mujoco.MjModel):
        super().__init__()
        self._model = model

    def __missing__(self, field: str) -> tuple[int, ...]:
        self[field] = model_value(self._model, field).shape
        return self[field]


class FieldWrite(NamedTuple):
    """New values of some rows of an array of the engine's model."""

    field: str
    rows: NDArray[np.intp]
    values: Floats
    """Shape (*B, rows, ...), or (rows, ...) for all worlds alike."""


class Place(NamedTuple):
    """Field and index where a value lives."""

    field: str
    """Array of the engine's model."""
    columns: Any = ()
    """Index or slice of a row, if not all of it."""
    scale: float = 1.0
    """Factor from the value to what the engine stores."""


@dataclass(frozen=True)
class PhysicalParameter:
    """A physical parameter of elements of one kind."""

    name: str
    """As in ``get_<name>_override``."""
    words: str
    """The quantity, for messages and documentation."""
    unit: str
    """Unit, for documentation; empty: none."""
    domain: Domain
    """Allowed values."""
    places: tuple[Place, ...]
    """Places of storage; read from the first."""
    note: str = field(default="", kw_only=True)
    """More for the documentation."""

    @classmethod
    def of(
        cls, name: str, words: str, unit: str, domain: Domain, array: str, note: str = ""
    ) -> Self:
        """Parameter that is one array of the engine's model, a row for each element."""
        return cls(name, words, unit, domain, (Place(array),), note=note)

    def tail(self, shapes: FieldShapes) -> tuple[int, ...]:
        """Shape of one value, from the shapes of a model's arrays."""
        name, columns, _ = self.places[0]
        shape = shapes[name][1:]
        return shape if columns == () else np.zeros(shape)[columns].shape

    def read(self, elements: Sequence[Element], data: SceneData) -> Floats:
        """Effective values, shape (*B, n, *tail)."""
        name, columns, scale = self.places[0]
        # Several rows of one element hold the same value.
        known = data.param(name)
        rows = np.array([next(iter(e.rows(name)), -1) for e in elements], dtype=np.intp)
        if rows.min(initial=0) < 0:
            # What the engine does not hold is in all worlds as its source has it.
            axis = len(data.shape)
            rest = np.array(
                [e.standing(name) for e, row in zip(elements, rows, strict=True) if row < 0]
            )
            rest = np.broadcast_to(rest, (*known.shape[:axis], *rest.shape))
            known = np.concatenate([known, rest], axis)
            rows[rows < 0] = np.arange(-len(rest[(0,) * axis]), 0)
        values = np.take(known, rows, axis=len(data.shape)).astype(np.float64)
        # Adding zero keeps a sign of the engine's own from showing as -0.
        return (values[(..., columns)] if columns != () else values) / scale + 0.0

    def writes(
        self, elements: Sequence[Element], data: SceneData, values: Floats
    ) -> list[FieldWrite]:
        """Writes that are needed, given values of shape (*B, n, *tail) or (n, *tail)."""
        found = []
        for name, columns, scale in self.places:
            rows, owners = owned_rows(elements, name)
            axis = values.ndim - 1 - len(self.tail(elements[0].model.parameter_shapes))
            chosen = values if len(owners) == 1 else np.take(values, owners, axis=axis)
            if scale != 1.0:
                chosen = scale * chosen
            if columns != ():
                current = np.take(data.param(name), rows, axis=len(data.shape)).astype(np.float64)
                current[(..., columns)] = chosen
                chosen = current
            found.append(FieldWrite(name, rows, chosen))
        return found


@dataclass(frozen=True)
class Interval(PhysicalParameter):
    """A lower and an upper bound, infinite where there is none."""

    flag: str = ""
    """Array of the engine's model that tells whether the bounds act."""

    @classmethod
    def flagged(cls, name: str, words: str, unit: str, array: str, flag: str) -> Self:
        """Bounds in one array of the engine's model, and in another whether they act."""
        return cls(name, words, unit, INTERVAL, (Place(array),), flag=flag)

    def read(self, elements: Sequence[Element], data: SceneData) -> Floats:
        """Effective bounds, shape (*B, n, 2)."""
        rows = np.array([element.rows(self.flag)[0] for element in elements], dtype=np.intp)
        acts = np.take(data.param(self.flag), rows, axis=len(data.shape))
        return bounded(super().read(elements, data), acts)

    def writes(
        self, elements: Sequence[Element], data: SceneData, values: Floats
    ) -> list[FieldWrite]:
        """Bounds, and whether they act."""
        bounds, acts = super().writes(elements, data, values)[0], np.isfinite(values).any(axis=-1)
        rows, owners = owned_rows(elements, self.flag)
        flags = np.take(acts, owners, axis=-1)
        # Bounds that do not act stay: the engine expects finite ones.
        kept = np.take(data.param(bounds.field), bounds.rows, axis=len(data.shape))
        numbers = np.where(flags[..., None], bounds.values, kept)
        return [
            bounds._replace(values=numbers),
            FieldWrite(self.flag, rows, flags.astype(np.float64)),
        ]


def owned_rows(elements: Sequence[Element], name: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All rows of elements in an engine array, and for each row which element it belongs to."""
    rows = [element.rows(name) for element in elements]
    if len(rows) == 1:
        return _run(rows[0].start, rows[0].stop)
    owners = np.repeat(np.arange(len(rows)), [len(r) for r in rows])
    return np.array([row for r in rows for row in r], dtype=np.intp), owners


@lru_cache(maxsize=1024)
def _run(start: int, stop: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of one element, and of each that it is the first; read-only."""
    found = np.arange(start, stop), np.zeros(stop - start, np.intp)
    for values in found:
        values.flags.writeable = False
    return found
