"""Cameras of a model and their render targets."""
