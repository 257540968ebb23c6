"""Bases of articulations for PhysX, which never moves the joint that holds its first link.

PhysX takes the first rigid body of an articulation that stands on the world for its fixed base,
whatever joint it stands by. So what stands still below it has to be a rigid body, fixed to the
world.
"""

from __future__ import annotations

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.converters.emit.joints import emit_joint
from usdsim.converters.emit.mass import emit_mass
from usdsim.converters.report import ConversionReport
from usdsim.math.transforms import Pose
from usdsim.usd.attributes import authored
from usdsim.usd.schemas import has_api
from usdsim.usd.xforms import local_pose

__all__ = ["write_bases"]

_MOVING = (UsdPhysics.RevoluteJoint, UsdPhysics.PrismaticJoint, UsdPhysics.SphericalJoint)
_UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def write_bases(stage: Usd.Stage, report: ConversionReport) -> None:
    """Give every articulation that moves on the world a rigid body to move on.

    Args:
        stage: its edit target receives the bodies and their joints.
        report: receives a finding for each body that the source does not have.
    """
    for prim in list(stage.Traverse()):
        if not any(prim.IsA(kind) for kind in _MOVING):
            continue
        if authored(prim, "physics:excludeFromArticulation", False):
            continue
        joint = UsdPhysics.Joint(prim)
        above = _first(stage, joint.GetBody1Rel())
        below = _first(stage, joint.GetBody0Rel())
        root = _articulation(above) if above else None
        if root is None or (below and has_api(below, "PhysicsRigidBodyAPI")):
            continue
        if below is None or below == stage.GetDefaultPrim():
            base = _anchor(stage, root, report)
            joint.GetBody0Rel().SetTargets([base.GetPath()])
        elif above is not None and above.GetPath().HasPrefix(below.GetPath()):
            _settle(stage, below)


def _first(stage: Usd.Stage, relationship: Usd.Relationship) -> Usd.Prim | None:
    targets = relationship.GetTargets()
    return stage.GetPrimAtPath(targets[0]) or None if targets else None


def _articulation(body: Usd.Prim) -> Usd.Prim | None:
    """The prim above a body, or the body, that is marked as an articulation."""
    prim = body
    while prim and not prim.IsPseudoRoot():
        if has_api(prim, "PhysicsArticulationRootAPI"):
            return prim
        prim = prim.GetParent()
    return None


def _settle(stage: Usd.Stage, prim: Usd.Prim) -> None:
    """Make a frame that stands still a rigid body fixed to the prim above it."""
    path = f"{prim.GetPath()}/fixed"
    if stage.GetPrimAtPath(path):
        return
    UsdPhysics.RigidBodyAPI.Apply(prim).CreateRigidBodyEnabledAttr(True)
    mass, moments = authored(prim, "mjc:mass", 0.0), authored(prim, "mjc:inertia", np.zeros(3))
    # Without mass of its own it has that of its shapes, which nothing moves.
    if mass > 0.0 and (moments > 0.0).all():
        com = authored(prim, "mjc:ipos", np.zeros(3))
        emit_mass(prim, mass, com, moments, authored(prim, "mjc:iquat", _UPRIGHT))
    pose, _ = local_pose(prim, allow_shear=True)
    parent = str(prim.GetParent().GetPath())
    emit_joint(stage, path, "fixed", None if parent == "/" else parent, str(prim.GetPath()), pose,
               Pose())  # fmt: skip


def _anchor(stage: Usd.Stage, root: Usd.Prim, report: ConversionReport) -> Usd.Prim:
    """A body at the origin of an articulation, fixed to it."""
    path = f"{root.GetPath()}/base_link"
    prim = stage.GetPrimAtPath(path)
    if prim and has_api(prim, "PhysicsRigidBodyAPI"):
        return prim
    prim = UsdGeom.Xform.Define(stage, path).GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(prim).CreateRigidBodyEnabledAttr(True)
    emit_mass(prim, 1.0, np.zeros(3), np.ones(3), _UPRIGHT)
    emit_joint(stage, f"{path}/fixed", "fixed", str(root.GetPath()), path, Pose(), Pose())
    report.info(
        "base-added", path,
        "was added for PhysX, which never moves the first body of what stands on the world",
    )  # fmt: skip
    return prim
