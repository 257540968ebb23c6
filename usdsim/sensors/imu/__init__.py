"""Inertial measurement units."""
