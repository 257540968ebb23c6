"""Steps of the CPU engine: tried several at a time, or made one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.effects.acceleration.cpu import StepAcceleration
from usdsim.engine.effects.breaking.cpu import break_overloaded
from usdsim.engine.effects.friction.cpu import JointFriction
from usdsim.engine.effects.gyroscopic.cpu import GyroscopicTorques
from usdsim.engine.effects.impacts.cpu import Impacts
from usdsim.engine.effects.limits import Limits
from usdsim.engine.effects.step_forces.cpu import StepForces
from usdsim.engine.effects.sticking.cpu import Sticking
from usdsim.engine.failures import FailureLog, WorldFailure
from usdsim.engine.fields import Stale
from usdsim.engine.freshness import Freshness
from usdsim.engine.indices import ALL, Rows
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.part import EnginePart
from usdsim.engine.quiet import Quiet
from usdsim.engine.threads import ThreadedBatch

from .arena import Arena
from .heaps import Heaps
from .sleeping import Sleep
from .speculative import LONG, Attempts, can_return
from .starts import LastStarts

__all__ = ["CpuSteps"]

_NONE = int(mujoco.mjtStage.mjSTAGE_NONE)
_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)
_ACC = int(mujoco.mjtStage.mjSTAGE_ACC)
# Members of an enumeration are looked up slowly.
_NOTHING, _KINEMATICS = Stale.NOTHING, Stale.KINEMATICS
_PORTION, _LEAST_PORTION = 200_000, 64
"""Steps, times degrees of freedom of all worlds, that one call of the engine makes, and the least
steps. Python hears of Ctrl-C between calls; within one, caches hold a group of worlds."""


class CpuSteps(EnginePart):
    """The part of `CpuEngine` that makes steps, with what acts between them."""

    _acceleration: StepAcceleration
    _arena: Arena
    _attempts: Attempts
    _batch: ThreadedBatch
    _before: NDArray[np.float64]
    _forces: StepForces
    _fresh: Freshness
    _friction: JointFriction
    _gyroscopic: GyroscopicTorques
    _heaps: Heaps
    _impacts: Impacts
    _limits: Limits
    _log: FailureLog
    _parameters: Parameters
    _quiet: Quiet
    _read: int
    _sleep: Sleep
    _starts: LastStarts
    _sticking: Sticking
    _time: NDArray[np.float64]
    _wanted: int

    if TYPE_CHECKING:

        def _compute(self, ids: NDArray[Any] | None, stage: int) -> None: ...

        def _grown(self, messages: dict[int, str]) -> bool: ...

    @property
    def _watching(self) -> bool:
        """Whether anything has to be done before or after each step, or the last one."""
        return (
            self._acceleration.enabled
            or self._limits.active
            or self._between_steps
            or bool(self._starts.arrays)
        )

    @property
    def _between_steps(self) -> bool:
        """Whether each step has to be looked at before the next one."""
        return (
            self._sticking.active
            or self._friction.active
            or self._impacts.active
            or self._gyroscopic.active
            or self._limits.drives.enveloped
            or len(self.compiled.breakable.paths) > 0
        )

    def _advance(self, n: int, ids: NDArray[Any] | None) -> list[WorldFailure]:
        """Make `n` steps of some worlds; returns the failures that the caller raises."""
        if ids is None and self._sleep.closed and self._sleep.covers(self._batch):
            return self._advance_asleep(n)
        if not self._heaps.enabled:
            return self._advance_awake(n, ids)
        failures: list[WorldFailure] = []
        for _ in range(n):
            failures += self._advance_awake(1, ids)
            self._heaps.choose_solver(self._batch, ids)
        return failures

    def _advance_asleep(self, n: int) -> list[WorldFailure]:
        """Step while all bodies sleep: once, and if that wakes nothing, only time advances."""
        failures: list[WorldFailure] = []
        if not self._sleep.lasts(self.versions):
            failures = self._advance_awake(1, None)
            n -= 1
            if n and not self._sleep.covers(self._batch):
                return failures + self._advance(n, None)
        timestep = self._parameters.read("opt.timestep")
        for _ in range(n):
            self._time += timestep
        self._fresh.moved()
        self._sleep.note(self.versions)
        return failures

    def _advance_awake(self, n: int, ids: NDArray[Any] | None) -> list[WorldFailure]:
        self._parameters.settle()
        self._before[...] = self._time
        self._fresh.moved()
        self._arena.save(self._batch)
        deferred = self._defer(ALL if ids is None else ids)
        stage = _NONE if deferred else _VEL
        messages: dict[int, str] = {}
        chosen = None if ids is None else ids.astype(np.int32)
        portion = max(_LEAST_PORTION, _PORTION // (self.num_envs * max(self.compiled.mj.nv, 1)))
        with self._quiet:
            for first in range(0, n, portion):
                try:
                    self._batch.advance(chosen, min(portion, n - first), stage)
                except mjbatch.SimulationError as error:
                    messages |= {int(i): self._batch.error(int(i)) for i in error.ids}
                    worlds = np.arange(self.num_envs, dtype=np.int32) if chosen is None else chosen
                    chosen = worlds[~np.isin(worlds, error.ids)]
                    if not len(chosen):
                        break
        if messages or np.count_nonzero(self._batch.warning):
            if self._grown(messages):
                return self._advance_awake(n, ids)
            self._fresh.renew(ids, deferred)
            return self._fail(n, messages)
        self._fresh.renew(ids, deferred)
        return []

    def _step_watched(self, n: int, ids: NDArray[Any] | None) -> list[WorldFailure]:
        """Make several steps with the effects that act between them; returns failures to raise."""
        failures: list[WorldFailure] = []
        # A warning raised by reading is reported by the next step, which must not be undone then.
        if not (self._between_steps or np.count_nonzero(self._batch.warning)):
            if can_return(self._batch) and not self._arena.grows:
                return self._try_steps(n, ids)
            if not self._limits.active:
                failures = self._advance(n - 1, ids)
                n = 1
        return failures + self._step_singly(n, ids)

    def _step_singly(self, n: int, ids: NDArray[Any] | None) -> list[WorldFailure]:
        """Step with a look at all worlds after each step."""
        failures: list[WorldFailure] = []
        for remaining in range(n, 0, -1):
            if remaining == 1:
                self._starts.keep(ALL if ids is None else ids)
            if self._gyroscopic.active or self._limits.linked:
                failures += self._step_pushed(ids)
            else:
                failures += self._step_once(ids)
        return failures

    def _step_pushed(self, ids: NDArray[Any] | None) -> list[WorldFailure]:
        """Make one step with forces that follow from the motion it starts with."""
        self._push(ids)
        try:
            return self._step_once(ids)
        finally:
            self._forces.take_back(self._batch)

    def _push(self, ids: NDArray[Any] | None) -> None:
        """Apply these forces to worlds that are about to step."""
        gyroscopic, links = self._gyroscopic, self._limits.links
        rows, velocity = ALL if ids is None else ids, self._look("cvel")
        worlds = self._attempts.every[rows]
        if gyroscopic.active:
            wrenches = gyroscopic.wrenches(worlds, velocity, self._look("ximat"))
            self._forces.add(self._batch, worlds, gyroscopic.bodies, wrenches)
        fast = links.may_act(velocity[rows], rows) if self._limits.linked else None
        if fast is not None:
            worlds, fields = worlds[fast], ("xipos", "subtree_com", "ximat")
            wrenches = links.wrenches(worlds, velocity, *map(self._look, fields))
            over = wrenches.any(axis=(1, 2))
            self._forces.add(self._batch, worlds[over], links.bodies, wrenches[over])

    def _look(self, field: str) -> NDArray[Any]:
        """A field as it is now, which is no sign that programs read it."""
        read = self._read
        self.read(field)
        self._read = read
        return self._batch.bind(field)

    def _try_steps(self, n: int, ids: NDArray[Any] | None) -> list[WorldFailure]:
        """Step where limits may act, assuming that they do not; returns failures to raise.

        If kinematics were read since the last call, they will most likely be read again.
        """
        failures: list[WorldFailure] = []
        stage: int | None = _VEL
        deferred = _NOTHING
        if not self._limits.active:
            deferred = self._defer(ALL)
            stage = _NONE if deferred else _VEL
        elif n >= LONG or not self._wanted & _KINEMATICS:
            # A recorded attempt computes nothing of the state that it leads to.
            stage, deferred = None, _KINEMATICS
        if self._limits.linked and stage is not None:
            self._look("cvel")
        while n > 1:
            self._parameters.settle()
            with self._quiet:
                attempt = self._attempts.run(self._batch, n, ids, self._starts.fields, stage)
            steps, done, rest, returned, start = attempt
            self._fresh.moved()
            self._fresh.renew(done, deferred)
            if len(returned):
                self._fresh.outdate(Stale.MOTION, returned)
            if steps == n and len(done):
                self._starts.keep(ALL if len(done) == self.num_envs else done, start)
            if len(rest):
                failures += self._step_singly(steps, rest)
            n -= steps
        return failures + self._step_singly(n, ids)

    def _step_once(self, ids: NDArray[Any] | None) -> list[WorldFailure]:
        """Make one step with all that acts before and after it; returns failures to raise."""
        between = self._between_steps
        if between:
            self._friction.update(ids)
            if self._sticking.active:
                self._try_contacts(ids)
        self._impacts.begin(ids)
        worlds = self._limits.drives.saturated(self._batch, ids)
        failures = self._advance_held(ids, worlds) if len(worlds) else self._advance(1, ids)
        if between and self._sticking.active:
            self._sticking.update(self._batch.bind("sensordata"), ids)
        if self._limits.of_speeds:
            self._slow_down(ALL if ids is None else ids, ids)
        if between:
            self._break_joints(ids)
            self._rebound(ids)
        return failures

    def _defer(self, rows: Rows) -> Stale:
        """Results that a step defers until they are read; called before the step.

        Kinematics after a step are computed in vain if the state or a parameter changes before they
        are read. Speed limits will most likely change the state if they did in the last step, and
        programs will most likely write state or parameters if they did since the last step.
        """
        limits = self._limits
        if not limits.of_speeds:
            unread = self._fresh.level & ~self._wanted & _KINEMATICS
            return _KINEMATICS if unread else _NOTHING
        if limits.slowed or self._fresh.level & _KINEMATICS:
            limits.axes.forget_inertia()
            return _KINEMATICS
        limits.axes.note_inertia(self._parameters.batch, rows)
        return _NOTHING

    def _slow_down(self, rows: Rows, ids: NDArray[Any] | None) -> None:
        """Enforce the limits of speeds after a step; what acts now will most likely act again."""
        velocities = self.state("qvel")[rows]
        for worlds in self._limits.slow_down(self._parameters, velocities, rows, ids):
            self._attempts.leave_out(worlds)
            self._fresh.outdate(Stale.MOTION, None if len(worlds) == self.num_envs else worlds)

    def _break_joints(self, ids: NDArray[Any] | None) -> None:
        """Break joints whose load in the last step exceeded what they bear."""
        if len(self.compiled.breakable):
            changed = break_overloaded(self.compiled.breakable, self._batch, ids)
            if len(changed):
                self._fresh.outdate(Stale.MOTION, changed)

    def _try_contacts(self, ids: NDArray[Any] | None) -> None:
        """Find out which new contacts stick, before a step lets them slide."""
        worlds = self._sticking.untried(self.read("ncon"), ids)
        if len(worlds):
            self._compute(worlds, _ACC)
            self._sticking.update(self._batch.bind("sensordata"), worlds)

    def _rebound(self, ids: NDArray[np.intp] | None) -> None:
        """Apply restitution impulses after the step that was just made."""
        if self._impacts.active and not self._impacts.held:
            step, contacts = self._parameters.read("opt.timestep"), self.read("ncon")
            batch = self._parameters.batch
            changed = self._impacts.resolve(batch, contacts, ids, step, self.kinematics)
            if len(changed):
                self._fresh.outdate(Stale.MOTION, changed)

    def _advance_held(
        self, ids: NDArray[Any] | None, worlds: NDArray[np.intp]
    ) -> list[WorldFailure]:
        """Step once; in some worlds, saturated drives exert the implicit force within limits."""
        self._compute(worlds, _ACC)
        self._limits.drives.hold(self._batch, worlds)
        try:
            return self._advance(1, ids)
        finally:
            self._limits.drives.release(self._batch)

    def _fail(self, n: int, messages: dict[int, str]) -> list[WorldFailure]:
        """Log and handle failures in the last `n` steps; returns those that the caller raises."""
        counts = self._batch.warning
        warned = np.flatnonzero(counts[:, :, 1].any(axis=1))
        failed = self._log.add_warnings(
            (world, self._failed_at(world, n), counts[world]) for world in warned.tolist()
        )
        counts[warned] = 0
        failed.failures += self._log.add_errors(messages, self._before)
        self._acceleration.forget(failed.worlds)
        return failed.handle(self.on_failure, self.reset)

    def _failed_at(self, world: int, n: int) -> float:
        # The engine restarts a diverged world at time zero and goes on for the rest of the call.
        step = float(self.param("opt.timestep")[world])
        expected, after = float(self._before[world]) + n * step, float(self._time[world])
        restarted = after < expected - 0.5 * step
        return expected - after if restarted else float(self._before[world])
