"""Physics events under the names of Isaac Lab: callbacks of the simulation there is, by event."""

from __future__ import annotations

import inspect
import itertools
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace
from typing import Any, ClassVar

from usdsim.core.errors import StageError, UnsupportedError
from usdsim.sim import SimulationContext

from .physics_views import PhysicsSimView

__all__ = ["CallbackHandle", "IsaacEvents", "PhysicsEvent", "PhysxManager", "SimulationManager"]


class IsaacEvents(Enum):
    """Occasions of callbacks; those without a counterpart are only dispatched by programs."""

    PHYSICS_WARMUP = "isaac.physics_warmup"
    SIMULATION_VIEW_CREATED = "isaac.simulation_view_created"
    PHYSICS_READY = "isaac.physics_ready"
    PRE_PHYSICS_STEP = "isaac.pre_physics_step"
    POST_PHYSICS_STEP = "isaac.post_physics_step"
    PRIM_DELETION = "isaac.prim_deletion"
    TIMELINE_STOP = "isaac.timeline_stop"
    STOP = "isaac.stop"


PhysicsEvent = IsaacEvents
"""Likewise."""

_STARTED = (
    IsaacEvents.PHYSICS_WARMUP,
    IsaacEvents.SIMULATION_VIEW_CREATED,
    IsaacEvents.PHYSICS_READY,
)


@dataclass(frozen=True)
class CallbackHandle:
    """A registered callback.

    Attributes:
        id: its number.
    """

    id: int

    def deregister(self) -> None:
        """Call it no more."""
        PhysxManager.deregister_callback(self)


@dataclass
class _Callbacks:
    """Callbacks of a simulation: event, order and function by number."""

    simulation: SimulationContext
    entries: dict[int, tuple[IsaacEvents, int, Callable[[], Any]]] = field(default_factory=dict)
    started: bool = False
    error: BaseException | None = None

    def attach(self) -> None:
        """Listen to the simulation."""
        self.simulation.add_play_callback("isaac events", self._play)
        self.simulation.add_stop_callback("isaac events", self._stop)

    def dispatch(self, event: IsaacEvents, payload: Mapping[str, Any]) -> None:
        """Call what waits for an event, and raise what `store_callback_exception` kept."""
        told = SimpleNamespace(type=event.value, payload=dict(payload))
        for kind, _, find in sorted(self.entries.values(), key=lambda entry: entry[1]):
            function = find()
            if kind is event and function is not None:
                function(told)
        error, self.error = self.error, None
        if error is not None:
            raise error

    def before_step(self, dt: float) -> None:
        """Tell of a step of a length [s]."""
        self.dispatch(IsaacEvents.PRE_PHYSICS_STEP, {"dt": dt})

    def _play(self) -> None:
        if not self.started:
            self.started = True
            for event in _STARTED:
                self.dispatch(event, {})

    def _stop(self) -> None:
        self.started = False
        for event in (IsaacEvents.TIMELINE_STOP, IsaacEvents.STOP):
            self.dispatch(event, {})


class _MessageBus:
    """Bus of events, as far as programs dispatch them themselves."""

    @staticmethod
    def dispatch_event(name: str, payload: Mapping[str, Any] | None = None) -> None:
        """Call what waits for the event of a name."""
        PhysxManager.current().dispatch(IsaacEvents(name), payload or {})


class PhysxManager:
    """Registers callbacks with the simulation there is; they go when it ends."""

    _message_bus: ClassVar[_MessageBus] = _MessageBus()
    _numbers: ClassVar[Any] = itertools.count()
    _known: ClassVar[_Callbacks | None] = None

    @classmethod
    def current(cls) -> _Callbacks:
        """Callbacks of the simulation there is.

        Raises:
            StageError: there is none.
        """
        simulation = SimulationContext.instance()
        if simulation is None:
            raise StageError("There is no simulation. Make a SimulationContext first.")
        if cls._known is None or cls._known.simulation is not simulation:
            cls._known = _Callbacks(simulation, started=not simulation.is_stopped())
            cls._known.attach()
        return cls._known

    @classmethod
    def get_physics_sim_view(cls) -> PhysicsSimView:
        """Views of the simulation there is.

        Raises:
            StageError: there is none.
        """
        return PhysicsSimView(cls.current().simulation)

    @classmethod
    def register_callback(
        cls,
        callback: Callable[[Any], object],
        event: IsaacEvents,
        order: int = 0,
        name: str | None = None,
        wrap_weak_ref: bool = True,
    ) -> CallbackHandle:
        """Call a function at an event.

        Args:
            callback: takes an event with `payload`, a mapping.
            event: when.
            order: callbacks with less are called first.
            name: has no effect.
            wrap_weak_ref: whether methods do not keep their object alive.

        Raises:
            StageError: there is no simulation.
            UnsupportedError: the event is the end of a step, for which there is no callback.
        """
        if event is IsaacEvents.POST_PHYSICS_STEP:
            raise UnsupportedError(
                "PhysxManager.register_callback: nothing is called after steps. Call the function "
                "after sim.step(), or use PRE_PHYSICS_STEP."
            )
        callbacks, number = cls.current(), next(cls._numbers)
        bound = wrap_weak_ref and inspect.ismethod(callback)
        find = weakref.WeakMethod(callback) if bound else lambda: callback
        callbacks.entries[number] = (event, order, find)
        if event is IsaacEvents.PRE_PHYSICS_STEP and not callbacks.simulation.calls_back:
            callbacks.simulation.add_physics_callback("isaac events", callbacks.before_step)
        return CallbackHandle(number)

    @classmethod
    def deregister_callback(cls, callback_id: CallbackHandle | int) -> None:
        """Call a function no more; nothing where its simulation has ended."""
        number = callback_id.id if isinstance(callback_id, CallbackHandle) else callback_id
        if cls._known is not None:
            cls._known.entries.pop(number, None)

    @classmethod
    def store_callback_exception(cls, exception: BaseException) -> None:
        """Keep an error until all callbacks of the event were called; then it is raised."""
        cls.current().error = exception

    @staticmethod
    def assets_loading() -> bool:
        """Whether files are still to come: never, as a stage is open once all are there."""
        return False

    @classmethod
    def get_physics_sim_device(cls) -> str:
        """Device of the simulation.

        Raises:
            StageError: there is no simulation.
        """
        return cls.current().simulation.device


SimulationManager = PhysxManager
"""Its name in Isaac Sim."""
