"""Annotations: marks and guides that explain a scene and are no part of it."""
