"""Steps of the CPU engine: in one call, on the chance that nothing happens, or one by one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.base import FailurePolicy, WorldFailure
from usdsim.engine.effects.breaking.cpu import break_overloaded
from usdsim.engine.effects.cpu import JointEffects
from usdsim.engine.failure_reports import KEPT_FAILURES
from usdsim.engine.failures import Quiet, describe
from usdsim.engine.fields import Stale

from .arena import Arena
from .sleeping import Sleep
from .speculative import Attempts

__all__ = ["CpuSteps"]

logger = logging.getLogger("usdsim")

_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)
_ACC = int(mujoco.mjtStage.mjSTAGE_ACC)
_NOBODY = np.zeros(0, np.intp)


class CpuSteps(JointEffects):
    """The part of `CpuEngine` that makes steps, with what acts between them."""

    failures: list[WorldFailure]
    on_failure: FailurePolicy
    _arena: Arena
    _attempts: Attempts
    _batch: mjbatch.Batch
    _before: NDArray[np.float64]
    _quiet: Quiet
    _sleep: Sleep
    _time: NDArray[np.float64]
    _warned: set[str]

    if TYPE_CHECKING:

        def state(self, field: str) -> NDArray[Any]:
            """Live writable view of a state field; see `Engine.state`."""
            ...

        def param(self, field: str) -> NDArray[Any]:
            """A model parameter of all worlds; see `Engine.param`."""
            ...

        def reset(
            self, env_ids: ArrayLike | None = None, keyframe: int | str | None = None
        ) -> None:
            """Return worlds to their initial state; see `Engine.reset`."""
            ...

        def _compute(self, ids: NDArray[Any] | None, stage: int) -> None: ...

        def _grown(self, messages: dict[int, str]) -> bool: ...

        def _refused(
            self, messages: dict[int, str], times: NDArray[np.float64]
        ) -> list[WorldFailure]: ...

    def _advance(self, n: int, ids: NDArray[Any] | None) -> list[WorldFailure]:
        """Step; returns the failures to raise."""
        return self._advance_until(n, ids, None)[1]

    def _advance_until(
        self, n: int, ids: NDArray[Any] | None, due: Callable[[], bool] | None
    ) -> tuple[int, list[WorldFailure]]:
        """Make up to `n` steps, one by one until something is due; how many, and what failed."""
        if ids is None and self._sleep.covers(self._batch):
            return self._advance_asleep(n, due)
        return self._advance_awake(n, ids, due)

    def _advance_asleep(
        self, n: int, due: Callable[[], bool] | None
    ) -> tuple[int, list[WorldFailure]]:
        """Step where all bodies sleep: once, and if nothing wakes by that, time alone goes on."""
        found: list[WorldFailure] = []
        made = 0
        if not self._sleep.lasts(self.versions):
            made, found = self._advance_awake(1, None, due)
            if not self._sleep.covers(self._batch):
                if due is None and n > 1:
                    found += self._advance_until(n - 1, None, None)[1]
                    made = n
                return made, found
        timestep = self._parameters.read("opt.timestep")
        for _ in range(n - made):
            self._time += timestep
        self._fresh.moved()
        self._sleep.note(self.versions)
        return n, found

    def _advance_awake(
        self, n: int, ids: NDArray[Any] | None, due: Callable[[], bool] | None
    ) -> tuple[int, list[WorldFailure]]:
        self._parameters.settle()
        np.copyto(self._before, self._time)
        self._fresh.moved()
        self._arena.save(self._batch)
        messages: dict[int, str] = {}
        each, made = (n, n) if due is None else (1, 1)
        with self._quiet:
            try:
                self._batch.step(ids, each, _VEL)
                while due and made < n and not self._warning and not due():
                    np.copyto(self._before, self._time)
                    made += 1
                    self._batch.step(ids, 1, _VEL)
            except mjbatch.SimulationError as error:
                messages = {int(i): self._batch.error(int(i)) for i in error.ids}
        if messages or self._warning:
            if self._grown(messages):
                return self._advance_awake(n, ids, due)
            self._fresh.renew(ids)
            return made, self._fail(each, messages)
        self._fresh.renew(ids)
        return made, []

    @property
    def _warning(self) -> bool:
        """Whether the engine warned of anything."""
        return bool(np.count_nonzero(self._batch.warning))

    def _step_watched(self, n: int, ids: NDArray[Any] | None) -> list[WorldFailure]:
        """Step with what acts between steps."""
        self._parameters.settle()
        found: list[WorldFailure] = []
        if not self._has_limits and not self._between_steps and n > 1:
            found += self._advance(n - 1, ids)
            n = 1
        count = self.num_envs if ids is None else len(ids)
        last = 0 if self._passing else 1
        while not self._between_steps and self._attempts.worth(n, count):
            worlds = np.arange(self.num_envs) if ids is None else ids
            with self._quiet:
                done_steps, done, rest = self._attempts.run(self._batch, n - last, worlds)
            # More follows for these, so nothing has to be computed for a reader.
            self._outdate(Stale.MOTION, done if len(rest) else ids)
            for _ in range(done_steps if len(rest) else 0):
                found += self._step_once(rest)
            n -= done_steps
        while n:
            if n == 1:
                self._acceleration.keep(self.state("qvel"), ids)
            made, failed = self._step_some(max(n - last, 1), ids)
            found += failed
            n -= made
        return found

    def _step_some(self, n: int, ids: NDArray[Any] | None) -> tuple[int, list[WorldFailure]]:
        """Make up to `n` steps, at least one; how many, and the failures to raise."""
        if n == 1 or self._between_steps:
            return 1, self._step_once(ids)
        self._parameters.settle()
        worlds = self._saturated(ids)
        if len(worlds):
            return 1, self._step_once(ids)
        limited = self._limited

        def due() -> bool:
            return len(self._saturated(ids)) > 0 or (limited and bool(self._too_fast(ids)))

        made, found = self._advance_until(n, ids, due)
        if limited:
            self._slow_down(ids)
        return made, found

    def _step_once(self, ids: NDArray[Any] | None) -> list[WorldFailure]:
        self._friction.update(ids)
        if self._sticking.active:
            self._try_contacts(ids)
        self._impacts.begin(ids)
        self._parameters.settle()
        worlds = self._saturated(ids)
        found = self._advance_held(ids, worlds) if len(worlds) else self._advance(1, ids)
        if self._sticking.active:
            self._sticking.update(self._batch.bind("sensordata"), ids)
        if self._limited:
            self._slow_down(ids)
        if len(self.compiled.breakable):
            changed = break_overloaded(self.compiled.breakable, self._batch, ids)
            if len(changed):
                self._fresh.outdate(Stale.MOTION, changed)
        self._rebound(ids)
        return found

    def _try_contacts(self, ids: NDArray[Any] | None) -> None:
        """Find out where contacts that came hold, before they brake."""
        worlds = self._sticking.untried(self.read("ncon"), ids)
        if len(worlds):
            self._compute(worlds, _ACC)
            self._sticking.update(self._batch.bind("sensordata"), worlds)

    def _saturated(self, ids: NDArray[Any] | None) -> NDArray[np.intp]:
        """Worlds of some that have a stiff drive beyond its limits."""
        if not self._drives.active:
            return _NOBODY
        return self._drives.saturated(self._batch, ids)

    def _advance_held(
        self, ids: NDArray[Any] | None, worlds: NDArray[np.intp]
    ) -> list[WorldFailure]:
        """Step once, with implicit forces of the drives beyond their limits in some worlds."""
        self._compute(worlds, _ACC)
        self._drives.hold(self._batch, worlds)
        try:
            return self._advance(1, ids)
        finally:
            self._drives.release(self._batch)

    def _fail(self, n: int, messages: dict[int, str]) -> list[WorldFailure]:
        counts = self._batch.warning
        found: list[WorldFailure] = []
        lost: list[int] = []
        for world in map(int, np.flatnonzero(counts[:, :, 1].any(axis=1))):
            when = self._failed_at(world, n)
            failure, effect = describe(self.compiled, world, when, counts[world])
            self.failures.append(failure)
            counts[world] = 0
            if effect == "degraded":
                self._warn(failure)
                continue
            found.append(failure)
            if effect == "lost":
                lost.append(world)
        found += self._refused(messages, self._before)
        del self.failures[:-KEPT_FAILURES]
        self._acceleration.forget([failure.world for failure in found])
        if not found or self.on_failure == "report":
            return []
        if self.on_failure == "reset":
            self.reset([failure.world for failure in found])
            return []
        if lost:
            self.reset(lost)
        return found

    def _warn(self, failure: WorldFailure) -> None:
        if failure.message not in self._warned:
            self._warned.add(failure.message)
            logger.warning("%s", failure)

    def _failed_at(self, world: int, n: int) -> float:
        # The engine restarts a diverged world at time zero and goes on for the rest of the call.
        step = float(self.param("opt.timestep")[world])
        expected, after = float(self._before[world]) + n * step, float(self._time[world])
        restarted = after < expected - 0.5 * step
        return expected - after if restarted else float(self._before[world])
