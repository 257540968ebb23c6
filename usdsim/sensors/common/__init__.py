"""Sensor base: sampling, matching and kernels that all share."""
