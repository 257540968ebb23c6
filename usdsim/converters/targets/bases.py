"""Bases of articulations, for simulators that need a rigid body below what moves on the world.

PhysX takes the first rigid body of an articulation that stands on the world for its fixed base,
whatever joint it stands by, and never moves that joint. Newton takes the bodies of an articulation
from OpenUSD, which lists none where a single body moves on the world: its joint moves, its pose
does not. So what stands still below has to be a rigid body, fixed to the world.
"""

from __future__ import annotations

import numpy as np
from pxr import Sdf, Usd, UsdPhysics

from usdsim.converters.emit.joints import emit_joint
from usdsim.converters.emit.mass import emit_mass
from usdsim.converters.report import ConversionReport
from usdsim.math.transforms import Pose
from usdsim.usd.attributes import authored
from usdsim.usd.draft_layers import write_draft
from usdsim.usd.drafts import LayerDraft, define, fill, place
from usdsim.usd.names import NameScope
from usdsim.usd.queries import find_ancestor
from usdsim.usd.schemas import has_api
from usdsim.usd.xforms import local_pose, world_pose

__all__ = ["write_bases"]

_MOVING = (UsdPhysics.RevoluteJoint, UsdPhysics.PrismaticJoint, UsdPhysics.SphericalJoint)
_UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def write_bases(stage: Usd.Stage, report: ConversionReport, *, lone: bool = False) -> None:
    """Give every articulation that moves on the world a rigid body to move on.

    Args:
        stage: its edit target receives the bodies and their joints.
        report: receives a finding that names the bodies that the source does not have.
        lone: only where no joint leads from the moving body to another.
    """
    joints = [prim for prim in stage.Traverse() if _counts(prim)]
    joined = _joined(joints) if lone else set()
    bases: dict[str, str] = {}
    for prim in joints:
        if not any(prim.IsA(kind) for kind in _MOVING):
            continue
        below, above = _ends(prim)
        root = _articulation(above) if above else None
        if above is None or root is None or str(above.GetPath()) in joined or _is_body(below):
            continue
        if below is None or below == stage.GetDefaultPrim():
            key = str(root.GetPath())
            bases[key] = bases.get(key) or _anchor(stage, root, below)
            UsdPhysics.Joint(prim).GetBody0Rel().SetTargets([bases[key]])
        elif above.GetPath().HasPrefix(below.GetPath()):
            _settle(stage, below)
    if bases:
        report.info(
            "base-added", ", ".join(bases.values()),
            "was added for a simulator that moves nothing on the world but on a rigid body",
        )  # fmt: skip


def _counts(prim: Usd.Prim) -> bool:
    """Whether a prim is a joint of articulations."""
    excluded = "physics:excludeFromArticulation"
    return prim.IsA(UsdPhysics.Joint) and not authored(prim, excluded, False)


def _joined(joints: list[Usd.Prim]) -> set[str]:
    """Bodies that joints lead to from other bodies, by path."""
    pairs = [[end for end in _ends(prim) if _is_body(end)] for prim in joints]
    return {str(end.GetPath()) for pair in pairs if len(pair) > 1 for end in pair if end}


def _is_body(prim: Usd.Prim | None) -> bool:
    return prim is not None and has_api(prim, "PhysicsRigidBodyAPI")


def _ends(prim: Usd.Prim) -> tuple[Usd.Prim | None, Usd.Prim | None]:
    """Prims that a joint stands on and holds; None: the world."""
    joint, stage = UsdPhysics.Joint(prim), prim.GetStage()
    return _first(stage, joint.GetBody0Rel()), _first(stage, joint.GetBody1Rel())


def _first(stage: Usd.Stage, relationship: Usd.Relationship) -> Usd.Prim | None:
    targets = relationship.GetTargets()
    return stage.GetPrimAtPath(targets[0]) or None if targets else None


def _articulation(body: Usd.Prim) -> Usd.Prim | None:
    """The prim above a body, or the body, that is marked as an articulation."""
    api = "PhysicsArticulationRootAPI"
    return find_ancestor(body, lambda prim: has_api(prim, api), include_self=True)


def _settle(stage: Usd.Stage, prim: Usd.Prim) -> None:
    """Make a frame that stands still a rigid body fixed to the prim above it."""
    path = f"{prim.GetPath()}/fixed"
    if stage.GetPrimAtPath(path):
        return
    layer = LayerDraft()
    spec = define(layer, str(prim.GetPath()), specifier=Sdf.SpecifierOver)
    fill(spec, "PhysicsRigidBodyAPI", {"physics:rigidBodyEnabled": True})
    mass, moments = authored(prim, "mjc:mass", 0.0), authored(prim, "mjc:inertia", np.zeros(3))
    # Without mass of its own it has that of its shapes, which nothing moves.
    if mass > 0.0 and (moments > 0.0).all():
        com = authored(prim, "mjc:ipos", np.zeros(3))
        emit_mass(spec, mass, com, moments, authored(prim, "mjc:iquat", _UPRIGHT))
    pose, _ = local_pose(prim, allow_shear=True)
    parent = str(prim.GetParent().GetPath())
    emit_joint(layer, path, "fixed", None if parent == "/" else parent, spec.path, pose, Pose())
    write_draft(layer, stage.GetEditTarget().GetLayer())


def _anchor(stage: Usd.Stage, root: Usd.Prim, below: Usd.Prim | None) -> str:
    """Path of a new body where an articulation stands, fixed there.

    It lies in the articulation, but beside one whose root moves.
    """
    over = root.GetParent() if _is_body(root) else root
    stem = f"{root.GetName()}_base" if _is_body(root) else "base_link"
    name = NameScope(stage).unique(over.GetPath(), stem)
    path = str(over.GetPath().AppendChild(name))
    layer = LayerDraft()
    prim = define(layer, path, "Xform")
    frame = world_pose(below, allow_shear=True)[0] if below else Pose()
    place(prim, world_pose(over, allow_shear=True)[0].inverse() @ frame)
    fill(prim, "PhysicsRigidBodyAPI", {"physics:rigidBodyEnabled": True})
    emit_mass(prim, 1.0, np.zeros(3), np.ones(3), _UPRIGHT)
    ground = str(below.GetPath()) if below else None
    emit_joint(layer, f"{path}/fixed", "fixed", ground, path, Pose(), Pose())
    write_draft(layer, stage.GetEditTarget().GetLayer())
    return path
