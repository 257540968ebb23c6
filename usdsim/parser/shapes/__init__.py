"""Collision and visual shapes of a stage: primitives, meshes, materials and filters."""
