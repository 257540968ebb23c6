"""Inverse kinematics of chains: Gauss-Newton and damped least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.arguments import number, of_kind, truth, whole
from usdsim.scene.arrays import FloatArray

from .ik_chain import IkChain
from .inverse_kinematics import InverseKinematics

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["DlsSolver", "GaussNewtonSolver"]

_LEAST = 1e-6
"""Damping of Gauss-Newton: enough that singular poses have a solution."""


class _Solver:
    """Solver base: limits are kept, and what fails is tried from other positions."""

    def __init__(self, max_iter: int, step_size: float, tolerance: float, damping: float):
        self._iterations = whole("max_iter", max_iter, 1)
        self._step_limit = number("step_size", step_size)
        self._tolerance = number("tolerance", tolerance)
        self._damping = number("damping", damping)
        self._solvers: dict[int, tuple[IkChain, InverseKinematics]] = {}

    def solve(self, ik_model: IkChain, data: SceneData, target_pose: ArrayLike) -> FloatArray:
        """Find joint positions that bring the end effector to a pose, starting from the data's.

        Args:
            ik_model: the chain.
            data: the worlds; they are not changed.
            target_pose: in world: [m] and unit quaternion (x, y, z, w), shape (7,) or (*B, 7).

        Returns:
            Iterations, the error left (position and orientation together [m and rad]), then the
            joint positions, shape (*B, n + 2).
        """
        of_kind("ik_model", ik_model, IkChain)
        found = self._solver(ik_model).solve(data, target_pose, self._iterations, self._tolerance)
        error = np.hypot(found.position_error, found.orientation_error)
        head = np.stack([found.iterations, error], axis=-1)
        return np.concatenate([head, found.dof_pos], axis=-1).astype(np.float32)

    def _solver(self, chain: IkChain) -> InverseKinematics:
        known = self._solvers.get(id(chain))
        if known is None or known[0] is not chain:
            solver = InverseKinematics(
                chain.model,
                chain.end_link,
                chain.joints,
                damping=self._damping,
                step_limit=self._step_limit,
                offset=chain.offset,
            )
            known = self._solvers[id(chain)] = chain, solver
        return known[1]


class GaussNewtonSolver(_Solver):
    """Gauss-Newton steps.

    Args:
        max_iter: most steps from one start.
        step_size: largest change of a joint in one step [m or rad].
        tolerance: error of position [m] and orientation [rad] at which a world is done.
    """

    def __init__(self, max_iter: int = 100, step_size: float = 0.5, tolerance: float = 1e-3):
        super().__init__(max_iter, step_size, tolerance, _LEAST)


class DlsSolver(_Solver):
    """Damped least squares, with damping that follows how well each step did.

    Args:
        max_iter: most steps from one start.
        step_size: largest change of a joint in one step [m or rad].
        tolerance: error of position [m] and orientation [rad] at which a world is done.
        damping: how far from singular a step is kept at first.
        adaptive_damping: must be True or False; steps are adapted in both cases, since the damping
            is only where they begin.
    """

    def __init__(
        self,
        max_iter: int = 100,
        step_size: float = 0.5,
        tolerance: float = 1e-3,
        damping: float = 1e-3,
        adaptive_damping: bool = True,
    ):
        super().__init__(max_iter, step_size, tolerance, damping)
        truth("adaptive_damping", adaptive_damping)
