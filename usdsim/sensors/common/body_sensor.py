"""Sensors of several bodies per instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.common.finding import BodyFinder
from usdsim.assets.participation import Simulation
from usdsim.engine import device as devices
from usdsim.engine.base import Engine
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.memory import part_of

from .kernel_pass import KernelPass, Rows, row_array
from .matching import find_bodies
from .sample_kernels import clear_words, push_samples
from .sensor import SensorBase

__all__ = ["BodySensor", "clear"]


class BodySensor(BodyFinder, SensorBase):
    """Base of sensors that measure something of each of their bodies."""

    _body_names: tuple[str, ...] = ()

    @property
    def body_names(self) -> list[str]:
        """Names of the bodies, in the order of arrays.

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return list(self._body_names)

    @property
    def _where(self) -> str:
        return f"{type(self).__name__} at {self.cfg.prim_path}"

    def _find(self, simulation: Simulation, engine: Engine) -> NDArray[np.int32]:
        """Engine bodies, shape (matches, num_bodies)."""
        compiled = engine.compiled
        title = type(self).__name__
        found = find_bodies(title, compiled.scene, self.cfg.prim_path, simulation.env_paths)
        self._body_names = found.names
        index = compiled.names.index
        return np.array([[index("body", path) for path in row] for row in found.paths], np.int32)

    def _pushes(self, arrays: Mapping[str, wp.array], names: Iterable[str]) -> list[KernelPass]:
        """Passes that put the newest samples of some arrays in front of their histories."""
        engine = self._simulation.engine
        passes = []
        for name in names:
            newest, history = arrays[name], arrays[f"{name}_history"]
            count, length = history.shape[:2]
            width = newest.size // count
            passes.append(
                KernelPass(
                    engine,
                    push_samples,
                    count,
                    (width,),
                    [newest.reshape((count, width))],
                    [history.reshape((count, length, width))],
                )
            )
        return passes


def clear(array: wp.array, which: Rows | DeviceSelection) -> None:
    """Put numbers of some instances to zero.

    Args:
        array: 32-bit numbers, shape (num_instances, ...).
        which: instances; None: all.
    """
    if which is None:
        array.zero_()
        return
    device = str(array.device)
    if not isinstance(which, DeviceSelection):
        if devices.is_shared(device):
            array.numpy()[which] = 0
            return
        which = DeviceSelection(rows=row_array(which, device))
    size = array.shape[0], array.strides[0] // 4
    words = part_of(array, wp.int32, size, (array.strides[0], 4))
    inputs = [which.rows, which.row_mask]
    wp.launch(clear_words, which.size(size), inputs, [words], device=device)
