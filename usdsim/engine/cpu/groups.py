"""Groups of worlds that make several steps in a row, while their data are in the caches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.effects.limits import Limits
from usdsim.engine.effects.saturation.watch import Watch
from usdsim.engine.indices import Rows
from usdsim.engine.threads import ThreadedBatch, state_columns

__all__ = ["Flags", "GroupedSteps", "any_of"]

TOGETHER = 32
"""Worlds of a group per thread: a call takes longer than it saves where there are fewer."""

_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)

Flags = NDArray[np.bool_] | None
"""Whether something is so in each of some worlds; None: in none."""
_Floats = NDArray[np.float64]


class GroupedSteps:
    """Makes several steps of one group of worlds after the other.

    One step of all worlds reads the data of each from memory, as there is no room for all in the
    caches of a processor; several steps of a few worlds do so once. The steps of a group are split
    into calls after which the speeds and forces at all of its steps are known. They are compared
    with their limits after all groups have stepped.

    Args:
        limits: the engine's.
        num_envs: number of worlds.
        threads: number of threads that share a group.
    """

    def __init__(self, limits: Limits, num_envs: int, threads: int):
        self._limits = limits
        self._size = TOGETHER * threads
        self._groups = self._parts(np.arange(num_envs))
        self._plan: _Plan | None = None

    def run(
        self,
        batch: ThreadedBatch,
        count: int,
        rows: Rows,
        saved: _Floats,
        kept: frozenset[str],
        stage: int,
    ) -> tuple[Flags, dict[str, NDArray[Any]]]:
        """Step some worlds, group by group.

        Args:
            batch: the worlds.
            count: number of steps, two or more.
            rows: what picks those that step, whose drives are within their limits now.
            saved: their state.
            kept: state fields to record at the start of the last step.
            stage: the engine's, up to which to compute the new state.

        Returns:
            Flags of the worlds in which a limit was exceeded or the engine failed, and the fields.
        """
        watch, limits = self._limits.drives.watch(batch), self._limits.of_speeds
        linked = self._limits.linked
        longest = 1 if limits or linked else watch.passage.longest if watch else count
        plan = self._plan
        key = batch, watch, count, longest, kept, linked
        if plan is None or plan.key != key:
            plan = self._plan = _Plan(*key)
        passed, pushed, failed = self._advance(batch, plan, rows, saved, stage)
        found = [failed]
        for i, steps in enumerate(plan.calls):
            before, after = passed[i], passed[i + 1]
            if watch:
                if i:
                    found.append(watch.beyond(before, rows))
                if steps > 1:
                    found.append(watch.passage.beyond(rows, before, after, pushed[i], steps))
            if i and linked:
                found.append(self._limits.links.may_act(plan.moving[i][: len(saved)], rows))
            for limit in limits:
                found.append(limit.beyond(after[:, plan.parts["qvel"]], rows))
        start = {name: passed[-2][:, plan.parts[name]] for name in kept}
        return any_of(found), start

    def _advance(
        self, batch: ThreadedBatch, plan: _Plan, rows: Rows, saved: _Floats, stage: int
    ) -> tuple[list[_Floats], list[_Floats | None], Flags]:
        """Make all calls; returns states around them, forces at their ends, and failures."""
        state, size, calls, forces = plan.state, len(saved), plan.calls, plan.forces
        passed = [saved[:, : plan.width], *(room[:size] for room in plan.between)]
        pushed = [None if room is None else room[:size] for room in plan.pushed]
        moving, failed = [room[:size] for room in plan.moving], None
        for part, group in self._groups if isinstance(rows, slice) else self._parts(rows):
            picked: Any = part if isinstance(rows, slice) else group
            try:
                for i, steps in enumerate(calls):
                    if i:
                        passed[i][part] = state[picked]
                        moving[i][part] = plan.motion[picked]
                    batch.advance(group, steps, stage if i == len(calls) - 1 else _VEL)
                    if (last := pushed[i]) is not None:
                        last[part] = forces[picked]
            except mjbatch.SimulationError:
                failed = np.zeros(size, np.bool_) if failed is None else failed
                failed[part] = True
        return [*passed, state[rows]], pushed, failed

    def _parts(self, worlds: NDArray[np.intp]) -> list[tuple[slice, NDArray[np.int32]]]:
        """Groups of some worlds in ascending order: their places among these, and their ids."""
        ids = np.ascontiguousarray(worlds, np.int32)
        parts = [slice(i, i + self._size) for i in range(0, len(ids), self._size)]
        return [(part, ids[part]) for part in parts]


class _Plan:
    """Calls that make up some steps, and buffers for the states between them.

    Args:
        batch: the worlds.
        watch: of their drives.
        count: number of steps.
        longest: most steps of a call.
        kept: state fields that are recorded at the start of the last step.
        linked: whether links have speed limits.

    Attributes:
        key: the arguments.
        calls: number of steps of each call.
        parts: columns of the state that hold the velocities and the fields of `kept`.
        width: number of leading columns of the state that are recorded.
        state: these columns of all worlds.
        between: buffers for them between the calls.
        forces: of the actuators in all worlds.
        pushed: buffers for them at the end of each call; None where they are not needed.
        motion: velocities of all bodies in all worlds, if links have speed limits.
        moving: buffers for them at the start of each call.
    """

    __slots__ = (
        "between", "calls", "forces", "key", "motion", "moving", "parts", "pushed", "state", "width"
    )  # fmt: skip

    def __init__(
        self,
        batch: ThreadedBatch,
        watch: Watch | None,
        count: int,
        longest: int,
        kept: frozenset[str],
        linked: bool,
    ):
        self.key = batch, watch, count, longest, kept, linked
        last = [1] if kept else []
        rest = count - len(last)
        self.calls = [min(longest, rest - made) for made in range(0, rest, longest)] + last
        self.parts = {name: state_columns(batch, name) for name in ("qvel", *kept)}
        ends = [part.stop for part in self.parts.values()]
        self.width = max([*ends, watch.width] if watch else ends)
        self.state = batch.state[:, : self.width]
        self.between = [np.empty_like(self.state) for _ in self.calls[1:]]
        told = [watch is not None and steps > 2 for steps in self.calls]
        self.forces = batch.bind("actuator_force") if any(told) else np.zeros((0, 0))
        self.pushed = [np.empty_like(self.forces) if tell else None for tell in told]
        self.motion = batch.bind("cvel") if linked else np.zeros((batch.nsim, 0))
        self.moving = [np.empty_like(self.motion) for _ in self.calls]


def any_of(found: Iterable[Flags]) -> Flags:
    """Union of flags."""
    bad = [worlds for worlds in found if worlds is not None and np.count_nonzero(worlds)]
    return np.logical_or.reduce(bad) if bad else None
