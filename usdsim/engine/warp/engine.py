"""Warp engine: all worlds stepped by one recording on a GPU."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, get_args

import mujoco
import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import choice, whole
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.core.processors import default_threads
from usdsim.engine import device as devices
from usdsim.engine.base import Engine, FailurePolicy
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.acceleration.warp import WarpAcceleration
from usdsim.engine.effects.body_speeds.warp import WarpBodySpeeds
from usdsim.engine.effects.breaking.warp import WarpBreaking
from usdsim.engine.effects.friction.warp import WarpFriction
from usdsim.engine.effects.gyroscopic.warp import WarpGyroscopicTorques
from usdsim.engine.effects.impacts.warp import WarpImpacts
from usdsim.engine.effects.kinematics.stepping import MOTION
from usdsim.engine.effects.kinematics.warp import WarpKinematics
from usdsim.engine.effects.limits import Limits
from usdsim.engine.effects.link_speeds.warp import WarpLinkSpeeds
from usdsim.engine.effects.saturation.warp import WarpSaturatedDrives
from usdsim.engine.effects.step_forces.warp import WarpStepForces
from usdsim.engine.effects.sticking.warp import WarpSticking
from usdsim.engine.effects.velocity_limits.warp import WarpVelocityLimits
from usdsim.engine.effects.warp import WarpEffects
from usdsim.engine.effects.wrenches.warp import WarpWrenches
from usdsim.engine.failures import Failed, FailureLog, failure_error
from usdsim.engine.fields import Stale, makes_stale, needs, senses_forces
from usdsim.engine.freshness import Freshness
from usdsim.engine.indices import ALL, assign, checked_worlds
from usdsim.engine.initial_worlds import InitialWorlds
from usdsim.engine.names import keyframe_index
from usdsim.engine.parameters.warp import WarpParameters

from . import kernels
from .capacity import estimate_capacity
from .defaults import WarpDefaults
from .growth import OverflowPolicy
from .host import WarpHost
from .overflow import overflow_error
from .step import WarpStep
from .support import device_model
from .worlds import STATE_FIELDS, WarpWorlds

__all__ = ["OverflowPolicy", "WarpEngine"]

_OVERFLOW = get_args(OverflowPolicy)


class WarpEngine(WarpEffects, WarpKinematics, Engine):
    """Worlds of one model on a Warp device; see `Engine`.

    Numbers are single precision there. Arrays live on the device; `device_array` hands them out,
    `read` and `state` bring them to the host (without a copy if the device is the CPU). Whether a
    world failed or contacts found no room is noted on the device and looked at after every call of
    `step`, or less often: looking makes the host wait for a GPU.

    Args:
        compiled: the model.
        num_envs: number of worlds.
        device: ``cuda``, ``cuda:1`` and so on, or ``warp:cpu``: the same path without a GPU.
        threads: number of threads for what is computed on the host; 0: as many as
            `core.processors.default_threads` says.
        on_failure: what happens when a world diverges. It starts anew on the device in any case.
        nconmax: contacts per world there is room for; None: see `estimate_capacity`.
        njmax: constraint rows per world there is room for; None: see `estimate_capacity`.
        on_overflow: what happens when there was too little room.
        check_interval: calls of `step` from one look at failures to the next; 0: only `check`
            looks. With ``on_overflow="grow"`` every call looks.
        graphs: whether to record steps; without, each kernel is launched on its own.

    Raises:
        UnsupportedError: the device cannot simulate the model.
        InvalidValueError: an argument is not allowed, or there is no such device.

    Attributes:
        compiled: the model.
        num_envs: number of worlds.
        device: name of the Warp device the arrays live on.
        failures: what went wrong so far, oldest first.
        failed: worlds that failed; who has seen to one takes it out.
        initial: the state `reset` returns each world to.
        versions: counters of what changed.
    """

    _impacts: WarpImpacts

    def __init__(
        self,
        compiled: CompiledModel,
        num_envs: int = 1,
        device: str = "cuda",
        *,
        threads: int = 0,
        on_failure: FailurePolicy = "raise",
        nconmax: int | None = None,
        njmax: int | None = None,
        on_overflow: OverflowPolicy = "warn",
        check_interval: int = 1,
        graphs: bool = True,
    ):
        self.compiled, self.num_envs = compiled, whole("num_envs", num_envs, 1)
        self._threads = threads = whole("threads", threads, 0) or default_threads()
        self.on_failure = choice("on_failure", on_failure, get_args(FailurePolicy))
        self.on_overflow: OverflowPolicy = choice("on_overflow", on_overflow, _OVERFLOW)
        self.check_interval = whole("check_interval", check_interval, 0)
        self.device = devices.resolve_device(device.removeprefix("warp:"))
        self._remote = not devices.is_shared(self.device)
        with wp.ScopedDevice(self.device):
            prepared = device_model(compiled)
        self.initial = InitialWorlds(compiled.initial, self.num_envs)
        self._log, self._fresh = FailureLog(compiled), Freshness(self.num_envs)
        self.failures, self.failed = self._log.failures, self._log.failed
        self.versions = self._fresh.versions
        self._open_motion()
        capacity = estimate_capacity(compiled, nconmax, njmax)
        self._worlds = WarpWorlds(compiled.mj, self.num_envs, capacity, self.device, prepared)
        self._given, self._calls, self._short = (nconmax, njmax), 0, False
        self._parameters = WarpParameters(compiled, self._worlds, self._rebuild, threads)
        axes = WarpVelocityLimits(compiled, self._worlds)
        bodies = WarpBodySpeeds(compiled, self._worlds)
        drives = WarpSaturatedDrives(compiled, self._parameters, self.versions, self._worlds)
        links = WarpLinkSpeeds(compiled, bodies, self._parameters, self.versions, self._worlds)
        self._limits = Limits(axes, bodies, links, drives)
        self._sticking = WarpSticking(compiled, self._parameters, self._worlds)
        self._impacts = WarpImpacts(compiled, self._worlds, self.kinematics, self._sticking)
        self._friction = WarpFriction(compiled, self._parameters, self.versions, self._worlds)
        self._host = WarpHost(self._worlds, self._parameters, self.versions, threads)
        self._velocities = WarpAcceleration(self._worlds)
        self._program = WarpStep(
            self._worlds,
            (axes, bodies, drives),
            (self._friction, self._sticking),
            self._velocities,
            WarpBreaking(compiled.breakable, self._worlds),
            WarpStepForces(self._worlds, (WarpGyroscopicTorques(compiled, self._worlds), links)),
            self._impacts,
            graphs,
        )
        self._device_wrenches = WarpWrenches(self._program, self.versions)
        self._defaults = WarpDefaults(
            compiled, self._worlds, self.initial, self._parameters, self.versions
        )
        self._force_sensors, self._lent = senses_forces(compiled.mj), dict[str, NDArray[Any]]()
        self._copies: dict[str, tuple[tuple[int, int, int], NDArray[Any]]] = {}
        self.reset()
        self._settle()

    # -- arrays --------------------------------------------------------------------------------

    @property
    def on_device(self) -> WarpEngine:
        """The engine itself, which offers the device's arrays and recordings."""
        return self

    def device_array(self, field: str) -> wp.array:
        """The device's own array of a field, (num_envs, ...); `refresh` before reading it.

        Quaternions keep the engine's order, wxyz; ``acceleration`` and ``joint_wrenches`` are those
        of the methods. It lives until `Versions.arrays` changes.

        Raises:
            UnknownNameError: there is no such field.
        """
        if field == "acceleration":
            self.refresh(field)
            return self._velocities.array
        if field == "joint_wrenches":
            self.refresh(field)
            return self._device_wrenches.array
        return self._worlds.array(field)

    def refresh(self, field: str) -> None:
        """Compute a field, if what it depends on was written."""
        if field == "acceleration":
            self._derive_acceleration()
            return
        if field == "joint_wrenches":
            self.refresh("xpos")
            self._device_wrenches.fill()
            return
        level = needs(field, self._force_sensors)
        # Making room for what was found outdates it again.
        while self._fresh.level & level:
            self._refresh(level)
        if field == "cvel" and self.kinematics.moving:
            self._fill_velocities()

    def read(self, field: str) -> NDArray[Any]:
        """A field of all worlds, read-only, shape (num_envs, ...).

        On the CPU the array is live; from a GPU it is a copy, taken anew when anything changed. The
        number of contacts, ``ncon``, is that of `batch`.

        Raises:
            UnknownNameError: the engine has no such field.
        """
        if field == "ncon":
            counts = self.batch.bind(field).view()
            counts.flags.writeable = False
            return counts
        self.refresh(field)
        now = self.versions.motion, self.versions.forces, self.versions.arrays
        known = self._copies.get(field)
        if known is None or known[0] != now:
            view = self._worlds.numpy(field).view()
            view.flags.writeable = False
            self._copies[field] = known = now, view
        return known[1]

    def state(self, field: str) -> NDArray[Any]:
        """Writable view of a state field, shape (num_envs, ...); `touch` after writing.

        On the CPU the view is live. From a GPU it is a copy that `touch` brings back, until the
        next step or reset.

        Raises:
            InvalidValueError: the field is computed, not state.
        """
        if makes_stale(field) is None:
            self._worlds.array(field)
            allowed = ", ".join((*STATE_FIELDS, "time"))
            raise InvalidValueError("field", field, f"state: {allowed}")
        if not self._remote:
            return self._worlds.numpy(field)
        if field not in self._lent:
            self._lent[field] = np.array(self._worlds.numpy(field))
        return self._lent[field]

    def touch(self, env_ids: ArrayLike | None = None, field: str = "qpos") -> None:
        """Mark a view that `state` handed out as written.

        Args:
            env_ids: worlds, as indices or a mask; None: all.
            field: what was written; kinematics stay valid if it is an input such as ``ctrl``.
        """
        self.send(field)
        self._written(checked_worlds(env_ids, self.num_envs), field)

    def send(self, field: str) -> None:
        """Upload a view that `state` handed out to the device, for the next step.

        Unlike `touch` it outdates nothing: forces stay those of the last step.
        """
        lent = self._lent.get(field)
        if lent is not None:
            self._worlds.upload(field, lent)

    def touch_device(self, env_ids: Any = None, field: str = "qpos") -> None:
        """Mark the array that `device_array` handed out as written; see `touch`.

        Args:
            env_ids: worlds, as indices or a mask, which may be arrays on the device; None: all.
            field: what was written.
        """
        self._lent.pop(field, None)
        if isinstance(env_ids, wp.array):
            self._posed(field, None)
            if field in MOTION:
                self._sticking.forget(env_ids)
            level = makes_stale(field)
            if level:
                self._outdate(level, env_ids)
        else:
            self._written(checked_worlds(env_ids, self.num_envs), field)

    def write(
        self,
        field: str,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Set a state field.

        Args:
            field: a state field, such as ``qpos`` or ``ctrl``.
            values: what broadcasts to (worlds, elements, ...).
            env_ids: worlds, as indices or a mask; None: all.
            ids: positions along the field's second axis, as indices or a mask; None: all.
        """
        worlds = checked_worlds(env_ids, self.num_envs)
        view = self.state(field)
        try:
            assign(field, view, values, worlds, ids)
        except BaseException:
            self._lent.pop(field, None)
            raise
        self.touch(worlds, field)

    # -- steps ---------------------------------------------------------------------------------

    def step(
        self,
        n: int = 1,
        env_ids: ArrayLike | None = None,
        *,
        starts: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """Advance all worlds or `env_ids` by `n` time steps.

        Args:
            n: number of steps.
            env_ids: worlds, as indices or a mask; None: all.
            starts: arrays that get state fields as the last step starts from them, by name, each
                of the shape of the field.

        Raises:
            SimulationError: worlds diverged, or contacts found no room, and the engine is to raise
                then; the other worlds went on.
        """
        n = whole("number of steps", n, 0)
        ids = None if env_ids is None else self._sorted(env_ids)
        if n == 0 or (ids is not None and not len(ids)):
            return
        if starts and n > 1:
            self._guided_steps(n - 1, ids)
            n = 1
        rows = ALL if ids is None else ids
        for field, values in (starts or {}).items():
            values[rows] = self.read(field)[rows]
        self._guided_steps(n, ids)
        self._check_when_due()

    def prepare_step(self) -> Hashable | None:
        """Get ready for a step of all worlds that is part of somebody else's recording.

        Returns:
            What differs where a step takes other launches than before; None: it cannot be
            recorded, as it may have to be repeated with more room, or nothing is to be recorded.
        """
        recorded = self._program.graphs.enabled and not self._guided
        if self.on_overflow == "grow" or not recorded:
            return None
        while self._fresh.level & Stale.KINEMATICS:
            self._refresh(Stale.KINEMATICS)
        return self.versions.arrays, self._program.prepare()

    def launch_step(self) -> None:
        """Launch a step of all worlds and nothing else; `prepare_step` before, `note_step` after.

        What is launched after it in the same recording finds the worlds where the step led.
        """
        self._program.launch()
        self._moved(None)

    def note_step(self) -> None:
        """Record a step that was launched, and check for failures when it is time.

        Raises:
            SimulationError: as for `step`.
        """
        self._moved(None)
        self.kinematics.stepped(None)
        self._check_when_due()

    def forward(self, env_ids: ArrayLike | None = None) -> None:
        """Compute everything that follows from the current state of all worlds or `env_ids`."""
        ids = None if env_ids is None else self._sorted(env_ids)
        while True:
            self._compute_motion()
            self._program.forward(ids)
            self._fresh.renew(ids)
            self.versions.forces += 1
            if not self._grown():
                break

    def check(self) -> None:
        """Check whether worlds failed or contacts found no room since the last check.

        Unless the engine is to raise then, there is more room from here on.

        Raises:
            SimulationError: they did, and the engine is to raise then.
        """
        alarm = int(self._program.alarm.numpy()[0])
        if not alarm:
            return
        failed = self._failed() if alarm & kernels.FAILED else Failed([], [])
        overflow = self._overflow() if alarm & kernels.OVERFLOWED else None
        self._program.clear_alarm()
        raised = failed.handle(self.on_failure, self.reset)
        if overflow is not None and self.on_overflow == "raise":
            raise overflow_error(overflow, self.compiled, self.time)
        if overflow is not None:
            self._make_do(overflow)
        if raised:
            raise failure_error(raised, self.num_envs)

    def reset(self, env_ids: Any = None, keyframe: int | str | None = None) -> None:
        """Return worlds to their initial state, or to a keyframe.

        Args:
            env_ids: worlds, as indices or a mask; None: all. The host does not look at a Warp array
                of booleans on the device.
            keyframe: index, name or path of a keyframe; None: the state authored on the stage.

        Raises:
            ShapeError: a mask has the wrong length.
        """
        ids = env_ids
        if self._masks(env_ids):
            if env_ids.shape != (self.num_envs,):
                raise ShapeError("env_ids mask", env_ids.shape, f"({self.num_envs},)")
        elif env_ids is not None:
            ids = self._sorted(env_ids)
        key = -1 if keyframe is None else keyframe_index(self.compiled.names, keyframe)
        self._lent.clear()
        rows = self._defaults.rows(key)
        self._program.defaults = self._defaults.rows(-1)
        self._program.reset(ids, rows)
        self._reset_motion(ids)
        self._sticking.forget(ids)
        self._outdate(Stale.MOTION, ids)

    @property
    def threads(self) -> int:
        """Number of threads for what is computed on the host."""
        return self._threads

    # -- inside --------------------------------------------------------------------------------

    def _advance(self, ids: NDArray[np.intp] | None, n: int) -> None:
        self._compute_motion()
        self._program.step(ids, n)
        self._moved(ids)

    def _check_when_due(self) -> None:
        """Check for failures in every `check_interval`-th call."""
        self._calls += 1
        interval = 1 if self.on_overflow == "grow" else self.check_interval
        if interval and self._calls % interval == 0:
            self.check()

    def _moved(self, ids: NDArray[np.intp] | None) -> None:
        """Update the bookkeeping after a step of some worlds; None: of all."""
        self._lent.clear()
        self._impacts.stepped(ids)
        self._fresh.moved()
        self._fresh.renew(ids)
        if ids is None:
            self._velocities.stepped()

    def _failed(self) -> Failed:
        """Log the failures that the device recorded."""
        kinds, times = self._program.failure.numpy(), self._program.when.numpy()
        failed = self._log.add_warnings(
            (world, float(times[world]), _counts(*kinds[world]))
            for world in np.flatnonzero(kinds[:, 0] >= 0).tolist()
        )
        self._velocities.forget(failed.worlds)
        return failed

    def _masks(self, env_ids: Any) -> bool:
        """Whether worlds are given as a mask on the device."""
        on_device = isinstance(env_ids, wp.array) and str(env_ids.device) == self.device
        return on_device and env_ids.dtype is wp.bool

    def _outdate(self, level: Stale, ids: Any) -> None:
        """Mark results of worlds stale after a write: ids, a mask on the device, or None: all."""
        self._velocities.forget(ids)
        self._impacts.forget(None if isinstance(ids, wp.array) else ids)
        self._fresh.outdate(level, None if isinstance(ids, wp.array) else ids)

    def _compute_motion(self) -> None:
        """Compute positions and velocities of all worlds, if they are stale."""
        if self._fresh.level & Stale.KINEMATICS:
            self._program.motion()
            self._fresh.computed(Stale.KINEMATICS)

    def _refresh(self, needed: Stale) -> None:
        self._compute_motion()
        if needed & self._fresh.level & Stale.FORCES:
            self._program.forward(self._fresh.worlds(Stale.FORCES))
            self._fresh.computed(Stale.FORCES)
        self._grown()


def _counts(kind: int, index: int) -> NDArray[np.int32]:
    """A warning of one kind as the CPU's engine counts them, shape (kinds, 2)."""
    counts = np.zeros((int(mujoco.mjtWarning.mjNWARNING), 2), np.int32)
    counts[kind] = index, 1
    return counts
