"""Cameras of many worlds at once."""
