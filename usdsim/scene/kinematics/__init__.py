"""Kinematics and dynamics: frames, Jacobians, forward and inverse kinematics."""
