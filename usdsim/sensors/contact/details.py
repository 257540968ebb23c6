"""Contact points and friction forces, from the contacts that the engine lists in every step."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine import device as devices
from usdsim.engine.base import Engine
from usdsim.engine.effects.impacts.reports import SentBack
from usdsim.sensors.common.kernel_pass import KernelPass, Rows

from .detail_kernels import gather_details
from .elements import Filter, PartLayout, address_of

__all__ = ["ContactDetails"]

_GEOM = int(mujoco.mjtObj.mjOBJ_GEOM)


class ContactDetails:
    """Reads where bodies touch filters, and how these rub them.

    Args:
        engine: an engine whose scene has sensors of these contacts; see `with_contact_sensors`.
        bodies: paths of the bodies, a row per match.
        filters: what contacts are told apart by.
        slots: contacts of a body with a body or shape that there is room for.
        out: where points [m] and friction forces [N] go, each vec3f, shape (num_instances,
            num_bodies, filters); None: not wanted.
    """

    def __init__(
        self,
        engine: Engine,
        bodies: Sequence[Sequence[str]],
        filters: Sequence[Filter],
        slots: int,
        out: Sequence[wp.array | None],
    ):
        self._engine, self._slots = engine, slots
        self._seen, self._bounces = -1, False
        compiled, device = engine.compiled, engine.device
        self._size = size = (len(bodies), len(bodies[0]), len(filters))
        shape = (engine.num_envs * size[0], *size[1:])
        self._points, self._friction = (
            wp.zeros(shape, dtype=wp.vec3f, device=device) if array is None else array
            for array in out
        )
        self._counts = wp.zeros(shape, dtype=wp.int32, device=device)
        self._most = wp.zeros(1, dtype=wp.int32, device=device)
        parts = [
            [address_of(compiled, path, part, slots) for _, part in found.parts]
            for row in bodies
            for path in row
            for found in filters
        ]
        self._pass = KernelPass(
            engine,
            gather_details,
            shape[0],
            size[1:],
            ["sensordata", *PartLayout(parts, size[:2], device).arrays, slots],
            [self._points, self._friction, self._counts, self._most],
        )
        self._find_owners(bodies, filters)

    def _find_owners(self, bodies: Sequence[Sequence[str]], filters: Sequence[Filter]) -> None:
        """Roles of geoms: bodies that are sensed, and filters."""
        names, owners = self._engine.compiled.names, self._engine.compiled.mj.geom_bodyid
        place = np.full(self._engine.compiled.mj.nbody, -1, np.intp)
        for index, path in enumerate(path for row in bodies for path in row):
            place[names.index("body", path)] = index
        self._place = place[owners]
        geoms = np.arange(len(owners))
        self._filtered = np.zeros((len(owners), len(filters)), np.bool_)
        for column, found in enumerate(filters):
            for kind, path in found.parts:
                mine = names.index("geom" if kind == _GEOM else "body", path)
                self._filtered[:, column] |= (geoms if kind == _GEOM else owners) == mine

    @property
    def rebounds(self) -> bool:
        """Whether contacts may bounce in some world, which the host adds."""
        versions = self._engine.versions
        if self._seen != versions.parameters:
            self._seen = versions.parameters
            self._bounces = bool(self._engine.surfaces[..., 2].any())
        return self._bounces

    def run(self, rows: Rows) -> None:
        """Fill points and friction forces of some instances; None: all."""
        self._pass.run(rows)
        world, told = self._engine.sent_back(np.arange(self._engine.num_envs))
        if len(told):
            self._add(rows, world, told)
        if devices.is_shared(self._engine.device):
            self._check_room()

    def _check_room(self) -> None:
        most = int(self._most.numpy()[0])
        if most > self._slots:
            self._most.zero_()
            warnings.warn(
                f"A body of a contact sensor has {most} contacts with another, and there is room "
                f"for {self._slots}: points and friction forces are those of the strongest. Raise "
                "max_contact_data_count_per_prim in its configuration.",
                stacklevel=2,
            )

    def _add(self, rows: Rows, world: NDArray[np.intp], told: SentBack) -> None:
        """Add contacts that impulses sent back, which the engine does not list."""
        rubbing = told.force * [0.0, 1.0, 1.0]
        friction = np.einsum("nij,ni->nj", told.frame, rubbing)
        arrays = [a.numpy() for a in (self._points, self._friction, self._counts)]
        matches, width, _ = self._size
        for own, sign in ((0, -1.0), (1, 1.0)):
            place = self._place[told.geom[:, own]]
            hit, column = np.nonzero(self._filtered[told.geom[:, 1 - own]] & (place >= 0)[:, None])
            instance = world[hit] * matches + place[hit] // width
            at = instance, place[hit] % width, column
            chosen = np.ones(len(hit), np.bool_) if rows is None else np.isin(instance, rows)
            for k in np.flatnonzero(chosen):
                _join(
                    arrays, tuple(int(i[k]) for i in at), told.pos[hit[k]], sign * friction[hit[k]]
                )
        for array, values in zip((self._points, self._friction, self._counts), arrays, strict=True):
            array.assign(values)


def _join(arrays: Sequence[NDArray[Any]], at: tuple[int, ...], point: Any, friction: Any) -> None:
    """One more contact: the mean of points, and the sum of friction forces."""
    points, rubbing, counts = arrays
    before = counts[at] * points[at] if counts[at] else 0.0
    counts[at] += 1
    points[at] = (before + point) / counts[at]
    rubbing[at] += friction
