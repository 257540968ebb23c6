"""Dry friction of joints that holds more than it brakes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.axes import updated_axes
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.versions import Versions

__all__ = ["FIELD", "JointFriction"]

FIELD = "dof_frictionloss"
"""The engine's parameter: the largest dry friction of a degree of freedom, moving or not."""

_LEAST, _MOST = 1e-4, 1.0 - 1e-4
"""Ends of the range the engine keeps impedances in."""


class JointFriction:
    """Static and dynamic friction of hinge and slide axes in each world.

    The engine knows one force for both. Before each step this gives it the static one for axes
    that stick and the dynamic one for axes that slide. An axis sticks while its speed is at most
    what static friction F can take from it within a time step, F / m (h + c). There m is the
    inertia that the axis feels at the reference pose and h the time step. As the engine's friction
    is that of a stiff damper, an axis that holds the load F creeps with F / m c: c follows from
    the engine's ``dof_solref`` and ``dof_solimp`` and is 0.01 ms by default. A load that static
    friction can hold therefore cannot jump over the speeds at which an axis sticks when it turns
    the motion around.

    Args:
        compiled: the model.
        parameters: the engine's.
        versions: the engine's.

    Attributes:
        active: whether static and dynamic friction differ anywhere.
    """

    def __init__(self, compiled: CompiledModel, parameters: Parameters, versions: Versions):
        self._compiled, self._parameters, self._versions = compiled, parameters, versions
        self._separate = False
        self._static = self._dynamic = np.zeros((0, compiled.mj.nv))
        self._dofs: Any = slice(0)
        self._speeds = np.zeros((0, 0))
        self._known = -1
        self.active = False

    def values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Static and dynamic friction [N or N m], read-only, shape (num_envs, nv) each."""
        if self._separate:
            return self._static, self._dynamic
        loss = self._parameters.read(FIELD)
        return loss, loss

    def set(
        self,
        static: ArrayLike | None,
        dynamic: ArrayLike | None,
        env_ids: NDArray[np.intp] | None,
        dofs: ArrayLike | None,
    ) -> None:
        """Change friction of some worlds and axes [N or N m]; see `axes.updated_axes`.

        Raises:
            InvalidValueError: dynamic friction would exceed static friction, or is negative.
        """
        names = ("static friction", "dynamic friction")
        low, high = (
            before
            if values is None
            else updated_axes(self._compiled, name, before, values, env_ids, dofs)
            for name, before, values in zip(names, self.values(), (static, dynamic), strict=True)
        )
        if np.isinf(low).any():
            raise InvalidValueError("static friction", np.inf, "finite numbers")
        above = np.argwhere(high > low)
        if len(above):
            world, dof = map(int, above[0])
            joint = self._compiled.names.paths("joint")[self._compiled.mj.dof_jntid[dof]]
            raise InvalidValueError(
                f"dynamic friction of {joint!r} in world {world}",
                float(high[world, dof]),
                f"at most the static friction, {float(low[world, dof])!r}",
                "Set both at once.",
            )
        self._store(np.array(low), np.array(high))
        self._parameters.batch.expand(FIELD)[...] = low
        self.update(None)

    def follow(self, worlds: NDArray[np.intp] | None, dofs: ArrayLike | None) -> None:
        """Adopt what was written to the engine's parameter as both frictions."""
        if not self._separate:
            return
        loss = self._parameters.read(FIELD)
        rows = np.arange(len(loss)) if worlds is None else worlds
        columns = np.arange(loss.shape[1])[slice(None) if dofs is None else np.asarray(dofs)]
        cells = np.ix_(rows, np.atleast_1d(columns))
        static, dynamic = np.array(self._static), np.array(self._dynamic)
        static[cells] = dynamic[cells] = loss[cells]
        self._store(static, dynamic)

    def update(self, worlds: NDArray[np.intp] | None) -> None:
        """Set the engine's friction to what acts at the velocities of all worlds or some."""
        if not self.active:
            return
        if self._known != self._versions.parameters:
            self._speeds, self._known = self._thresholds(), self._versions.parameters
        batch, dofs = self._parameters.batch, self._dofs
        rows: Any = slice(None) if worlds is None else worlds
        cells: Any = (rows, dofs)
        if worlds is not None and not isinstance(dofs, slice):
            cells = np.ix_(worlds, dofs)
        sticks = np.abs(batch.bind("qvel")[cells]) <= self._speeds[rows]
        acting = np.where(sticks, self._static[cells], self._dynamic[cells])
        batch.expand(FIELD)[cells] = acting

    def _store(self, static: NDArray[np.float64], dynamic: NDArray[np.float64]) -> None:
        differing = np.flatnonzero((static != dynamic).any(axis=0))
        static.flags.writeable = dynamic.flags.writeable = False
        self._static, self._dynamic, self._separate = static, dynamic, True
        self.active, self._known = len(differing) > 0, -1
        if self.active:
            first, end = int(differing[0]), int(differing[-1]) + 1
            # Neighbours, as an arm's axes are, need no gathering.
            self._dofs = slice(first, end) if end - first == len(differing) else differing

    def _thresholds(self) -> NDArray[np.float64]:
        """Speeds up to which axes stick [m/s or rad/s], shape (num_envs, axes)."""
        read, dofs = self._parameters.read, self._dofs
        step = read("opt.timestep")[:, None]
        solref, solimp = read("dof_solref")[:, dofs], read("dof_solimp")[:, dofs]
        first, last = (np.clip(solimp[..., i], _LEAST, _MOST) for i in (0, 1))
        # A positive first number is a time constant, which the engine keeps above two steps.
        constant = np.maximum(solref[..., 0], 2.0 * step)
        rate = np.where(solref[..., 0] > 0.0, 2.0 / (last * constant), -solref[..., 1] / last)
        creep = np.zeros_like(rate)
        np.divide((1.0 - first) / first, rate, out=creep, where=rate > 0.0)
        mobility = read("dof_invweight0")[:, dofs]
        return np.asarray(self._static[:, dofs] * mobility * (step + creep))
