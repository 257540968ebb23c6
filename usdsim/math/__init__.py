"""Rotations, transforms, mass properties and meshes; import from the modules of this package."""

__all__: list[str] = []
