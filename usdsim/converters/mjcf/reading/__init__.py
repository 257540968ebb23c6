"""MJCF files as compiled models, also those that other engines extend."""

__all__: list[str] = []
