"""Contact forces on bodies as the engine sums them up in every step."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
import warp as wp

from usdsim.core.errors import StageError
from usdsim.engine import device as devices
from usdsim.engine.base import Engine
from usdsim.sensors.common.kernel_pass import KernelPass, Rows
from usdsim.sensors.common.sample_kernels import sum_forces

from .elements import Filter, PartLayout, address_of
from .host_forces import HostForces

__all__ = ["ContactForces"]

_NO_SENSORS = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)


class ContactForces:
    """Reads the sums.

    Args:
        engine: an engine whose scene went through `with_contact_sensors`.
        bodies: paths of the bodies, a row per match.
        filters: what forces are told apart by.
        net: where forces on bodies go, vec3f, shape (num_instances, num_bodies).
        matrix: where forces on bodies by filters go, vec3f, shape (num_instances, num_bodies,
            filters); None: without filters.

    Raises:
        StageError: the stage turns sensors of the engine off.
    """

    def __init__(
        self,
        engine: Engine,
        bodies: Sequence[Sequence[str]],
        filters: Sequence[Filter],
        net: wp.array,
        matrix: wp.array | None,
    ):
        compiled = engine.compiled
        if compiled.mj.opt.disableflags & _NO_SENSORS:
            raise StageError(
                "The stage disables the engine's sensors, so that contact forces are not summed. "
                "Remove the flag `sensor` from its mjc: options."
            )
        self._engine, self._size = engine, (len(bodies), len(bodies[0]))
        flat = [path for row in bodies for path in row]
        alone = [[address_of(compiled, path)] for path in flat]
        self._passes = [self._pass(alone, net.reshape((*net.shape, 1)))]
        if matrix is not None:
            told_apart = [
                [address_of(compiled, path, part) for _, part in f.parts]
                for path in flat
                for f in filters
            ]
            self._passes.append(self._pass(told_apart, matrix))

    def run(self, rows: Rows) -> None:
        """Fill the forces of some instances; None: all."""
        for sums in self._passes:
            sums.run(rows)

    def _pass(self, parts: Sequence[Sequence[int]], out: wp.array) -> KernelPass | HostForces:
        """Sums of parts, which are given for each match, body and column."""
        engine, alone = self._engine, all(len(entry) == 1 for entry in parts)
        if alone and devices.is_shared(engine.device) and engine.on_device is None:
            # NumPy copies columns an order of magnitude faster than a kernel on one thread.
            found = np.array(parts, np.int32).reshape(-1, out.shape[-1])
            copies = HostForces.of(engine, found, out)
            if copies is not None:
                return copies
        return KernelPass(
            engine,
            sum_forces,
            out.shape[0],
            out.shape[1:],
            ["sensordata", *PartLayout(parts, self._size, engine.device).arrays],
            [out],
        )
