"""Query plans: many quantities of all worlds read into one array, resolved once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, StageError, UnknownNameError
from usdsim.scene.arrays import FloatArray, result
from usdsim.scene.data.given import check_data
from usdsim.scene.kinematics.frames import IN_TURN

from .plan import CompiledPlan, placed
from .programs import QueryProgram
from .quantities import readable
from .query import Entry, FlatColumns, Request

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["QueryPlan"]

Ids = NDArray[np.intp]

_CHUNK = 4096
"""Worlds read at a time: what is computed should still be in the cache when it is passed on."""
_FEW = 500
"""Numbers up to which velocities are found in as few calls as possible."""
_WORTH = 4
"""Numbers that a slice has to copy on average to be faster than picking single ones."""


@dataclass(frozen=True)
class _Copies:
    """Numbers of one engine array, and where they go in the result: slices, or single numbers."""

    field: str
    pairs: list[tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class _Velocities:
    """Velocities of origins of frames in one engine array; ids are (components, frames)."""

    field: str
    place: Ids
    centre: Ids
    motion: Ids
    target: Ids

    @cached_property
    def parts(self) -> tuple[list[Any], ...]:
        """The same ids by component: slices, or single numbers."""
        return tuple(
            [*map(_evenly, i)] for i in (self.place, self.centre, self.motion, self.target)
        )

    @cached_property
    def in_turn(self) -> tuple[Ids, ...]:
        """Ids of origins, centres and rotations with components in turn."""
        return tuple(i[IN_TURN] for i in (self.place, self.centre, self.motion))


class QueryPlan(CompiledPlan):
    """Quantities of a model, read from any of its data into one contiguous array.

    Get one from `SceneModel.compile_query`. After `read`, ``plan["name"]`` is a part of the array
    just read, without a copy.

    Args:
        model: the model.
        requests: what to read.
    """

    def __init__(self, model: SceneModel, requests: Sequence[Request] | Mapping[str, Request]):
        super().__init__(model, requests, readable)
        self._copies, self._velocities = _programme(self._entries)
        self._fields = sorted(
            {copies.field for copies in self._copies}
            | {group.field for group in self._velocities}
            | ({"cvel", "subtree_com"} if self._velocities else set())
        )
        # Columns that are in no engine array as they are: computed ones, and sensors with noise.
        self._late = [
            (place, columns)
            for _, place, columns in placed(self._entries)
            if columns.getter is not None or columns.sensor >= 0
        ]
        self._buffers: dict[tuple[int, ...], FloatArray] = {}
        self._last: FloatArray | None = None

    def allocate(self, data: SceneData) -> QueryProgram:
        """Make a buffer for the worlds of `data`, which is read again and again."""
        return QueryProgram(self, data)

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
        check_data(data, self._model)
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
        arrays = {name: data.worlds_field(name) for name in self._fields}
        ids, count = data.world_ids, len(out)
        if ids is None and count <= _CHUNK:
            self._fill_chunk(arrays, out)
            return
        for start in range(0, count, _CHUNK):
            end = min(start + _CHUNK, count)
            chosen: Any = slice(start, end) if ids is None else ids[start:end]
            self._fill_chunk({name: a[chosen] for name, a in arrays.items()}, out[start:end])

    def _fill_chunk(self, arrays: dict[str, NDArray[Any]], out: FloatArray) -> None:
        for copies in self._copies:
            source = arrays[copies.field]
            for at, to in copies.pairs:
                out[:, to] = source[:, at]
        for group in self._velocities:
            _linear(group, arrays, out)


def _linear(group: _Velocities, arrays: dict[str, NDArray[Any]], out: FloatArray) -> None:
    """Velocities v + omega x (origin - centre), by component."""
    places, centres, motions = arrays[group.field], arrays["subtree_com"], arrays["cvel"]
    if group.target.size * len(out) <= _FEW:
        origin, centre, rotation = group.in_turn
        levers = (places.take(origin, 1) - centres.take(centre, 1)).astype(np.float32)
        turning = motions.take(rotation, 1).astype(np.float32)
        speeds = turning[:, 1:4] * levers[:, 2:]
        speeds -= turning[:, 2:] * levers[:, 1:4]
        speeds += motions.take(group.motion[3:], 1).astype(np.float32)
        out[:, group.target] = speeds
        return
    place_of, centre_of, motion_of, target = group.parts
    arm = [
        (places[:, place] - centres[:, centre]).astype(np.float32)
        for place, centre in zip(place_of, centre_of, strict=True)
    ]
    omega = [motions[:, at].astype(np.float32) for at in motion_of[:3]]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        speed = omega[j] * arm[k]
        speed -= omega[k] * arm[j]
        speed += motions[:, motion_of[3 + i]].astype(np.float32)
        out[:, target[i]] = speed


def _programme(entries: Iterable[Entry]) -> tuple[list[_Copies], list[_Velocities]]:
    """Copies and velocities that fill the result of a plan."""
    plain: dict[str, list[tuple[Ids, int]]] = {}
    moving: dict[str, list[tuple[FlatColumns, int]]] = {}
    for _, place, columns in placed(entries):
        if columns.frame is not None:
            moving.setdefault(columns.field, []).append((columns, place.start))
        elif columns.getter is None:
            plain.setdefault(columns.field, []).append((columns.at, place.start))
    copies = [_Copies(field, _pairs(parts)) for field, parts in plain.items()]
    velocities = []
    for field, group in moving.items():
        frames = [columns.frame for columns, _ in group if columns.frame is not None]
        velocities.append(
            _Velocities(
                field,
                _by_component([columns.at for columns, _ in group]),
                _by_component([centre for _, centre in frames]),
                _by_component([motion for motion, _ in frames]),
                _by_component([np.arange(to, to + 3) for _, to in group]),
            )
        )
    return copies, velocities


def _pairs(parts: Sequence[tuple[Ids, int]]) -> list[tuple[Any, Any]]:
    """Places of some numbers in an engine array and in the result, as few slices if possible.

    Elements in a row differ by the same in both, so that each component of all is one slice.
    """
    at = np.concatenate([ids for ids, _ in parts])
    to = np.concatenate([np.arange(first, first + len(ids)) for ids, first in parts])
    component = np.concatenate([np.arange(len(ids)) for ids, _ in parts])
    ways = [_runs(at, to), _runs(*(ids[np.argsort(component, kind="stable")] for ids in (at, to)))]
    best = min(ways, key=len)
    return best if len(best) * _WORTH <= max(len(at), _WORTH) else [(at, to)]


def _runs(at: Ids, to: Ids) -> list[tuple[slice, slice]]:
    """Slices of places that grow evenly on both sides."""
    found = []
    first = 0
    while first < len(at):
        end = first + 1
        steps = (1, 1)
        if end < len(at):
            steps = int(at[end] - at[first]), int(to[end] - to[first])
        while min(steps) > 0 and end < len(at):
            if (at[end] - at[end - 1], to[end] - to[end - 1]) != steps:
                break
            end += 1
        steps = steps if end - first > 1 else (1, 1)
        found.append(
            (
                slice(int(at[first]), int(at[end - 1]) + 1, steps[0]),
                slice(int(to[first]), int(to[end - 1]) + 1, steps[1]),
            )
        )
        first = end
    return found


def _by_component(places: Sequence[Ids]) -> Ids:
    """Places of all first numbers, of all second ones, and so on, shape (components, frames)."""
    return np.ascontiguousarray(np.array(places, dtype=np.intp).T)


def _evenly(ids: Ids) -> Any:
    """Places as a slice, of one place where all are the same; as they are if they are uneven."""
    steps = np.unique(np.diff(ids))
    if len(steps) > 1 or (len(steps) and steps[0] < 0):
        return np.ascontiguousarray(ids)
    same = not len(steps) or not steps[0]
    return slice(int(ids[0]), int(ids[0 if same else -1]) + 1, 1 if same else int(steps[0]))
