"""Thrusters: rotors, their configuration and kernels."""
