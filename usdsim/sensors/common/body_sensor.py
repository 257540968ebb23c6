"""Body sensor base class: sensors of several bodies per instance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.body_finder import BodyFinder
from usdsim.assets.participation import Simulation
from usdsim.engine.base import Engine

from .bodies import find_bodies
from .sensor import SensorBase

__all__ = ["BodySensor"]


class BodySensor(BodyFinder, SensorBase):
    """Base of sensors that measure something of each of their bodies, or of frames on them."""

    _body_names: tuple[str, ...] = ()
    _body_paths: tuple[tuple[str, ...], ...] = ()

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
        self._body_names, self._body_paths = found.names, found.paths
        index = compiled.names.index
        return np.array([[index("body", path) for path in row] for row in found.paths], np.int32)
