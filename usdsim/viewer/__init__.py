"""Views of simulations in a browser: live, and as pages that play offline."""

from .launching import launch
from .page import Page
from .viewer import Viewer

__all__ = ["Page", "Viewer", "launch"]
