"""Composites of MuJoCo 2 and 3 in the words of version 4, where cables are rods (flexcomp).

What stands for what is from the change log of MuJoCo 4. A cable of earlier versions is a chain of
rigid capsules on balls; a rod is a chain of points at the ends of the same segments, with the same
moduli of bending and twisting. The damping c of a ball, between segments of length l, is that of a
rod with Rayleigh's time c l / (E I).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, SubElement

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cable_parts import cable_refusal, join_points

__all__ = ["cables_as_rods", "take_masses", "weigh_points"]

_PLUGIN = "mujoco.elasticity.cable"
_FLEX = ("material", "rgba", "group")
_CONTACT = (
    *("contype", "conaffinity", "condim", "priority", "friction", "solmix", "solref", "solimp"),
    *("margin", "gap"),
)
"""Attributes of geoms that a flex, and its contacts, have too."""
_ROUND = ("capsule", "cylinder")
_HELD = {"free": 0, "ball": 1, "none": 2}
"""Points that the parent holds, by what joins the first body to it."""
_DENSITY = 1000.0
POINT_MASSES = "_masses"
"""Attribute of the copy in the making: masses of points, which a flexcomp has all the same."""
_REPLACED = ("implicit", "implicitfast", "Euler")


def cables_as_rods(root: Element) -> Iterator[tuple[Element, str]]:
    """Replace composite cables by flexcomps.

    Args:
        root: the model, with its includes in place; it is changed.

    Yields:
        Each cable, and what of it is lost or changed; empty if nothing is.

    Raises:
        ConversionError: a cable, or what refers to its parts, has no equal.
    """
    parents = {child: parent for parent in root.iter() for child in parent}
    found = [each for each in root.iter("composite") if each.get("type") == "cable"]
    elastic = False
    for number, cable in enumerate(found):
        rod, notes = _rod(root, parents, cable, number)
        elastic |= rod.find("elasticity") is not None
        above = parents[cable]
        above[list(above).index(cable)] = rod
        yield cable, ""
        for note in notes:
            yield cable, note
    if found:
        _forget_plugin(root)
    if elastic and (changed := _integrate_implicitly(root)):
        yield found[0], changed


def _rod(
    root: Element, parents: dict[Element, Element], cable: Element, number: int
) -> tuple[Element, list[str]]:
    prefix, notes = cable.get("prefix", ""), []
    geom = _with_defaults(root, parents, cable, "geom")
    joint = _with_defaults(root, parents, cable, "joint")
    points = _points(cable)
    radius = _radius(cable, geom)
    count, lengths = len(points), np.linalg.norm(np.diff(points, axis=0), axis=1)
    name = f"{prefix}cable" if prefix else f"cable{number}"
    initial = cable.get("initial", "ball")
    if initial not in _HELD:
        raise cable_refusal(cable, f"initial is {initial!r}", ", ".join(_HELD))
    join_points(root, cable, name, lengths, _HELD[initial])
    rod = Element("flexcomp", name=name, type="direct")
    rod.attrib |= {"dim": "1", "radius": _text(radius), "point": _text(points)}
    rod.set("element", _text(np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)))
    masses = _masses(geom, radius, lengths)
    rod.set("mass", _text(masses.sum()))
    rod.set(POINT_MASSES, _text(masses))
    rod.attrib |= {name: geom[name] for name in _FLEX if name in geom}
    for name, place in (("offset", "pos"), ("quat", "quat")):
        if name in cable.attrib:
            rod.set(place, cable.attrib[name])
    # Segments of earlier versions are rigid.
    SubElement(rod, "edge", equality="true", solref="0.005 1", solimp="0.9999 0.9999 0.001 0.5 2")
    SubElement(rod, "contact", {name: geom[name] for name in _CONTACT if name in geom})
    if _HELD[initial]:
        SubElement(rod, "pin", id=_text(np.arange(_HELD[initial])))
    config = _config(root, cable)
    damping = float(joint.get("damping", 0.0))
    young = float(config.get("bend", 0.0))
    if young > 0.0:
        _require_straight(cable, config, points)
        time = damping * float(lengths.mean()) / (young * math.pi * radius**4 / 4.0)
        SubElement(
            rod,
            "elasticity",
            young=_text(young),
            shear=config.get("twist", "0"),
            damping=_text(time),
        )
    elif damping:
        notes.append("damping of joints without elasticity")
    notes += [
        f"{name} of joints"
        for name in ("armature", "stiffness", "frictionloss")
        if _given(joint, name)
    ]
    notes += [f"<{kind}>" for kind in ("skin", "site") if cable.find(kind) is not None]
    return rod, notes


def _given(values: dict[str, str], name: str) -> bool:
    return bool(float(values.get(name, "0").split()[0]))


def _points(cable: Element) -> NDArray[np.float64]:
    """Vertices in the frame of the composite [m], shape (n, 3)."""
    given = _numbers(cable.get("vertex", ""))
    if len(given):
        if len(given) % 3 or len(given) < 6:
            raise cable_refusal(
                cable, f"vertex has {len(given)} numbers", "three for each of two or more"
            )
        return given.reshape(-1, 3)
    count = int(max(_numbers(cable.get("count", "1")), default=0))
    if count < 2:
        raise cable_refusal(cable, f"count is {count}", "at least 2, or vertex")
    size = np.resize(np.append(_numbers(cable.get("size", "1 0 0")), [0.0, 0.0]), 3)
    along = np.arange(count) / (count - 1)
    curves = {
        "s": along * size[0],
        "cos(s)": size[1] * np.cos(math.pi * along * size[2]),
        "sin(s)": size[1] * np.sin(math.pi * along * size[2]),
        "0": 0.0 * along,
    }
    names = [*cable.get("curve", "").split(), "0", "0", "0"][:3]
    wrong = [name for name in names if name not in curves]
    if wrong:
        raise cable_refusal(cable, f"curve has {wrong[0]!r}", ", ".join(curves))
    return np.stack([curves[name] for name in names], axis=1)


def _radius(cable: Element, geom: dict[str, str]) -> float:
    kind = geom.get("type", "sphere")
    if kind not in _ROUND:
        raise cable_refusal(
            cable, f"its geom is a {kind}", f"{' and '.join(_ROUND)}, which are round as rods are"
        )
    size = _numbers(geom.get("size", ""))
    if not len(size) or not size[0] > 0.0:
        raise cable_refusal(cable, "its geom has no size", "a radius")
    return float(size[0])


def _masses(
    geom: dict[str, str], radius: float, lengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Masses of the points, half of that of each segment with its round ends [kg], shape (n,)."""
    ends = 4.0 / 3.0 * radius if geom["type"] == "capsule" else 0.0
    density = float(geom.get("density", _DENSITY))
    segments = density * math.pi * radius**2 * (lengths + ends)
    if "mass" in geom:
        segments = np.full(len(lengths), float(geom["mass"]))
    return 0.5 * (np.append(segments, 0.0) + np.insert(segments, 0, 0.0))


def _with_defaults(
    root: Element, parents: dict[Element, Element], cable: Element, kind: str
) -> dict[str, str]:
    """Attributes of the geom or joint of a cable, with those of its default class."""
    own = cable.find(kind)
    name, above = None if own is None else own.get("class"), cable
    while name is None and above in parents:
        above = parents[above]
        name = above.get("childclass")
    found: dict[str, str] = {}
    chain: list[Element] = []
    for section in root.iter("default"):
        if section.get("class") == name or (name is None and section in list(root)):
            chain = [section]
            break
    while chain and parents.get(chain[0]) is not root and chain[0] in parents:
        chain.insert(0, parents[chain[0]])
    for section in (*chain, cable):
        each = section.find(kind)
        found |= {} if each is None else each.attrib
    return found


def _config(root: Element, cable: Element) -> dict[str, str]:
    """Settings of the plugin of a cable; none without one."""
    plugin = cable.find("plugin")
    if plugin is None:
        return {}
    instance = plugin.get("instance")
    named = plugin.get("plugin")
    holders = [plugin, *(each for each in root.iter("instance") if each.get("name") == instance)]
    if named not in (None, _PLUGIN):
        raise cable_refusal(cable, f"its plugin is {named!r}", _PLUGIN)
    pairs = [pair for holder in holders for pair in holder.findall("config")]
    return {pair.get("key", ""): pair.get("value", "") for pair in pairs}


def _require_straight(cable: Element, config: dict[str, str], points: NDArray[np.float64]) -> None:
    flat = config.get("flat", "false") == "true"
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if flat and spread[1] > 1e-6 * spread[0]:
        raise cable_refusal(
            cable, "it is curved, but flat at rest", "flat='false', or a flexcomp with a keyframe"
        )


def take_masses(root: Element) -> dict[str, float]:
    """Take the masses of points out of a model, by the names that their bodies will have [kg]."""
    found = {}
    for rod in root.iter("flexcomp"):
        for i, mass in enumerate(_numbers(rod.attrib.pop(POINT_MASSES, "")).tolist()):
            found[f"{rod.attrib['name']}_{i}"] = mass
    return found


def weigh_points(spec: mujoco.MjSpec, masses: Mapping[str, float]) -> None:
    """Give the bodies of points their masses.

    Args:
        spec: the model; it is changed.
        masses: as `take_masses` returns them [kg]. Points without a body are held.
    """
    for body in spec.bodies:
        mass = masses.get(body.name)
        if mass is not None:
            body.inertia = np.asarray(body.inertia) * (mass / body.mass)
            body.mass = mass


def _forget_plugin(root: Element) -> None:
    for extension in root.findall("extension"):
        for plugin in extension.findall("plugin"):
            if plugin.get("plugin") == _PLUGIN:
                extension.remove(plugin)


def _integrate_implicitly(root: Element) -> str:
    """Choose the integrator that rods are stable with."""
    option = root.find("option")
    option = SubElement(root, "option") if option is None else option
    before = option.get("integrator", "Euler")
    if before not in _REPLACED:
        return ""
    option.set("integrator", "discrete")
    return f"integrator={before!r} (rods need discrete)"


def _numbers(text: str) -> NDArray[np.float64]:
    return np.array(text.split(), dtype=np.float64)


def _text(values: ArrayLike) -> str:
    return " ".join(f"{value:.12g}" for value in np.ravel(values).tolist())
