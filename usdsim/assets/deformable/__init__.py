"""Deformable objects."""
