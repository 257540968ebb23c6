"""Errors, name patterns, units, the tables of the physics dialects, and the package's version."""

__all__ = ["__version__"]

__version__ = "0.1.0"
