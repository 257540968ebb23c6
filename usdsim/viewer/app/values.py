"""Values of applications: colours, places of widgets, and settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .errors import InvalidArgumentError

__all__ = ["Color", "Layout", "RenderSettings"]

Length: TypeAlias = "str | float | None"


@dataclass
class Color:
    """Colour of red, green, blue and opacity from 0 to 1."""

    r: float = 1.0
    g: float = 1.0
    b: float = 1.0
    a: float = 1.0

    @staticmethod
    def rgb(r: float, g: float, b: float) -> Color:
        """An opaque colour."""
        return Color(float(r), float(g), float(b))

    @staticmethod
    def white() -> Color:
        """White."""
        return Color()

    @property
    def rgba(self) -> tuple[float, float, float, float]:
        """All four."""
        return self.r, self.g, self.b, self.a


@dataclass
class Layout:
    """Place and size of a widget: numbers or ``"50px"`` in pixels, ``"50%"``, or ``"auto"``.

    The page stacks widgets in its panel, so that of these only the size acts.
    """

    left: Length = "auto"
    right: Length = "auto"
    top: Length = "auto"
    bottom: Length = "auto"
    width: Length = "auto"
    height: Length = "auto"

    def size(self, automatic: tuple[int, int], whole: tuple[int, int]) -> tuple[int, int]:
        """Width and height [pixels].

        Args:
            automatic: where nothing is said.
            whole: of which percentages are parts.

        Raises:
            InvalidArgumentError: a length is of another form, or not above 0.
        """
        given = zip((self.width, self.height), automatic, whole, strict=True)
        width, height = (_pixels(length, own, all_) for length, own, all_ in given)
        return width, height


@dataclass
class RenderSettings:
    """Settings of a picture; kept for programs that read them, as rays are cast in one way."""

    simplify_render_mesh: bool = True
    enable_shadow: bool = True
    enable_ssao: bool = False
    enable_oit: bool = False
    share_lights_between_envs: bool = True
    enable_ssgi: bool = False

    @staticmethod
    def quality() -> RenderSettings:
        """Everything that is more than needed."""
        return RenderSettings(False, True, True, True, False, True)

    @staticmethod
    def performance() -> RenderSettings:
        """Nothing that is more than needed."""
        return RenderSettings(True, False, False, False, True, False)


def _pixels(length: Length, automatic: int, whole: int) -> int:
    if length is None or length == "auto":
        return automatic
    try:
        if isinstance(length, str) and length.endswith("%"):
            found = float(length[:-1]) / 100.0 * whole
        else:
            found = float(length.removesuffix("px") if isinstance(length, str) else length)
        if 1.0 <= found < 2**14:
            return round(found)
    except ValueError:
        pass
    raise InvalidArgumentError("length", length, 'a number, "50px", "50%" or "auto"')
