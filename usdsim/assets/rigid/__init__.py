"""Rigid objects."""
