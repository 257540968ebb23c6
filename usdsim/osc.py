"""Operational space control: `OscSolver`."""

from usdsim.scene.kinematics.osc import OscSolver

__all__ = ["OscSolver"]
