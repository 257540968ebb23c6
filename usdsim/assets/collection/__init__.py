"""Rigid object collections."""
