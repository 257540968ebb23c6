"""Reading many quantities of all worlds into one array, resolved once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, StageError, UnknownNameError
from usdsim.scene.arrays import FloatArray, result

from .programs import Field, QueryProgram, fields_of
from .quantities import readable
from .query import Columns, Entry, Request, named_entries

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["QueryPlan"]

Ids = NDArray[np.intp]

_CHUNK = 512
"""Worlds gathered at a time: what is gathered should still be in the cache when it is passed on."""


@dataclass(frozen=True)
class _Gather:
    """Numbers of one engine array, and where they go among the staged ones."""

    field: str
    at: Ids
    first: int


@dataclass(frozen=True)
class _Velocities:
    """Velocities of origins of frames in one engine array; places are sorted by component."""

    field: str
    place: Ids
    motion: Ids
    centre: Ids
    first: int

    @property
    def count(self) -> int:
        """Number of frames."""
        return len(self.place) // 3


class QueryPlan:
    """Quantities of a model, read from any of its data into one contiguous array.

    Get one from `SceneModel.compile_query`. After `read`, ``plan["name"]`` is a part of the array
    just read, without a copy.

    Args:
        model: the model.
        requests: what to read.
    """

    def __init__(self, model: SceneModel, requests: Sequence[Request] | Mapping[str, Request]):
        self._model = model
        self._entries = named_entries(model, requests, readable)
        ends = np.cumsum([0, *(entry.size for entry in self._entries)])
        self._slices = {
            entry.name: slice(int(start), int(end))
            for entry, start, end in zip(self._entries, ends[:-1], ends[1:], strict=True)
        }
        self._width = int(ends[-1])
        self._gathers, self._velocities, staged = _programme(self._entries)
        # Staged numbers are sorted by array; this is where each number of the result is.
        order = np.full(self._width, -1, dtype=np.intp)
        order[staged] = np.arange(len(staged))
        self._late = _late(self._entries)
        self._order = np.maximum(order, 0)
        self._staged = len(staged)
        self._sorted = bool((order == np.arange(self._width)).all())
        self._buffers: dict[tuple[int, ...], FloatArray] = {}
        self._last: FloatArray | None = None

    @property
    def model(self) -> SceneModel:
        """The model it reads from."""
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
    def fields(self) -> list[Field]:
        """Parts, with the shape and the place of each."""
        return fields_of(self._entries)

    def allocate(self, data: SceneData) -> QueryProgram:
        """Make a buffer for the worlds of `data`, which is read again and again."""
        return QueryProgram(self, data)

    @property
    def slices(self) -> Mapping[str, slice]:
        """Slice of each name's values along the last axis."""
        return MappingProxyType(self._slices)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._slices)

    def read(self, data: SceneData, out: FloatArray | None = None) -> FloatArray:
        """Read everything in the current state, shape (*B, width).

        Args:
            data: the worlds.
            out: array to fill, float32, C-contiguous, of shape (*B, width); None: an array of the
                plan, which the next `read` for as many worlds overwrites.

        Raises:
            ShapeError: `out` has another shape.
            InvalidValueError: `out` is no writable, contiguous float32 array.
        """
        data.check_model(self._model)
        shape = (*data.shape, self._width)
        if out is None:
            out = self._buffers.get(shape)
            if out is None:
                out = self._buffers[shape] = np.empty(shape, dtype=np.float32)
        elif not result(shape, out, "the query").flags.c_contiguous:
            raise InvalidValueError("out of the query", out.strides, "a C-contiguous array")
        rows = out.reshape(math.prod(data.shape), self._width)
        self._fill(data, rows)
        for place, columns in self._late:
            if columns.getter is not None:
                rows[:, place] = columns.getter(data).reshape(len(rows), -1)
            elif data.has_noise:
                values = data.read_sensors([columns.sensor])
                rows[:, place] = values.reshape(len(rows), -1)
        self._last = out
        return out

    def __getitem__(self, name: str) -> FloatArray:
        """A part of the array read last, shape (*B, k).

        Raises:
            UnknownNameError: the plan has no such name.
            StageError: nothing was read yet.
        """
        place = self._slices.get(name)
        if place is None:
            raise UnknownNameError("name", name, self._slices, "the query")
        if self._last is None:
            raise StageError(f"{name!r} has no values yet. Call read(data) first.")
        return self._last[..., place]

    def _fill(self, data: SceneData, out: FloatArray) -> None:
        """Read what the engine has in arrays."""
        data.measured(self._model, "time")
        wanted = {gather.field for gather in self._gathers}
        for group in self._velocities:
            wanted |= {group.field, "cvel", "subtree_com"}
        arrays = {name: data.worlds_field(name) for name in sorted(wanted)}
        ids = data.world_ids
        count = len(out)
        for start in range(0, count, _CHUNK):
            end = min(start + _CHUNK, count)
            chosen: Any = slice(start, end) if ids is None else ids[start:end]
            self._fill_chunk({name: a[chosen] for name, a in arrays.items()}, out[start:end])

    def _fill_chunk(self, arrays: dict[str, NDArray[Any]], out: FloatArray) -> None:
        stage = out if self._sorted else np.empty((len(out), self._staged), dtype=np.float32)
        for gather in self._gathers:
            source = arrays[gather.field]
            taken = source.take(gather.at, axis=1, mode="clip")
            stage[:, gather.first : gather.first + len(gather.at)] = taken
        for group in self._velocities:
            _linear(group, arrays, stage)
        if stage is not out and self._staged:
            stage.take(self._order, axis=1, mode="clip", out=out)


def _linear(group: _Velocities, arrays: dict[str, NDArray[Any]], stage: FloatArray) -> None:
    """Velocities v + omega x (origin - centre), by component."""
    count, first = group.count, group.first
    place = arrays[group.field].take(group.place, axis=1, mode="clip")
    place -= arrays["subtree_com"].take(group.centre, axis=1, mode="clip")
    arm = place.astype(np.float32)
    motion = arrays["cvel"].take(group.motion, axis=1, mode="clip").astype(np.float32)
    block = [slice(i * count, (i + 1) * count) for i in range(6)]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        speed = motion[:, block[j]] * arm[:, block[k]]
        speed -= motion[:, block[k]] * arm[:, block[j]]
        np.add(
            speed,
            motion[:, block[3 + i]],
            out=stage[:, first + i * count : first + (i + 1) * count],
        )


def _programme(
    entries: Iterable[Entry],
) -> tuple[list[_Gather], list[_Velocities], NDArray[np.intp]]:
    """Plan of what to gather, and where each gathered number belongs in the result."""
    plain: dict[str, tuple[list[Ids], list[Ids]]] = {}
    moving: dict[str, list[tuple[Columns, int]]] = {}
    start = 0
    for entry in entries:
        for columns in entry.columns:
            size = len(columns.at)
            if columns.frame is not None:
                moving.setdefault(columns.field, []).append((columns, start))
            elif columns.getter is None:
                at, to = plain.setdefault(columns.field, ([], []))
                at.append(columns.at)
                to.append(np.arange(start, start + size))
            start += size
    gathers, velocities = [], []
    targets: list[Ids] = [np.zeros(0, dtype=np.intp)]
    first = 0
    for field, (at, to) in plain.items():
        gathers.append(_Gather(field, np.concatenate(at), first))
        targets += to
        first += len(gathers[-1].at)
    for field, group in moving.items():
        place = _by_component([columns.at for columns, _ in group])
        frames = [columns.frame for columns, _ in group if columns.frame is not None]
        motion = _by_component([frame[0] for frame in frames])
        centre = _by_component([frame[1] for frame in frames])
        velocities.append(_Velocities(field, place, motion, centre, first))
        targets.append(_by_component([np.arange(to, to + 3) for _, to in group]))
        first += len(place)
    return gathers, velocities, np.concatenate(targets)


def _by_component(places: list[Ids]) -> Ids:
    """All first numbers, then all second ones, and so on."""
    return np.ascontiguousarray(np.array(places, dtype=np.intp).T).reshape(-1)


def _late(entries: Iterable[Entry]) -> list[tuple[slice, Columns]]:
    """Columns that are in no engine array as they are: computed ones, and sensors with noise."""
    found, start = [], 0
    for entry in entries:
        for columns in entry.columns:
            place = slice(start, start + len(columns.at))
            if columns.getter is not None or columns.sensor >= 0:
                found.append((place, columns))
            start = place.stop
    return found
