"""The control array users write: float32, live, and never out of step with the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import CpuEngine
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import require_finite

__all__ = ["Controls", "control_columns"]

_INPUT = mujoco.mjtCtrlInput
_DRIVE_INPUTS = int(_INPUT.mjINPUT_POS | _INPUT.mjINPUT_VEL | _INPUT.mjINPUT_FF)


def control_columns(low: mujoco.MjModel) -> NDArray[np.intp]:
    """Place of each of the users' controls among the engine's, shape (num_ctrls,).

    A drive has three inputs in the engine but one control here: the target position, or the target
    velocity without stiffness, or the force without gains. All other actuators keep theirs.
    """
    columns: list[int] = []
    for i in range(low.nactuator):
        first, number = int(low.actuator_ctrladr[i]), int(low.actuator_ctrlnum[i])
        if int(low.actuator_ctrlspec[i]) == _DRIVE_INPUTS:
            stiff, damped = low.actuator_biasprm[i, 1:3] != 0.0
            columns.append(first + (0 if stiff else 1 if damped else 2))
        else:
            columns += range(first, first + number)
    return np.array(columns, dtype=np.intp)


class Controls:
    """The engine's controls, and a float32 copy of them that users may keep and write into.

    The copy exists from the first time it is handed out. Before each step, those of its entries
    that changed since the last exchange are passed on; what was set in float64, by a keyframe or
    as a drive's authored target, thus stays unrounded.

    Args:
        engine: the engine that holds the controls.
        columns: place of each user's control among the engine's (`control_columns`).
        title: function from a control's index to what messages call it.
    """

    def __init__(self, engine: CpuEngine, columns: NDArray[np.intp], title: Callable[[int], str]):
        self._engine = engine
        # A slice keeps what most models do, one control per engine input, free of gathers.
        self._same = len(columns) == self._live.shape[1]
        self._places = columns
        self._columns = slice(None) if self._same else columns
        self._title = title
        self._copy: _Copy | None = None

    @property
    def _live(self) -> NDArray[np.float64]:
        return self._engine.state("ctrl")

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
        if self._same:
            np.copyto(self._live, copy.values, where=copy.changed)
        else:
            rows, chosen = np.nonzero(copy.changed)
            self._live[rows, self._places[chosen]] = copy.values[rows, chosen]
        np.copyto(copy.seen, copy.values)
        self._engine.touch(field="ctrl")

    def pull(self, rows: int | slice | NDArray[np.intp] = slice(None)) -> None:
        """Take over the engine's controls of some worlds, dropping what was not pushed."""
        if self._copy is not None:
            self._copy.values[rows] = self._live[rows][..., self._columns]
            self._copy.seen[rows] = self._copy.values[rows]

    def sync(self) -> FloatArray:
        """Exchange both ways and hand out the copy, shape (worlds, controls)."""
        if self._copy is None:
            self._copy = _Copy(self._live[:, self._columns])
        self.push()
        if not np.array_equal(self._live[:, self._columns].astype(np.float32), self._copy.seen):
            self.pull()
        return self._copy.values

    def read(self, rows: int | slice | NDArray[np.intp], columns: slice) -> FloatArray:
        """Some controls as they are now, not live."""
        self.push()
        return self._live[rows][..., self._columns][..., columns].astype(np.float32)

    def set(
        self,
        rows: int | slice | NDArray[np.intp],
        columns: int | slice | NDArray[np.intp],
        values: NDArray[Any],
    ) -> None:
        """Set controls of some worlds, in the precision given."""
        at = _at(rows, columns)
        self._live[at if self._same else _at(rows, self._places[columns])] = values
        if self._copy is not None:
            self._copy.values[at] = values
            self._copy.seen[at] = values
        self._engine.touch(field="ctrl")

    def read_inputs(self, rows: int | slice | NDArray[np.intp], inputs: slice) -> FloatArray:
        """Some of the engine's own inputs as they are now."""
        self.push()
        return self._live[rows][..., inputs].astype(np.float32)

    def set_input(
        self, rows: int | slice | NDArray[np.intp], column: int, values: NDArray[Any]
    ) -> None:
        """Set one of the engine's own inputs in some worlds."""
        self.push()
        self._live[rows, column] = values
        self.pull()
        self._engine.touch(field="ctrl")


def _at(rows: Any, columns: Any) -> tuple[Any, ...]:
    """Index of the block where some rows and some columns meet."""
    if isinstance(rows, np.ndarray) and isinstance(columns, np.ndarray):
        return np.ix_(rows, columns)
    return rows, columns


class _Copy:
    """The array handed out, what of it the engine knows, and space to compare the two."""

    def __init__(self, live: NDArray[np.float64]):
        self.values: FloatArray = live.astype(np.float32)
        self.seen = self.values.copy()
        self.changed = np.empty(live.shape, dtype=bool)
