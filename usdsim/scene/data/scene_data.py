"""Scene data: the state of one or many worlds of a `SceneModel`."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine import CompiledModel, Engine, FailurePolicy, WorldFailure
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import all_finite

from .contacts import DataContacts
from .given import check_data
from .indices import select_worlds
from .low import LowData
from .state import DataState
from .worlds import SceneWorlds

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["SceneData"]

_ALL = slice(None)


class SceneData(DataState, DataContacts):
    """The state of one or many worlds.

    What is read is always for the current state: link poses are valid from the start, and after a
    step, a write or a reset they describe the new state. Arrays handed out are copies: they are the
    caller's, and what is written into them changes nothing here; assigning to a property does.

    Args:
        model: the model to simulate; any number of data may share it.
        batch: ``()`` for one world, ``(N,)`` or ``N`` for many.
        threads: worker threads; 0: what `init_thread_pool` set, else one per core. Results do not
            depend on it.
        on_failure: when a world diverges: ``"raise"`` a `SimulationError` once all worlds are
            stepped, ``"reset"`` it to its initial state and go on, or only ``"report"`` it in
            `failures`. The other worlds go on in any case.
        device: where to simulate: ``cpu``, ``cuda``, ``cuda:1`` and so on, or ``warp:cpu``. Numbers
            are single precision on devices other than ``cpu``.
        device_options: more options of `usdsim.engine.create.create_engine`, such as ``nconmax``.

    Raises:
        ShapeError: `batch` has more than one axis or no worlds.
        InvalidValueError: there is no such device.
        UnsupportedError: the device cannot simulate the model.
    """

    __slots__ = ("_engine", "_ids", "_model", "_rows", "_shape", "_worlds")

    def __init__(
        self,
        model: SceneModel,
        batch: tuple[int, ...] | int = (),
        threads: int = 0,
        on_failure: FailurePolicy = "raise",
        device: str = "cpu",
        device_options: Mapping[str, Any] | None = None,
    ):
        if not isinstance(getattr(model, "compiled", None), CompiledModel):
            raise InvalidValueError("model", model, "a SceneModel; load_model(path) gives one")
        shape = _batch_shape(batch)
        count = shape[0] if shape else 1
        self._model = model
        self._shape = shape
        self._rows: int | slice | NDArray[np.intp] = slice(None) if shape else 0
        self._ids: NDArray[np.intp] | None = None
        where = {"device": device, **(device_options or {})}
        self._worlds = SceneWorlds(model, count, threads, on_failure, where)
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
    def low(self) -> LowData:
        """The engine underneath, with every array MuJoCo has; of a view, all worlds."""
        return LowData(self, self.engine)  # type: ignore[abstract]

    @property
    def engine(self) -> Engine:
        """The engine itself, for what wants one."""
        self._worlds.prepare()
        return self._engine

    @property
    def failures(self) -> list[WorldFailure]:
        """Failures of any world so far, oldest first: world, time, message, prims."""
        return [*self._engine.failures]

    # Views ---------------------------------------------------------------------------------------

    def __getitem__(self, key: Any, /) -> SceneData:
        """View of some worlds: its steps, writes and resets act on these alone.

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
        """Positions of all degrees of freedom [m or rad], a copy, shape (*B, num_dof_pos).

        A floating base has 7 (position and quaternion x, y, z, w), a ball joint 4 (quaternion), a
        hinge or slide 1. Assign to it, or call `set_dof_pos`, to write.
        """
        qpos = self._engine.read("qpos")[self._rows]
        return self._model.layout.dof_pos_from_engine(qpos)

    @dof_pos.setter
    def dof_pos(self, values: ArrayLike) -> None:
        self.set_dof_pos(values)

    @property
    def dof_vel(self) -> FloatArray:
        """Velocities of all degrees of freedom [m/s or rad/s], a copy, shape (*B, num_dof_vel).

        A floating base has 6: linear velocity in world, angular velocity in its own frame.
        """
        return self._engine.read("qvel")[self._rows].astype(np.float32)

    @dof_vel.setter
    def dof_vel(self, values: ArrayLike) -> None:
        self.set_dof_vel(values)

    @property
    def actuator_ctrls(self) -> FloatArray:
        """Controls of all actuators, a copy, shape (*B, num_ctrls).

        The control of a stage's drive is its target position [m or rad], or its target velocity
        [m/s or rad/s] if it has no stiffness; see `PidActuator` for its other inputs.

        Assign to the property to set the controls of the next step.
        """
        return self._worlds.controls.read(self._rows)

    @actuator_ctrls.setter
    def actuator_ctrls(self, values: ArrayLike) -> None:
        worlds = self._worlds
        if (
            type(values) is np.ndarray
            and values.dtype == np.float32
            and values.shape == (*self._shape, worlds.num_ctrls)
            and all_finite(values)
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
            check_data(self, model)
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
            check_data(self, model)
        low = self._model.low
        starts: dict[str, tuple[slice, NDArray[np.float64]]] = {}
        if dof_pos is not None:
            every = slice(0, low.nq)
            starts["qpos"] = every, self.checked_dof_pos(every, dof_pos, "dof_pos")
        if dof_vel is not None:
            every = slice(0, low.nv)
            starts["qvel"] = every, self.checked_dof_vel(every, dof_vel, "dof_vel")
        self._worlds.reset(self._rows, self._ids, None, reset_overrides)
        for field, (columns, values) in starts.items():
            self.write_state(field, columns, values)
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
        self._worlds.seed_noise(seed)

    # For models and keyframes ---------------------------------------------------------------------

    def step(self, model: SceneModel, count: int) -> None:
        """Advance by `count` steps."""
        check_data(self, model)
        self._worlds.step(count, self._ids)
        if model.reports_constraints:
            self.read_constraints()

    def forward(self) -> None:
        """Bring poses, velocities and contacts up to date, where they are not."""
        self._worlds.prepare()
        self._engine.read("xpos")

    def reset_to_keyframe(self, keyframe: int) -> None:
        """Put the worlds into the state of a keyframe, given its engine id; overrides stay."""
        self._worlds.reset(self._rows, self._ids, keyframe, False)

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
