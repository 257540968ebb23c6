"""CPU engine: worlds stepped on a pool of threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import choice, whole
from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.core.processors import default_threads
from usdsim.engine.base import Engine, FailurePolicy
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.acceleration.cpu import StepAcceleration
from usdsim.engine.effects.body_speeds.cpu import BodySpeeds
from usdsim.engine.effects.friction.cpu import FIELD as JOINT_FRICTION
from usdsim.engine.effects.friction.cpu import JointFriction
from usdsim.engine.effects.gyroscopic.cpu import GyroscopicTorques
from usdsim.engine.effects.impacts.cpu import Impacts
from usdsim.engine.effects.kinematics.cpu import CpuKinematics
from usdsim.engine.effects.limits import Limits
from usdsim.engine.effects.link_speeds.cpu import LinkSpeeds
from usdsim.engine.effects.saturation.cpu import SaturatedDrives
from usdsim.engine.effects.step_forces.cpu import StepForces
from usdsim.engine.effects.sticking.cpu import FIELD as PAIR_FRICTION
from usdsim.engine.effects.sticking.cpu import Sticking
from usdsim.engine.effects.velocity_limits.cpu import VelocityLimits
from usdsim.engine.effects.wrenches.cpu import JointWrenches
from usdsim.engine.failures import FailureLog, failure_error
from usdsim.engine.fields import Stale, makes_stale, needs, senses_forces
from usdsim.engine.freshness import Freshness
from usdsim.engine.indices import assign, checked_ids, checked_worlds
from usdsim.engine.initial_worlds import InitialWorlds
from usdsim.engine.names import keyframe_index
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.quiet import Quiet
from usdsim.engine.threads import ThreadedBatch

from .arena import Arena
from .heaps import Heaps
from .initial_rows import InitialRows
from .sleeping import Sleep, stepped_model
from .speculative import Attempts
from .starts import LastStarts

__all__ = ["CpuEngine"]

_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)
_ACC = int(mujoco.mjtStage.mjSTAGE_ACC)
_NONE = int(mujoco.mjtStage.mjSTAGE_NONE)
_NOTHING = int(Stale.NOTHING)


class CpuEngine(CpuKinematics, Engine):
    """Worlds of one model on CPU threads; see `Engine`.

    Results do not depend on the number of threads or worlds. An engine must be used from one
    Python thread at a time.

    Args:
        compiled: the model.
        num_envs: number of worlds.
        threads: number of threads; 0: as many as `core.processors.default_threads` says.
        on_failure: what happens when a world diverges.

    Attributes:
        compiled: the model.
        num_envs: number of worlds.
        failures: what went wrong so far, oldest first.
        failed: worlds that failed; who has seen to one takes it out.
        initial: the state `reset` returns each world to.
        versions: counters of what changed.
    """

    device = "cpu"
    on_device = None

    def __init__(
        self,
        compiled: CompiledModel,
        num_envs: int = 1,
        threads: int = 0,
        on_failure: FailurePolicy = "raise",
    ):
        self.compiled, self.num_envs = compiled, whole("num_envs", num_envs, 1)
        threads = whole("threads", threads, 0)
        self.on_failure = choice("on_failure", on_failure, get_args(FailurePolicy))
        self.initial = InitialWorlds(compiled.initial, self.num_envs)
        self._log, self._fresh = FailureLog(compiled), Freshness(self.num_envs)
        self.failures, self.failed = self._log.failures, self._log.failed
        self.versions = self._fresh.versions
        pool = min(threads or default_threads(), self.num_envs)
        try:
            model = stepped_model(compiled)
            self._batch = ThreadedBatch(model, self.num_envs, pool, persistent=True)
        except (ValueError, MemoryError) as error:
            raise InvalidValueError(
                "num_envs", num_envs, "as many worlds as fit into memory"
            ) from error
        self._parameters = Parameters(self._batch, compiled)
        self._sticking = Sticking(compiled, self._parameters, self.num_envs)
        self._impacts = Impacts(compiled, self.num_envs, self._sticking)
        self._friction = JointFriction(compiled, self._parameters, self.versions)
        self._gyroscopic = GyroscopicTorques(compiled, self._parameters)
        self._forces = StepForces()
        self._acceleration = StepAcceleration(self.num_envs, compiled.mj.nv)
        self._starts = LastStarts(self._acceleration, self.state)
        self._wrenches = JointWrenches(compiled, self._parameters, self.versions)
        bodies = BodySpeeds(compiled, self.num_envs)
        self._limits = Limits(
            VelocityLimits(compiled, self.num_envs),
            bodies,
            LinkSpeeds(compiled, bodies, self._parameters, self.versions),
            SaturatedDrives(compiled, self._parameters, self.versions),
        )
        self._open_motion()
        self._force_sensors = senses_forces(compiled.mj)
        self._arena, self._sleep = Arena(compiled), Sleep(model)
        self._heaps = Heaps(compiled, self.num_envs)
        self._attempts = Attempts(self._limits, self.num_envs, pool)
        self._rows = InitialRows(model)
        self._states: dict[str, NDArray[Any]] = {}
        self._reads: dict[str, tuple[Stale, NDArray[Any]]] = {}
        # Bits of `Stale`: what was read since the last step began, and in the period before it.
        self._read = self._wanted = _NOTHING
        self._quiet = Quiet()
        self._time = self._batch.bind("time")
        self._before = np.zeros(self.num_envs)
        self.reset()
        self._rows.keep(self._batch)

    @property
    def threads(self) -> int:
        """Number of threads."""
        return int(self._batch.nthread)

    @property
    def batch(self) -> ThreadedBatch:
        """The worlds as MuJoCo runs them; not to be kept, `set_param` may replace them."""
        return self._parameters.batch

    # -- state ---------------------------------------------------------------------------------

    def read(self, field: str) -> NDArray[Any]:
        """A field of all worlds, read-only, shape (num_envs, ...).

        The array is live: it is valid until the next step, and follows it. After a step, forces
        and accelerations are those of that step; after a write, those the written state implies.

        Raises:
            UnknownNameError: the engine has no such field.
        """
        entry = self._reads.get(field)
        if entry is None:
            entry = self._open(field)
        self._read |= entry[0]
        if self._fresh.level & entry[0]:
            self._refresh(entry[0])
        if field == "cvel" and len(self.kinematics.table):
            return self._with_kinematic_velocities(entry[1])
        if field == "sensordata" and self._impacts.reporting:
            return self._impacts.reported(entry[1])
        return entry[1]

    def state(self, field: str) -> NDArray[Any]:
        """Live writable view of a state field, shape (num_envs, ...); `touch` after writing.

        It lives until `set_param` moves an inertial frame or a joint, and is read-only then.

        Raises:
            InvalidValueError: the field is computed, not state.
        """
        view = self._states.get(field)
        if view is None:
            view = self._open_state(field)
        return view

    def touch(self, env_ids: ArrayLike | None = None, field: str = "qpos") -> None:
        """Mark a view that `state` handed out as written.

        Args:
            env_ids: worlds, as indices or a mask; None: all.
            field: what was written; kinematics stay valid if it is an input such as ``ctrl``.
        """
        self._written(None if env_ids is None else checked_worlds(env_ids, self.num_envs), field)

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
        view = self._states.get(field)
        if view is None:
            view = self._open_state(field)
        worlds = checked_worlds(env_ids, self.num_envs)
        assign(field, view, values, worlds, ids)
        self._written(worlds, field)

    def _wake(self, ids: NDArray[np.intp] | None) -> None:
        self._sleep.wake(self._batch, ids)

    # -- time ----------------------------------------------------------------------------------

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
            SimulationError: worlds failed and `on_failure` is ``raise``; the others went on.
        """
        n = whole("number of steps", n, 0)
        ids = None if env_ids is None else self._sorted(env_ids)
        if n == 0 or (ids is not None and not len(ids)):
            return
        self._starts.arrays = starts or {}
        self._wanted, self._read = self._read, _NOTHING
        failures = self._guided_steps(n, ids)
        if failures:
            raise failure_error(failures, self.num_envs)

    def forward(self, env_ids: ArrayLike | None = None) -> None:
        """Compute everything that follows from the current state of all worlds or `env_ids`."""
        ids = None if env_ids is None else self._sorted(env_ids)
        self._compute(ids, _ACC)
        self._fresh.renew(ids)
        self.versions.forces += 1

    def reset(self, env_ids: ArrayLike | None = None, keyframe: int | str | None = None) -> None:
        """Return worlds to their initial state, or to a keyframe.

        Args:
            env_ids: worlds, as indices or a mask; None: all.
            keyframe: index, name or path of a keyframe; None: the state authored on the stage.
        """
        ids = None if env_ids is None else self._sorted(env_ids)
        key = -1 if keyframe is None else keyframe_index(self.compiled.names, keyframe)
        copied = key < 0 and self._rows.reset(self._batch, ids)
        if not copied:
            self._batch.reset(ids, key, _NONE)
        if key < 0:
            rows = slice(None) if ids is None else ids
            # Rows that are copied hold what the model says.
            for field, value in self.initial.rows(ids, own=copied):
                self.state(field)[rows] = value
        self._heaps.forget(self._batch, ids)
        self._reset_motion(ids)
        self._sticking.forget(ids)
        self._outdate(Stale.MOTION, ids)

    # -- parameters ----------------------------------------------------------------------------

    def param(self, field: str) -> NDArray[Any]:
        """A model parameter of all worlds, read-only, shape (num_envs, ...).

        Args:
            field: as in `mujoco.MjModel`, or ``opt.`` and a field of `mujoco.MjOption`.
        """
        if field == PAIR_FRICTION and self._sticking.active:
            return self._sticking.written()
        return self._parameters.read(field)

    def set_param(
        self,
        field: str,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Set a model parameter; constants derived from it follow.

        Args:
            field: as in `mujoco.MjModel`, or ``opt.`` and a field of `mujoco.MjOption`.
            values: what broadcasts to (worlds, elements, ...).
            env_ids: worlds, as indices or a mask; None: all.
            ids: positions along the field's second axis, as indices or a mask; None: all.
        """
        worlds = checked_worlds(env_ids, self.num_envs)
        try:
            with self._surfaces_written(field):
                self._parameters.write(field, values, worlds, ids)
        finally:
            if self._parameters.replaced(self._batch):
                self._adopt(self._parameters.batch)
        if field == JOINT_FRICTION:
            self._friction.follow(worlds, ids)
        self._parameters_written(worlds)

    def set_shapes(
        self,
        values: Mapping[str, ArrayLike],
        env_ids: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Set what makes the shapes of geoms, all of it at once; arguments as for `set_param`.

        Args:
            values: by field of `usdsim.engine.parameters.shapes.SHAPES`.
            env_ids: worlds.
            ids: geoms.
        """
        worlds = checked_worlds(env_ids, self.num_envs)
        self._parameters.write_shapes(values, worlds, ids)
        self._parameters_written(worlds)

    def restore_params(self, fields: Iterable[str], env_ids: ArrayLike | None = None) -> None:
        """Restore the model's own values of some parameters in some worlds.

        Args:
            fields: as for `set_param`.
            env_ids: worlds, as indices or a mask; None: all.
        """
        fields = tuple(fields)
        worlds = checked_worlds(env_ids, self.num_envs)
        with self._surfaces_written(*fields):
            self._parameters.restore(fields, worlds)
        if JOINT_FRICTION in fields:
            self._friction.follow(worlds, None)
        self._parameters_written(worlds)

    def world_model(self, world: int) -> mujoco.MjModel:
        """A copy of the model with the parameters of one world."""
        return self.batch.get_model(int(checked_ids("world", world, self.num_envs)[0]))

    def world_data(self, world: int) -> mujoco.MjData:
        """A copy of everything the engine knows of one world, contacts included."""
        index = int(checked_ids("world", world, self.num_envs)[0])
        if self._fresh.level:
            self._refresh(Stale.MOTION)
        data = self._batch.get_data(index)
        if self._sleep.enabled:
            self.rouse(self.batch.get_model(index), data)
        return data

    def rouse(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Compute all of a copied world, contacts of bodies that sleep included.

        Args:
            model: of the world; as before afterwards.
            data: the copy.
        """
        self._sleep.rouse(model, data)

    # -- inside --------------------------------------------------------------------------------

    def _parameters_written(self, worlds: NDArray[np.intp] | None) -> None:
        """Wake worlds whose parameters were written and mark their results stale; None: all."""
        self.versions.parameters += 1
        self._sleep.wake(self._batch, worlds)
        self._outdate(Stale.MOTION, worlds)

    def _adopt(self, batch: ThreadedBatch) -> None:
        """Replace the batch; views handed out before become read-only."""
        for view in self._states.values():
            view.flags.writeable = False
        self._states.clear()
        self._reads.clear()
        self._batch, self._time = batch, batch.bind("time")
        self.versions.arrays += 1
        self._outdate(Stale.MOTION, None)

    def _open(self, field: str) -> tuple[Stale, NDArray[Any]]:
        if field not in mjbatch.DATA_FIELDS:
            raise UnknownNameError("engine field", field, sorted(mjbatch.DATA_FIELDS))
        view = self._batch.bind(field).view()
        view.flags.writeable = False
        if makes_stale(field) is None:
            # A field bound after a call is filled by the next one, even if that computes nothing.
            self._batch.forward(None, _NONE)
        self._reads[field] = entry = needs(field, self._force_sensors), view
        return entry

    def _open_state(self, field: str) -> NDArray[Any]:
        if field not in mjbatch.DATA_FIELDS:
            raise UnknownNameError("engine field", field, sorted(mjbatch.DATA_FIELDS))
        if makes_stale(field) is None:
            fields = sorted(name for name in mjbatch.DATA_FIELDS if makes_stale(name) is not None)
            raise InvalidValueError("field", field, f"state: {', '.join(fields)}")
        self._states[field] = self._batch.bind(field)
        return self._states[field]

    def _outdate(self, level: Stale, ids: NDArray[Any] | None) -> None:
        """Mark results of some worlds stale after a write; None: of all."""
        if self._acceleration.enabled:
            self._acceleration.forget(ids)
        if self._impacts.active:
            self._impacts.forget(ids)
        self._fresh.outdate(level, ids)

    def _refresh(self, needed: Stale) -> None:
        fresh = self._fresh
        if fresh.level & needed & Stale.FORCES:
            self._compute(worlds := fresh.worlds(Stale.FORCES), _ACC)
            fresh.renew(worlds)
        if fresh.level & needed & Stale.KINEMATICS:
            self._compute(fresh.worlds(Stale.KINEMATICS), _VEL)
            fresh.computed(Stale.KINEMATICS)

    def _compute(self, ids: NDArray[Any] | None, stage: int) -> None:
        self._parameters.settle()
        self._friction.update(ids)
        self._arena.save(self._batch)
        messages: dict[int, str] = {}
        with self._quiet:
            try:
                self._batch.forward(ids, stage)
            except mjbatch.SimulationError as error:
                messages = {int(i): self._batch.error(int(i)) for i in error.ids}
        if self._grown(messages):
            self._compute(None, stage)
        elif messages:
            raise failure_error(self._log.add_errors(messages, self._time), self.num_envs)

    def _grown(self, messages: dict[int, str]) -> bool:
        """Whether the last call ran out of memory and is to be repeated with more of it."""
        batch = self._arena.regrown(self._batch, messages)
        if batch is None:
            return False
        self._parameters.batch = batch
        self._adopt(batch)
        return True
