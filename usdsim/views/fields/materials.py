"""Surface materials: friction and restitution of an asset's shapes, as users know them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.domains import Domain
from usdsim.engine.base import Engine
from usdsim.views.layout import AssetLayout

from .parameters import Parameter

__all__ = ["SURFACE", "SurfaceMaterial"]

Array = NDArray[Any]
Ids = NDArray[np.intp]


def _possible(values: Array) -> NDArray[np.bool_]:
    """Friction from 0 on and restitution from 0 to 1, along the last axis."""
    most = np.array([np.inf, np.inf, 1.0])
    return np.asarray(np.isfinite(values) & (values >= 0.0) & (values <= most))


SURFACE = Domain("friction of 0 or more and restitution from 0 to 1", _possible)
"""Static friction, dynamic friction, restitution."""


@dataclass(frozen=True)
class SurfaceMaterial(Parameter):
    """Static friction, dynamic friction and restitution, which the engine combines for pairs."""

    def read(self, engine: Engine, layout: AssetLayout) -> Array:
        """See `Parameter.read`."""
        table = self.columns(layout).table
        values = engine.surfaces[:, table]
        return np.asarray(values.reshape(layout.num_instances, table.shape[1], 3))

    def put(self, engine: Engine, values: Array, worlds: Ids | None, columns: Ids) -> None:
        """See `Parameter.put`."""
        engine.set_surfaces(values, env_ids=worlds, geoms=columns)
