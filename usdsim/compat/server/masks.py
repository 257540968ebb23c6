"""Collision masks of stand-ins: links meet everything but each other."""

from __future__ import annotations

from xml.etree import ElementTree

__all__ = ["MECHANISM", "ROBOT", "masks", "set_masks"]

ROBOT, MECHANISM = 1, 2
"""Bits of robots, and of what they handle. What programs spawn has bit 0."""
_ALL = 0x7FFFFFFF


def masks(bit: int) -> str:
    """Attributes of shapes of an MJCF file that meet all shapes but those of their own kind.

    Shapes whose masks say that the world's meet theirs, and nothing else, would go through those of
    other stand-ins: a hand through the handle of a drawer.

    Args:
        bit: `ROBOT` or `MECHANISM`.
    """
    return " ".join(f'{name}="{value}"' for name, value in _values(bit).items())


def set_masks(root: ElementTree.Element, bit: int) -> None:
    """Set masks of the shapes of an MJCF file that meet those of the world alone.

    Args:
        root: the file's root element.
        bit: see `masks`.
    """
    for shape in root.iter("geom"):
        if (shape.get("contype"), shape.get("conaffinity")) == ("1", "0"):
            shape.attrib.update(_values(bit))


def _values(bit: int) -> dict[str, str]:
    return {"contype": str(1 << bit), "conaffinity": str(_ALL & ~(1 << bit))}
