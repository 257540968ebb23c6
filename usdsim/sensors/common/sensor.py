"""Sensor base class: sampling times and instances."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.participation import Simulation, current_simulation
from usdsim.core.arguments import number
from usdsim.core.errors import StageError
from usdsim.engine.base import Engine
from usdsim.parser.description import SceneDescription
from usdsim.spawners.place import expand
from usdsim.usd.guides import hide_frames, show_frames
from usdsim.views.copies.device_selection import DeviceSelection, device_instances
from usdsim.views.selection import Indices, Mask, selected_either
from usdsim.views.usable import usable_fields

from .kernel_pass import Rows

if TYPE_CHECKING:
    from .cfg import SensorBaseCfg

__all__ = ["SensorBase"]

_TOLERANCE = 1e-6
"""Tolerance of early samples, for the rounding of summed time steps [s]."""


class SensorBase:
    """Base of sensors, which take part in the current simulation from their construction on.

    A sensor without an update period describes the present state whenever `data` is read, and
    computes nothing before. One with an update period samples within the call of `update` that
    reaches a multiple of the period since the last reset, and holds its values in between. After
    a reset, the next read or update samples, whether or not the simulation has stepped.

    Arrays of `data` stay the same objects and are filled anew; copy what should survive.

    Args:
        cfg: the configuration; the sensor works on a copy.

    Attributes:
        cfg: the copy.
    """

    cfg: SensorBaseCfg
    _follows: ClassVar[Literal["motion", "forces"]] = "forces"
    """The counter of the engine that tells whether what the sensor measures has changed."""

    def __init__(self, cfg: SensorBaseCfg):
        cfg.validate()
        self.cfg = cfg.copy()
        self._engine: Engine | None = None
        self._data: Any = None
        self._num_instances = 0
        self._simulation: Simulation = current_simulation()
        self._simulation.register(self)
        if self.cfg.debug_vis:
            self.set_debug_vis(True)

    def __str__(self) -> str:
        """The kind of sensor, where it is and how often it samples."""
        count = self._num_instances if self.is_initialized else "not initialised"
        return (
            f"{type(self).__name__} at {self.cfg.prim_path}: instances {count}, update period "
            f"{self.cfg.update_period} s"
        )

    # -- properties ----------------------------------------------------------------------------

    @property
    def is_initialized(self) -> bool:
        """Whether the simulation was started, so that there are data."""
        return self._engine is not None

    @property
    def num_instances(self) -> int:
        """Number of sensors: those of each world, in all worlds.

        Raises:
            StageError: the simulation was not started.
        """
        self._running()
        return self._num_instances

    @property
    def device(self) -> str:
        """Device of the arrays: ``cpu`` or ``cuda:0``."""
        return self._simulation.device

    @property
    def has_debug_vis_implementation(self) -> bool:
        """Whether `set_debug_vis` does anything: it draws frames of the bodies."""
        return True

    @property
    def data(self) -> Any:
        """Measurements of the sensor.

        Raises:
            StageError: the simulation was not started.
        """
        self._refresh()
        return self._data

    # -- operations ----------------------------------------------------------------------------

    def set_debug_vis(self, debug_vis: bool) -> bool:
        """Draw the frames of the bodies the sensor is on, or stop drawing them.

        They are guides: lines along the axes of each body, x red, y green, z blue, which any viewer
        of the stage shows when told to show guides.

        Args:
            debug_vis: whether they are drawn.

        Returns:
            Whether there was anything to draw them on.
        """
        draw = show_frames if debug_vis else hide_frames
        return draw(self._simulation.stage, expand(self.cfg.prim_path))

    def reset(self, env_ids: Indices = None, env_mask: Mask = None) -> None:
        """Start some instances anew: their time is 0, and the next read samples.

        Args:
            env_ids: instances, as indices or a slice; None: all.
            env_mask: booleans, shape (num_instances,), which win over indices. The host does not
                look at indices or a mask on the device, unless the sensor has an update period or
                draws random numbers.

        Raises:
            StageError: the simulation was not started.
            InvalidValueError: an index is out of range.
        """
        device, count = self._running().device, self._num_instances
        if self._forgets_on_device:
            which = device_instances(env_ids, env_mask, count, device)
            if which is not None:
                self._forget(which)
                return
        rows = selected_either("env", env_ids, env_mask, count)
        where = slice(None) if rows is None else rows
        self._time[where] = self._sampled[where] = 0.0
        self._next[where] = self.cfg.update_period
        self._pending[where] = True
        self._forget(rows)

    def update(self, dt: float, force_recompute: bool = False) -> None:
        """Advance the sensor's time; instances that are due then sample.

        Args:
            dt: time since the last call [s].
            force_recompute: whether instances that are due compute their data now even if nothing
                but a later read would ask for them.

        Raises:
            StageError: the simulation was not started.
            InvalidValueError: the time is negative or not finite.
        """
        self._running()
        self._time += number("dt", dt, above=False)
        if not (self._samples_always or force_recompute):
            return
        due = self._due(self._time)
        if not due.any():
            return
        rows = None if due.all() else np.flatnonzero(due)
        where: Any = slice(None) if rows is None else rows
        self._follow()
        self._before_sample(rows, self._time[where] - self._sampled[where])
        self._sample(rows)
        self._after_sample(rows)

    # -- steps as parts of a recording -----------------------------------------------------------

    def prepare_step(self, dt: float) -> Hashable | None:
        """Get ready for a step, before its physics; see `StepPart`.

        It cannot be recorded if only some instances are due, or if the sensor needs the host.
        """
        self._running()
        self._samples = False
        if not self._samples_always:
            return ()
        time = self._time + dt
        due = self._due(time)
        if not due.any():
            return ("held",)
        key = self._follow() if due.all() else None
        if key is None:
            return None
        self._before_sample(None, time - self._sampled)
        self._samples = True
        return ("sampled", key)

    def launch_step(self) -> None:
        """Launch what `update` does, if a sample is due; see `StepPart`."""
        if self._samples:
            self._sample(None)

    def note_step(self, dt: float) -> None:
        """Record a step that was launched; see `StepPart`."""
        self._time += dt
        if self._samples:
            self._after_sample(None)

    # -- participation -------------------------------------------------------------------------

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """Add what this sensor needs to the scene, before it is compiled."""
        return scene

    def initialize(self, simulation: Simulation) -> None:
        """Bind to the engine, which exists now.

        Raises:
            StageError: the configuration matches nothing on the stage.
        """
        engine = simulation.engine
        self._num_instances = count = self._bind(simulation, engine)
        usable_fields(self._data)
        self._time, self._sampled = np.zeros(count), np.zeros(count)
        self._next = np.full(count, float(self.cfg.update_period))
        self._pending = np.ones(count, np.bool_)
        self._seen = -1
        self._samples = False
        self._engine = engine

    def invalidate(self) -> None:
        """Forget the engine: the simulation stopped."""
        self._engine, self._data = None, None

    # -- what sensors define -------------------------------------------------------------------

    def _bind(self, simulation: Simulation, engine: Engine) -> int:
        """Find what is measured and make the arrays; returns the number of instances."""
        raise TypeError(f"{type(self).__name__} says nothing about what it measures")

    def _evaluate(self, rows: Rows) -> None:
        """Fill the data of some instances for the present state."""
        raise TypeError(f"{type(self).__name__} says nothing about how it measures")

    def _follow(self) -> Hashable | None:
        """Upload parameters that `_evaluate` needs to the device.

        Returns:
            What tells evaluations that take other launches apart; None: they need the host.
        """
        return ()

    def _before_sample(self, rows: Rows, elapsed: NDArray[np.float64]) -> None:
        """Get ready for a sample of some instances, `elapsed` after their last one [s]."""

    def _sample(self, rows: Rows) -> None:
        """Take a sample of some instances."""
        self._evaluate(rows)

    def _forget(self, rows: Rows | DeviceSelection) -> None:
        """Start some instances anew."""

    @property
    def _forgets_on_device(self) -> bool:
        """Whether all that instances differ in is on the device, given a reset of some there."""
        return self.cfg.update_period == 0.0

    @property
    def _samples_always(self) -> bool:
        """Whether samples matter even if nobody reads them."""
        return self.cfg.update_period > 0.0 or self.cfg.history_length > 0

    # -- inside --------------------------------------------------------------------------------

    def _running(self) -> Engine:
        if self._engine is None:
            raise StageError(
                f"{type(self).__name__} at {self.cfg.prim_path!r} has no data before the "
                "simulation starts. Call reset() of the simulation context first."
            )
        return self._engine

    def _refresh(self) -> None:
        engine = self._running()
        current = self._seen == getattr(engine.versions, self._follows)
        stale = self.cfg.update_period == 0.0 and not current
        if stale or self._pending.any():
            rows = None if stale or self._pending.all() else np.flatnonzero(self._pending)
            self._follow()
            self._evaluate(rows)
            self._mark_current(rows)

    def _due(self, time: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Instances that sample at a time since their last reset [s]."""
        found: NDArray[np.bool_] = time >= self._next - _TOLERANCE
        return found

    def _after_sample(self, rows: Rows) -> None:
        """Record that a sample was taken."""
        where: Any = slice(None) if rows is None else rows
        self._sampled[where] = self._time[where]
        period = self.cfg.update_period
        if period > 0.0:
            passed = np.floor((self._time[where] + _TOLERANCE) / period)
            self._next[where] = (passed + 1.0) * period
        self._mark_current(rows)

    def _mark_current(self, rows: Rows) -> None:
        """Mark some instances as current."""
        if rows is None:
            self._pending[:] = False
            self._seen = getattr(self._running().versions, self._follows)
        else:
            self._pending[rows] = False
