"""Errors, name patterns, units, logging and the tables of the physics dialects."""

__all__: list[str] = []
