"""MJCF text of a specification, with every number written so that it reads back as it was."""

from __future__ import annotations

import ctypes
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import mujoco
import numpy as np

__all__ = ["to_element", "to_text"]

_NUMBERS = re.compile(r"[-+.\deE\s]*\d[-+.\deE\s]*")
_LONG = re.compile(r"[-+]?\d+\.\d{6,}(?:e[-+]?\d+)?")
_DIGITS = 17
"""Significant digits that tell all numbers of double precision apart."""
_SINGLE = frozenset(
    ("rgba", "vertex", "normal", "texcoord", "elevation", "ambient", "diffuse", "specular",
     "attenuation", "cutoff", "exponent", "emission", "shininess", "reflectance", "metallic",
     "roughness", "texrepeat", "bindpos", "bindquat")
)  # fmt: skip
"""Attributes that are kept in single precision."""
_SIZED = frozenset(
    int(kind)
    for kind in (
        mujoco.mjtGeom.mjGEOM_PLANE,
        mujoco.mjtGeom.mjGEOM_SPHERE,
        mujoco.mjtGeom.mjGEOM_CAPSULE,
        mujoco.mjtGeom.mjGEOM_ELLIPSOID,
        mujoco.mjtGeom.mjGEOM_CYLINDER,
        mujoco.mjtGeom.mjGEOM_BOX,
    )
)
"""Shapes that have their sizes from the file."""


def to_element(spec: mujoco.MjSpec, model: mujoco.MjModel) -> ET.Element:
    """The root element of a compiled specification.

    Args:
        spec: the specification.
        model: what it compiled to.
    """
    with _all_digits():
        root = ET.fromstring(spec.to_xml())
    for element in root.iter():
        for key, value in element.attrib.items():
            if len(value) > 7 and _NUMBERS.fullmatch(value):
                short = _shortest_single if key in _SINGLE else _shortest
                element.set(key, _LONG.sub(short, value))
    _complete_sizes(root, model)
    _complete_widths(root, spec, model)
    if root.find("compiler") is None:
        root.insert(0, ET.Element("compiler"))
    return root


def to_text(root: ET.Element) -> str:
    """The document as indented text."""
    ET.indent(root, "  ")
    return ET.tostring(root, encoding="unicode") + "\n"


def _shortest(match: re.Match[str]) -> str:
    return _text(float(match[0]))


def _shortest_single(match: re.Match[str]) -> str:
    return str(np.float32(match[0])).removesuffix(".0")


def _text(number: float) -> str:
    return repr(number).removesuffix(".0")


def _complete_sizes(root: ET.Element, model: mujoco.MjModel) -> None:
    """Write sizes that a shape has and does not use, which the writer leaves out."""
    world = root.find("worldbody")
    for tag, kinds, sizes, unsaid in (
        ("geom", model.geom_type, model.geom_size, 0.0),
        ("site", model.site_type, model.site_size, 0.005),
    ):
        # Both the document and the model are in depth-first order.
        for i, element in enumerate(() if world is None else world.iter(tag)):
            said = len(element.get("size", "").split())
            if int(kinds[i]) not in _SIZED or "mesh" in element.attrib:
                continue
            if (sizes[i, said:] != unsaid).any():
                element.set("size", " ".join(_text(size) for size in sizes[i].tolist()))


def _complete_widths(root: ET.Element, spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Write the widths of fixed tendons, which only a class can give them."""
    plain = float(spec.default.tendon.width)
    for i, element in enumerate(_children(root, "tendon")):
        width = float(model.tendon_width[i])
        if element.tag == "fixed" and width != plain and "class" not in element.attrib:
            element.set("class", _width_class(root, width))


def _children(root: ET.Element, tag: str) -> list[ET.Element]:
    found = root.find(tag)
    return [] if found is None else list(found)


def _width_class(root: ET.Element, width: float) -> str:
    name = f"tendon_width_{_text(width)}"
    top = root.find("default")
    if top is None:
        top = ET.Element("default")
        root.insert(1, top)
    if not any(child.get("class") == name for child in top):
        ET.SubElement(
            ET.SubElement(top, "default", {"class": name}),
            "tendon",
            {"width": _text(width)},
        )
    return name


@contextmanager
def _all_digits() -> Iterator[None]:
    """Let MuJoCo write all digits; its own six would change every model."""
    library = _library()
    before = library._mjPRIVATE__get_xml_precision()
    library._mjPRIVATE__set_xml_precision(_DIGITS)
    try:
        yield
    finally:
        library._mjPRIVATE__set_xml_precision(before)


@cache
def _library() -> ctypes.CDLL:
    """MuJoCo's own library, which the bindings have loaded already."""
    folder = Path(mujoco.__file__).parent
    names = ("libmujoco*.so*", "libmujoco*.dylib", "mujoco*.dll")
    return ctypes.CDLL(str(next(file for name in names for file in folder.glob(name))))
