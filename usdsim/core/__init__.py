"""Errors, name patterns, units and the tables of the physics dialects."""

__all__: list[str] = []
