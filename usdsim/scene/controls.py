"""The control array users write: float32, live, and never out of step with the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.engine import CpuEngine

from .arrays import FloatArray, require_finite

__all__ = ["Controls"]


class Controls:
    """The engine's controls, and a float32 copy of them that users may keep and write into.

    The copy exists from the first time it is handed out. Before each step, those of its entries
    that changed since the last exchange are passed on; what was set in float64, by a keyframe or
    as a drive's authored target, thus stays unrounded.

    Args:
        engine: the engine that holds the controls.
        title: function from a control's index to what messages call it.
    """

    def __init__(self, engine: CpuEngine, title: Callable[[int], str]):
        self._engine = engine
        self._live = engine.state("ctrl")
        self._title = title
        self._copy: _Copy | None = None

    @property
    def shared(self) -> bool:
        """Whether someone may be writing into the copy."""
        return self._copy is not None

    def push(self) -> None:
        """Pass changed entries of the copy to the engine.

        Raises:
            InvalidValueError: a control is NaN or infinite.
        """
        copy = self._copy
        if copy is None:
            return
        np.not_equal(copy.values, copy.seen, out=copy.changed)
        if not copy.changed.any():
            return
        require_finite(copy.values, copy.values.shape[1:], self._title)
        np.copyto(self._live, copy.values, where=copy.changed)
        np.copyto(copy.seen, copy.values)
        self._engine.touch(field="ctrl")

    def pull(self, rows: int | slice | NDArray[np.intp] = slice(None)) -> None:
        """Take over the engine's controls of some worlds, dropping what was not pushed."""
        if self._copy is not None:
            self._copy.values[rows] = self._live[rows]
            self._copy.seen[rows] = self._copy.values[rows]

    def sync(self) -> FloatArray:
        """Exchange both ways and hand out the copy, shape (worlds, controls)."""
        if self._copy is None:
            self._copy = _Copy(self._live)
        self.push()
        if not np.array_equal(self._live.astype(np.float32), self._copy.seen):
            self.pull()
        return self._copy.values

    def read(self, rows: int | slice | NDArray[np.intp], columns: slice) -> FloatArray:
        """Some controls as they are now, not live."""
        self.push()
        return self._live[rows][..., columns].astype(np.float32)

    def set(
        self,
        rows: int | slice | NDArray[np.intp],
        columns: int | slice | NDArray[np.intp],
        values: NDArray[Any],
    ) -> None:
        """Set controls of some worlds, in the precision given."""
        at: tuple[Any, ...] = (rows, columns)
        if isinstance(rows, np.ndarray) and isinstance(columns, np.ndarray):
            at = np.ix_(rows, columns)
        self._live[at] = values
        if self._copy is not None:
            self._copy.values[at] = values
            self._copy.seen[at] = values
        self._engine.touch(field="ctrl")


class _Copy:
    """The array handed out, what of it the engine knows, and space to compare the two."""

    def __init__(self, live: NDArray[np.float64]):
        self.values: FloatArray = live.astype(np.float32)
        self.seen = self.values.copy()
        self.changed = np.empty(live.shape, dtype=bool)
