"""Single contacts of bodies with filters, read from the engine on the host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.base import Engine

from .detail_kernels import SLOT
from .elements import Filter, address_of

__all__ = ["PressingContacts", "SingleContacts"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_GEOM = int(mujoco.mjtObj.mjOBJ_GEOM)


@dataclass(frozen=True)
class PressingContacts:
    """Contacts that press, in the order of instances, bodies and filters."""

    row: Ids
    """Index of instance, body and filter, the last one first to change, shape (n,)."""
    force: Floats
    """Normal force [N], shape (n,)."""
    friction: Floats
    """Friction force on the body, world [N], shape (n, 3)."""
    pos: Floats
    """Middle of the overlap, world [m], shape (n, 3)."""
    normal: Floats
    """Direction of the normal force on the body, world, shape (n, 3)."""
    dist: Floats
    """Distance of the surfaces, negative where they overlap [m], shape (n,)."""

    def followed_by(self, other: PressingContacts) -> PressingContacts:
        """These and others, in order."""
        order = np.argsort(np.concatenate([self.row, other.row]), kind="stable")
        names = [field.name for field in fields(self)]
        pairs = [(getattr(self, name), getattr(other, name)) for name in names]
        return PressingContacts(*(np.concatenate(pair)[order] for pair in pairs))


class SingleContacts:
    """Places of the contacts of bodies with filters in the data of the engine.

    Args:
        engine: an engine whose scene has sensors of these contacts; see `with_contact_sensors`.
        bodies: paths of the bodies, a row per match.
        filters: what contacts are told apart by.
        slots: contacts of a body with a body or shape that there is room for.

    Attributes:
        size: numbers of matches, of bodies of each, and of filters.
        parts: addresses of the engine's sensors, of each match, body and filter.
    """

    def __init__(
        self,
        engine: Engine,
        bodies: Sequence[Sequence[str]],
        filters: Sequence[Filter],
        slots: int,
    ):
        self._engine, self._slots = engine, slots
        self.size = (len(bodies), len(bodies[0]), len(filters))
        names, owners = engine.compiled.names, engine.compiled.mj.geom_bodyid
        flat = [path for row in bodies for path in row]
        self.parts = [
            [address_of(engine.compiled, path, part, slots) for _, part in found.parts]
            for path in flat
            for found in filters
        ]
        self._addresses = np.array([one for parts in self.parts for one in parts], np.intp)
        self._rows = np.repeat(np.arange(len(self.parts)), [len(parts) for parts in self.parts])
        place = np.full(engine.compiled.mj.nbody, -1, np.intp)
        place[[names.index("body", path) for path in flat]] = np.arange(len(flat))
        self._place = place[owners]
        geoms = np.arange(len(owners))
        self._filtered = np.zeros((len(owners), len(filters)), np.bool_)
        for column, found in enumerate(filters):
            for kind, path in found.parts:
                mine = names.index("geom" if kind == _GEOM else "body", path)
                self._filtered[:, column] |= (geoms if kind == _GEOM else owners) == mine

    def read(self) -> PressingContacts:
        """The contacts of the present state, of all worlds."""
        return self.listed().followed_by(self.bounced())

    def listed(self) -> PressingContacts:
        """Contacts that the engine lists."""
        slots = np.arange(self._slots)
        places = self._addresses[:, None, None] + SLOT * slots[:, None] + np.arange(SLOT)
        numbers = self._engine.read("sensordata")[:, places].astype(np.float64)
        pressing = (slots < numbers[..., :1, 0]) & (numbers[..., 1] > 0.0)
        world, part, slot = np.nonzero(pressing)
        _, force, rub, cross, dist, *rest = numbers[world, part, slot].T
        pos, normal, tangent = np.reshape(rest, (3, 3, -1)).swapaxes(1, 2)
        # Of the engine's, normals point away from the body, and forces are those it exerts.
        friction = -(rub[:, None] * tangent + cross[:, None] * np.cross(normal, tangent))
        row = world * len(self.parts) + self._rows[part]
        return PressingContacts(row, force, friction, pos, -normal, dist)

    def bounced(self) -> PressingContacts:
        """Contacts that impulses sent back, which the engine does not list."""
        world, told = self._engine.sent_back(np.arange(self._engine.num_envs))
        rubbing = np.einsum("nij,ni->nj", told.frame, told.force * [0.0, 1.0, 1.0])
        found: list[list[Any]] = []
        for own, sign in ((0, -1.0), (1, 1.0)):
            place = self._place[told.geom[:, own]]
            hit, column = np.nonzero(self._filtered[told.geom[:, 1 - own]] & (place >= 0)[:, None])
            row = world[hit] * len(self.parts) + place[hit] * self.size[2] + column
            signed = sign * rubbing[hit], told.pos[hit], sign * told.frame[hit, 0], told.dist[hit]
            found.append([row, told.force[hit, 0], *signed])
        return PressingContacts(*found[0]).followed_by(PressingContacts(*found[1]))
