"""Schemas written as facts: name, type and fallback of every property, several to a line.

A schema is a line at the margin, its name, what it is built of, its namespace and its purpose:

- ``PhysxForceAPI: A force.`` is applied once, with the namespace ``physxForce``;
- ``PhysxBrakesAPI * physxBrake: Brakes.`` is applied several times, with that namespace;
- ``PhysxPartAPI + PhysxWholeAPI: Parts.`` is applied together with another;
- ``PhysxGear < UsdPhysicsJoint: A gear.`` is a prim type, with the properties of its base.

Lines below are properties, ``[uniform] type name[@method] [= fallback] [in token ...]; name ...``.
"""

from __future__ import annotations

import ast
import re

from .table import Attr, Kind, Schema

__all__ = ["BASES", "KEPT", "READ", "attributes", "schemas"]

KEPT = "Kept as authored; not simulated."
READ = "Simulated, unless the load report names it."
"""What is said of the properties of a text."""

_HEAD = re.compile(
    r"(?P<name>\w+)(?P<many> \*)?(?: < (?P<base>\w+))?(?: \+ (?P<others>[\w:]+))?"
    r"(?: (?P<prefix>\w+))?: (?P<doc>.+)"
)
_ITEM = re.compile(
    r"(?P<name>[\w:]+)(?:@(?P<method>\w+))?(?: = (?P<value>.+?))?(?: in (?P<tokens>.+))?"
)
_WORDS = {"true": "True", "false": "False", "inf": "1e999"}


def attributes(text: str, doc: str) -> list[Attr]:
    """The properties that lines state, all with one documentation."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        uniform = line.startswith("uniform ")
        kind, _, items = line.removeprefix("uniform ").partition(" ")
        found += [_attribute(item, kind, doc, uniform=uniform) for item in items.split("; ")]
    return found


def _attribute(item: str, kind: str, doc: str, *, uniform: bool) -> Attr:
    part = _ITEM.fullmatch(item)
    if part is None:
        raise ValueError(f"{item!r} is no property; write 'name = fallback in token token'.")
    text = re.sub(r"\b(true|false|inf)\b", lambda word: _WORDS[word[0]], part["value"] or "None")
    tokens = tuple((part["tokens"] or "").split())
    value = ast.literal_eval(text)
    return Attr(kind, part["name"], value, doc, "", "", tokens, uniform, part["method"] or "")


def schemas(
    text: str,
    doc: str,
    type_prefix: str = "PhysxSchema",
    strip: str = "",
) -> list[Schema]:
    """The schemas that a text states; properties all have one documentation.

    Types of the plugin are named as in `Plugin`.
    """
    found: list[Schema] = []
    for block in re.split(r"\n(?=\w)", text.strip()):
        line, _, body = block.partition("\n")
        head = _HEAD.fullmatch(line)
        if head is None:
            raise ValueError(f"{line!r} is no schema; write 'NameAPI: Purpose.'.")
        name, base = head["name"], head["base"] or ""
        prefix = "" if base else head["prefix"] or name[:1].lower() + name[1:].removesuffix("API")
        single: Kind = "concreteTyped" if base else "singleApplyAPI"
        own = {type_prefix + made.name.removeprefix(strip): made.attributes for made in found}
        found.append(
            Schema(
                name,
                f"{prefix}:__INSTANCE_NAME__" if head["many"] else prefix,
                head["doc"],
                [*(BASES | own).get(base, ()), *attributes(body, doc)],
                "multipleApplyAPI" if head["many"] else single,
                tuple((head["others"] or "").split()),
                base=base,
            )
        )
    return found


_IMAGEABLE = """
    token visibility = "inherited" in inherited invisible
    uniform token purpose = "default" in default render proxy guide
    rel proxyPrim
"""
_GPRIM = f"""{_IMAGEABLE}
    uniform token[] xformOpOrder
    float3[] extent
    color3f[] primvars:displayColor
    float[] primvars:displayOpacity
    uniform bool doubleSided = false
    uniform token orientation = "rightHanded" in rightHanded leftHanded
"""
_POINTS = f"""{_GPRIM}
    point3f[] points
    vector3f[] velocities; accelerations
    normal3f[] normals
"""
_JOINT = f"""{_IMAGEABLE}
    rel physics:body0; physics:body1
    point3f physics:localPos0 = (0, 0, 0); physics:localPos1 = (0, 0, 0)
    quatf physics:localRot0 = (1, 0, 0, 0); physics:localRot1 = (1, 0, 0, 0)
    bool physics:jointEnabled = true; physics:collisionEnabled = false
    uniform bool physics:excludeFromArticulation = false
    float physics:breakForce = inf; physics:breakTorque = inf
"""
BASES: dict[str, list[Attr]] = {
    name: attributes(text, f"Of {name}.")
    for name, text in (
        ("UsdGeomImageable", _IMAGEABLE),
        ("UsdGeomGprim", _GPRIM),
        ("UsdGeomPointBased", _POINTS),
        ("UsdPhysicsJoint", _JOINT),
    )
}
"""Properties of OpenUSD's prim types, which definitions of types made of them have to repeat."""
