"""Where pictures go."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from usdsim.core.errors import InvalidValueError

__all__ = ["RenderTarget"]


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
        if target == "window":
            return cls()
        if target != "image":
            raise InvalidValueError(what, target, "'window' or 'image'")
        size = []
        for side, value in (("w", w), ("h", h)):
            try:
                number = operator.index(value)
            except TypeError:
                number = 0
            if not 0 < number < 2**16:
                raise InvalidValueError(f"{side} of {what}", value, "an integer from 1 to 65535")
            size.append(number)
        return cls((size[0], size[1]))
