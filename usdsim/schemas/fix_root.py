"""Fixing the root link of an articulation in its place, in plain UsdPhysics."""

from __future__ import annotations

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.core.dialects.physx import GEARS
from usdsim.core.errors import StageError
from usdsim.math.transforms import Pose
from usdsim.usd.attributes import author, from_usd
from usdsim.usd.prims import get_prim
from usdsim.usd.queries import find_ancestor
from usdsim.usd.schemas import apply_api, has_api, remove_api
from usdsim.usd.stage import stage_or_current
from usdsim.usd.xforms import world_pose

__all__ = [
    "create_world_fixed_joint",
    "find_global_fixed_joint_prim",
    "find_root_link",
    "fix_root_link",
    "move_articulation_root_to_parent",
]

_NO_BREAK = 3.40282347e38
"""Largest single-precision number: the joint never breaks."""


def find_global_fixed_joint_prim(
    prim_path: str | Sdf.Path,
    check_enabled_only: bool = False,
    stage: Usd.Stage | None = None,
) -> UsdPhysics.Joint | None:
    """The first joint at or below a prim that ties a body to the world.

    Args:
        prim_path: where to search.
        check_enabled_only: whether disabled joints do not count.
        stage: where the prim is; None: the current stage.

    Returns:
        The joint, of any type, of which one end is no rigid body and inside none, or is left out;
        None: there is none. A joint that says that its body is free is none.

    Raises:
        ValueError: there is no such prim.
    """
    root = get_prim(stage_or_current(stage), prim_path)
    for prim in Usd.PrimRange(root, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)):
        joint = UsdPhysics.Joint(prim)
        if not joint or _is_free(prim) or not _ties_to_world(joint):
            continue
        if not check_enabled_only or joint.GetJointEnabledAttr().Get():
            return joint
    return None


def _is_free(prim: Usd.Prim) -> bool:
    """Whether a joint holds nothing: it couples joints, or only has a name for a body's freedom."""
    if prim.GetTypeName() in GEARS:
        return True
    attribute = prim.GetAttribute("mjc:type")
    return prim.GetTypeName() == "PhysicsJoint" and bool(attribute) and attribute.Get() == "free"


def _ties_to_world(joint: UsdPhysics.Joint) -> bool:
    """Whether exactly one end moves, or none is named."""
    stage = joint.GetPrim().GetStage()
    ends = [rel.GetTargets() for rel in (joint.GetBody0Rel(), joint.GetBody1Rel())]
    if not any(ends):
        return True
    moving = [bool(end) and _moves(stage.GetPrimAtPath(end[0])) for end in ends]
    return sum(moving) == 1


def _moves(prim: Usd.Prim) -> bool:
    """Whether a prim is a rigid body or inside one; one that is missing may be."""
    body = "PhysicsRigidBodyAPI"
    return (
        not prim or find_ancestor(prim, lambda p: has_api(p, body), include_self=True) is not None
    )


def find_root_link(root: Usd.Prim) -> Usd.Prim:
    """The body an articulation hangs on: `root` itself, or the first body that is no one's child.

    Raises:
        StageError: there is no rigid body at or below `root`.
    """
    if has_api(root, "PhysicsRigidBodyAPI"):
        return root
    bodies: list[Usd.Prim] = []
    children: set[Sdf.Path] = set()
    for prim in Usd.PrimRange(root, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)):
        if has_api(prim, "PhysicsRigidBodyAPI"):
            bodies.append(prim)
        joint = UsdPhysics.Joint(prim)
        in_tree = joint and not _is_free(prim) and not joint.GetExcludeFromArticulationAttr().Get()
        if in_tree and joint.GetBody0Rel().GetTargets():
            children.update(joint.GetBody1Rel().GetTargets())
    for body in bodies:
        if body.GetPath() not in children:
            return body
    if bodies:
        return bodies[0]
    raise StageError(
        f"{root.GetPath()} has no rigid body at or below it, so there is no root link to fix. "
        "Define a rigid body first."
    )


def fix_root_link(root: Usd.Prim, fixed: bool) -> list[str]:
    """Fix the root link of an articulation in its place, or let it go.

    A joint to the world is enabled or disabled. Where joints that move hang on a link that stands,
    as it is no rigid body, letting go makes it one, and they keep moving on it.

    Args:
        root: prim with the articulation root API.
        fixed: whether the root link is fixed.

    Returns:
        Paths of the properties that changed.

    Raises:
        StageError: there is no body to fix.
    """
    joint = find_global_fixed_joint_prim(root.GetPath(), stage=root.GetStage())
    if joint is not None:
        if joint.GetJointEnabledAttr().Get() == fixed:
            return []
        base = _standing_link(root, joint)
        holder = base or joint.GetPrim()
        if holder.IsInstanceProxy():
            raise StageError(
                f"{holder.GetPath()} fixes the root link inside an instance and cannot be edited. "
                "Make the instance not instanceable first."
            )
        if base is not None:
            enabled = UsdPhysics.RigidBodyAPI.Apply(base).CreateRigidBodyEnabledAttr(True)
        else:
            enabled = joint.CreateJointEnabledAttr(fixed)
        return [str(enabled.GetPath())]
    if not fixed:
        return []
    return [str(create_world_fixed_joint(find_root_link(root), root).GetPath())]


def _standing_link(root: Usd.Prim, joint: UsdPhysics.Joint) -> Usd.Prim | None:
    """The prim below an articulation root that a joint moves on, if it has mass or colliders."""
    if joint.GetPrim().IsA(UsdPhysics.FixedJoint):
        return None
    stage, own = root.GetStage(), ("PhysicsCollisionAPI", "PhysicsMassAPI", "MjcBodyAPI")
    for end in (joint.GetBody0Rel(), joint.GetBody1Rel()):
        for path in end.GetTargets():
            prim = stage.GetPrimAtPath(path)
            if path == root.GetPath() or not path.HasPrefix(root.GetPath()) or _moves(prim):
                continue
            within = Usd.PrimRange(prim, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate))
            for part in within:
                if has_api(part, "PhysicsRigidBodyAPI"):
                    within.PruneChildren()
                elif any(has_api(part, name) for name in own):
                    return prim
    return None


def create_world_fixed_joint(body: Usd.Prim, below: Usd.Prim | None = None) -> Usd.Prim:
    """Fix a body where it is.

    The joint hangs on the nearest prim above the body that is part of no body, so that the body
    stays in its place when that prim is moved, copied or referred to elsewhere. Where there is
    none, the joint hangs on the world.

    Args:
        body: the body.
        below: prim the joint is put below; None: the body. The nearest ancestor that can be
            edited is taken instead of one inside an instance.

    Returns:
        The joint prim, named ``FixedJoint``.
    """
    stage = body.GetStage()
    parent = below or body
    while parent.IsInstanceProxy() or parent.IsInPrototype() or parent.IsInstance():
        parent = parent.GetParent()
    taken = set(parent.GetAllChildrenNames())
    name, number = "FixedJoint", 0
    while name in taken:
        name, number = f"FixedJoint{number}", number + 1
    pose, _ = world_pose(body, allow_shear=True)
    anchor = _anchor(body)
    joint = UsdPhysics.FixedJoint.Define(stage, parent.GetPath().AppendChild(name))
    joint.CreateBody1Rel().SetTargets([body.GetPath()])
    if anchor is not None:
        joint.CreateBody0Rel().SetTargets([anchor.GetPath()])
        above, scale = world_pose(anchor, allow_shear=True)
        pose = above.inverse() @ pose
        pose = Pose(pose.pos / scale, pose.quat)
    for pos, rot, frame in (
        (joint.CreateLocalPos0Attr, joint.CreateLocalRot0Attr, pose),
        (joint.CreateLocalPos1Attr, joint.CreateLocalRot1Attr, Pose()),
    ):
        x, y, z, w = map(float, frame.quat)
        pos(Gf.Vec3f(*np.asarray(frame.pos, dtype=float).tolist()))
        rot(Gf.Quatf(w, x, y, z))
    joint.CreateBreakForceAttr(_NO_BREAK)
    joint.CreateBreakTorqueAttr(_NO_BREAK)
    return joint.GetPrim()


def _anchor(body: Usd.Prim) -> Usd.Prim | None:
    """The nearest prim above a body that has a place and does not move; None: only the world."""
    above = find_ancestor(body, lambda prim: prim.IsA(UsdGeom.Xformable) and not _moves(prim))
    return above if above is not None and not UsdGeom.Xformable(body).GetResetXformStack() else None


_ROOT_APIS = ("PhysicsArticulationRootAPI", "PhysxArticulationAPI", "NewtonArticulationRootAPI")
_ROOT_ATTRIBUTES = ("physxArticulation:", "newton:selfCollision", "newton:jointsAddMobility")


def move_articulation_root_to_parent(
    prim_path: str | Sdf.Path, stage: Usd.Stage | None = None
) -> Usd.Prim:
    """Put the articulation root on the parent of a body, as PhysX wants it for fixed bases.

    UsdPhysics accepts a fixed base with the root on the body too, and so does usdsim.

    Args:
        prim_path: the body with the articulation root API.
        stage: where the prim is; None: the current stage.

    Returns:
        The parent, which carries the schemas and their authored values now.

    Raises:
        StageError: the prim is no articulation root, or has no parent to move it to.
    """
    root = get_prim(stage_or_current(stage), prim_path)
    parent = root.GetParent()
    if not has_api(root, _ROOT_APIS[0]):
        raise StageError(f"{root.GetPath()} is no articulation root, so there is none to move.")
    if parent.IsPseudoRoot() or parent.IsInstanceProxy():
        raise StageError(
            f"{root.GetPath()} has no parent that can carry its articulation root. Put it below an "
            "Xform first."
        )
    for name in _ROOT_APIS:
        if has_api(root, name):
            apply_api(parent, name)
            remove_api(root, name)
    for attribute in root.GetAuthoredAttributes():
        name = attribute.GetName()
        if name.startswith(_ROOT_ATTRIBUTES) and attribute.HasAuthoredValue():
            author(parent, name, str(attribute.GetTypeName()), from_usd(attribute.Get()))
            root.RemoveProperty(name)
    return parent
