"""Static friction of contacts: which pairs of shapes stick better than they slide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.context import Build
from usdsim.engine.compile.shapes.filters import Pair

from .contact_pair import ContactPair
from .materials import friction_mode, material_of, mix
from .varied import without_own

__all__ = ["SLOTS", "WIDTH", "StickingTable", "feel_contacts", "sticking_pairs", "sticking_table"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

SLOTS = 8
"""Contact points of two shapes that are looked at: those that press most."""
WIDTH = 4
"""Numbers of each: whether it is there, and its force along the normal and two tangents [N]."""
_MOST = 256
"""Pairs of shapes that may stick better than they slide: each is looked at in every step."""
_STRONGEST = 2
"""Reduction of contacts to those with the largest force."""
_DATA = (1 << int(mujoco.mjtConDataField.mjCONDATA_FOUND)) | (
    1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)
)


@dataclass(frozen=True, kw_only=True, eq=False)
class StickingTable:
    """Contact pairs whose static friction is above the dynamic one where they were compiled."""

    pairs: Ids
    """Contact pairs of the model, shape (n,)."""
    geoms: Ids
    """The two geoms of each, shape (n, 2)."""
    modes: tuple[str, ...]
    """Combine modes of the friction of each."""
    first: int
    """Sensor data begin here with their contact points, pair by pair."""

    def __len__(self) -> int:
        return len(self.pairs)

    def combined(self, friction: Floats) -> Floats:
        """Friction of pairs, shape (worlds, n), from that of geoms, shape (worlds, ngeom)."""
        a, b = friction[:, self.geoms[:, 0]], friction[:, self.geoms[:, 1]]
        found = [mix(mode, a[:, i], b[:, i]) for i, mode in enumerate(self.modes)]
        return np.stack(found, axis=1) if found else np.zeros((len(friction), 0))


def sticking_pairs(build: Build, found: Iterable[Pair]) -> list[Pair]:
    """Colliding pairs whose static friction exceeds the dynamic one, if they are not too many."""
    held = {pair for pair in found if _sticks(build, *pair)}
    pairs = sorted(
        without_own(
            build, held, "stick better than they slide: only dynamic friction acts between them"
        )
    )
    if len(pairs) <= _MOST:
        return pairs
    path = build.scene.geoms[pairs[0][0]].path
    build.note(
        path,
        f"is one of the shapes whose static friction is above the dynamic one. They may touch in "
        f"{len(pairs)} ways, more than the {_MOST} that can be looked at in every step, so the "
        "dynamic friction acts alone. Filter collisions that do not matter, join shapes of the "
        "terrain, or make both frictions equal",
    )
    return []


def _sticks(build: Build, first: int, second: int) -> bool:
    a, b = (material_of(build, build.scene.geoms[i]) for i in (first, second))
    mode = friction_mode(build, first, second)
    static, dynamic = (
        mix(mode, np.array(x), np.array(y))
        for x, y in (
            (a.static_friction, b.static_friction),
            (a.dynamic_friction, b.dynamic_friction),
        )
    )
    return bool(static > dynamic)


def feel_contacts(build: Build, pairs: Sequence[ContactPair]) -> list[Any]:
    """Add sensors of the contact points of pairs to the spec, after all others; returns them."""
    return [
        build.spec.add_sensor(
            name=build.namer.take("sensor", None, f"contact {pair.element.name}"),
            type=mujoco.mjtSensor.mjSENS_CONTACT,
            objtype=mujoco.mjtObj.mjOBJ_GEOM,
            objname=pair.element.geomname1,
            reftype=mujoco.mjtObj.mjOBJ_GEOM,
            refname=pair.element.geomname2,
            intprm=(_DATA, _STRONGEST, SLOTS),
        )
        for pair in pairs
    ]


def sticking_table(
    model: mujoco.MjModel, pairs: Sequence[ContactPair], sensors: Sequence[Any]
) -> StickingTable:
    """Table of a model that was just compiled.

    Args:
        model: the model.
        pairs: those that stick.
        sensors: what `feel_contacts` added for them.
    """
    ids = np.array([pair.element.id for pair in pairs], np.intp)
    geoms = np.stack([model.pair_geom1[ids], model.pair_geom2[ids]], axis=1)
    return StickingTable(
        pairs=ids,
        geoms=geoms.astype(np.intp),
        modes=tuple(pair.mode for pair in pairs),
        first=int(model.sensor_adr[sensors[0].id]) if sensors else 0,
    )
