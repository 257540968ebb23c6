"""Deformable meshes: elements, their stiffness in bending, filling with tetrahedra, skinning."""

__all__: list[str] = []
