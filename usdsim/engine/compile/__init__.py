"""Compilation: a scene description becomes an `MjModel`."""
