"""Contact pairs, excludes and equality constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.emit.joints import emit_joint
from usdsim.core.dialects.mjc_control import LOOP_CONSTRAINT, LOOP_JOINT
from usdsim.core.dialects.mjc_tables import TYPES
from usdsim.core.dialects.mjc_tokens import EQUALITY, OBJECT
from usdsim.core.dialects.newton import MIMIC
from usdsim.math.rotations import quat_from_wxyz
from usdsim.math.transforms import Pose
from usdsim.usd.drafts import apply, fill, link, write

from .context import MjcfContext
from .rows import write_rows

__all__ = ["convert_equalities", "convert_excludes", "convert_pairs"]

_BODY = OBJECT.index("body")
_OBJECTS = {
    "joint": "joint",
    "tendon": "tendon",
    "flex": "flex",
    "flexvert": "flex",
    "flexstrain": "flex",
    "distance": "geom",
}
"""Kind of elements each constraint acts on, where it is always the same."""
_LOOP = {"connect": "spherical", "weld": "fixed"}


def convert_pairs(context: MjcfContext) -> None:
    """Define every contact pair."""
    for index, path, _ in context.defined("pair"):
        write_rows(context, path, "pair", index)


def convert_excludes(context: MjcfContext) -> None:
    """Define every excluded pair of bodies, and filter it for other tools."""
    filtered: dict[str, list[str]] = {}
    for index, path, exclude in context.defined("exclude"):
        signature = int(context.model.exclude_signature[index])
        names = [element.name for element in context.elements("body")]
        # The signature is sorted; the source's order only shows in the spec.
        bodies = [_body(names, exclude.bodyname1), _body(names, exclude.bodyname2)]
        if sorted(bodies) != sorted([signature >> 16, signature & 0xFFFF]):
            bodies = [signature >> 16, signature & 0xFFFF]
        targets = [context.paths["body"][body] for body in bodies]
        for number, target in enumerate(targets, 1):
            context.link(path, f"mjc:body{number}", [target])
        if min(bodies) > 0:
            filtered.setdefault(targets[0], []).append(targets[1])
    for path, others in filtered.items():
        prim = context.spec(path)
        apply(prim, "PhysicsFilteredPairsAPI")
        link(prim, "physics:filteredPairs", others, alone=False)


def _body(names: list[str], name: str) -> int:
    return names.index(name) if name in names else -1


def convert_equalities(context: MjcfContext) -> None:
    """Define every equality constraint: loop joints where USD has one, and mimic relations."""
    mimics: dict[int, _Mimic] = {}
    for index, equality in enumerate(context.elements("equality")):
        path = context.paths["equality"][index]
        kind = EQUALITY[int(context.model.eq_type[index])]
        on_bodies = int(context.model.eq_objtype[index]) == _BODY
        if kind in _LOOP and on_bodies:
            _emit_loop(context, index, kind)
            _name_objects(context, path, index)
        else:
            context.define(path, TYPES["equality"])
            _name_objects(context, path, index)
        context.keep_name(path, equality.name)
        write_rows(context, path, "equality", index, skip=("data",))
        context.set(path, "mjc:data", "double[]", _data(context, index, kind))
        context.restate(path, *LOOP_CONSTRAINT, *LOOP_JOINT)
        if kind == "joint":
            _collect_mimic(context, index, mimics)
    for follower in mimics:
        _mimic(context, follower, mimics)


def _data(context: MjcfContext, index: int, kind: str) -> NDArray[np.float64]:
    """Parameters as the spec takes them, from what the compiler made of them."""
    data = np.array(context.model.eq_data[index], dtype=np.float64)
    if kind == "connect":
        # The anchor in the second body follows from the first.
        data[3:6] = 0.0
    elif kind == "weld" and data[11] != 0.0:
        data[3:10] = data[11] = 0.0
    return data


def _name_objects(context: MjcfContext, path: str, index: int) -> None:
    model = context.model
    kind = _OBJECTS.get(EQUALITY[int(model.eq_type[index])])
    kind = kind or OBJECT[int(model.eq_objtype[index])]
    for number, found in enumerate((model.eq_obj1id[index], model.eq_obj2id[index]), 1):
        context.refer(path, f"mjc:object{number}", kind, int(found))


def _emit_loop(context: MjcfContext, index: int, kind: str) -> None:
    """A joint that closes a loop."""
    model, data = context.model, context.model.eq_data[index]
    bodies = [int(model.eq_obj1id[index]), int(model.eq_obj2id[index])]
    paths = [context.paths["body"][body] for body in bodies]
    frames = [Pose(data[0:3].copy()), Pose(data[3:6].copy())]
    if kind == "weld":
        # Both are places of the anchor, the first one that in the second body.
        frames = [Pose(data[3:6].copy(), quat_from_wxyz(data[6:10])), Pose(data[0:3].copy())]
    prim = emit_joint(
        context.layer,
        context.paths["equality"][index],
        _LOOP[kind],
        paths[0],
        paths[1],
        frames[0],
        frames[1],
        exclude_from_articulation=True,
        collision_enabled=True,
    )
    fill(prim, "PhysicsJoint", {"physics:jointEnabled": bool(model.eq_active0[index])})
    apply(prim, f"MjcEquality{kind.capitalize()}API")
    if kind == "weld":
        context.set(prim.path, "mjc:torqueScale", "float", float(data[10]))


@dataclass(frozen=True)
class _Mimic:
    """Position of a joint = offset + gearing * position of its leader [rad or m]."""

    leader: int
    offset: float
    gearing: float


def _collect_mimic(context: MjcfContext, index: int, mimics: dict[int, _Mimic]) -> None:
    model = context.model
    follower, leader = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    if leader >= 0 and model.eq_active0[index]:
        offset, gearing = (float(v) for v in model.eq_data[index][:2])
        mimics.setdefault(follower, _Mimic(leader, offset, gearing))


def _mimic(context: MjcfContext, follower: int, mimics: dict[int, _Mimic]) -> None:
    """Author a mimic relation of a joint, for tools that know these.

    These take no leader that follows a third joint: what leads the leader leads here.
    """
    found, passed = mimics[follower], {follower}
    while found.leader in mimics and mimics[found.leader].leader not in passed:
        passed.add(found.leader)
        above = mimics[found.leader]
        offset = found.offset + found.gearing * above.offset
        found = _Mimic(above.leader, offset, found.gearing * above.gearing)
    path = context.paths["joint"][follower]
    prim = context.spec(path)
    apply(prim, "NewtonMimicAPI")
    context.link(path, "newton:mimicJoint", [context.paths["joint"][found.leader]])
    hinge = prim.type_name == "PhysicsRevoluteJoint"
    offset = float(np.degrees(found.offset)) if hinge else found.offset
    write(prim, "newton:mimicCoef0", "float", offset)
    write(prim, "newton:mimicCoef1", "float", found.gearing)
    context.restate(path, *MIMIC)
