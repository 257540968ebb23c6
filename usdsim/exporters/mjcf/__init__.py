"""MJCF export: the engine's specification of a stage as an XML file with its assets."""

from .export import export_mjcf

__all__ = ["export_mjcf"]
