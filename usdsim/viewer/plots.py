"""Plots of a view: quantities of the watched world over the last seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .viewer import Viewer

__all__ = ["Plots", "quantities"]

_SAMPLES, _RATE = 240, 10.0
"""Points of a curve, and how often the page is sent new ones [1/s]."""


class Plots:
    """Curves of chosen quantities.

    Attributes:
        chosen: names of quantities, as `quantities` has them.
    """

    def __init__(self) -> None:
        self.chosen: tuple[str, ...] = ()
        self._times: deque[float] = deque(maxlen=_SAMPLES)
        self._values: deque[tuple[float, ...]] = deque(maxlen=_SAMPLES)
        self._plot: Any = None
        self._sent = -np.inf

    def choose(self, names: tuple[str, ...], gui: Any) -> None:
        """Plot other quantities from now on.

        Args:
            names: of `quantities`.
            gui: where the plot goes.
        """
        self.chosen = names
        self._times.clear()
        self._values.clear()
        if self._plot is not None:
            self._plot.remove()
            self._plot = None
        if names:
            from viser import uplot

            colours = ("#c22", "#28c", "#2a5", "#a5c", "#c90")
            series = [uplot.Series(label="time [s]")]
            series += [uplot.Series(label=name, stroke=colours[k % len(colours)], width=2)
                       for k, name in enumerate(names)]  # fmt: skip
            empty = tuple(np.zeros(1) for _ in series)
            scales = {"x": uplot.Scale(time=False, auto=True)}
            self._plot = gui.add_uplot(empty, tuple(series), scales=scales, aspect=1.6)

    def add(self, viewer: Viewer, now: float) -> None:
        """Take values at a time [s], if there is a plot and it is later than the last."""
        if not self.chosen:
            return
        if self._times and now <= self._times[-1]:
            if now < self._times[-1]:  # put back
                self._times.clear()
                self._values.clear()
            return
        known = quantities(viewer)
        self._times.append(now)
        self._values.append(tuple(known[name](viewer) for name in self.chosen))
        if not 0.0 <= now - self._sent < 1.0 / _RATE:
            self._sent = now
            columns = np.array(self._values, np.float64).T
            self._plot.data = (np.array(self._times), *(column.copy() for column in columns))

    @property
    def values(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Times [s] and values in the plot, shape (samples, 1 + quantities)."""
        times = np.array(self._times).reshape(-1, 1)
        return np.concatenate([times, np.array(self._values).reshape(len(times), -1)], axis=1)


def quantities(viewer: Viewer) -> dict[str, Callable[[Viewer], float]]:
    """Quantities of the watched world that can be plotted, by name."""
    model = viewer.clock.model
    if model is None:
        return {}
    found: dict[str, Callable[[Viewer], float]] = {}
    for joint in model.joints:
        if joint.num_dof_pos == 1:
            name, at, rate = joint.name or joint.path, joint.dof_pos_index, joint.dof_vel_index
            found[f"{name} position"] = lambda v, at=at: float(v.watched.dof_pos[at])  # type: ignore[misc]
            found[f"{name} velocity"] = lambda v, at=rate: float(v.watched.dof_vel[at])  # type: ignore[misc]
    for actuator in model.actuators:
        at = actuator.ctrl_slice.start
        name = actuator.name or actuator.path
        found[f"{name} control"] = lambda v, at=at: float(v.watched.actuator_ctrls[at])  # type: ignore[misc]
    for body in model.description.bodies:
        name = body.path.rpartition("/")[2]
        path = body.path
        found[f"{name} height"] = lambda v, path=path: float(v.poses()[path][2])  # type: ignore[misc]
    return found
