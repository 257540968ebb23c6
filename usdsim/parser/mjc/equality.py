"""Equality constraints that other converters author on joint prims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pxr import Usd, UsdPhysics

from usdsim.core.dialects.mjc_tokens import EQUALITY, OBJECT
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_multiply, quat_to_wxyz
from usdsim.parser.description import GenericDescription
from usdsim.parser.prims import PrimView
from usdsim.parser.report import Report
from usdsim.usd.attributes import numbers
from usdsim.usd.schemas import has_api

from .restated import goes_first

__all__ = ["read_equality_api"]

_BODY, _SITE = (OBJECT.index(kind) for kind in ("body", "site"))


def read_equality_api(
    view: PrimView,
    api: str,
    overrides: Callable[[PrimView, str], dict[str, Any]],
    report: Report,
) -> GenericDescription:
    """The constraint of ``MjcEqualityConnectAPI``, ``WeldAPI`` or ``JointAPI`` on a joint prim.

    Args:
        view: the joint prim.
        api: ``connect``, ``weld`` or ``joint``.
        overrides: reads a prim's ``mjc:`` values by spec field.
        report: receives findings.
    """
    prim, values = view.prim, overrides(view, "equality")
    values.setdefault("type", EQUALITY.index(api))
    if "data" not in values:
        if api == "joint":
            _polynomial(prim, values)
        else:
            _frames(prim, api, values)
    elif api == "weld" and goes_first(prim, ("mjc:torqueScale",), ("mjc:data",), report):
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


def _frames(prim: Usd.Prim, api: str, values: dict[str, Any]) -> None:
    joint = UsdPhysics.Joint(prim)
    values["objtype"] = _BODY
    for name, relation in (("name1", joint.GetBody0Rel()), ("name2", joint.GetBody1Rel())):
        targets = relation.GetTargets()
        values[name] = str(targets[0]) if targets else "/"
    ends = [prim.GetStage().GetPrimAtPath(values[name]) for name in ("name1", "name2")]
    if all(end and has_api(end, "MjcSiteAPI") for end in ends):
        # Sites are the frames themselves; only how torque counts is left to say.
        values["objtype"] = _SITE
        if api == "weld":
            scale = _number(prim, ("mjc:torqueScale",), 1.0)
            values["data"] = np.append(np.zeros(10), scale)
        return
    pos0, pos1 = (
        np.array(attribute.Get() or (0, 0, 0), np.float64)
        for attribute in (joint.GetLocalPos0Attr(), joint.GetLocalPos1Attr())
    )
    if api == "connect":
        values["data"] = pos0
        return
    rot0, rot1 = (
        np.array(numbers(quat))
        for quat in (joint.GetLocalRot0Attr().Get(), joint.GetLocalRot1Attr().Get())
    )
    turn = quat_multiply(rot0, quat_conjugate(rot1))
    relative = pos0 - quat_apply(turn, pos1)
    scale = _number(prim, ("mjc:torqueScale",), 1.0)
    values["data"] = np.concatenate([pos1, relative, quat_to_wxyz(turn), [scale]])
