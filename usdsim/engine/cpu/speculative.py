"""Speculative steps: many in one call for worlds that need no attention in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.effects.limits import Limits
from usdsim.engine.indices import ALL, Rows
from usdsim.engine.threads import ThreadedBatch

from .groups import Flags, GroupedSteps, any_of

__all__ = ["LONG", "Attempt", "Attempts", "can_return"]

LONG = 16
"""Steps from which on attempts pay whoever reads what they lead to, which is computed anew."""
_LONGEST = 32
"""Steps tried at once: what is recorded of them has to be kept."""
_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
_NOBODY = np.zeros(0, np.intp)
_Record = Mapping[str, NDArray[Any]]


class Attempt(NamedTuple):
    """Outcome of an attempt: how many steps were tried, and which worlds made them."""

    steps: int
    """Number of steps."""
    done: NDArray[np.intp]
    """Worlds that made them, ascending."""
    rest: NDArray[np.intp]
    """Worlds that did not, ascending."""
    returned: NDArray[np.intp]
    """Worlds in `rest` that were put back to their start."""
    start: _Record
    """State at the start of the last step, by field; a row for each world in `done`."""


class Attempts:
    """Makes many steps in one call, assuming that no limit is reached on the way.

    The engine makes many steps of one world faster than one step of each of many worlds. Worlds
    with a drive or link beyond its limits at the start are not tried: most drives that reach one do
    so there, when their targets have changed. Worlds in which a limit was exceeded on the way, or
    anything failed, are put back to their start, and left out of the next attempt.

    Args:
        limits: the engine's.
        num_envs: number of worlds.
        threads: number of threads that step them.
    """

    def __init__(self, limits: Limits, num_envs: int, threads: int):
        self._limits, self._grouped = limits, GroupedSteps(limits, num_envs, threads)
        self.every, self._left_out = np.arange(num_envs), np.zeros(num_envs, np.bool_)

    def leave_out(self, worlds: NDArray[np.intp]) -> None:
        """Leave some worlds out of the next attempt."""
        self._left_out[worlds] = True

    def run(
        self,
        batch: ThreadedBatch,
        n: int,
        ids: NDArray[np.intp] | None,
        kept: frozenset[str],
        stage: int | None,
    ) -> Attempt:
        """Try at most `n` steps, two or more, of worlds that can return; see `can_return`.

        Args:
            batch: the worlds.
            n: number of steps.
            ids: which worlds, ascending; None: all.
            kept: state fields to record at the start of the last of these steps.
            stage: the engine's, up to which to compute the new state in grouped steps; None: let
                the engine record all steps in one call, which computes nothing of the new state.
        """
        count = min(n, _LONGEST)
        done, rest = self._chosen(batch, ids, stage)
        if not len(done):
            return Attempt(count, done, rest, _NOBODY, {})
        rows: Rows = ALL if len(done) == batch.nsim else done
        # All state fields are views of one array, a row per world.
        saved = batch.state[rows].copy()
        if stage is None:
            bad, start = self._recorded(batch, count, rows, kept)
        else:
            bad, start = self._grouped.run(batch, count, rows, saved, kept, stage)
        if np.count_nonzero(batch.warning):
            bad = any_of([bad, batch.warning[rows, :, 1].any(axis=1)])
        if bad is None:
            return Attempt(count, done, rest, _NOBODY, start)
        returned = done[bad]
        self.leave_out(returned)
        batch.warning[returned] = 0
        batch.state[returned] = saved[bad]
        rest = np.sort(np.concatenate([rest, returned]))
        start = {name: values[~bad] for name, values in start.items()}
        return Attempt(count, done[~bad], rest, returned, start)

    def _chosen(
        self, batch: ThreadedBatch, ids: NDArray[np.intp] | None, stage: int | None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The worlds to try and those to leave out this time, whose flags are cleared."""
        worlds = self.every if ids is None else ids
        self.leave_out(self._limits.drives.saturated(batch, ids))
        if self._limits.linked and stage is not None:
            rows: Rows = ALL if ids is None else ids
            fast = self._limits.links.may_act(batch.bind("cvel")[rows], rows)
            self.leave_out(_NOBODY if fast is None else worlds[fast])
        if not np.count_nonzero(self._left_out):
            return worlds, _NOBODY
        left_out = np.array(self._left_out[worlds])
        self._left_out[worlds] = False
        return worlds[~left_out], worlds[left_out]

    def _recorded(
        self, batch: ThreadedBatch, count: int, rows: Rows, kept: frozenset[str]
    ) -> tuple[Flags, _Record]:
        """Step by the engine's record; see `GroupedSteps.run`."""
        axes, bodies, drives = self._limits.axes, self._limits.bodies, self._limits.drives
        driven, linked = drives.active, self._limits.linked
        fields = {"qvel", *kept, *(["qpos"] if driven else ()), *(["cvel"] if linked else ())}
        ids = None if isinstance(rows, slice) else rows
        try:
            record: _Record = batch.rollout(count, None, record=sorted(fields), ids=ids)
        except mjbatch.SimulationError:
            return np.ones(batch.nsim, np.bool_)[rows], {}
        found: list[Flags] = []
        if axes:
            found.append(axes.beyond_on_the_way(record["qvel"], rows))
        for step in range(count if bodies else 0):
            found.append(bodies.beyond(record["qvel"][:, step], rows))
        for step in range(count if linked else 0):
            # These are of the states that steps start from.
            found.append(self._limits.links.may_act(record["cvel"][:, step], rows))
        for step in range(count - 1 if driven else 0):
            # Forces are those of the states that steps start from, at controls that hold.
            motion = record["qpos"][:, step], record["qvel"][:, step], batch.bind("ctrl")[rows]
            found.append(drives.beyond(*motion, ids).any(axis=1))
        return any_of(found), {name: record[name][:, count - 2] for name in kept}


def can_return(batch: ThreadedBatch) -> bool:
    """Whether restoring the state undoes steps: plugins and sleeping bodies keep more."""
    flags = batch.expanded("opt.enableflags") if batch.differing else None
    sleep = batch.model.opt.enableflags & _SLEEP if flags is None else (flags & _SLEEP).any()
    return batch.model.nplugin == 0 and not sleep
