"""Contact forces on the host: columns of the engine's memory, copied by NumPy."""

from __future__ import annotations

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.base import Engine
from usdsim.sensors.common.kernel_pass import Rows

__all__ = ["HostForces"]


class HostForces:
    """Turns what bodies exert into what they undergo, on the engine for the CPU.

    Args:
        engine: the engine.
        block: columns of the engine's sensor data that hold all bodies, as many for each.
        part: columns of a body in there that are its forces.
        out: where forces go, vec3f, shape (num_instances, ...).
    """

    def __init__(self, engine: Engine, block: slice, part: slice, out: wp.array):
        self._engine, self._block, self._part = engine, block, part
        self._out = out.numpy()
        width = part.stop - part.start
        self._whole = self._out.reshape(engine.num_envs, -1, width)
        stride = (block.stop - block.start) // self._whole.shape[1]
        self._shape = (engine.num_envs, self._whole.shape[1], stride)

    @classmethod
    def of(cls, engine: Engine, addresses: NDArray[np.int32], out: wp.array) -> HostForces | None:
        """For forces at these addresses; None: they do not repeat from body to body.

        Args:
            engine: the engine.
            addresses: where each force begins in the engine's sensor data, shape (bodies, columns).
            out: where forces go, vec3f, shape (num_instances, ..., columns).
        """
        count, columns = addresses.shape
        first, width = int(addresses[0, 0]), 3 * columns
        stride = int(addresses[1, 0]) - first if count > 1 else width
        repeated = first + stride * np.arange(count)[:, None] + 3 * np.arange(columns)
        # Where nothing follows the last forces, the block begins as much earlier as it is longer.
        start = min(first, engine.compiled.mj.nsensordata - stride * count)
        part = slice(first - start, first - start + width)
        if start < 0 or part.stop > stride or not np.array_equal(repeated, addresses):
            return None
        return cls(engine, slice(start, start + stride * count), part, out)

    def run(self, rows: Rows) -> None:
        """Fill the forces of some instances; None: all."""
        exerted = self._engine.read("sensordata")[:, self._block].reshape(self._shape)
        exerted = exerted[:, :, self._part]
        if rows is None:
            np.subtract(0.0, exerted, out=self._whole, casting="same_kind")
        else:
            self._out[rows] = 0.0 - exerted.reshape(self._out.shape)[rows]
