"""Dangling references of MuJoCo's elements: what refers to prims that are not simulated.

An actuator, tendon, sensor, constraint, contact pair, exclusion, skin or tuple means nothing
without what it refers to. Where that was deleted, deactivated, disabled, or is of a kind it cannot
act on, the element is left out, and so is what refers to the element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pxr import Sdf, Usd, UsdPhysics

from usdsim.core.dialects.mjc_tables import ROWS
from usdsim.core.dialects.mjc_tokens import EQUALITY, OBJECT, TRANSMISSION
from usdsim.parser.description import ActuatorDescription, GenericDescription, SceneDescription
from usdsim.parser.report import Report
from usdsim.usd.schemas import has_api

__all__ = ["without_dangling"]

Element = ActuatorDescription | GenericDescription
Kinds = Mapping[str, set[str]]
"""Kinds of element a prim is described as, by prim path."""

_BODY, _GEOM, _SITE, _JOINT = (frozenset({kind}) for kind in ("body", "geom", "site", "joint"))
_SCALAR = frozenset({"scalar"})
"""Hinges and slides: joints with one number for their position."""
_ANY: frozenset[str] = frozenset()
_ROLES: Mapping[tuple[str, str], frozenset[str]] = {
    ("actuator", "refsite"): _SITE,
    ("actuator", "slidersite"): _SITE,
    ("camera", "targetbody"): _BODY,
    ("light", "targetbody"): _BODY,
    ("skin", "bodyname"): _BODY,
    ("flex", "nodebody"): _BODY,
    ("flex", "vertbody"): _BODY,
    ("pair", "geomname1"): _GEOM,
    ("pair", "geomname2"): _GEOM,
    ("exclude", "bodyname1"): _BODY,
    ("exclude", "bodyname2"): _BODY,
    ("tendon", "sideSites"): _SITE,
}
"""Kinds that a reference may point at, by kind of element and field."""
_TRANSMITTED = {
    "joint": _JOINT,
    "jointinparent": _JOINT,
    "slidercrank": _SITE,
    "tendon": frozenset({"tendon"}),
    "site": _SITE,
    "body": _BODY,
    "so3": _JOINT | _SITE,
}
_NEEDED = {
    "actuator": ("target",),
    "pair": ("geomname1", "geomname2"),
    "tendon": ("path",),
}
"""References without which an element is none."""
_FIXED = 1


def without_dangling(stage: Usd.Stage, scene: SceneDescription, report: Report) -> SceneDescription:
    """A scene without the elements that refer to what is not simulated.

    Args:
        stage: says why a prim is not.
        scene: the scene.
        report: gets a finding for each element left out, with both prims.
    """
    kinds = _kinds(scene)
    elements: list[Element] = [*scene.elements, *scene.actuators]
    kept = list(elements)
    while True:
        stay = []
        for element in kept:
            problem = next(_problems(stage, element, kinds), None)
            if problem is None:
                stay.append(element)
                continue
            field, target, why = problem
            report.repaired(
                "dangling-element", element.path, f"{why}: left out",
                attribute=_attribute(_kind(element), field), value=target,
            )  # fmt: skip
            kinds[element.path].discard(_kind(element))
        if len(stay) == len(kept):
            break
        kept = stay
    if len(kept) == len(elements):
        return scene
    return replace(
        scene,
        elements=tuple(e for e in kept if isinstance(e, GenericDescription)),
        actuators=tuple(e for e in kept if isinstance(e, ActuatorDescription)),
    )


def _kind(element: Element) -> str:
    return element.kind if isinstance(element, GenericDescription) else "actuator"


def _kinds(scene: SceneDescription) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    groups: Sequence[tuple[str, Sequence[str]]] = (
        ("body", [body.path for body in scene.bodies]),
        ("geom", [geom.path for geom in scene.geoms]),
        ("site", [site.path for site in scene.sites]),
        ("mesh", list(scene.meshes)),
        ("hfield", list(scene.height_fields)),
        ("flex", [body.path for body in scene.deformables]),
        ("actuator", [actuator.path for actuator in scene.actuators]),
    )
    for kind, paths in groups:
        for path in paths:
            found.setdefault(path, set()).add(kind)
    for element in scene.elements:
        found.setdefault(element.path, set()).add(element.kind)
    for joint in scene.joints:
        for dof in joint.dofs:
            single = {"scalar"} if dof.kind in ("hinge", "slide") else set()
            found.setdefault(dof.path, set()).update({"joint"} | single)
    return found


def _problems(stage: Usd.Stage, element: Element, kinds: Kinds) -> Iterator[tuple[str, str, str]]:
    """Field, target, and what is wrong with it."""
    kind = _kind(element)
    for field in _NEEDED.get(kind, ()):
        if not element.targets.get(field):
            yield field, "", f"refers to nothing, and a {kind} without {field} is none"
    for field, paths in element.targets.items():
        if field in ("material", "texture", "plugin") or kind in ("material", "texture"):
            continue
        allowed = _allowed(element, kind, field)
        for path in paths:
            found = kinds.get(path, set())
            # Points of PhysX's tendons have names that are no prim paths.
            named = Sdf.Path.IsValidPathString(path)
            prim = stage.GetPrimAtPath(path) if named else Usd.Prim()
            if found & allowed if allowed else found:
                if kind == "pair" and prim and not _collides(prim):
                    yield field, path, f"refers to {path}, whose collisions are disabled"
                continue
            if (allowed is _BODY or not allowed) and _is_world(prim):
                continue
            yield field, path, f"refers to {path}, {_why(prim, found, allowed)}"


def _collides(prim: Usd.Prim) -> bool:
    """Whether nothing says that a geom does not collide."""
    return not prim.HasAPI(UsdPhysics.CollisionAPI) or bool(
        UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get()
    )


def _allowed(element: Element, kind: str, field: str) -> frozenset[str]:
    """Kinds that a reference may point at; empty: any."""
    values = element.overrides
    if kind == "actuator" and field == "target":
        return _TRANSMITTED[TRANSMISSION[int(values.get("trntype", 0))]]
    if kind == "tendon" and field == "path":
        return _SCALAR if values.get("type", 0) == _FIXED else _SITE | _GEOM
    if kind == "equality":
        if values.get("type") == EQUALITY.index("joint"):
            return _SCALAR
        return _object(values.get("objtype", 0))
    if kind == "sensor" and field in ("objname", "refname"):
        return _object(values.get("objtype" if field == "objname" else "reftype", 0))
    return _ROLES.get((kind, field), _ANY)


def _object(code: int) -> frozenset[str]:
    name = OBJECT[int(code)]
    if name in ("body", "xbody"):
        return _BODY
    return _ANY if name == "unknown" else frozenset({name})


def _is_world(prim: Usd.Prim) -> bool:
    """Whether a prim that is no body stands for the world: it could not be a body at all."""
    if not prim or not prim.IsActive() or prim.IsA(UsdPhysics.Joint):
        return False
    return not (prim.HasAPI(UsdPhysics.RigidBodyAPI) or has_api(prim, "MjcBodyAPI"))


def _why(prim: Usd.Prim, found: set[str], allowed: frozenset[str]) -> str:
    if not prim:
        return "which does not exist"
    if not prim.IsActive():
        return "which is inactive"
    if found:
        wanted = "hinge or slide" if allowed is _SCALAR else " or ".join(sorted(allowed))
        return f"which is no {wanted}"
    return "which is not simulated"


def _attribute(kind: str, field: str) -> str:
    return next((row.usd for row in ROWS[kind] if row.spec == field), field)
