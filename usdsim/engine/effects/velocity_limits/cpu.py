"""Velocity limits of joints, which the engine itself does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.axes import updated_axes
from usdsim.engine.indices import ALL, Rows

from .inertia import Inertia

if TYPE_CHECKING:
    from .impulses import LimitingImpulses

__all__ = ["VelocityLimits"]


class VelocityLimits:
    """Largest speeds of hinge and slide axes in each world.

    After a step, axes beyond their limits get the joint impulses that bring them back to it. As
    these act between the joint's two bodies, momentum is kept: setting the velocities instead would
    leave the reaction of whatever pushed the joint on its parent. They act within the step: with
    the inertia that it started from, so that it ends where motors of that strength would have made
    it end. Positions give back what the excess has moved them, which is exact for the engine's
    position update q += h v.

    Args:
        compiled: the model; its scene says what the limits are at first.
        num_envs: number of worlds.

    Attributes:
        values: limits [m/s or rad/s], infinite where there is none, shape (num_envs, nv).
        dofs: the degrees of freedom that have a limit in any world.
    """

    values: NDArray[np.float64]
    dofs: NDArray[np.intp]
    _impulses: LimitingImpulses | None

    def __init__(self, compiled: CompiledModel, num_envs: int):
        self._compiled = compiled
        model = compiled.mj
        limits = np.full(model.nv, np.inf)
        for joint in compiled.scene.joints:
            for dof in joint.dofs:
                index = compiled.names.find("joint", dof.path)
                if index is not None and dof.kind in ("hinge", "slide"):
                    limits[model.jnt_dofadr[index]] = dof.velocity_limit
        # Room for the test after every step, which looks at all axes to need no gathering.
        self._speed = np.empty((num_envs, model.nv))
        self._over = np.empty((num_envs, model.nv), np.bool_)
        self._inertia: Inertia | None = None
        self._store(np.repeat(limits[None], num_envs, axis=0))

    def __len__(self) -> int:
        return len(self.dofs)

    def set(
        self, values: ArrayLike, env_ids: NDArray[np.intp] | None, dofs: ArrayLike | None
    ) -> None:
        """Change limits [m/s or rad/s] of some worlds and axes; see `axes.updated_axes`."""
        name = "velocity limit"
        self._store(updated_axes(self._compiled, name, self.values, values, env_ids, dofs))

    def beyond(self, velocities: NDArray[np.float64], rows: Rows = ALL) -> NDArray[np.bool_] | None:
        """Whether any axis of a world is beyond its limit, shape (n,); None: nowhere.

        Args:
            velocities: of the worlds in `rows` [m/s or rad/s], shape (n, nv).
            rows: what picks them.
        """
        count = len(velocities)
        speed, over = self._speed[:count], self._over[:count]
        np.abs(velocities, out=speed)
        np.greater(speed, self._of(rows), out=over)
        return np.asarray(over.any(axis=1)) if np.count_nonzero(over) else None

    def beyond_on_the_way(
        self, velocities: NDArray[np.float64], rows: Rows = ALL
    ) -> NDArray[np.bool_] | None:
        """The same for several steps, whose velocities have the shape (n, steps, nv)."""
        over = np.abs(velocities) > self._of(rows)[:, None]
        return np.asarray(over.any(axis=(1, 2))) if np.count_nonzero(over) else None

    def clamp(
        self, batch: mjbatch.Batch, worlds: NDArray[np.intp], timestep: NDArray[np.float64]
    ) -> NDArray[np.intp]:
        """Enforce the limits in the state of some worlds; returns them.

        Args:
            batch: the worlds. Where no inertia was noted before their last step, they have what it
                started from.
            worlds: those that are over a limit.
            timestep: of every world of the batch [s].
        """
        inertia = self._inertia_of(batch)
        if self._impulses is None or not self._impulses.serves(inertia):
            # Starting Warp takes half a second, which only limits that act are to cost.
            from .impulses import LimitingImpulses

            self._impulses = LimitingImpulses(batch, inertia, self.dofs, self.values)
        self._impulses.apply(worlds, timestep)
        return worlds

    def note_inertia(self, batch: mjbatch.Batch, rows: Rows) -> None:
        """Record the inertia of some worlds, as the next step goes on to another state."""
        if len(self):
            self._inertia_of(batch).keep(rows)

    def forget_inertia(self) -> None:
        """The next step leaves the inertia that it starts from to be looked at."""
        if self._inertia is not None:
            self._inertia.kept = False

    def _inertia_of(self, batch: mjbatch.Batch) -> Inertia:
        if self._inertia is None or not self._inertia.serves(batch):
            self._inertia = Inertia(batch)
        return self._inertia

    def _store(self, values: NDArray[np.float64]) -> None:
        values.flags.writeable = False
        self.values = values
        self.dofs = np.flatnonzero(np.isfinite(values).any(axis=0))
        self._impulses = None
        # One row is faster to compare with than one per world.
        self._bounds = values[:1] if (values == values[:1]).all() else values

    def _of(self, rows: Rows) -> NDArray[np.float64]:
        """Limits of some worlds, or one row for all."""
        return self._bounds if len(self._bounds) == 1 else self._bounds[rows]
