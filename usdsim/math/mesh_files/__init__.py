"""Mesh files: reading Wavefront, COLLADA and what trimesh reads."""

__all__: list[str] = []
