"""Controls of actuators: the users' columns among the inputs of the engine."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import Engine
from usdsim.scene.arrays import FloatArray

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
    """The engine's controls, as users see them: one column per control.

    Args:
        engine: the engine that holds the controls.
        columns: place of each user's control among the engine's (`control_columns`).
    """

    def __init__(self, engine: Engine, columns: NDArray[np.intp]):
        self._engine = engine
        # A slice keeps what most models do, one control per engine input, free of gathers.
        self._same = len(columns) == self._live.shape[1]
        self._places = columns
        self._columns = slice(None) if self._same else columns

    @property
    def _live(self) -> NDArray[np.float64]:
        return self._engine.state("ctrl")

    def read(
        self, rows: int | slice | NDArray[np.intp], columns: slice = slice(None)
    ) -> FloatArray:
        """A copy of some controls."""
        return self._live[rows][..., self._columns][..., columns].astype(np.float32)

    def set(
        self,
        rows: int | slice | NDArray[np.intp],
        columns: int | slice | NDArray[np.intp],
        values: NDArray[Any],
    ) -> None:
        """Set controls of some worlds, in the precision given."""
        places = columns if self._same else self._places[columns]
        self._live[_at(rows, places)] = values
        self._engine.touch(field="ctrl")

    def read_inputs(self, rows: int | slice | NDArray[np.intp], inputs: slice) -> FloatArray:
        """A copy of some of the engine's own inputs."""
        return self._live[rows][..., inputs].astype(np.float32)

    def set_input(
        self, rows: int | slice | NDArray[np.intp], column: int, values: NDArray[Any]
    ) -> None:
        """Set one of the engine's own inputs in some worlds."""
        self._live[rows, column] = values
        self._engine.touch(field="ctrl")


def _at(rows: Any, columns: Any) -> tuple[Any, ...]:
    """Index of the block where some rows and some columns meet."""
    if isinstance(rows, np.ndarray) and isinstance(columns, np.ndarray):
        return np.ix_(rows, columns)
    return rows, columns
