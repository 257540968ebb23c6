"""Passage of stiff drives through the steps of one call: whether limits were reached there."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.indices import Rows
from usdsim.engine.parameters.cpu import Parameters

from .law import Laws, of_worlds
from .shares import Shares, any_above

__all__ = ["Passage"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_RUNGE_KUTTA = int(mujoco.mjtIntegrator.mjINT_RK4)
_NEAR = 1.0 - 1e-4
"""Share of a limit from which a drive counts as beyond it: rounding moves forces by less."""


class Passage:
    """Forces of stiff drives at the steps that one call makes, from what is known after it.

    Positions go on by the velocity that a step ends with, q' = q + h v'. So the position that the
    last step started from is known, and its velocity follows from the force of that step, which the
    engine keeps: v = (c - kp q - f) / kd, where c = ff + kp q* + kd v* does not change. The
    position before that one follows likewise, and its velocity from the one that the call started
    from. These are all states of three steps, or of two where a drive has no damping.

    Args:
        batch: the worlds.
        laws: of the drives.
        columns: of the state: position, velocity and the three inputs of each drive, shape
            (drives, 5).
        actuators: of the drives, shape (drives,).
        limits: of the forces, shape (num_envs, drives), or (1, drives) where worlds agree.
        parameters: the engine's.

    Attributes:
        longest: most steps of a call whose states follow; the first has to be looked at before.
    """

    def __init__(
        self,
        batch: mjbatch.Batch,
        laws: Laws,
        columns: Ids,
        actuators: Ids,
        limits: Floats,
        parameters: Parameters,
    ):
        self._columns, self._actuators = columns, actuators[:, None]
        self._most = _NEAR * limits[:, None]
        step = parameters.read("opt.timestep")
        self.longest = 3 if (laws.damping[laws.slope > 0.0] > 0.0).all() else 2
        if (parameters.read("opt.integrator") == _RUNGE_KUTTA).any():
            self.longest = 1
        self._gains = {n: _gains(laws, step, n) for n in range(2, self.longest + 1)}
        # In a lone world, terms from the state, from that before and from the last forces.
        self._shares: dict[int, list[Shares]] = {}
        parts = columns, columns[:, :1], self._actuators
        for n, gains in self._gains.items() if batch.nsim == 1 else ():
            of_parts = gains[0, ..., :5], gains[0, ..., 5:6], gains[0, ..., 6:]
            used = zip(parts[:n], of_parts, strict=False)
            shares = [Shares(places, values, self._most[0, 0]) for places, values in used]
            if all(share.small for share in shares):
                self._shares[n] = shares

    def beyond(
        self, rows: Rows, start: Floats, end: Floats, pushed: Floats | None, n: int
    ) -> NDArray[np.bool_] | None:
        """Whether any drive of a world may have been beyond its limits after the first step.

        Args:
            rows: worlds that have made a call of steps.
            start: their state before it, a row for each of them.
            end: their state after it.
            pushed: forces of all actuators in the last of more than two steps.
            n: number of steps, from 2 to `longest`.

        Returns:
            Worlds in which one may, shape (worlds,); None: nowhere.
        """
        if n in self._shares:
            return self._beyond_alone(start[0], end[0], pushed, n)
        state = end.take(self._columns, axis=1)
        before = start.take(self._columns[:, :1], axis=1)
        # Without a third step there is no need of the force of the last one.
        last = before[..., :0] if pushed is None else pushed.take(self._actuators, axis=1)
        terms = np.concatenate([state, before, last], axis=-1)
        forces = np.abs(np.vecdot(terms[:, None], of_worlds(self._gains[n], rows)))
        over = forces > of_worlds(self._most, rows)
        return np.asarray(over.any(axis=(1, 2))) if np.count_nonzero(over) else None

    def _beyond_alone(
        self, start: Floats, end: Floats, pushed: Floats | None, n: int
    ) -> NDArray[np.bool_] | None:
        """The same for the one world there is."""
        now, before, *last = self._shares[n]
        shares = now.of(end) + before.of(start)
        if pushed is not None:
            shares += last[0].of(pushed[0])
        return np.ones(1, np.bool_) if any_above(shares) else None


def _gains(laws: Laws, timestep: Floats, n: int) -> Floats:
    """Gains of the forces at the steps of a call after the first, per number known around it.

    These are the position and velocity of each drive after it, its three inputs, its position
    before and, of three steps, the force of the last one.

    Returns:
        Shape (num_envs, n - 1, drives, n + 4), or (1, ...) where worlds agree.
    """
    # Forces are linear, so that their gains are the forces of units.
    position, velocity, target, speed, push, before, *last = np.eye(n + 4)
    stiffness = laws.stiffness[..., None]
    # What is not stiff has no limit here, and needs a number only.
    damping = np.where(laws.slope > 0.0, laws.damping, 1.0)[..., None]
    step = (timestep[:1] if (timestep == timestep[0]).all() else timestep)[:, None, None]
    constant = push + stiffness * target + damping * speed
    for force in last:
        position = position - step * velocity
        velocity = (constant - stiffness * position - force) / damping
    position = position - step * velocity
    first = constant - stiffness * position - damping * (position - before) / step
    return np.stack([first, *(np.broadcast_to(force, first.shape) for force in last)], axis=1)
