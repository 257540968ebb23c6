"""Render targets of cameras."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usdsim.core.arguments import choice, whole

__all__ = ["RenderTarget"]

_MOST = 2**16 - 1
"""Largest width and height of an image [pixels]."""


@dataclass(frozen=True)
class RenderTarget:
    """A window, or an image of a given size."""

    size: tuple[int, int] | None = None
    """Width and height of the image [pixels]; None: a window."""

    @property
    def kind(self) -> str:
        """``"window"`` or ``"image"``."""
        return "window" if self.size is None else "image"

    @classmethod
    def checked(cls, what: str, target: str, w: Any, h: Any) -> RenderTarget:
        """The target, with errors that call it `what`."""
        if choice(what, target, ("window", "image")) == "window":
            return cls()
        return cls((whole(f"w of {what}", w, 1, _MOST), whole(f"h of {what}", h, 1, _MOST)))
