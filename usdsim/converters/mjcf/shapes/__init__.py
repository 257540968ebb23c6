"""MJCF geoms, their meshes, height fields, materials and collision filters."""
