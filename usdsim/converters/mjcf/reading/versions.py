"""Earlier versions of MJCF, in the words of the present one.

What a version of MuJoCo renamed or removed, and how its models stay what they were, is from the
change log of MuJoCo. Cables, which it removed too, are in `composites`; other composites and
equalities of vertices are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

__all__ = ["in_present_words"]

Rule = Callable[[Element, Element, str], str]
"""Rewriting of a value: takes the root, the element and the value; says what is lost, if any is."""


def in_present_words(root: Element) -> Iterator[tuple[Element, str]]:
    """Rewrite what only earlier versions know.

    Args:
        root: the model, with its includes in place; it is changed.

    Yields:
        Each element that was rewritten, and what of it is lost; empty if nothing is.
    """
    for element in list(root.iter()):
        for name, rule in _RULES.get(element.tag, {}).items():
            if name in element.attrib and (element.tag != "default" or element in root):
                yield element, rule(root, element, element.attrib.pop(name))


def _nothing(root: Element, element: Element, value: str) -> str:
    """Leave out what never changed the motion of a model."""
    return ""


def _renamed(name: str) -> Rule:
    """Keep the value under another name."""

    def rule(root: Element, element: Element, value: str) -> str:
        element.attrib.setdefault(name, value)
        return ""

    return rule


def _lost(name: str, value: str) -> Rule:
    """Leave out an attribute, of which one value asked for what there no longer is."""

    def rule(root: Element, element: Element, found: str) -> str:
        return f"{name}={found!r}" if found == value else ""

    return rule


def _collision(root: Element, element: Element, value: str) -> str:
    """Pairs alone, or shapes alone: the others get out of each other's way."""
    if value == "predefined":
        for geom in root.iter("geom"):
            if "geom" not in geom.attrib:  # What a tendon wraps is called so too.
                geom.attrib.update(contype="0", conaffinity="0")
    elif value == "dynamic":
        for contact in root.iter("contact"):
            for pair in contact.findall("pair"):
                contact.remove(pair)
    return ""


def _passive(root: Element, element: Element, value: str) -> str:
    """All passive forces are without effect where both of their flags are."""
    for name in ("spring", "damper"):
        element.set(name, value)
    return ""


def _exact(root: Element, element: Element, value: str) -> str:
    """Exact inertia of all meshes, which each one states by itself now."""
    for asset in root.iter("asset") if value == "true" else ():
        for mesh in asset.findall("mesh"):
            mesh.attrib.setdefault("inertia", "exact")
    return ""


def _top(root: Element, element: Element, value: str) -> str:
    """The class of all elements without one, which was named by its first section."""
    for each in root.iter():
        for name in ("class", "childclass"):
            if each.get(name) == value:
                each.set(name, "main")
    return ""


def _projection(root: Element, element: Element, value: str) -> str:
    element.set("projection", "orthographic" if value == "true" else "perspective")
    return ""


_RULES: dict[str, dict[str, Rule]] = {
    "compiler": {
        "exactmeshinertia": _exact,
        "convexhull": _nothing,
        "coordinate": _nothing,  # See `into_parents`.
    },
    "option": {
        "collision": _collision,
        "mpr_iterations": _renamed("ccd_iterations"),
        "mpr_tolerance": _renamed("ccd_tolerance"),
    },
    "flag": {"passive": _passive, "sensornoise": _lost("sensornoise", "enable")},
    "global": {"treedepth": _nothing},
    "default": {"class": _top},
    "camera": {"orthographic": _projection},
    "contact": {"internal": _lost("internal", "true")},
}
"""Rules by element and attribute. Flexible bodies have touched nothing within their elements
unless asked to since 3.3.1."""
