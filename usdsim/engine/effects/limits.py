"""Limits of an engine: largest speeds of axes and bodies, and largest forces of stiff drives."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.indices import Rows
from usdsim.engine.parameters.cpu import Parameters

from .body_speeds.cpu import BodySpeeds
from .link_speeds.cpu import LinkSpeeds
from .saturation.cpu import SaturatedDrives
from .velocity_limits.cpu import VelocityLimits

__all__ = ["Limits"]

Ids = NDArray[np.intp]


@dataclass(eq=False, slots=True)
class Limits:
    """Limits that steps have to keep and the engine does not have; `update` after setting them."""

    axes: VelocityLimits
    """Speeds of axes."""
    bodies: BodySpeeds
    """Speeds of bodies, and the changes that keep free ones at them."""
    links: LinkSpeeds
    """Forces that keep links at them."""
    drives: SaturatedDrives
    """Forces of stiff drives."""
    of_speeds: list[VelocityLimits | BodySpeeds] = field(init=False)
    """Speed limits that act after steps and are active."""
    linked: bool = field(init=False)
    """Whether any link has a speed limit."""
    slowed: bool = field(init=False, default=False)
    """Whether a speed was beyond its limit after the last step."""

    def __post_init__(self) -> None:
        self.update()

    def update(self) -> None:
        """Update which limits are active."""
        self.of_speeds = [limit for limit in (self.axes, self.bodies) if len(limit)]
        self.links.update()
        self.linked = len(self.links) > 0

    @property
    def active(self) -> bool:
        """Whether anything has a largest speed, or a stiff drive a largest force."""
        return bool(self.of_speeds) or self.linked or self.drives.active

    def slow_down(
        self, parameters: Parameters, velocities: NDArray[np.float64], rows: Rows, ids: Ids | None
    ) -> list[Ids]:
        """Reduce speeds of axes and bodies to their limits after a step.

        Args:
            parameters: the engine's.
            velocities: of the worlds that stepped [m/s or rad/s], shape (n, nv).
            rows: what picks these worlds.
            ids: the same worlds; None: all.

        Returns:
            The worlds in which one was beyond them, for each kind of limit that acted.
        """
        slowed = []
        for limit in self.of_speeds:
            fast = limit.beyond(velocities, rows)
            if fast is not None:
                worlds = np.flatnonzero(fast) if ids is None else ids[fast]
                step = parameters.read("opt.timestep")
                slowed.append(limit.clamp(parameters.batch, worlds, step))
        self.slowed = bool(slowed)
        return slowed
