"""Engine worlds that one `SceneData` and all views of it share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import SimulationError
from usdsim.engine import FailurePolicy, create_engine
from usdsim.engine.failures import joined_errors
from usdsim.engine.parameters.inertial_gains import GAINS
from usdsim.engine.parameters.shapes import SHAPES
from usdsim.scene.contacts.constraints_report import ConstraintsReport
from usdsim.scene.contacts.net_forces import LinkForces
from usdsim.scene.contacts.pair_cache import PairCache
from usdsim.scene.contacts.reader import ContactReader
from usdsim.scene.sensors.noise import SensorNoise

from .controls import Controls
from .snapshot import STATE_FIELDS, SceneState
from .version_cache import VersionCache
from .world_copies import WorldCopies

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["SceneWorlds"]


class SceneWorlds:
    """Engine, controls and what is pending for the next step.

    Args:
        model: the model to simulate.
        count: number of worlds.
        threads: worker threads; 0: as many as `default_threads` says.
        on_failure: what happens when a world diverges, see `FailurePolicy`.
        device: where to simulate, and more options of `create_engine`.
    """

    def __init__(
        self,
        model: SceneModel,
        count: int,
        threads: int,
        on_failure: FailurePolicy,
        device: Mapping[str, Any],
    ):
        self.device = dict(device)
        self.engine = create_engine(
            model.compiled, count, threads=threads, on_failure=on_failure, **self.device
        )
        self.controls = Controls(self.engine, model.control_columns)
        self.num_ctrls = model.num_ctrls
        self.copies = WorldCopies(self.engine)
        self.contacts = ContactReader(self.engine, self.copies)
        self.pair_cache = PairCache()
        self.link_forces = LinkForces(model, self.engine)
        self.report: VersionCache[ConstraintsReport] = VersionCache(self.engine)
        self.sensors = model.sensor_layout
        self.noise: SensorNoise | None = None
        self._pushed = False
        self._parameters: set[str] = set()
        # Worlds that have any of these parameters of their own.
        self._differing = np.zeros(self.engine.num_envs, np.bool_)
        # The engine was made with these; what it is told later is a parameter of each world.
        self._options = model.options
        self._options_version = model.options.version

    @property
    def _wrench(self) -> NDArray[np.float64]:
        return self.engine.state("xfrc_applied")

    def prepare(self) -> None:
        """Bring run-time options to the engine."""
        if self._options_version != self._options.version:
            self._options_version = self._options.apply(self.engine, self._options_version)

    def read(self, field: str) -> NDArray[Any]:
        """An engine array of all worlds for their current state and the model's options."""
        self.prepare()
        return self.engine.read(field)

    def param(self, field: str) -> NDArray[Any]:
        """A model parameter of all worlds."""
        self.prepare()
        return self.engine.param(field)

    def seed_noise(self, seed: int | None) -> None:
        """Start the noise of all sensors anew, or without a seed switch it off."""
        self.noise = None if seed is None else SensorNoise(seed, self.engine.num_envs)

    def step(self, count: int, ids: NDArray[np.intp] | None) -> None:
        """Advance some worlds by `count` steps; pushes act in the first one only."""
        self.prepare()
        errors: list[SimulationError] = []
        for part in (1, count - 1) if self._pushed and count else (count,):
            try:
                if part:
                    self.engine.step(part, ids)
            except SimulationError as error:
                # The other worlds are to go on to the end.
                errors.append(error)
            if self._pushed and count:
                self._take_pushes_back(slice(None) if ids is None else ids)
        if self.noise is not None:
            self.noise.advance(count, ids)
        if errors:
            raise joined_errors(errors)

    def _take_pushes_back(self, rows: slice | NDArray[np.intp]) -> None:
        """Clear pushes before the next step; forces stay those of the last one."""
        wrench = self._wrench
        wrench[rows] = 0.0
        self._pushed = bool(wrench.any())
        if self.engine.on_device is not None:
            self.engine.on_device.send("xfrc_applied")

    def push_body(
        self,
        rows: int | slice | NDArray[np.intp],
        body: int,
        force: NDArray[np.float64],
        torque: NDArray[np.float64],
    ) -> None:
        """Add a world force [N] at the centre of mass and a torque [N m] for the next step."""
        self._wrench[rows, body, :3] += force
        self._wrench[rows, body, 3:] += torque
        self._pushed = True
        self.engine.touch(field="xfrc_applied")

    def set_param(
        self,
        field: str,
        rows: NDArray[np.intp] | None,
        values: NDArray[np.float64],
        ids: NDArray[np.intp] | None,
    ) -> None:
        """Set some rows, or all, of a model parameter in some worlds, alike or each its own."""
        self.engine.set_param(field, values, env_ids=ids, ids=rows)
        self._parameters.add(field)
        self._differing[slice(None) if ids is None else ids] = True

    def set_shapes(
        self,
        values: Mapping[str, NDArray[Any]],
        ids: NDArray[np.intp] | None,
        geoms: NDArray[np.intp] | None,
    ) -> None:
        """Set what makes the shapes of some geoms, or all, in some worlds; values are per world."""
        self.engine.set_shapes(values, env_ids=ids, ids=geoms)
        self._parameters.update(SHAPES)
        self._differing[slice(None) if ids is None else ids] = True

    def reset(
        self,
        rows: int | slice | NDArray[np.intp],
        ids: NDArray[np.intp] | None,
        keyframe: int | None,
        parameters: bool,
    ) -> None:
        """Put some worlds into their initial state or a keyframe's.

        Args:
            rows: the worlds, as an index.
            ids: the worlds, as ids; None: all.
            keyframe: engine id of the keyframe; None: the initial state.
            parameters: also drop parameters set for single worlds.
        """
        if parameters:
            self.drop_parameters(ids)
        self.engine.reset(ids, keyframe=keyframe)
        if self.noise is not None:
            self.noise.advance(1, ids)

    @property
    def parameters(self) -> list[str]:
        """Engine's names of parameters set for single worlds, in the order to set them in."""
        # Drives per inertia: what was written is told from what follows once inertias are there.
        return sorted(self._parameters, key=lambda name: (name == GAINS, name))

    def drop_parameters(self, ids: NDArray[np.intp] | None) -> None:
        """Give some worlds the model's own parameters again."""
        if not self._parameters:
            return
        given = np.arange(len(self._differing)) if ids is None else ids
        own = given[self._differing[given]]
        if len(own):
            everywhere = len(own) == len(self._differing)
            self.engine.restore_params(self.parameters, None if everywhere else own)
            self._differing[own] = False
        if not self._differing.any():
            self._parameters.clear()

    def capture(
        self, rows: int | slice | NDArray[np.intp], worlds: NDArray[np.intp], shape: tuple[int, ...]
    ) -> SceneState:
        """The full state of some worlds, see `SceneData.get_state`."""
        self.prepare()
        arrays = {name: np.array(self.engine.state(name)[rows]) for name in STATE_FIELDS}
        noise = self.noise
        if noise is None:
            return SceneState(arrays, shape, self._pushed)
        return SceneState(
            arrays, shape, self._pushed, noise.seed, noise.steps[worlds].reshape(shape)
        )

    def restore(
        self, rows: int | slice | NDArray[np.intp], ids: NDArray[np.intp] | None, state: SceneState
    ) -> None:
        """Put some worlds into a checked state."""
        for name, values in state.arrays.items():
            self.engine.state(name)[rows] = values
            self.engine.touch(ids, name)
        self._pushed = self._pushed or state.pushed
        same_noise = self.noise is not None and self.noise.seed == state.noise_seed
        if self.noise is not None and same_noise and state.noise_steps is not None:
            self.noise.steps[slice(None) if ids is None else ids] = state.noise_steps
