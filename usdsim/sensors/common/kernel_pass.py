"""Kernel passes: launches over the instances of a sensor that sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.arrays import WarpArrays
from usdsim.engine.base import Engine
from usdsim.engine.graphs import Replay

__all__ = ["KernelPass", "Rows", "row_array"]

Rows = NDArray[np.intp] | None
"""Instances in ascending order; None: all."""


def row_array(rows: NDArray[Any], device: str) -> wp.array:
    """Instances as kernels take them."""
    return wp.array(np.ascontiguousarray(rows, dtype=np.int32), dtype=wp.int32, device=device)


class KernelPass:
    """A kernel whose first parameter is the instances it covers.

    Args:
        engine: where named inputs come from.
        kernel: the kernel; with named inputs, it is used in the precision of the engine's arrays.
        count: number of instances.
        dim: what a launch covers per instance, such as the number of bodies.
        inputs: arrays and numbers; a name stands for an engine field; see `WarpArrays.read`.
        outputs: arrays.
    """

    def __init__(
        self,
        engine: Engine,
        kernel: Any,
        count: int,
        dim: tuple[int, ...],
        inputs: Sequence[Any],
        outputs: Sequence[wp.array],
    ):
        self._engine, self._count, self._dim = engine, count, dim
        self._inputs, self._outputs = tuple(inputs), list(outputs)
        self._arrays = WarpArrays(engine)
        self._names = tuple(i for i in self._inputs if isinstance(i, str))
        self._kernel = self._arrays.kernel(kernel) if self._names else kernel
        self._all = row_array(np.arange(count), engine.device)
        self._ready: list[Callable[[], object]] = []
        self._record: Replay | None = None
        self._seen = -1

    def run(self, rows: Rows = None) -> None:
        """Launch for the engine's present state.

        Args:
            rows: instances; None: all.
        """
        if self._seen != self._engine.versions.arrays:
            found = (self._arrays.refresher(name) for name in self._names)
            self._ready = [ready for ready in found if ready is not None]
            self._record = None
        for ready in self._ready:
            ready()
        # What makes inputs current may itself be what replaces the engine's arrays.
        self._seen = self._engine.versions.arrays
        if rows is None:
            if self._record is None:
                self._record = Replay(self._launch(self._all, self._count, record_cmd=True))
            self._record.launch()
        elif len(rows):
            self._launch(row_array(rows, self._engine.device), len(rows))

    def _launch(self, rows: wp.array, count: int, **options: Any) -> Any:
        return wp.launch(
            self._kernel,
            dim=(count, *self._dim),
            inputs=[rows, *(self._input(i) for i in self._inputs)],
            outputs=self._outputs,
            device=self._engine.device,
            **options,
        )

    def _input(self, value: Any) -> Any:
        return self._arrays.read(value) if isinstance(value, str) else value
