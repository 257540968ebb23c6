"""Sensors of several bodies per instance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.finding import BodyFinder
from usdsim.assets.simulation import Simulation
from usdsim.engine.base import Engine

from .kernel_pass import Rows
from .matching import find_bodies
from .sensor_base import SensorBase

__all__ = ["BodySensor", "push"]


class BodySensor(BodyFinder, SensorBase):
    """Base of sensors that measure something of each of their bodies."""

    _body_names: tuple[str, ...] = ()

    @property
    def num_bodies(self) -> int:
        """Number of bodies of an instance.

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return len(self._body_names)

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


def push(history: NDArray[np.float32], newest: NDArray[np.float32], rows: Rows) -> None:
    """Move samples of some instances back by one and put the newest in front.

    Args:
        history: shape (num_instances, samples, ...), newest first.
        newest: shape (num_instances, ...).
        rows: instances; None: all.
    """
    where = slice(None) if rows is None else rows
    history[where, 1:] = history[where, :-1]
    history[where, 0] = newest[where]
