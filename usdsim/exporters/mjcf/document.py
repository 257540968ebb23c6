"""MJCF text of a specification, with what MuJoCo's own writer leaves out."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import mujoco

from .digits import complete_digits, shortest

__all__ = ["to_element"]

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
_NAMELESS = "usdsim:nameless:"
"""Beginning of what keyframes without a name are called while they are written."""


def to_element(spec: mujoco.MjSpec, model: mujoco.MjModel) -> ET.Element:
    """The root element of a compiled specification.

    Args:
        spec: the specification.
        model: what it compiled to.
    """
    root = _written(spec)
    complete_digits(root, spec, model)
    _complete_sizes(root, model)
    _complete_looks(root, spec, model)
    if root.find("compiler") is None:
        root.insert(0, ET.Element("compiler"))
    return root


def _written(spec: mujoco.MjSpec) -> ET.Element:
    """The document of MuJoCo's writer, which drops keyframes of the rest pose without a name."""
    nameless = [key for key in spec.keys if not key.name]
    for number, key in enumerate(nameless):
        key.name = f"{_NAMELESS}{number}"
    try:
        root = ET.fromstring(spec.to_xml())
    finally:
        for key in nameless:
            key.name = ""
    for element in root.iterfind("keyframe/key"):
        if element.get("name", "").startswith(_NAMELESS):
            del element.attrib["name"]
    return root


def _complete_sizes(root: ET.Element, model: mujoco.MjModel) -> None:
    """Write sizes that a shape has and does not use, which the writer leaves out."""
    for tag, kinds, sizes, unsaid in (
        ("geom", model.geom_type, model.geom_size, 0.0),
        ("site", model.site_type, model.site_size, 0.005),
    ):
        # Both the document and the model are in depth-first order.
        for i, element in enumerate(root.iterfind(f"worldbody//{tag}")):
            said = len(element.get("size", "").split())
            if int(kinds[i]) not in _SIZED or "mesh" in element.attrib:
                continue
            if (sizes[i, said:] != unsaid).any():
                element.set("size", " ".join(shortest(size) for size in sizes[i].tolist()))


def _complete_looks(root: ET.Element, spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Write the widths and colours of fixed tendons, which only a class can give them."""
    plain = spec.default.tendon
    for i, element in enumerate(root.findall("tendon/*")):
        if element.tag != "fixed" or "class" in element.attrib:
            continue
        looks = {}
        if model.tendon_width[i] != plain.width:
            looks["width"] = shortest(model.tendon_width[i])
        if (model.tendon_rgba[i] != plain.rgba).any():
            looks["rgba"] = " ".join(map(shortest, model.tendon_rgba[i]))
        if looks:
            element.set("class", _looks_class(root, looks))


def _looks_class(root: ET.Element, looks: dict[str, str]) -> str:
    name = "_".join(("tendon", *(f"{key}_{'_'.join(text.split())}" for key, text in looks.items())))
    top = root.find("default")
    if top is None:
        top = ET.Element("default")
        root.insert(1, top)
    if not any(child.get("class") == name for child in top):
        ET.SubElement(ET.SubElement(top, "default", {"class": name}), "tendon", looks)
    return name
