"""Inverse kinematics of chains: `IkChain` and its solvers."""

from usdsim.scene.kinematics.ik_chain import IkChain
from usdsim.scene.kinematics.ik_solvers import DlsSolver, GaussNewtonSolver

__all__ = ["DlsSolver", "GaussNewtonSolver", "IkChain"]
