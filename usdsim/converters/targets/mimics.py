"""Mimic joints in PhysX's older spelling, beside Newton's."""

from __future__ import annotations

from pxr import Usd, UsdPhysics

from usdsim.usd.attributes import author, authored
from usdsim.usd.schemas import apply_api, has_api

__all__ = ["write_mimics"]

_INSTANCE = "rotX"
"""Instance for joints of one turning axis, which has no name of its own in an articulation."""


def write_mimics(stage: Usd.Stage) -> None:
    """State every relation between revolute joints as ``PhysxMimicJointAPI``.

    Newton: position = coef0 + coef1 * leader. PhysX: position + gearing * leader + offset = 0. Its
    schema names turning axes only.
    """
    for prim in list(stage.Traverse()):
        if not has_api(prim, "NewtonMimicAPI") or has_api(prim, "PhysxMimicJointAPI"):
            continue
        leaders = prim.GetRelationship("newton:mimicJoint").GetTargets()
        leader = stage.GetPrimAtPath(leaders[0]) if leaders else None
        pair = (prim, leader)
        if not authored(prim, "newton:mimicEnabled", True) or not leader:
            continue
        if not all(joint and joint.IsA(UsdPhysics.RevoluteJoint) for joint in pair):
            continue
        apply_api(prim, "PhysxMimicJointAPI", _INSTANCE)
        prefix = f"physxMimicJoint:{_INSTANCE}:"
        author(prim, prefix + "gearing", "float", -float(authored(prim, "newton:mimicCoef1", 1.0)))
        author(prim, prefix + "offset", "float", -float(authored(prim, "newton:mimicCoef0", 0.0)))
        author(prim, prefix + "referenceJointAxis", "token", _INSTANCE, uniform=True)
        prim.CreateRelationship(prefix + "referenceJoint", custom=False).SetTargets(leaders)
