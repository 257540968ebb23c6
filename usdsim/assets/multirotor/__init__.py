"""Multirotors: thrusters, allocation and wrench."""
