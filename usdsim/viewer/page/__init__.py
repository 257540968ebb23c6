"""Pages that play a recording in any browser, offline."""

from .page import Page

__all__ = ["Page"]
