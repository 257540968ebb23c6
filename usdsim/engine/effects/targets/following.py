"""Controls that follow samples over the simulation time of each world."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel

__all__ = ["SampledTargets"]

Array = NDArray[np.float64]
Ids = NDArray[np.intp]


class SampledTargets:
    """Targets of drives with samples, in every world.

    Time is that of the world, so a reset starts them anew. A control that holds something else
    than the samples put there was written by somebody: it stays, until that world is reset.

    Args:
        compiled: the model.
        num_envs: number of worlds.

    Attributes:
        columns: controls that follow samples, ascending within each drive.
    """

    def __init__(self, compiled: CompiledModel, num_envs: int):
        self._samples = compiled.sampled_controls
        self.columns = np.concatenate(
            [np.zeros(0, np.intp), *(sampled.columns for sampled in self._samples)]
        )
        self._seen: NDArray[Any] = np.zeros((num_envs, len(self.columns)))
        self._taken = np.zeros(self._seen.shape, np.bool_)
        self._time = np.zeros(num_envs)

    @property
    def active(self) -> bool:
        """Whether any control follows samples."""
        return bool(len(self.columns)) and not self._taken.all()

    def reset(self, controls: NDArray[Any], time: Array, worlds: Ids | None) -> None:
        """Start anew in worlds that were put somewhere.

        Args:
            controls: of all worlds as they are now, shape (num_envs, nu).
            time: of all worlds [s], shape (num_envs,).
            worlds: those that were reset; None: all.
        """
        if not len(self.columns):
            return
        rows = np.arange(len(self._time)) if worlds is None else worlds
        self._seen[rows] = controls[np.ix_(rows, self.columns)]
        self._taken[rows] = False
        self._time[rows] = time[rows]

    def follow(self, controls: NDArray[Any], time: Array, step: Array, worlds: Ids) -> NDArray[Any]:
        """Controls for the next step.

        Args:
            controls: of all worlds as they are now, shape (num_envs, nu).
            time: of `worlds` before the step [s], shape (len(worlds),).
            step: its length [s], same shape.
            worlds: those that are stepped.

        Returns:
            What `columns` of `worlds` are to hold, in the precision of the controls.
        """
        # A world whose time ran back was put to its start by the engine, as after a failure.
        back = time < self._time[worlds]
        if back.any():
            self.reset(controls, np.where(back, time, 0.0), worlds[back])
        present = controls[np.ix_(worlds, self.columns)]
        taken = self._taken[worlds] | (present != self._seen[worlds])
        wanted = np.concatenate(
            [sampled.samples.at(time + step) for sampled in self._samples], axis=-1
        )
        values = np.where(taken, present, wanted.astype(present.dtype))
        self._seen[worlds], self._taken[worlds] = values, taken
        self._time[worlds] = time
        return values
