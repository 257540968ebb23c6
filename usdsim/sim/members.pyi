"""Members of a `SimulationContext` that its parts have: callbacks, and services of applications.

Written by ``python -m usdsim.views.stubs usdsim.sim.members``.
"""

from collections.abc import Callable
from numpy.typing import ArrayLike
from typing import Any
from usdsim.sim.callbacks import SimulationCallbacks
from usdsim.sim.surroundings import Surroundings

__all__ = [
    "SimulationMembers",
]

class SimulationMembers:
    """Callbacks, settings and camera view of a simulation."""

    _callbacks: SimulationCallbacks

    def add_physics_callback(
        self,
        name: str,
        function: Callable[[float], object],
    ) -> None:
        """Call a function before every time step, with its length [s]."""

    def remove_physics_callback(
        self,
        name: str,
    ) -> None:
        """Call it no more."""

    def add_play_callback(
        self,
        name: str,
        function: Callable[[], object],
    ) -> None:
        """Call a function whenever time starts to run; see `add_physics_callback`."""

    def remove_play_callback(
        self,
        name: str,
    ) -> None:
        """Call it no more; see `remove_physics_callback`."""

    def add_stop_callback(
        self,
        name: str,
        function: Callable[[], object],
    ) -> None:
        """Call a function after the engine is gone; see `add_physics_callback`."""

    def remove_stop_callback(
        self,
        name: str,
    ) -> None:
        """Call it no more; see `remove_physics_callback`."""

    def add_render_callback(
        self,
        name: str,
        function: Callable[[], object],
    ) -> None:
        """Call a function at every `render`; see `add_physics_callback`."""

    def remove_render_callback(
        self,
        name: str,
    ) -> None:
        """Call it no more; see `remove_physics_callback`."""

    _surroundings: Surroundings

    def get_rendering_dt(self) -> float:
        """Simulated time from one rendering to the next [s]."""

    @property
    def settings(self) -> dict[str, Any]:
        """Values by name that a program keeps here; the simulation reads none of them."""

    def set_setting(
        self,
        name: str,
        value: Any,
    ) -> None:
        """Keep a value, such as of ``/app/window/width``; the simulation does not read it."""

    def get_setting(
        self,
        name: str,
    ) -> Any:
        """The value kept under a name, or None."""

    @property
    def camera_view(self) -> tuple[ArrayLike, ArrayLike] | None:
        """Eye and target of `set_camera_view` in world [m], shape (3,) each; None before it."""

    def set_camera_view(
        self,
        eye: ArrayLike,
        target: ArrayLike,
    ) -> None:
        """Say from where to look, for those who draw the scene; see `camera_view`.

        Args:
            eye: position of the camera in world [m], shape (3,).
            target: point it looks at in world [m], shape (3,).
        """

    @property
    def has_gui(self) -> bool:
        """Whether there is a window: never."""

    @property
    def is_rendering(self) -> bool:
        """Whether every step draws: never; see `SimulationContext.render`."""
