"""Parts of composite cables that other elements refer to, which are points of rods if anything."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import ConversionError

__all__ = ["cable_refusal", "join_points"]

_ENDS = ("B_first", "B_last", "J_first", "J_last", "S_first", "S_last")
_OWN = ("name", "class", "childclass")
"""Attributes that refer to no body, joint, site or shape."""
_CLOSE = 1e-3
"""Distance from a point, relative to the length of its segment, that counts as none."""


def join_points(
    root: Element, cable: Element, rod: str, lengths: NDArray[np.float64], held: int
) -> None:
    """Let what connects bodies of a cable at its points connect the points of a rod.

    Args:
        root: the model; it is changed.
        cable: the composite.
        rod: name of what takes its place.
        lengths: of its segments, which its bodies begin [m].
        held: number of points that have no body.

    Raises:
        ConversionError: something else refers to parts of the cable.
    """
    prefix, count = cable.get("prefix", ""), len(lengths)
    numbers = {f"{prefix}B_{i}": i for i in range(1, count - 1)}
    bodies = {f"{prefix}B_first": 0} | numbers | {f"{prefix}B_last": count - 1}
    names = {f"{prefix}{end}" for end in _ENDS} | set(bodies)
    names |= {f"{prefix}{kind}{i}" for kind in ("J_", "G") for i in range(count)}
    inside = set(cable.iter())
    for element in (element for element in root.iter() if element not in inside):
        first = bodies.get(element.get("body1", ""))
        if element.tag == "connect" and first is not None:
            point = _point(element, first, lengths)
            if point >= held:
                element.attrib |= {"body1": f"{rod}_{point}", "anchor": "0 0 0"}
        for name, value in element.attrib.items():
            if value in names and name not in _OWN:
                raise cable_refusal(
                    cable, f"<{element.tag}> refers to its part {value!r} by {name}",
                    "<connect> with a body of it as body1 and a free point of it as anchor",
                )  # fmt: skip


def _point(connect: Element, body: int, lengths: NDArray[np.float64]) -> int:
    """Point of a cable that is the anchor in a body's frame, at which it begins; -1: none is."""
    anchor = np.array(connect.get("anchor", "nan nan nan").split(), dtype=np.float64)
    for offset in (0, 1):
        away = np.linalg.norm(anchor - [offset * lengths[body], 0.0, 0.0])
        if away <= _CLOSE * lengths[body]:
            return body + offset
    return -1


def cable_refusal(cable: Element, what: str, allowed: str) -> ConversionError:
    """Make the error for a cable that has no equal.

    Args:
        cable: the composite.
        what: what is wrong with it.
        allowed: what there may be instead.
    """
    return ConversionError(
        f"<composite prefix={cable.get('prefix', '')!r} type='cable'>: {what}; allowed: {allowed}. "
        "MuJoCo 4 has rods (flexcomp of dim 1) in place of cables: load the model in version 3 and "
        "save it, which writes the bodies, or write a flexcomp."
    )
