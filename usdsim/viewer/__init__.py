"""Live view of simulations in a browser."""

from .viewer import Viewer

__all__ = ["Viewer"]
