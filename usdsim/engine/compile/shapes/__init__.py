"""Shapes of the engine: geoms, their meshes, what they collide with and how their surfaces move."""
