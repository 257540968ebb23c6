"""Sensors of a model: kinds, values and noise."""
