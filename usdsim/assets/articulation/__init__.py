"""Articulations: joints, drives, limits, dynamics."""
