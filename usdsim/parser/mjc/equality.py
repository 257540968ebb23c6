"""Equality constraints that other converters author on joint prims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pxr import Usd, UsdPhysics

from usdsim.core.dialects.mjc_tokens import EQUALITY, OBJECT
from usdsim.math.rotations import quat_to_wxyz
from usdsim.parser.context import ParseContext
from usdsim.parser.description import GenericDescription
from usdsim.parser.local_frames import joint_frames
from usdsim.parser.prims import PrimView

from .prims import is_site
from .restated import goes_first

__all__ = ["read_equality_api"]

_BODY, _SITE = (OBJECT.index(kind) for kind in ("body", "site"))
_ACTIVE = ("physics:jointEnabled", "newton:mimicEnabled")
"""Attribute that says whether a constraint acts: of a joint that is one, and of a follower."""


def read_equality_api(
    context: ParseContext,
    view: PrimView,
    api: str,
    overrides: Callable[[PrimView, str], dict[str, Any]],
) -> GenericDescription:
    """The constraint of ``MjcEqualityConnectAPI``, ``WeldAPI`` or ``JointAPI`` on a joint prim.

    It is inactive where the joint is disabled, or the mimic relation that it refines; a solver
    switches constraints, so it is kept.

    Args:
        context: of the stage.
        view: the joint prim.
        api: ``connect``, ``weld`` or ``joint``.
        overrides: reads a prim's ``mjc:`` values by spec field.
    """
    prim, values = view.prim, overrides(view, "equality")
    values.setdefault("type", EQUALITY.index(api))
    if "data" not in values:
        if api == "joint":
            _polynomial(prim, values)
        else:
            _ties(context, view, api, values)
        if not view.flag(_ACTIVE[api == "joint"], True):
            values.setdefault("active", False)
    elif api == "weld" and goes_first(prim, ("mjc:torqueScale",), ("mjc:data",), context.report):
        values["data"] = np.append(values["data"][:10], _number(prim, ("mjc:torqueScale",), 1.0))
    return GenericDescription(
        path=view.path,
        name=view.source_name,
        overrides=values,
        kind="equality",
        targets={name: (values[name],) for name in ("name1", "name2") if values.get(name)},
    )


def _number(prim: Usd.Prim, names: tuple[str, ...], default: float) -> float:
    for name in names:
        attribute = prim.GetAttribute(name)
        if attribute and attribute.HasAuthoredValue():
            value = float(attribute.Get())
            # Newton measures the offset of hinges in degrees.
            degrees = name == "newton:mimicCoef0" and prim.IsA(UsdPhysics.RevoluteJoint)
            return float(np.radians(value)) if degrees else value
    return default


def _polynomial(prim: Usd.Prim, values: dict[str, Any]) -> None:
    names = [(f"mjc:coef{i}", f"newton:mimicCoef{i}") for i in range(5)]
    values["data"] = np.array(
        [_number(prim, pair, 1.0 if i == 1 else 0.0) for i, pair in enumerate(names)]
    )
    values["name1"] = str(prim.GetPath())
    for name in ("mjc:target", "newton:mimicJoint"):
        targets = prim.GetRelationship(name).GetTargets() if prim.HasRelationship(name) else ()
        if targets:
            values["name2"] = str(targets[0])
            break


def _ties(context: ParseContext, view: PrimView, api: str, values: dict[str, Any]) -> None:
    """Two sites, or two bodies with the joint's frames in them, whatever prims it names."""
    joint = UsdPhysics.Joint(view.prim)
    ends: list[PrimView | None] = []
    for name, relation in (("name1", joint.GetBody0Rel()), ("name2", joint.GetBody1Rel())):
        targets = relation.GetTargets()
        values[name] = str(targets[0]) if targets else "/"
        ends.append(context.by_path.get(values[name]))
    scale = _number(view.prim, ("mjc:torqueScale",), 1.0)
    bodies = [-1 if end is None else context.body_above(end.path) for end in ends]
    prims = [-1 if end is None else end.index for end in ends]
    frames = joint_frames(context, [view], [bodies], [prims])[0]
    if all(end is not None and is_site(end) for end in ends) and not _moved(view):
        # Sites are the frames themselves; only how torque counts is left to say.
        values["objtype"] = _SITE
        values["data"] = np.append(np.zeros(10), scale)
        return
    values["objtype"] = _BODY
    for name, end, body in zip(("name1", "name2"), ends, bodies, strict=True):
        if end is not None:
            values[name] = context.views[context.body_prims[body]].path if body >= 0 else "/"
    if api == "connect":
        values["data"] = frames[0].pos
        return
    turn = quat_to_wxyz((frames[0] @ frames[1].inverse()).quat)
    values["data"] = np.concatenate([frames[1].pos, frames[0].pos, turn, [scale]])


def _moved(view: PrimView) -> bool:
    """Whether a joint's frames are others than those of the prims it names."""
    places = [view.vector(f"physics:localPos{side}") for side in (0, 1)]
    turns = [view.quat(f"physics:localRot{side}") for side in (0, 1)]
    return any(place is not None and place.any() for place in places) or any(
        turn is not None and turn[:3].any() for turn in turns
    )
