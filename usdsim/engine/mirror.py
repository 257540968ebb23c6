"""Mirror worlds: beside the engine's own, in the same state, to measure more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.core.errors import SimulationError
from usdsim.engine.compile.pipeline import CompiledModel, compile_scene
from usdsim.engine.effects.friction.cpu import FIELD
from usdsim.engine.effects.optional import carry_effects
from usdsim.engine.fields import LAYOUT, STATE
from usdsim.engine.parameters.simple_bodies import copy_shared, is_loose
from usdsim.engine.quiet import Quiet
from usdsim.engine.threads import ThreadedBatch
from usdsim.engine.versions import Versions
from usdsim.parser.description import GenericDescription

__all__ = ["ShadowWorlds"]

_ACC = int(mujoco.mjtStage.mjSTAGE_ACC)
_CLEARED = {
    "opt.disableflags": int(mujoco.mjtDisableBit.mjDSBL_SENSOR),
    "opt.enableflags": int(mujoco.mjtEnableBit.mjENBL_SLEEP),
}
"""Flags that copies do without, by field."""
_STRUCTURE: tuple[str, ...] = (*LAYOUT, "name", "sensor_")
"""Beginnings of the names of fields that say how a model is stored."""


class ShadowWorlds:
    """Copies of an engine's worlds whose model has more sensors.

    What the current state implies is computed in them, on all threads, while the engine's own
    worlds keep what their last step left.

    Args:
        compiled: the engine's model.
        source: gives the engine's worlds.
        versions: the engine's.
        sensors: the sensors to add.
        results: arrays that are read from the copies, besides what the sensors measure.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        source: Callable[[], mjbatch.Batch],
        versions: Versions,
        sensors: Sequence[GenericDescription],
        results: Sequence[str] = (),
    ):
        self._compiled, self._source, self._versions = compiled, source, versions
        self._sensors, self._results = tuple(sensors), ("sensordata", *results)
        self._copies: mjbatch.Batch | None = None
        self._state: list[tuple[NDArray[Any], NDArray[Any]]] = []
        self._synced = (-1, -1)
        self._quiet = Quiet()

    def measure(self, worlds: NDArray[np.intp]) -> NDArray[np.float64]:
        """Values of the added sensors in the current state, shape (len(worlds), values).

        Args:
            worlds: ids of the worlds, in any order.
        """
        copies = self.forward(worlds)
        first = int(copies.model.sensor_adr[-len(self._sensors)]) if self._sensors else 0
        values: NDArray[np.float64] = copies.bind("sensordata")[worlds, first:]
        return values

    def forward(self, worlds: NDArray[np.intp] | None) -> mjbatch.Batch:
        """The copies, once all that the current state implies is computed.

        Args:
            worlds: ids of the worlds to compute, in any order; None: all.

        Raises:
            SimulationError: the engine stopped computing a world.
        """
        copies = self._sync()
        try:
            with self._quiet:
                copies.forward(None if worlds is None else np.unique(worlds), _ACC)
        except mjbatch.SimulationError as error:
            words = copies.error(int(error.ids[0]))
            raise SimulationError(
                f"The forces of world {error.ids[0]} cannot be computed: {words}", list(error.ids)
            ) from error
        return copies

    def _sync(self) -> mjbatch.Batch:
        """The copies, in the state of the engine's worlds."""
        source = self._source()
        version = self._versions.arrays, self._versions.parameters
        if self._copies is None or self._synced[0] != version[0]:
            self._copies = self._copy(source)
            self._synced = version[0], -1
        copies = self._copies
        if self._synced != version:
            carry_effects(source, copies)
            for name in _parameters():
                values = source.expanded(name)
                if values is not None:
                    copies.expand(name)[...] = values
            for field, cleared in _CLEARED.items():
                flags = copies.expanded(field)
                if flags is not None:
                    copies.expand(field)[...] = flags & ~cleared
            self._synced = version
        loss = source.expanded(FIELD)
        if loss is not None:
            # It may follow the state; see `friction`.
            copies.expand(FIELD)[...] = loss
        for target, state in self._state:
            np.copyto(target, state)
        return copies

    def _copy(self, source: mjbatch.Batch) -> mjbatch.Batch:
        scene = self._compiled.scene
        scene = replace(
            scene,
            elements=(*scene.elements, *self._sensors),
            # Sensors refer to bodies by name: what has none in its source is called by its path.
            bodies=tuple(replace(body, name=body.name or None) for body in scene.bodies),
        )
        sensing = compile_scene(scene, exact=self._compiled.exact)
        # The engine may have had to give up its shortcut for lone bodies.
        model = sensing.loose if is_loose(source, self._compiled) else sensing.mj
        for name in _parameters():
            copy_shared(source.model, model, name)
        model.opt.disableflags &= ~_CLEARED["opt.disableflags"]
        model.opt.enableflags &= ~_CLEARED["opt.enableflags"]
        copies = ThreadedBatch(model, source.nsim, source.nthread)
        for name in self._results:
            copies.bind(name)
        if copies.nstate == source.nstate:
            # The sensors remember nothing, so that states are stored alike.
            self._state = [(copies.state, source.state)]
        else:
            pairs = [(copies.bind(name), source.bind(name)) for name in STATE]
            self._state = [pair for pair in pairs if pair[0].size]
        return copies


def _parameters() -> list[str]:
    """Model fields that describe the world rather than how it is stored."""
    return [name for name in mjbatch.MODEL_FIELDS if not name.startswith(_STRUCTURE)]
