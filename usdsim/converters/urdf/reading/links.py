"""Links: masses, shapes and materials."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError
from usdsim.math.rotations import quat_align
from usdsim.math.transforms import Pose

from .model import (
    UrdfGeometry,
    UrdfInertial,
    UrdfLink,
    UrdfMaterial,
    UrdfShape,
)
from .values import read_number, read_numbers, read_pose, read_value
from .xmltree import Node

__all__ = ["read_link", "read_material"]

_THIN = 1e-4
"""Half size that stands for a shape without any: a point or a sheet [m]."""

_DRAKE = ("drake:capsule", "drake:ellipsoid")
"""Drake's own shapes."""

_LINK_TAGS = {"inertial", "visual", "collision"}
_SHAPE_TAGS = {"origin", "geometry", "material"}


def read_link(node: Node, name: str, report: ConversionReport) -> UrdfLink:
    """Read a ``<link>``; shapes that cannot be understood are left out with a warning."""
    link = UrdfLink(name=name, where=node.where)
    inertial = node.find("inertial")
    if inertial is not None:
        link.density = _density(inertial, report)
        link.inertial = _inertial(inertial, link.density, report)
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for child in node.find_all(tag):
            shape = _shape(child, report)
            if shape is not None:
                shapes.append(shape)
    link.extras = [child for child in node.children if child.tag not in _LINK_TAGS]
    return link


def read_material(node: Node) -> UrdfMaterial:
    """Read a ``<material>``."""
    colour, texture = node.find("color"), node.find("texture")
    rgba = None
    if colour is not None:
        count = len(colour.attributes.get("rgba", "").replace(",", " ").split())
        rgba = read_numbers(colour, "rgba", 3 if count == 3 else max(count, 4), "1 1 1 1")
        rgba = np.clip(np.append(rgba, 1.0)[:4], 0.0, 1.0)
    file = None if texture is None else texture.attributes.get("filename")
    return UrdfMaterial(node.attributes.get("name", ""), rgba, file, node.where)


def _density(node: Node, report: ConversionReport) -> float | None:
    density = read_value(node.find("density"), report)
    if density is not None and density <= 0.0:
        report.warn("annotation", node.where, f"density {density:g} is not above 0; left out")
        return None
    return density


def _inertial(node: Node, density: float | None, report: ConversionReport) -> UrdfInertial | None:
    mass = node.find("mass")
    tensor = node.find("inertia")
    if mass is None:
        if density is None:
            report.warn("mass-missing", node.where, "no <mass>; left out, like the whole element")
        return None
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    xx, yy, zz, xy, xz, yz = (read_number(tensor, key, 0.0) for key in keys)
    return UrdfInertial(
        origin=read_pose(node.find("origin")),
        mass=read_number(mass, "value", 0.0),
        inertia=np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
        where=node.where,
        has_tensor=tensor is not None,
    )


def _shape(node: Node, report: ConversionReport) -> UrdfShape | None:
    geometry = _geometry(node, report)
    if geometry is None:
        return None
    material, origin = node.find("material"), read_pose(node.find("origin"))
    if geometry.turn is not None:
        origin = origin @ Pose(quat=geometry.turn)
    return UrdfShape(
        name=node.attributes.get("name", ""),
        origin=origin,
        geometry=geometry,
        material=None if material is None else read_material(material),
        where=node.where,
        extras=[child for child in node.children if child.tag not in _SHAPE_TAGS],
    )


def _geometry(parent: Node, report: ConversionReport) -> UrdfGeometry | None:
    holder = parent.find("geometry")
    children = [] if holder is None else holder.children
    # Drake's shapes stand beside a mesh for readers that do not know them.
    nodes = [c for c in children if c.tag in _DRAKE] + [c for c in children if ":" not in c.tag]
    if not nodes:
        report.warn("geometry-missing", parent.where, "no geometry; left out")
        return None
    node = nodes[0]
    tag = node.tag.removeprefix("drake:")
    if tag == "box":
        return UrdfGeometry("box", _positive(node, "size", 3, report) / 2.0)
    if tag == "sphere":
        return UrdfGeometry("sphere", np.append(_positive(node, "radius", 1, report), [0.0, 0.0]))
    if tag in ("cylinder", "capsule"):
        radius = float(_positive(node, "radius", 1, report)[0])
        # Newton reads the length of capsules by another name.
        key = "height" if tag == "capsule" and "length" not in node.attributes else "length"
        half = float(_positive(node, key, 1, report)[0]) / 2.0
        kind = "cylinder" if tag == "cylinder" else "capsule"
        return UrdfGeometry(kind, np.array([radius, half, 0.0]))  # type: ignore[arg-type]
    if tag == "ellipsoid":
        if node.tag in _DRAKE:
            radii = np.concatenate([_positive(node, key, 1, report) for key in "abc"])
        else:
            key = "axes" if "axes" in node.attributes else "radii"
            radii = _positive(node, key, 3, report)
        return UrdfGeometry("ellipsoid", radii)
    if tag == "plane":
        normal = read_numbers(node, "normal", 3, "0 0 1")
        if not normal.any():
            raise ConversionError(f"{node.where}: normal is zero, which is no direction.")
        unit = normal / np.linalg.norm(normal)
        return UrdfGeometry("plane", turn=quat_align((0.0, 0.0, 1.0), unit))
    if tag == "mesh":
        filename = node.attributes.get("filename", "").strip()
        if not filename:
            raise ConversionError(f"{node.where}: no filename.")
        scale = read_numbers(node, "scale", 3, "1 1 1")
        if not scale.all():
            raise ConversionError(f"{node.where}: scale {scale} has a zero.")
        convex = any(n.tag == "drake:declare_convex" for n in (holder or node).walk())
        return UrdfGeometry("mesh", filename=filename, scale=scale, convex=convex)
    report.warn("geometry-unknown", node.where, "unknown geometry; left out")
    return None


def _positive(node: Node, key: str, count: int, report: ConversionReport) -> NDArray[np.float64]:
    if key not in node.attributes:
        raise ConversionError(f"{node.where}: no {key}.")
    values = read_numbers(node, key, count, "")
    if (values < 0.0).any():
        report.warn("size-negative", node.where, f"{key} {values} taken as positive")
    if not values.all():
        report.warn("size-zero", node.where, f"{key} {values}: 0 taken as {_THIN:g} m")
    return np.where(values == 0.0, _THIN, np.abs(values))
