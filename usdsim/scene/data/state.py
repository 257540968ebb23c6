"""World states as a whole: saving, restoring and files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError, UnknownNameError
from usdsim.engine.parameters.shapes import SHAPES
from usdsim.scene.arrays import FloatArray

from .access import DataAccess
from .snapshot import STATE_FIELDS, SceneState, check_state
from .state_files import StateFile, check_signature, read_state_file, signature, write_state_file

if TYPE_CHECKING:
    from .scene_data import SceneData

__all__ = ["DataState"]


class DataState(DataAccess):
    """Time, activations and the full state of a `SceneData`."""

    __slots__ = ()

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time [s], float64, shape (*B,)."""
        return np.array(self._engine.read("time").reshape(-1)[self._rows])

    @time.setter
    def time(self, values: ArrayLike) -> None:
        self._engine.state("time")[self._rows] = self.finite(values, (), "time")
        self._engine.touch(self._ids, "time")

    @property
    def activations(self) -> FloatArray:
        """Activation states of actuators and muscles, a copy, shape (*B, num_activations)."""
        return self._engine.read("act")[self._rows].astype(np.float32)

    @activations.setter
    def activations(self, values: ArrayLike) -> None:
        array = self.finite(values, (self._model.low.na,), "activations")
        self.write_state("act", slice(None), array)

    def get_state(self) -> SceneState:
        """A copy of everything that decides how these worlds go on, but parameters and options."""
        return self._worlds.capture(self._rows, self.all_worlds, self._shape)

    def set_state(self, state: SceneState) -> None:
        """Put these worlds into a state of as many worlds, or all into the state of one world.

        Raises:
            ShapeError: the state has another number of worlds, or is one of another model.
            InvalidValueError: it holds NaN, infinity or a quaternion that is not of unit length;
                nothing is written then.
        """
        self._check_state(state)
        self._worlds.restore(self._rows, self._ids, state)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state and the overrides of these worlds to a file, NumPy's ``.npz``.

        Raises:
            FileError: the file cannot be written.
        """
        write_state_file(path, StateFile(signature(self._model), self.get_state(), self._changed))

    def load(self, path: str | os.PathLike[str], exact: bool = True) -> None:
        """Read what `save` wrote: these worlds go on as the saved ones did; see `SceneState`.

        Args:
            path: the file.
            exact: refuse models that have the same elements but other parameters or options.

        Raises:
            FileError: the file is missing or damaged.
            UsdsimError: it was saved for another model.
            ShapeError: it holds another number of worlds. Nothing is changed in any of these cases.
        """
        saved = read_state_file(path)
        check_signature(self._model, saved.signature, exact, repr(os.fspath(path)))
        self._check_state(saved.state)
        for name, values in saved.parameters.items():
            self._check_parameter(name, values)
        self._adopt(saved.parameters, saved.state)

    def copy(self) -> SceneData:
        """New data with the same worlds, state and overrides, that shares nothing with this."""
        return _rebuilt(self._kind, self._arguments(), self._changed, self.get_state())

    def to(self, device: str, **options: Any) -> SceneData:
        """New data with the same worlds, state and overrides on another device.

        Args:
            device: where to simulate: ``cpu``, ``cuda`` and so on, or ``warp:cpu``.
            options: more options of `usdsim.engine.create.create_engine`, such as ``nconmax``.

        Raises:
            InvalidValueError: there is no such device.
            UnsupportedError: the device cannot simulate the model.
        """
        made = (*self._arguments()[:4], device, options)
        return _rebuilt(self._kind, made, self._changed, self.get_state())

    def __reduce__(self) -> Any:
        return _rebuilt, (self._kind, self._arguments(), self._changed, self.get_state())

    # Internals -----------------------------------------------------------------------------------

    @property
    def _kind(self) -> type[SceneData]:
        return cast("type[SceneData]", type(self))

    def _check_state(self, state: SceneState) -> None:
        sizes = {name: self._engine.state(name).shape[1:] for name in STATE_FIELDS}
        check_state(self._model.layout, sizes, state, self._shape, self.all_worlds)

    def _check_parameter(self, name: str, values: NDArray[Any]) -> None:
        if name not in mjbatch.MODEL_FIELDS:
            raise UnknownNameError("model parameter", name, sorted(mjbatch.MODEL_FIELDS))
        shape = (*self._shape, *self._engine.param(name).shape[1:])
        if values.shape != shape:
            raise ShapeError(f"parameter {name!r} of the saved worlds", values.shape, str(shape))
        if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
            raise InvalidValueError(f"parameter {name!r} of the saved worlds", values, "finite")

    def _arguments(self) -> tuple[Any, ...]:
        """Arguments that data like these are created with."""
        engine, options = self._engine, dict(self._worlds.device)
        device = options.pop("device")
        return self._model, self._shape, engine.threads, engine.on_failure, device, options

    @property
    def _changed(self) -> dict[str, NDArray[Any]]:
        """Parameters that were set for single worlds, shape (*B, ...)."""
        return {name: np.array(self.param(name)) for name in self._worlds.parameters}

    def _adopt(self, parameters: Mapping[str, NDArray[Any]], state: SceneState) -> None:
        """Take over checked parameters and a checked state."""
        self._worlds.drop_parameters(self._ids)
        whole = set(SHAPES) if "geom_type" in parameters else set()
        if whole:
            count = len(self.all_worlds)
            shapes = {name: parameters[name] for name in SHAPES}
            shapes = {n: v.reshape(count, *v.shape[len(self._shape) :]) for n, v in shapes.items()}
            self._worlds.set_shapes(shapes, self._ids, None)
        for name in [name for name in parameters if name not in whole]:
            self.set_param(name, None, parameters[name])
        if self._ids is None:
            self._worlds.seed_noise(state.noise_seed)
        self._worlds.restore(self._rows, self._ids, state)


def _rebuilt(
    kind: type[SceneData],
    made: tuple[Any, ...],
    parameters: Mapping[str, NDArray[Any]],
    state: SceneState,
) -> SceneData:
    """Rebuild what was pickled."""
    data = kind(*made)
    data._adopt(parameters, state)
    return data
