"""URDF export: the engine's model of a stage as links and joints, with meshes beside the file."""

from .export import export_urdf

__all__ = ["export_urdf"]
