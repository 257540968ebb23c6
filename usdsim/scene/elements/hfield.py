"""Height fields: elevations on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import whole
from usdsim.core.dialects.mjc_arrays import elevations
from usdsim.scene.arrays import FloatArray, frozen

from .element import Element

__all__ = ["HField"]


class HField(Element):
    """Elevations over a rectangle centred on the geom's origin; row 0 is the -y side."""

    __slots__ = ()

    kind = "hfield"

    @property
    def nrow(self) -> int:
        """Number of rows, along y."""
        return int(self._model.low.hfield_nrow[self._id])

    @property
    def ncol(self) -> int:
        """Number of columns, along x."""
        return int(self._model.low.hfield_ncol[self._id])

    @property
    def half_extents(self) -> NDArray[np.float64]:
        """Half extents along x and y [m], shape (2,)."""
        return np.array(self._model.low.hfield_size[self._id, :2])

    @property
    def bound(self) -> FloatArray:
        """Box around it: (-x, -y, 0, x, y, height of elevation 1) [m], shape (6,)."""
        x, y, z, _ = self._model.low.hfield_size[self._id]
        return np.array([-x, -y, 0.0, x, y, z], dtype=np.float32)

    @property
    def elevations(self) -> NDArray[Any]:
        """Elevations as fractions of the highest one, a read-only live view, shape (nrow, ncol)."""
        return frozen(elevations(self._model.low, self._id))

    @property
    def height_matrix(self) -> FloatArray:
        """Elevations [m], a copy, shape (nrow, ncol)."""
        return (self.elevations * self.bound[5]).astype(np.float32)

    def get(self, row: int, col: int) -> float:
        """Elevation of a grid point [m].

        Raises:
            OutOfRangeError: there is no such point.
        """
        whole(f"row of {self.title}", row, 0, self.nrow - 1)
        whole(f"column of {self.title}", col, 0, self.ncol - 1)
        return float(self.elevations[row, col] * self._model.low.hfield_size[self._id, 2])
