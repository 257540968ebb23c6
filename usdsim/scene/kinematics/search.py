"""Damped least squares (Levenberg-Marquardt) on many chains side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_from_matrix, quat_to_rotvec

from .chain import ChainKinematics, ChainState

__all__ = ["Found", "Problem", "search"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

# Trust in the linear model grows after steps that help and shrinks after others; beyond the
# largest damping no step is left to try.
_EASE, _STIFFEN = 0.2, 4.0
_LEAST, _MOST = 1e-12, 1e8
_PROGRESS, _PATIENCE = 0.99, 10
"""A search is given up after this many steps without one that leaves this share of the cost."""


class Found(NamedTuple):
    """The best that each search came upon."""

    joints: Floats
    """[m or rad], shape (n, k)."""
    cost: Floats
    """Weighted square of the error, shape (n,)."""
    errors: Floats
    """Distance [m] and angle [rad] to the target, shape (n, 2)."""
    converged: NDArray[np.bool_]
    """Whether both are within the tolerance, shape (n,)."""
    steps: Ids
    """Steps tried, shape (n,)."""

    def some(self, rows: slice) -> Found:
        """Copies of the rows of some searches."""
        parts = self.joints, self.cost, self.errors
        joints, cost, errors = (np.array(part[rows]) for part in parts)
        return Found(joints, cost, errors, self.converged[rows].copy(), self.steps[rows].copy())

    def take(self, other: Found, rows: Ids, chosen: NDArray[np.bool_]) -> None:
        """Put chosen ones of other searches, all but their steps, in place of some of these."""
        for part, new in zip(self[:4], other[:4], strict=True):
            part[rows[chosen]] = new[chosen]


@dataclass(frozen=True)
class Problem:
    """Targets and limits of worlds, one row each."""

    kinematics: ChainKinematics
    position: Floats
    """Of the targets [m], shape (worlds, 3)."""
    rotation: Floats
    """Of the targets, shape (worlds, 3, 3)."""
    low: Floats
    """Lower limits of the joints, shape (worlds, k)."""
    high: Floats
    """Upper limits of the joints, shape (worlds, k)."""
    weights: Floats
    """Of linear and angular errors, shape (6,)."""
    tolerance: Floats
    """Of distance [m] and angle [rad], shape (2,)."""
    damping: float
    step_limit: float

    def evaluate(self, rows: Ids, joints: Floats) -> tuple[ChainState, Floats, Found]:
        """State, weighted error, and how good it is."""
        state = self.kinematics.at(joints, rows)
        away = self.position[rows] - state.position
        turn = self.rotation[rows] @ np.swapaxes(state.rotation, -1, -2)
        angle = quat_to_rotvec(quat_from_matrix(turn))
        residual = self.weights * np.concatenate([away, angle], axis=-1)
        errors = np.stack([np.linalg.norm(away, axis=-1), np.linalg.norm(angle, axis=-1)], axis=-1)
        ignored = self.weights[[0, 3]] == 0.0
        within = np.asarray(((errors <= self.tolerance) | ignored).all(axis=-1))
        cost = (residual * residual).sum(axis=-1)
        return state, residual, Found(joints, cost, errors, within, np.zeros(len(rows), np.intp))

    def step(
        self, rows: Ids, joints: Floats, jacobian: Floats, residual: Floats, damping: Floats
    ) -> Floats:
        """Joints after one step; those at a limit that they would cross stay."""
        weighted = self.weights[:, None] * jacobian
        slope = (np.swapaxes(weighted, -1, -2) @ residual[..., None])[..., 0]
        low, high = self.low[rows], self.high[rows]
        free = ~(((joints <= low) & (slope < 0.0)) | ((joints >= high) & (slope > 0.0)))
        weighted = weighted * free[:, None, :]
        square = np.swapaxes(weighted, -1, -2) @ weighted
        square += damping[:, None, None] * np.eye(joints.shape[1])
        step = np.linalg.solve(square, (slope * free)[..., None])[..., 0]
        largest = np.abs(step).max(axis=-1, keepdims=True)
        step *= np.minimum(1.0, self.step_limit / np.maximum(largest, _LEAST))
        return np.clip(joints + step, low, high)


def search(problem: Problem, rows: Ids, joints: Floats, iterations: int) -> Found:
    """Search from one start per row.

    Args:
        problem: targets and limits of worlds.
        rows: which world each search is for; a world may have several.
        joints: where they start, within the limits, shape (n, k).
        iterations: most steps to try.
    """
    state, residual, best = problem.evaluate(rows, joints)
    best = best.some(slice(None))
    ids, cost, jacobian = np.arange(len(rows)), best.cost.copy(), state.jacobian
    damping, stuck = np.full(len(rows), problem.damping), np.zeros(len(rows))
    for _ in range(iterations):
        going = ~best.converged[ids] & (damping < _MOST) & (stuck < _PATIENCE)
        if not going.any():
            break
        if not going.all():
            ids, joints, residual = ids[going], joints[going], residual[going]
            cost, jacobian = cost[going], jacobian[going]
            damping, stuck = damping[going], stuck[going]
        trial = problem.step(rows[ids], joints, jacobian, residual, damping)
        state, left, found = problem.evaluate(rows[ids], trial)
        best.steps[ids] += 1
        better = found.cost < cost
        best.take(found, ids, better)
        stuck = np.where(found.cost < _PROGRESS * cost, 0.0, stuck + 1.0)
        damping = np.clip(damping * np.where(better, _EASE, _STIFFEN), _LEAST, None)
        joints = np.where(better[:, None], trial, joints)
        residual = np.where(better[:, None], left, residual)
        jacobian = np.where(better[:, None, None], state.jacobian, jacobian)
        cost = np.where(better, found.cost, cost)
    return best
