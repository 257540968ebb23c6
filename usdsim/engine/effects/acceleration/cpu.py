"""Accelerations over the last step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.indices import ALL, Rows

__all__ = ["StepAcceleration"]


class StepAcceleration:
    """Acceleration over the last time step of each world.

    Keeps velocities from before it once anybody asked.

    Args:
        num_envs: number of worlds.
        nv: number of degrees of freedom.

    Attributes:
        enabled: whether anybody asked.
    """

    def __init__(self, num_envs: int, nv: int):
        self._shape = num_envs, nv
        self.enabled = False
        # Which worlds' velocities are those before their last step: all, none, or one by one.
        self._known: bool | NDArray[np.bool_] = False
        self._version = -1

    def enable(self) -> None:
        """Start to record velocities."""
        if not self.enabled:
            self.enabled = True
            self._before, self._values = np.zeros(self._shape), np.zeros(self._shape)
            self._view = self._values.view()
            self._view.flags.writeable = False

    def keep(self, velocities: NDArray[np.float64], rows: Rows) -> None:
        """Record the velocities that some worlds step from next, a row for each of them."""
        if rows is ALL:
            self._before[...] = velocities
            self._known = True
        else:
            self._before[rows] = velocities
            self._know(rows, True)

    def forget(self, worlds: NDArray[Any] | list[int] | None) -> None:
        """Forget the start of the last step of worlds whose state was written; None: of all."""
        if worlds is None:
            self._known = False
        elif self.enabled:
            self._know(worlds, False)

    def missing(self) -> bool:
        """Whether a world's acceleration has to come from its forces."""
        return self._known is not True and not np.all(self._known)

    def current(self, version: int) -> NDArray[np.float64] | None:
        """The accelerations if they were filled for this version, else None."""
        return self._view if self.enabled and self._version == version else None

    def fill(
        self,
        version: int,
        velocities: NDArray[np.float64],
        timestep: NDArray[np.float64],
        implied: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """Compute accelerations, read-only, shape (num_envs, nv).

        Args:
            version: what they are valid for.
            velocities: as they are, shape (num_envs, nv).
            timestep: of each world [s], shape (num_envs,).
            implied: what the forces imply, for the worlds that are `missing`.
        """
        np.subtract(velocities, self._before, out=self._values)
        self._values /= timestep[:, None]
        if implied is not None:
            unknown = np.broadcast_to(np.logical_not(self._known), len(implied))
            np.copyto(self._values, implied, where=unknown[:, None])
        self._version = version
        return self._view

    def _know(self, rows: Rows | list[int], known: bool) -> None:
        if isinstance(self._known, bool):
            self._known = np.full(self._shape[0], self._known)
        self._known[rows] = known
