"""Law of edits: each attribute that a converter writes acts once edited, or a finding says why not.

Attributes are taken from converted robots as they are: the table at the top is only of those that
state no quantity of the model.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import Any

import numpy as np
import pytest
from converted_robots import ROBOTS, everything, fingerprint
from hypothesis import given, settings
from hypothesis import strategies as st
from pxr import Gf, Usd

from usdsim.converters import convert
from usdsim.core.errors import UsdsimError
from usdsim.parser import parse_stage

SELF_COLLISION = ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")
NOT_OF_THE_MODEL = re.compile(
    "|".join(
        (
            r"extent|usdsim:\w+|xformOpOrder|subdivisionScheme|faceVertexCounts|info:id|outputs:\w+",
            r"urdf:\w+",
            # Drawn: planes that collide have no edge, and the width of a picture is no angle.
            r"width|length|clippingRange|horizontalAperture|purpose|doubleSided|visibility",
            r"inputs:(?:file|st|varname|wrapS|wrapT|scale|result)",
            # Only in a medium, and only of ellipsoids; computed of the kind of sensor.
            r"mjc:fluid:coefs|mjc:dim|mjc:needstage",
            # In which coordinates a joint is solved: what holds a body alone carries it here.
            r"physics:excludeFromArticulation",
            # A rule without anything to decide in these robots.
            r"newton:jointsAddMobility|mjc:path:segments|mjc:maxhullvert|newton:velocityLimit",
        )
    )
)
"""Attributes that state nothing of the model, with the reasons."""
OF_WHAT_CONSTRAINS_NOTHING = {
    "PhysicsJoint": r"physics:(?:local(?:Pos|Rot)[01]|jointEnabled|collisionEnabled)",
    "PhysicsSphericalJoint": r"physics:axis",
    "PhysicsFixedJoint": r"physics:(?:localRot1|collisionEnabled)",
    "Mesh": r"mjc:vertices",
    "Shader": r"inputs:(?:diffuseColor|opacity)",
}
"""Attributes without a meaning on prims of some types: free joints, axes of balls without a cone,
joints that fix a base wherever it is, assets by the geoms that show them, and URDF's looks, which
only pictures have."""


@cache
def robot(name: str) -> Usd.Stage:
    """A converted robot, to be edited in its session layer."""
    stage = everything() if name == "everything" else convert(ROBOTS[name])
    for prim in stage.Traverse():
        for spelling in SELF_COLLISION:
            if prim.HasAttribute(spelling):
                # Without, no joint has a say in what collides.
                prim.GetAttribute(spelling).Set(True)
    stage.SetEditTarget(stage.GetSessionLayer())
    return stage


@cache
def unedited(name: str) -> tuple[dict[str, Any], set[str]]:
    return fingerprint(robot(name))


@cache
def attributes(name: str) -> list[Usd.Attribute]:
    """One attribute for each name and type of prim: the first one that can be edited."""
    found: dict[tuple[str, str], Usd.Attribute] = {}
    for prim in robot(name).TraverseAll():
        kind = str(prim.GetTypeName())
        for attribute in prim.GetAuthoredAttributes():
            said = attribute.GetName()
            idle = re.fullmatch(OF_WHAT_CONSTRAINS_NOTHING.get(kind, "$"), said)
            idle = idle or said in SELF_COLLISION  # edited already
            if not NOT_OF_THE_MODEL.fullmatch(said) and not idle and edits(attribute.Get()):
                found.setdefault((kind, said), attribute)
    return list(found.values())


def edits(value: Any, factor: float = 1.25) -> list[Any]:
    """Other values than one, of the same type; none where it cannot be told what is allowed."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, max(value - 1, 0)]
    if isinstance(value, float):
        return [value * factor + 0.05, 0.5 * value] if np.isfinite(value) else [0.5]
    if isinstance(value, (Gf.Vec3f, Gf.Vec3d, Gf.Vec2f, Gf.Vec2d)):
        return [type(value)(*(x * factor + 0.05 * (i + 1) for i, x in enumerate(value)))]
    if isinstance(value, (Gf.Quatf, Gf.Quatd)):
        turn = Gf.Quatd(0.9, 0.2, 0.3, 0.1).GetNormalized()
        return [type(value)(Gf.Quatd(value) * turn)]
    if hasattr(type(value), "FromNumpy") and len(value):
        array = np.array(value)
        if array.dtype.kind == "f":
            return [type(value).FromNumpy((array * factor + 0.05).astype(array.dtype))]
    return []


def outcome(name: str, attribute: Usd.Attribute, factor: float = 1.25) -> str:
    """What an edit of an attribute does: ``acts``, ``reported``, ``refused`` or nothing."""
    stage, before = robot(name), unedited(name)
    place = str(attribute.GetPrimPath())
    found = ""
    for value in edits(attribute.Get(), factor):
        attribute.Set(value)
        try:
            after = fingerprint(stage)
            if after[0] != before[0]:
                found = "acts"
            elif any(place in text for text in after[1] - before[1]):
                found = "reported"
        except UsdsimError as error:
            found = "refused" if place in str(error) or "engine error" in str(error) else ""
        finally:
            stage.GetSessionLayer().Clear()
        if found:
            break
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["everything", *ROBOTS])
def test_every_attribute_of_a_converted_robot_acts_or_is_reported(name):
    outcomes = defaultdict(list)
    for attribute in attributes(name):
        outcomes[outcome(name, attribute)].append(str(attribute.GetPath()))
    assert not outcomes[""], "edits without any effect"
    assert len(outcomes["acts"]) > 4 * len(outcomes["reported"])


@settings(max_examples=15)
@given(
    name=st.sampled_from(["everything", "arm"]),
    place=st.floats(0.0, 1.0, exclude_max=True),
    factor=st.floats(1.1, 2.0),
)
def test_random_edits_of_random_attributes_act_or_are_reported(name, place, factor):
    found = attributes(name)
    attribute = found[int(place * len(found))]
    assert outcome(name, attribute, factor), attribute.GetPath()


@pytest.mark.parametrize("spelling", SELF_COLLISION)
def test_either_spelling_of_self_collisions_acts(spelling):
    stage = convert(ROBOTS["arm"])
    (prim,) = (p for p in stage.Traverse() if p.HasAttribute(spelling))
    assert not parse_stage(stage).scene.articulations[0].self_collision
    prim.GetAttribute(spelling).Set(True)
    result = parse_stage(stage)
    assert result.scene.articulations[0].self_collision
    assert not result.report.by_code("conflict")
