"""Inverse kinematics against another simulator, in turn in one process."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np

import usdsim
import usdsim.ik
from benchmarks.measure import Contender, alternate
from benchmarks.models import ARM7
from benchmarks.registry import Row, Settings, Skip, benchmark

__all__ = ["motrixsim_kinematics"]

_POSES = 40
_TOLERANCE = 1e-3
"""Of position [m] and orientation [rad]."""
_MOST = 200
"""Starts after which the other simulator is let off."""


class _Arm:
    """One side: the shipped arm, a solver, and poses of random positions within the limits."""

    def __init__(self, simulator: Any, poses: np.ndarray, limits: np.ndarray):
        self.model = simulator.load_model(str(ARM7))
        self.data = simulator.SceneData(self.model)
        ik = importlib.import_module(f"{simulator.__name__}.ik")
        self.chain = ik.IkChain(self.model, "hand")
        self.solver = ik.DlsSolver(max_iter=100, tolerance=_TOLERANCE)
        self.poses, self.limits, self.reached = poses, limits, 0
        self.start = np.array(self.data.dof_pos)

    def reaches(self, pose: np.ndarray) -> bool:
        """Whether one call finds positions for a pose."""
        found = np.ravel(self.solver.solve(self.chain, self.data, pose))
        return bool(found[1] <= 1.5 * _TOLERANCE)

    def once(self) -> None:
        """One call for each pose, from where the arm is."""
        self.reached = sum(self.reaches(pose) for pose in self.poses)

    def until_reached(self) -> None:
        """Calls for each pose from where the arm is, then from random positions."""
        rng, self.reached = np.random.default_rng(0), 0
        low, high = self.limits
        for pose in self.poses:
            for _ in range(_MOST):
                if self.reaches(pose):
                    self.reached += 1
                    break
                position = self.start.copy()
                position[: len(low)] = rng.uniform(low, high)
                self.data.set_dof_pos(position.astype(np.float32), self.model)
            self.data.set_dof_pos(self.start, self.model)


@benchmark
def motrixsim_kinematics(settings: Settings) -> Iterator[Row | Skip]:
    """Poses of the shipped arm of seven axes, found by `DlsSolver` of `usdsim.ik` and motrixsim."""
    if importlib.util.find_spec("motrixsim") is None:
        yield Skip("inverse kinematics", "motrixsim is not installed")
        return
    poses, limits = _targets()
    ours, theirs = (
        _Arm(simulator, poses, limits)
        for simulator in (usdsim, importlib.import_module("motrixsim"))
    )
    for case, run in (
        ("one call each", theirs.once),
        ("theirs until reached", theirs.until_reached),
    ):
        result = alternate(
            Contender(_nothing, ours.once), Contender(_nothing, run), settings.rounds(15)
        )
        detail = {
            "call_s": result.first / _POSES,
            "peer_call_s": result.second / _POSES,
            "reached": ours.reached / _POSES,
            "peer_reached": theirs.reached / _POSES,
        }
        label = f"arm7, {case}: motrixsim over ours"
        yield Row(label, result.ratio, "x", 1.0, at_least=True, detail=detail)
    yield Row("arm7, share of poses reached", ours.reached / _POSES, "", 1.0, at_least=True)


def _targets() -> tuple[np.ndarray, np.ndarray]:
    """Poses that can be reached, and limits of the joints."""
    model = usdsim.load_model(ARM7)
    chain = usdsim.ik.IkChain(model, "hand")
    limits = np.array([joint.range[0] for joint in chain.joints]).T
    data = usdsim.SceneData(model, batch=(_POSES,))
    position = np.array(data.dof_pos)
    shape = _POSES, len(chain.joints)
    position[:, : shape[1]] = np.random.default_rng(1).uniform(*limits, shape)
    data.set_dof_pos(position)
    return chain.get_end_effector_pose(data), limits


def _nothing() -> None:
    pass
