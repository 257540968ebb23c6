"""The state of one or many worlds of a `SceneModel`."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError, UsdsimError
from usdsim.engine import CpuEngine, FailurePolicy, WorldFailure

from .arrays import FloatArray, flattened, frozen, numbers, require_finite, unit_quaternion
from .data_contacts import DataContacts
from .data_state import DataState
from .indices import select_worlds
from .noise import SensorNoise
from .worlds import Worlds

if TYPE_CHECKING:
    from .model import SceneModel

__all__ = ["SceneData"]

_ALL = slice(None)


class SceneData(DataState, DataContacts):
    """The state of one or many worlds.

    What is read is always for the current state: link poses are valid from the start, and after a
    step, a write or a reset they describe the new state. Arrays handed out are read-only, except
    `actuator_ctrls`, which is live.

    Args:
        model: the model to simulate; any number of data may share it.
        batch: ``()`` for one world, ``(N,)`` or ``N`` for many.
        threads: worker threads; 0: one per core. Results do not depend on it.
        on_failure: when a world diverges: ``"raise"`` a `SimulationError` once all worlds are
            stepped, ``"reset"`` it to its initial state and go on, or only ``"report"`` it in
            `failures`. The other worlds go on in any case.

    Raises:
        ShapeError: `batch` has more than one axis or no worlds.
    """

    __slots__ = ("_engine", "_ids", "_model", "_rows", "_shape", "_worlds")

    def __init__(
        self,
        model: SceneModel,
        batch: tuple[int, ...] | int = (),
        threads: int = 0,
        on_failure: FailurePolicy = "raise",
    ):
        shape = _batch_shape(batch)
        count = shape[0] if shape else 1
        self._model = model
        self._shape = shape
        self._rows: int | slice | NDArray[np.intp] = slice(None) if shape else 0
        self._ids: NDArray[np.intp] | None = None
        self._worlds = Worlds(model, count, threads, on_failure)
        self._engine = self._worlds.engine

    @property
    def model(self) -> SceneModel:
        """The model this is the state of."""
        return self._model

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch shape, ``()`` or ``(N,)``: written *B in the shapes of all results."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of batch axes, 0 or 1."""
        return len(self._shape)

    @property
    def low(self) -> CpuEngine:
        """The engine underneath, with every array MuJoCo has; of a view, all worlds."""
        self._worlds.prepare()
        return self._engine

    @property
    def failures(self) -> list[WorldFailure]:
        """What went wrong in any world so far, oldest first: world, time, message, prims."""
        return [*self._engine.failures]

    # Views ---------------------------------------------------------------------------------------

    def __getitem__(self, key: Any, /) -> SceneData:
        """Some of the worlds: steps, writes and resets of the view act on these alone.

        Args:
            key: a world index (the view has shape ``()``), a mask, a slice, an integer array or a
                `DisjointIndices` (the view has shape ``(k,)``, in the order given).
        """
        rows, shape = select_worlds(key, self._shape)
        if self._ids is not None:
            rows = self._ids[rows]
        view = object.__new__(SceneData)
        view._model, view._shape, view._rows = self._model, shape, rows
        view._ids = np.atleast_1d(np.asarray(rows, dtype=np.intp))
        view._worlds, view._engine = self._worlds, self._engine
        return view

    def __len__(self) -> int:
        if not self._shape:
            raise InvalidValueError("len(data)", "()", "data with a batch axis")
        return self._shape[0]

    def __iter__(self) -> Iterator[SceneData]:
        return (self[world] for world in range(len(self)))

    def __bool__(self) -> bool:
        return True

    def get(self, index: Any) -> SceneData:
        """The same as ``data[index]``."""
        return self[index]

    # State ---------------------------------------------------------------------------------------

    @property
    def dof_pos(self) -> FloatArray:
        """Positions of all degrees of freedom [m or rad], read-only, shape (*B, num_dof_pos).

        A floating base has 7 (position and quaternion x, y, z, w), a ball joint 4 (quaternion), a
        hinge or slide 1. Assign to it, or call `set_dof_pos`, to write.
        """
        qpos = self._engine.read("qpos")[self._rows]
        return frozen(self._model.layout.dof_pos_from_engine(qpos))

    @dof_pos.setter
    def dof_pos(self, values: ArrayLike) -> None:
        self.set_dof_pos(values)

    @property
    def dof_vel(self) -> FloatArray:
        """Velocities of all degrees of freedom [m/s or rad/s], read-only, shape (*B, num_dof_vel).

        A floating base has 6: linear velocity in world, angular velocity in its own frame.
        """
        return frozen(self._engine.read("qvel")[self._rows].astype(np.float32))

    @dof_vel.setter
    def dof_vel(self, values: ArrayLike) -> None:
        self.set_dof_vel(values)

    @property
    def actuator_ctrls(self) -> FloatArray:
        """Controls of all actuators, float32, shape (*B, num_ctrls).

        The control of a stage's drive is its target position [m or rad], or its target velocity
        [m/s or rad/s] if it has no stiffness; see `PidActuator` for its other inputs.

        Live: writing into it sets the controls of the next step. Only for views made with a mask,
        a slice or indices is it a read-only copy; assign to the property there.
        """
        values = self._worlds.controls.sync()[self._rows]
        return values if not isinstance(self._rows, np.ndarray) else frozen(values)

    @actuator_ctrls.setter
    def actuator_ctrls(self, values: ArrayLike) -> None:
        worlds = self._worlds
        if (
            type(values) is np.ndarray
            and values.dtype.kind == "f"
            and values.shape == (*self._shape, worlds.num_ctrls)
            and math.isfinite(np.vdot(values, values))
        ):
            # What training loops do each step, without the checks that have just been passed.
            worlds.controls.set(self._rows, _ALL, values)
        else:
            self.set_ctrls(_ALL, values, "actuator_ctrls")

    def set_dof_pos(self, dof_pos: ArrayLike, model: SceneModel | None = None) -> None:
        """Write positions of all degrees of freedom, laid out as in `dof_pos`.

        Args:
            dof_pos: [m or rad], shape (num_dof_pos,) for all worlds alike or (*B, num_dof_pos).
            model: checked to be the model of this data, if given.

        Raises:
            ShapeError: another shape.
            InvalidValueError: NaN, infinity, or a quaternion that is not of unit length; the
                message names the joint and the world. Nothing is written then.
        """
        if model is not None:
            self.check_model(model)
        self.write_dof_pos(slice(0, self._model.low.nq), dof_pos, "dof_pos")

    def set_dof_vel(self, dof_vel: ArrayLike) -> None:
        """Write velocities of all degrees of freedom, laid out as in `dof_vel`.

        Args:
            dof_vel: [m/s or rad/s], shape (num_dof_vel,) or (*B, num_dof_vel).
        """
        self.write_dof_vel(slice(0, self._model.low.nv), dof_vel, "dof_vel")

    def reset(
        self,
        model: SceneModel | None = None,
        dof_pos: ArrayLike | None = None,
        dof_vel: ArrayLike | None = None,
        forward_kinematic: bool = False,
        reset_overrides: bool = True,
    ) -> None:
        """Put the worlds back to their initial state: positions, velocities, controls, time.

        Args:
            model: checked to be the model of this data, if given.
            dof_pos: positions to start from instead of the model's, as for `set_dof_pos`.
            dof_vel: velocities to start from instead of the model's, as for `set_dof_vel`.
            forward_kinematic: compute kinematics now; they are computed on first use otherwise.
            reset_overrides: also drop parameters set for single worlds.
        """
        if model is not None:
            self.check_model(model)
        low = self._model.low
        pos = None if dof_pos is None else self._check_dof_pos(slice(0, low.nq), dof_pos, "dof_pos")
        vel = None if dof_vel is None else self.check_dof_vel(slice(0, low.nv), dof_vel, "dof_vel")
        self._worlds.reset(self._rows, self._ids, None, reset_overrides)
        if pos is not None:
            self.write_state("qpos", slice(0, low.nq), pos)
        if vel is not None:
            self.write_state("qvel", slice(0, low.nv), vel)
        if forward_kinematic:
            self.forward()

    def seed_sensor_noise(self, seed: int | None) -> None:
        """Add noise to what sensors give from now on, with each sensor's own deviation.

        The noise of a world depends on the seed, on the world's index and on how often it was
        stepped and reset since this call, and on nothing else: neither on the number of worlds or
        threads, nor on what is read in which order. Reading twice gives the same value.

        Args:
            seed: 0 to 2^64 - 1; None: no noise, as in the beginning. For all worlds, also if this
                is a view.
        """
        self._worlds.noise = None if seed is None else SensorNoise(seed, self._engine.num_envs)

    # For elements and models ---------------------------------------------------------------------

    def check_model(self, model: SceneModel) -> None:
        """Raise a `UsdsimError` unless this is data of `model`."""
        if self._model is not model:
            raise UsdsimError(
                f"This data belongs to {self._model!r}, not to {model!r}. Create a SceneData for "
                "each model, and use elements of the model the data was created from."
            )

    @property
    def world_ids(self) -> NDArray[np.intp] | None:
        """World of each row, for messages; None: rows are worlds."""
        return self._ids

    def field(self, model: SceneModel, name: str) -> NDArray[Any]:
        """An engine array for the current state, read-only, shape (*B, ...)."""
        if self._model is not model:
            self.check_model(model)
        return self._engine.read(name)[self._rows]

    def measured(self, model: SceneModel, name: str) -> NDArray[Any]:
        """An engine array that also depends on controls; otherwise as `field`."""
        self._worlds.prepare()
        return self.field(model, name)

    @property
    def all_worlds(self) -> NDArray[np.intp]:
        """World of each row, shape (rows,)."""
        if self._ids is not None:
            return self._ids
        return np.arange(self._engine.num_envs)

    def read_sensors(self, sensors: Sequence[int], noise: bool = True) -> FloatArray:
        """Values of sensors one after the other, quaternions x, y, z, w, shape (*B, sizes)."""
        self._worlds.prepare()
        draw = self._worlds.noise if noise else None
        measured = self._engine.read("sensordata")
        values = self._worlds.sensors.read(measured, sensors, self.all_worlds, draw)
        return values.reshape(*self._shape, values.shape[-1])

    def step(self, model: SceneModel, count: int) -> None:
        """Advance by `count` steps."""
        if self._model is not model:
            self.check_model(model)
        self._worlds.step(count, self._ids)
        if model.reports_constraints:
            self.read_constraints()

    def forward(self) -> None:
        """Bring poses, velocities and contacts up to date, where they are not."""
        self._worlds.prepare()
        self._engine.read("xpos")

    def read_dof_pos(self, model: SceneModel, columns: slice) -> FloatArray:
        """Some positions, laid out as in `dof_pos`, shape (*B, n)."""
        return frozen(model.layout.dof_pos_from_engine(self.field(model, "qpos"), columns))

    def read_dof_vel(self, model: SceneModel, columns: slice) -> FloatArray:
        """Some velocities, laid out as in `dof_vel`, shape (*B, n)."""
        return frozen(self.field(model, "qvel")[..., columns].astype(np.float32))

    def write_dof_pos(self, columns: slice, values: ArrayLike, what: str) -> None:
        """Write some positions, laid out as in `dof_pos`; `what` names them in messages."""
        self.write_state("qpos", columns, self._check_dof_pos(columns, values, what))

    def write_dof_vel(self, columns: slice, values: ArrayLike, what: str) -> None:
        """Write some velocities, laid out as in `dof_vel`; `what` names them in messages."""
        self.write_state("qvel", columns, self.check_dof_vel(columns, values, what))

    def write_state(self, field: str, select: int | slice, values: NDArray[np.float64]) -> None:
        """Write part of an engine state array; the values are checked by the caller."""
        self._engine.state(field)[self._rows, select] = values
        self._engine.touch(self._ids, field)

    def write_columns(self, field: str, at: NDArray[np.intp], values: NDArray[np.float64]) -> None:
        """Write some numbers of a state array, flattened per world; checked by the caller."""
        if field == "ctrl":
            controls = np.searchsorted(self._model.control_columns, at)
            self._worlds.controls.set(self._rows, controls, values)
            return
        state = self._engine.state(field)
        first, run = int(at[0]), np.arange(int(at[0]), int(at[0]) + len(at))
        if state.ndim == 2 and not isinstance(self._rows, np.ndarray) and (at == run).all():
            state[self._rows, first : first + len(at)] = values
        else:
            tail = np.unravel_index(at, state.shape[1:])
            rows = np.asarray(self.all_worlds if self._shape else self._rows)
            state[(rows[..., None], *tail)] = values
        self._engine.touch(self._ids, field)

    def worlds_field(self, name: str) -> NDArray[Any]:
        """An engine array for the current state of all worlds, flattened, shape (worlds, k)."""
        return flattened(self._engine.read(name))

    @property
    def selected_worlds(self) -> NDArray[np.intp] | None:
        """The worlds this is a view of; None: all there are."""
        return self._ids

    @property
    def has_noise(self) -> bool:
        """Whether sensors have noise: see `seed_sensor_noise`."""
        return self._worlds.noise is not None

    def read_ctrls(self, columns: slice) -> FloatArray:
        """Some controls, shape (*B, n)."""
        return self._worlds.controls.read(self._rows, columns)

    def set_ctrls(
        self, columns: int | slice | NDArray[np.intp], ctrls: ArrayLike, what: str
    ) -> None:
        """Write some controls; `what` names them in messages."""
        chosen = self._model.control_indices[columns]
        array = numbers(ctrls, self._shape, chosen.shape, what, exact=False)
        title, flat = self._model.control_title, chosen.reshape(-1)
        require_finite(
            array, chosen.shape, lambda i: title(int(flat[i if chosen.ndim else 0])), self._ids
        )
        self._worlds.controls.set(self._rows, columns, array)

    def read_inputs(self, inputs: slice) -> FloatArray:
        """Some of the engine's own inputs, shape (*B, n)."""
        return self._worlds.controls.read_inputs(self._rows, inputs)

    def set_inputs(self, inputs: Sequence[tuple[int, ArrayLike, str]]) -> None:
        """Write some of the engine's own inputs: column, values, and a name for messages."""
        arrays = [numbers(values, self._shape, (), what, exact=False) for _, values, what in inputs]
        for array, (_, _, what) in zip(arrays, inputs, strict=True):
            require_finite(array, (), what, self._ids)
        for array, (column, _, _) in zip(arrays, inputs, strict=True):
            self._worlds.controls.set_input(self._rows, column, array)

    def push_body(self, body: int, force: NDArray[Any], torque: NDArray[Any]) -> None:
        """Add a wrench at a body's centre of mass, in world, for the next step."""
        self._worlds.push_body(self._rows, body, force, torque)

    def reset_to_keyframe(self, keyframe: int) -> None:
        """Put the worlds into the state of a keyframe."""
        self._worlds.reset(self._rows, self._ids, keyframe, False)

    def param(self, field: str) -> NDArray[Any]:
        """A model parameter of these worlds, shape (*B, ...)."""
        return self._engine.param(field)[self._rows]

    def set_param(
        self, field: str, rows: NDArray[np.intp] | None, values: NDArray[np.float64]
    ) -> None:
        """Set a model parameter, or some rows of it, to checked values.

        Args:
            field: array of the engine's model.
            rows: which rows; None: the whole array.
            values: for all worlds or one per world.
        """
        shape = self._engine.param(field).shape[1:]
        tail = shape if rows is None else (len(rows), *shape[1:])
        count = len(self._ids) if self._ids is not None else (self._shape or (1,))[0]
        per_world = np.broadcast_to(values, (count, *tail))
        self._worlds.set_param(field, rows, per_world, self._ids)

    # Internals -----------------------------------------------------------------------------------

    def _check_dof_pos(self, columns: slice, values: ArrayLike, what: str) -> NDArray[np.float64]:
        """Checked positions in the engine's order."""
        layout = self._model.layout
        tail = (columns.stop - columns.start,)
        array = numbers(values, self._shape, tail, what)
        require_finite(
            array, tail, lambda i: layout.pos_title(columns.start + i) + f" in {what}", self._ids
        )
        starts = layout.quaternions(columns)
        if not len(starts):
            return array
        array = array.copy()
        for start in starts:
            at = slice(start - columns.start, start - columns.start + 4)
            quat = unit_quaternion(
                array[..., at], f"{layout.pos_title(start)} in {what}", self._ids
            )
            array[..., at] = np.roll(quat, 1, axis=-1)
        return array

    def check_dof_vel(self, columns: slice, values: ArrayLike, what: str) -> NDArray[np.float64]:
        """Checked velocities, shape (n,) or (*B, n)."""
        layout = self._model.layout
        tail = (columns.stop - columns.start,)
        array = numbers(values, self._shape, tail, what)
        require_finite(
            array, tail, lambda i: layout.vel_title(columns.start + i) + f" in {what}", self._ids
        )
        return array

    def __repr__(self) -> str:
        return f"<SceneData {self._shape} of {self._model!r}>"


def _batch_shape(batch: tuple[int, ...] | int) -> tuple[int, ...]:
    try:
        shape = (operator.index(batch),) if not isinstance(batch, tuple | list) else tuple(batch)
        shape = tuple(operator.index(n) for n in shape)
    except TypeError:
        raise InvalidValueError("batch", batch, "() or (N,)") from None
    if len(shape) > 1 or not all(0 < n < 2**31 for n in shape):
        raise ShapeError("batch", shape, "() for one world or (N,) with 0 < N < 2147483648")
    return shape
