"""Corrections of MJCF: what MuJoCo refuses and other engines read, as they read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

__all__ = ["corrections"]

Rule = Callable[[Element, Element], str]
"""Correction of an element in its model; says what was done, or nothing."""

_PICTURES = (".jpg", ".jpeg", ".webp", ".hdr", ".exr", ".tga", ".bmp")
"""Kinds of pictures that MuJoCo does not read."""
_GROUND = "1"
"""Thickness of ground below the lowest point of a terrain that has none [m]."""
_SPACING = "1"
"""Distance of the lines that a renderer draws on a plane [m]."""


def corrections(root: Element) -> Iterator[tuple[Element, str]]:
    """Mend what other engines read otherwise.

    Args:
        root: the model, with its includes in place; it is changed.

    Yields:
        Each element that was mended, and what was done.
    """
    for holder in list(root.iter()):
        for child in holder.findall("joint"):
            if child.get("type") == "fixed" and holder.tag == "body":
                holder.remove(child)
                yield child, "type='fixed', as bodies without a joint do not move,"
    # An attached model brings materials of its own.
    whole = root.find(".//model") is None
    materials = {element.get("name") for element in root.iter("material")}
    for element in root.iter():
        for rule in _RULES.get(element.tag, ()):
            done = rule(root, element)
            if done:
                yield element, done
        name = element.get("material")
        if whole and name and name not in materials:
            del element.attrib["material"]
            yield element, "a material that no element defines"


def _directional(root: Element, light: Element) -> str:
    if "directional" not in light.attrib or "type" not in light.attrib:
        return ""
    del light.attrib["directional"]
    return "directional=..., as type says it too"


def _picture(root: Element, texture: Element) -> str:
    if Path(texture.get("file", "")).suffix.lower() not in _PICTURES:
        return ""
    del texture.attrib["file"]
    texture.attrib.update(builtin="flat", width="1", height="1")
    return "file=... of a kind of picture MuJoCo does not read"


def _dynamic(root: Element, texture: Element) -> str:
    if texture.get("builtin") != "dynamic":
        return ""
    texture.set("builtin", "flat")
    return "builtin='dynamic', as no program writes its pixels"


def _emission(root: Element, material: Element) -> str:
    colour = [float(value) for value in material.get("emission", "").split()]
    if len(colour) < 2:
        return ""
    material.set("emission", f"{max(colour):g}")
    return "the colour of emission=..., of which the largest number is kept"


def _plane(root: Element, geom: Element) -> str:
    """Planes without a third number, or without any: those of other engines have no end."""
    if geom.get("type") != "plane":
        return ""
    size = geom.get("size", "").split()
    if len(size) == 3 and float(size[2]) > 0.0:
        return ""
    if len(size) < 3 and any(
        len(other.get("size", "").split()) == 3
        for default in root.iter("default")
        for other in default.findall("geom")
    ):
        return ""
    geom.set("size", " ".join([*size[:2], *["0"] * (2 - len(size)), _SPACING]))
    return "the third number of size=..., which must be above 0"


def _hfield(root: Element, hfield: Element) -> str:
    size = hfield.get("size", "").split()
    if len(size) != 4 or float(size[3]) > 0.0:
        return ""
    # Other engines take all that lies below a terrain for ground.
    hfield.set("size", " ".join([*size[:3], _GROUND]))
    return f"a base of no thickness, for which {_GROUND} m stands,"


def _inertial(root: Element, inertial: Element) -> str:
    if "pos" in inertial.attrib:
        return ""
    inertial.set("pos", "0 0 0")
    return "no pos, for which the origin of the body stands,"


_RULES: dict[str, tuple[Rule, ...]] = {
    "light": (_directional,),
    "texture": (_picture, _dynamic),
    "material": (_emission,),
    "geom": (_plane,),
    "hfield": (_hfield,),
    "inertial": (_inertial,),
}
"""Corrections by element."""
