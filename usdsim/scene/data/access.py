"""World access: the worlds of a `SceneData`, for elements and models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import ShapeError
from usdsim.engine import Engine
from usdsim.math.rotations import quat_to_wxyz
from usdsim.scene.arrays import FloatArray, flattened
from usdsim.scene.checks import (
    finite_numbers,
    finite_pose,
    require_single,
    unit_quaternion,
)

from .given import engine_array
from .worlds import SceneWorlds

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

    from .scene_data import SceneData

__all__ = ["DataAccess"]


class DataAccess:
    """Reading and writing by engine array; users go through the model and its elements."""

    __slots__ = ()

    _engine: Engine
    _ids: NDArray[np.intp] | None
    _model: SceneModel
    _rows: int | slice | NDArray[np.intp]
    _shape: tuple[int, ...]
    _worlds: SceneWorlds

    # Which worlds --------------------------------------------------------------------------------

    @property
    def world_ids(self) -> NDArray[np.intp] | None:
        """World of each row; None: rows are worlds."""
        return self._ids

    @property
    def all_worlds(self) -> NDArray[np.intp]:
        """World of each row, shape (rows,)."""
        return np.arange(self._engine.num_envs) if self._ids is None else self._ids

    # Checks --------------------------------------------------------------------------------------

    def finite(
        self,
        values: ArrayLike,
        tail: tuple[int, ...],
        what: str,
        title: Callable[[int], str] | None = None,
    ) -> NDArray[np.float64]:
        """Finite values, shape `tail` or ``(*B, *tail)``.

        Args:
            values: what was given.
            tail: shape of one world's value.
            what: what messages call it.
            title: from the last index to what messages call it, if not `what`.

        Raises:
            ShapeError: another shape.
            InvalidValueError: not numbers, or not finite; the message names the world.
        """
        return finite_numbers(values, self._shape, tail, what, self._ids, title=title)

    def checked_pose(self, pose: ArrayLike, what: str) -> NDArray[np.float64]:
        """A finite position [m] and unit quaternion (x, y, z, w), shape (7,) or (*B, 7)."""
        return finite_pose(pose, self._shape, what, self._ids)

    def checked_dof_pos(self, columns: slice, values: ArrayLike, what: str) -> NDArray[np.float64]:
        """Checked positions in the engine's order, shape (n,) or (*B, n)."""
        layout, first = self._model.layout, columns.start
        tail = (columns.stop - first,)
        array = self.finite(
            values, tail, what, lambda i: f"{layout.pos_title(first + i)} in {what}"
        )
        starts = layout.quaternions(columns)
        if not len(starts):
            return array
        array = array.copy()
        for start in starts:
            at = slice(start - first, start - first + 4)
            title = f"{layout.pos_title(start)} in {what}"
            quat = unit_quaternion(array[..., at], title, self._ids)
            array[..., at] = quat_to_wxyz(quat)
        return array

    def checked_dof_vel(self, columns: slice, values: ArrayLike, what: str) -> NDArray[np.float64]:
        """Checked velocities, shape (n,) or (*B, n)."""
        title, first = self._model.layout.vel_title, columns.start
        tail = (columns.stop - first,)
        return self.finite(values, tail, what, lambda i: f"{title(first + i)} in {what}")

    # Engine arrays -------------------------------------------------------------------------------

    def measured(self, model: SceneModel, name: str) -> NDArray[Any]:
        """An engine array that also depends on controls; otherwise as `engine_array`."""
        self._worlds.prepare()
        return engine_array(self, model, name)

    def worlds_field(self, name: str) -> NDArray[Any]:
        """An engine array for the current state of all worlds, flattened, shape (worlds, k)."""
        return flattened(self._worlds.read(name))

    def write_state(self, field: str, select: int | slice, values: NDArray[np.float64]) -> None:
        """Write part of an engine state array; the values are checked by the caller."""
        self._engine.state(field)[self._rows, select] = values
        self._engine.touch(self._ids, field)

    def write_kinematic_velocity(self, body: int, values: NDArray[np.float64]) -> bool:
        """Give a kinematic body velocities, shape (worlds, 1, 6); whether it can have any."""
        if self._engine.kinematics.row(body) is None:
            return False
        self._engine.set_kinematic_velocity(values, self._ids, [body])
        return True

    def write_columns(self, field: str, at: NDArray[np.intp], values: NDArray[np.float64]) -> None:
        """Write some numbers of a state array, flattened per world; checked by the caller."""
        if not len(at):
            return
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

    def param(self, field: str) -> NDArray[Any]:
        """A model parameter of these worlds, shape (*B, ...)."""
        return self._worlds.param(field)[self._rows]

    def set_param(
        self, field: str, rows: NDArray[np.intp] | None, values: NDArray[np.float64]
    ) -> None:
        """Set a model parameter, or some rows of it, to values that are in range.

        Args:
            field: array of the engine's model.
            rows: which rows; None: the whole array.
            values: of the shape of what is set, for all worlds, or with a first axis of worlds.

        Raises:
            ShapeError: they have another shape.
        """
        shape = self._model.parameter_shapes[field]
        tail = shape if rows is None else (len(rows), *shape[1:])
        worlds = (self._engine.num_envs if self._ids is None else len(self._ids), *tail)
        array = np.asarray(values)
        if array.shape not in (tail, worlds):
            raise ShapeError(field, array.shape, f"{tail} or {worlds}")
        self._worlds.set_param(field, rows, array, self._ids)

    def set_shapes(self, geom: int, values: Mapping[str, NDArray[Any]]) -> None:
        """Set what makes the shape of an engine geom, all of it at once, per world."""
        self._worlds.set_shapes(values, self._ids, np.array([geom]))

    def differs(self, field: str) -> bool:
        """Whether a model parameter was set for single worlds."""
        return field in self._worlds.parameters

    # Degrees of freedom --------------------------------------------------------------------------

    def write_dof_pos(self, columns: slice, values: ArrayLike, what: str) -> None:
        """Write some positions, laid out as in `dof_pos`; `what` names them in messages."""
        self.write_state("qpos", columns, self.checked_dof_pos(columns, values, what))

    def write_dof_vel(self, columns: slice, values: ArrayLike, what: str) -> None:
        """Write some velocities, laid out as in `dof_vel`; `what` names them in messages."""
        self.write_state("qvel", columns, self.checked_dof_vel(columns, values, what))

    # Controls and forces -------------------------------------------------------------------------

    def read_ctrls(self, columns: slice) -> FloatArray:
        """Selected controls, shape (*B, n)."""
        return self._worlds.controls.read(self._rows, columns)

    def set_ctrls(
        self, columns: int | slice | NDArray[np.intp], ctrls: ArrayLike, what: str
    ) -> None:
        """Write some controls; `what` names them in messages."""
        chosen = self._model.control_indices[columns]
        title, flat = self._model.control_title, chosen.reshape(-1)
        array = finite_numbers(
            ctrls,
            self._shape,
            chosen.shape,
            what,
            self._ids,
            title=lambda i: title(int(flat[i if chosen.ndim else 0])),
            exact=False,
        )
        require_single(array, what)
        self._worlds.controls.set(self._rows, columns, array)

    def read_inputs(self, inputs: slice) -> FloatArray:
        """Selected inputs of the engine, shape (*B, n)."""
        return self._worlds.controls.read_inputs(self._rows, inputs)

    def set_inputs(self, inputs: Sequence[tuple[int, ArrayLike, str]]) -> None:
        """Write some of the engine's own inputs: column, values, and a name for messages."""
        arrays = [self.finite(values, (), what) for _, values, what in inputs]
        for array, (_, _, what) in zip(arrays, inputs, strict=True):
            require_single(array, what)
        for array, (column, _, _) in zip(arrays, inputs, strict=True):
            self._worlds.controls.set_input(self._rows, column, array)

    def push_body(self, body: int, force: NDArray[Any], torque: NDArray[Any]) -> None:
        """Add a wrench at a body's centre of mass, in world, for the next step."""
        self._worlds.push_body(self._rows, body, force, torque)

    # Sensors -------------------------------------------------------------------------------------

    def read_sensors(self, sensors: Sequence[int], noise: bool = True) -> FloatArray:
        """Values of sensors one after the other, quaternions x, y, z, w, shape (*B, sizes)."""
        self._worlds.prepare()
        draw = self._worlds.noise if noise else None
        measured = self._engine.read("sensordata")
        values = self._worlds.sensors.read(measured, sensors, self.all_worlds, draw)
        lidars, start, owner = self._model.lidars, 0, cast("SceneData", self)
        for sensor in sensors if lidars else ():
            end = start + self._worlds.sensors.size(sensor)
            if sensor in lidars:
                values[:, start:end] = lidars[sensor].read(owner).reshape(len(values), -1)
            start = end
        return values.reshape(*self._shape, values.shape[-1])

    @property
    def has_noise(self) -> bool:
        """Whether sensors have noise: see `seed_sensor_noise`."""
        return self._worlds.noise is not None
