"""Settings and camera view of a simulation: members that programs for applications use."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import ArrayLike

from .cfg import SimulationCfg

__all__ = ["Surroundings"]


class TimedSimulation(Protocol):
    """Simulation with a time step, as far as an application asks for it."""

    cfg: SimulationCfg

    def get_physics_dt(self) -> float:
        """Time step [s]."""
        ...


class Surroundings:
    """Application services around a simulation, where they make sense without one.

    Args:
        simulation: the simulation.
    """

    def __init__(self, simulation: TimedSimulation):
        self._simulation = simulation
        self._settings: dict[str, Any] = {}
        self._camera_view: tuple[ArrayLike, ArrayLike] | None = None

    def get_rendering_dt(self) -> float:
        """Simulated time from one rendering to the next [s]."""
        return float(self._simulation.get_physics_dt() * self._simulation.cfg.render_interval)

    @property
    def settings(self) -> dict[str, Any]:
        """Values by name that a program keeps here; the simulation reads none of them."""
        return self._settings

    def set_setting(self, name: str, value: Any) -> None:
        """Store a value, such as of ``/app/window/width``; the simulation does not read it."""
        self.settings[name] = value

    def get_setting(self, name: str) -> Any:
        """The value kept under a name, or None."""
        return self.settings.get(name)

    @property
    def camera_view(self) -> tuple[ArrayLike, ArrayLike] | None:
        """Eye and target of `set_camera_view` in world [m], shape (3,) each; None before it."""
        return self._camera_view

    def set_camera_view(self, eye: ArrayLike, target: ArrayLike) -> None:
        """Set the viewpoint, for those who draw the scene; see `camera_view`.

        Args:
            eye: position of the camera in world [m], shape (3,).
            target: point it looks at in world [m], shape (3,).
        """
        self._camera_view = (eye, target)

    @property
    def has_gui(self) -> bool:
        """Whether there is a window: never."""
        return False

    @property
    def is_rendering(self) -> bool:
        """Whether every step draws: never; see `SimulationContext.render`."""
        return False
