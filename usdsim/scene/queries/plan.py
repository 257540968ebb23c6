"""Compiled plan: quantities of many elements, side by side in one row of numbers per world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from .query import Entry, FlatColumns, Quantities, Request, named_entries

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["CompiledPlan", "PlanField", "placed"]


@dataclass(frozen=True)
class PlanField:
    """Part of a compiled plan."""

    name: str
    shape: tuple[int, ...]
    """Shape of one world's values."""
    offset: int
    """Place of the first value in the last axis of the buffer."""
    size: int
    """Number of values of one world."""
    dtype: str = "float32"
    """Name of the NumPy type."""


class CompiledPlan:
    """Names for the parts of a row of numbers, resolved once.

    Args:
        model: the model.
        requests: what the parts are; a mapping gives names of its own.
        quantities: what an element, or the whole scene (None), has.
    """

    def __init__(
        self,
        model: SceneModel,
        requests: Sequence[Request] | Mapping[str, Request],
        quantities: Quantities,
    ):
        self._model = model
        self._entries = named_entries(model, requests, quantities)
        self._parts: list[PlanField] = []
        self._width = 0
        for entry in self._entries:
            shape = entry.shape or (entry.size,)
            self._parts.append(PlanField(entry.name, shape, self._width, entry.size))
            self._width += entry.size
        self._slices = {
            part.name: slice(part.offset, part.offset + part.size) for part in self._parts
        }

    @property
    def model(self) -> SceneModel:
        """The model it is for."""
        return self._model

    @property
    def width(self) -> int:
        """Number of values per world."""
        return self._width

    @property
    def total_width(self) -> int:
        """The same as `width`."""
        return self._width

    @property
    def fields(self) -> list[PlanField]:
        """Parts, with the shape and the place of each."""
        return [*self._parts]

    @property
    def slices(self) -> Mapping[str, slice]:
        """Slice of each name's values along the last axis."""
        return MappingProxyType(self._slices)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._slices)


def placed(entries: Iterable[Entry]) -> Iterator[tuple[Entry, slice, FlatColumns]]:
    """Columns of parts side by side: the part, the place of the values, and the columns."""
    end = 0
    for entry in entries:
        for columns in entry.columns:
            start, end = end, end + len(columns.at)
            yield entry, slice(start, end), columns
