"""World copies, for what the engine does not keep in arrays over all worlds."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import Engine
from usdsim.engine.failures import Quiet

__all__ = ["WorldCopies"]

_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)


class WorldCopies:
    """Hands out one world after the other, copied into the same memory each time.

    The worlds themselves stay untouched: what is computed on a copy changes neither the next step
    nor what other reads return. A copy costs about 10 us, and about as much again with forces.

    Args:
        engine: the engine that holds the worlds.
    """

    def __init__(self, engine: Engine):
        self._engine = engine
        self._model: mujoco.MjModel | None = None
        self._shared: mujoco.MjModel | None = None
        self._data: mujoco.MjData | None = None
        self._quiet = Quiet()

    def visit(
        self, worlds: NDArray[np.intp], forces: bool
    ) -> Iterator[tuple[mujoco.MjModel, mujoco.MjData]]:
        """Each world's model and data; both are overwritten by the next.

        Without forces the model may lack the world's own parameters.

        Args:
            worlds: ids of the worlds.
            forces: also solve for the forces and accelerations of the current state.
        """
        # Contacts and constraints are up to date from here on.
        self._engine.read("ncon")
        batch = self._engine.batch
        if self._shared is not batch.model or self._data is None:
            self._shared, self._model = batch.model, None
            self._data = mujoco.MjData(batch.model)
        model = batch.model
        # Parameters matter where something is still to be computed.
        computing = forces or self._engine.compiled.sleeps
        own = computing and self._engine.versions.parameters > 0
        if own and self._model is None:
            self._model = batch.get_model(0)
        for world in worlds:
            if own:
                model = batch.get_model(int(world), self._model)
            batch.get_data(int(world), self._data)
            self._engine.rouse(model, self._data)
            if forces:
                with self._quiet:
                    mujoco.mj_forwardSkip(model, self._data, _VEL, 1)
            yield model, self._data
