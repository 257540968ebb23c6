"""Vertices of deformable bodies: view, layout, writers and kernels."""
