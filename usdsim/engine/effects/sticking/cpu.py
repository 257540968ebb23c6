"""Static friction of contacts on the CPU."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.surfaces.sticking import SLOTS, WIDTH

__all__ = ["FIELD", "PARTED", "SLACK", "STEADY", "Sticking"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

FIELD = "pair_friction"
"""The engine's parameter: friction of a contact pair, sliding or not."""
SLACK = 1e-3
"""Share of the largest friction that may be missing where surfaces slide."""
PARTED = 10
"""Steps without contact up to which surfaces go on sliding: what slides hops."""
STEADY = 4
"""Looks at the same number of contact points after which their forces count."""


class Sticking:
    """Static and dynamic friction of contact pairs in each world.

    The engine knows one coefficient for both. A pair holds, with the static one, until all its
    contact points are at the edge of that cone. What a box loses of its grip while it rocks by
    micrometres says nothing: shortly after the engine has found other points than before, a pair
    goes on holding. It slides, with the dynamic one, until any force is within the cone again, or
    the shapes have parted for a while. The forces are those of the last step. Where contacts have
    come since, or motion was written, they are those that the
    state implies: what lands fast does not brake with static friction for a step. That is
    PhysX's rule.

    Args:
        compiled: the model; its surfaces say which pairs.
        parameters: the engine's.
        num_envs: number of worlds.

    Attributes:
        active: whether there are such pairs.
    """

    def __init__(self, compiled: CompiledModel, parameters: Any, num_envs: int):
        self._table, self._parameters = compiled.surfaces.sticking, parameters
        self.active = len(self._table) > 0
        self._pyramid = compiled.mj.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
        shape = num_envs, len(self._table)
        self._holds, self._seen = np.ones(shape, np.bool_), np.full(num_envs, -1)
        self._apart, self._points = np.zeros(shape, np.intp), np.zeros(shape)
        self._steady = np.full(shape, STEADY)
        self._dynamic = np.repeat(
            compiled.mj.pair_friction[None, self._table.pairs, 0], num_envs, 0
        )
        self._static = self._dynamic
        if self.active:
            statics = np.repeat(compiled.surfaces.static[None], num_envs, axis=0)
            self._parameters.batch.expand(FIELD)
            self.follow(statics)

    def forget(self, worlds: Any) -> None:
        """Forget the contacts of worlds whose motion was written; None: of all."""
        if self.active:
            rows = slice(None) if worlds is None else np.asarray(worlds)
            slid = not self._holds[rows].all()
            self._holds[rows], self._seen[rows] = True, -1
            self._points[rows], self._steady[rows] = 0.0, STEADY
            if slid:
                self._apply()

    def untried(self, counts: NDArray[np.int32], worlds: Ids | None) -> Ids:
        """Worlds in which there are more contacts than before the last step.

        Args:
            counts: contacts of each world.
            worlds: which to look at; None: all.
        """
        rows: Any = slice(None) if worlds is None else worlds
        more = counts[rows] > np.maximum(self._seen[rows], 0)
        self._seen[rows] = counts[rows]
        found = np.flatnonzero(more)
        return found if worlds is None else worlds[found]

    def update(self, sensors: Floats, worlds: Ids | None) -> None:
        """Choose what acts from now on.

        Args:
            sensors: of all worlds, with the forces of their last step.
            worlds: which to look at; None: all.
        """
        rows: Any = slice(None) if worlds is None else worlds
        first, count = self._table.first, len(self._table)
        points = sensors[rows, first : first + count * SLOTS * WIDTH]
        points = points.reshape(-1, count, SLOTS, WIDTH)
        force = points[..., 1:]
        rub = np.abs(force[..., 1]) + np.abs(force[..., 2])
        if not self._pyramid:
            rub = np.hypot(force[..., 1], force[..., 2])
        pressed = force[..., 0].sum(axis=-1)
        acting = np.where(self._holds[rows], self._static[rows], self._dynamic[rows])
        within = rub.sum(axis=-1) < (1.0 - SLACK) * acting * pressed
        met, before = points[..., 0].max(axis=-1), self._points[rows]
        changed = (before > 0.0) & (before != met)
        self._steady[rows] = steady = np.where(changed, 0, self._steady[rows] + 1)
        within |= self._holds[rows] & (steady < STEADY)
        self._points[rows], meets = met, met > 0.0
        self._apart[rows] = apart = np.where(meets, 0, self._apart[rows] + 1)
        # What does not press slides on, until it has parted.
        free = self._holds[rows] | (apart > PARTED)
        holds = np.where(pressed > 0.0, within, free)
        # What meets without pressing yet is tried again.
        again = (meets & holds & (pressed <= 0.0)).any(axis=-1)
        self._seen[rows] = np.where(again, 0, self._seen[rows])
        if (holds != self._holds[rows]).any():
            self._holds[rows] = holds
            self._apply()

    def written(self) -> Floats:
        """The parameter of all worlds as it was written, read-only: the dynamic friction."""
        values = np.array(self._parameters.read(FIELD))
        values[:, self._table.pairs, :2] = self._dynamic[..., None]
        values.flags.writeable = False
        return values

    def release(self) -> None:
        """Set the parameter to the dynamic friction, for callers to read and write it."""
        if self.active:
            self._put(self._dynamic)

    def follow(self, static: Floats) -> None:
        """Adopt what was written to the parameter since `release`, and static friction.

        Args:
            static: of geoms, shape (num_envs, ngeom).
        """
        if self.active:
            self._dynamic = np.array(self._parameters.read(FIELD)[:, self._table.pairs, 0])
            self._static = np.maximum(self._table.combined(static), self._dynamic)
            self._apply()

    def limits(self, world: int, geoms: NDArray[np.int32], acting: Floats) -> tuple[Floats, Floats]:
        """Static and dynamic friction of contacts of a world.

        Args:
            world: which.
            geoms: that meet, shape (n, 2).
            acting: friction that the engine has, shape (n,).
        """
        if not self.active:
            return acting, acting
        pairs = self._table.geoms
        same = (geoms[:, None] == pairs).all(axis=2) | (geoms[:, None] == pairs[:, ::-1]).all(
            axis=2
        )
        known, which = same.any(axis=1), same.argmax(axis=1)
        static, dynamic = (
            np.where(known, values[world, which], acting)
            for values in (self._static, self._dynamic)
        )
        return static, dynamic

    def _apply(self) -> None:
        """Set the engine's friction to what acts."""
        self._put(np.where(self._holds, self._static, self._dynamic))

    def _put(self, values: Floats) -> None:
        self._parameters.batch.expand(FIELD)[:, self._table.pairs, :2] = values[..., None]
