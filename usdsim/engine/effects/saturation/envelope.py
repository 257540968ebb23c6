"""Performance envelopes of drives: limits of force that depend on the speed of the joint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Envelopes"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Envelopes:
    """Envelopes |f| <= F - R |v| and |v| <= V - g |f| of drives, at the end of a step.

    Shapes are (num_envs, drives), or (1, drives) where worlds agree.
    """

    speed: Floats
    """V [m/s or rad/s]; inf: none."""
    gradient: Floats
    """g [m/s/N or rad/s/(N m)]."""
    resistance: Floats
    """R [N s/m or N m s/rad]."""
    response: Floats
    """Change of velocity by a unit of force within a step [m/s/N or rad/s/(N m)]."""

    @cached_property
    def any(self) -> bool:
        """Whether any drive has one."""
        return bool(np.isfinite(self.speed).any() or self.resistance.any())

    def limits(
        self, low: Floats, high: Floats, velocity: Floats, rows: slice | NDArray[np.intp]
    ) -> tuple[Floats, Floats]:
        """Least and largest force of drives at a velocity, shape (n, drives) each.

        Args:
            low: least force at rest.
            high: largest force at rest.
            velocity: of the drives' joints [m/s or rad/s], shape (n, drives).
            rows: worlds that they are of.
        """
        return -self._most(-low, -velocity, rows), self._most(high, velocity, rows)

    def _most(self, limit: Floats, velocity: Floats, rows: slice | NDArray[np.intp]) -> Floats:
        """Largest force in the direction in which velocities count.

        A force that drives raises the speed that limits it by the end of the step; one that brakes
        lowers it.
        """
        top, gradient, resistance, response = (
            values if len(values) == 1 else values[rows]
            for values in (self.speed, self.gradient, self.resistance, self.response)
        )
        size, gain = np.abs(velocity), np.where(velocity >= 0.0, response, -response)
        by_effort = _ratio(limit - resistance * size, 1.0 + resistance * gain)
        by_speed = _ratio(top - size, gradient + gain)
        within = np.maximum(np.minimum(np.minimum(by_effort, by_speed), limit), 0.0)
        return np.where(np.isinf(top) & (resistance == 0.0), limit, within)


def _ratio(number: Floats, slope: Floats) -> Floats:
    """Force at which a limit that falls with a slope is reached; where it does not fall, none."""
    falls = slope > 0.0
    return np.where(falls, number / np.where(falls, slope, 1.0), np.inf)
