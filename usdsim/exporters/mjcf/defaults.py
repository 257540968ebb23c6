"""Defaults of an MJCF document: what all elements of a kind share is said once."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

__all__ = ["factor_defaults"]

_KINDS = ("joint", "geom", "site", "light", "camera", "mesh", "material")
"""Elements with one class of defaults per kind, none of which takes them from anywhere else."""
_OWN = frozenset(
    ("name", "class", "pos", "quat", "axis", "file", "mesh", "material", "hfield", "type", "size",
     "fromto", "vertex", "face", "normal", "texcoord", "content_type", "mode", "target")
)  # fmt: skip
"""Attributes that identify or place an element, and stay with it."""
_LOOKS = {"contype": "0", "conaffinity": "0"}


def factor_defaults(root: ET.Element) -> ET.Element:
    """Move attributes that all elements of a kind have alike into the defaults.

    Shapes that only look and shapes that collide are two kinds; the former get the class
    ``visual``. Elements of other classes keep what they say.
    """
    top = root.find("default")
    taken = {child.get("class") for child in top} if top is not None else set()
    for kind in _KINDS:
        members = [e for e in _elements(root, kind) if "class" not in e.attrib]
        _move(root, members, kind, None)
        looks = [e for e in members if kind == "geom" and _only_looks(e)]
        if looks and len(looks) < len(members) and "visual" not in taken:
            for element in looks:
                element.set("class", "visual")
            _move(root, looks, kind, "visual")
    return root


def _elements(root: ET.Element, kind: str) -> Iterator[ET.Element]:
    for section in ("worldbody", "asset"):
        yield from root.iterfind(f"{section}//{kind}")


def _only_looks(element: ET.Element) -> bool:
    return all(element.get(key) == value for key, value in _LOOKS.items())


def _move(root: ET.Element, members: list[ET.Element], kind: str, name: str | None) -> None:
    if len(members) < 2:
        if name is not None:
            for element in members:
                del element.attrib["class"]
        return
    first = members[0].attrib
    shared = {
        key: value
        for key, value in first.items()
        if key not in _OWN and all(e.get(key) == value for e in members)
    }
    if not shared:
        return
    place = _class(root, name)
    entry = place.find(kind)
    if entry is None:
        entry = ET.Element(kind)
        place.insert(0, entry)
    entry.attrib.update(shared)
    for element in members:
        for key in shared:
            del element.attrib[key]


def _class(root: ET.Element, name: str | None) -> ET.Element:
    """The top defaults, or a class in them."""
    top = root.find("default")
    if top is None:
        top = ET.Element("default")
        place = next((i for i, e in enumerate(root) if e.tag in ("asset", "worldbody")), len(root))
        root.insert(place, top)
    if name is None:
        return top
    found = next((child for child in top if child.get("class") == name), None)
    return ET.SubElement(top, "default", {"class": name}) if found is None else found
