"""Measurements of usdsim: ``python -m benchmarks``."""
