"""Settings and camera view of a simulation: members that programs for applications use."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .cfg import SimulationCfg

__all__ = ["Surroundings"]


class Surroundings:
    """What an application around a simulation offers, where it makes sense without one."""

    cfg: SimulationCfg

    def get_rendering_dt(self) -> float:
        """Simulated time from one rendering to the next [s]."""
        return float(self.get_physics_dt() * self.cfg.render_interval)

    def get_physics_dt(self) -> float:
        """Time step [s]."""
        raise TypeError(f"{type(self).__name__} says nothing about its time step")

    @property
    def settings(self) -> dict[str, Any]:
        """Values by name that a program keeps here; the simulation reads none of them."""
        kept: dict[str, Any] = self.__dict__.setdefault("_settings", {})
        return kept

    def set_setting(self, name: str, value: Any) -> None:
        """Keep a value, such as of ``/app/window/width``; the simulation does not read it."""
        self.settings[name] = value

    def get_setting(self, name: str) -> Any:
        """The value kept under a name, or None."""
        return self.settings.get(name)

    @property
    def camera_view(self) -> tuple[ArrayLike, ArrayLike] | None:
        """Eye and target of `set_camera_view` in world [m], shape (3,) each; None before it."""
        view: tuple[ArrayLike, ArrayLike] | None = self.__dict__.get("_camera_view")
        return view

    def set_camera_view(self, eye: ArrayLike, target: ArrayLike) -> None:
        """Say from where to look, for those who draw the scene; see `camera_view`.

        Args:
            eye: position of the camera in world [m], shape (3,).
            target: point it looks at in world [m], shape (3,).
        """
        self.__dict__["_camera_view"] = (eye, target)

    @property
    def has_gui(self) -> bool:
        """Whether there is a window: never."""
        return False

    @property
    def is_rendering(self) -> bool:
        """Whether every step draws: never; see `SimulationContext.render`."""
        return False
