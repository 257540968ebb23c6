"""Joints that tie an environment's bodies to the world, wherever the environment is put."""

from __future__ import annotations

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.math.rotations import quat_conjugate, quat_multiply, quat_to_rotvec
from usdsim.math.transforms import Pose
from usdsim.usd.attributes import numbers
from usdsim.usd.xforms import world_pose

__all__ = ["hold_in_environment"]

_SNAP = 1e-5
"""Distance [stage units, rad] at which a joint's frames in single precision coincide."""


def hold_in_environment(prim: Usd.Prim, authored: Pose, layer: Sdf.Layer) -> None:
    """Attach joints to the world to the environment where their frames do not fit its place.

    A joint to the world says where it is in world coordinates. A copy of it still says where the
    original was, and one authored before its environment was moved says where it was then. Of
    these, and what it says taken literally, the frame closest to the body counts; authored values
    that are not literal are replaced in `layer` by ones relative to the environment.

    Args:
        prim: the environment, where it is simulated.
        authored: its frame where it is authored [stage units].
        layer: a layer of the prim's stage.
    """
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    here, scale = world_pose(prim, cache, allow_shear=True)
    for below in Usd.PrimRange(prim, Usd.TraverseInstanceProxies()):
        side = _world_side(below)
        if side is None or below.IsInstanceProxy():
            continue
        body = _body(below, 1 - side)
        if not body:
            continue
        pose, stretch = world_pose(body, cache, allow_shear=True)
        inner = _frame(below, 1 - side)
        joint = pose @ Pose(inner.pos * stretch, inner.quat)
        outer = _frame(below, side)
        readings = [here.inverse() @ outer, authored.inverse() @ outer, outer]
        gaps = [_gap(here @ reading, joint) for reading in readings]
        best = int(np.argmin(gaps))
        if gaps[0] > _SNAP and best:
            _hang(layer, below, side, prim.GetPath(), readings[best], scale)


def _world_side(prim: Usd.Prim) -> int | None:
    """End of a joint that is the world; None if none is, or both are."""
    joint = UsdPhysics.Joint(prim)
    if not joint:
        return None
    named = [bool(rel.GetTargets()) for rel in (joint.GetBody0Rel(), joint.GetBody1Rel())]
    return named.index(False) if sum(named) == 1 else None


def _body(prim: Usd.Prim, side: int) -> Usd.Prim:
    targets = prim.GetRelationship(f"physics:body{side}").GetTargets()
    return prim.GetStage().GetPrimAtPath(targets[0])


def _frame(prim: Usd.Prim, side: int) -> Pose:
    start = Usd.TimeCode.EarliestTime()
    pos = prim.GetAttribute(f"physics:localPos{side}").Get(start) or Gf.Vec3f(0.0)
    rot = prim.GetAttribute(f"physics:localRot{side}").Get(start) or Gf.Quatf(1.0)
    quat = np.array(numbers(rot))
    norm = float(np.linalg.norm(quat))
    return Pose(np.array(pos, dtype=np.float64), quat / norm if norm else np.eye(4)[3])


def _gap(a: Pose, b: Pose) -> float:
    """Distance of two frames; a turn of 1 rad counts as one stage unit."""
    turn = quat_to_rotvec(quat_multiply(quat_conjugate(a.quat), b.quat))
    return float(np.linalg.norm(a.pos - b.pos) + np.linalg.norm(turn))


def _hang(
    layer: Sdf.Layer,
    prim: Usd.Prim,
    side: int,
    environment: Sdf.Path,
    frame: Pose,
    scale: np.ndarray,
) -> None:
    spec = Sdf.CreatePrimInLayer(layer, prim.GetPath())
    relationship = Sdf.RelationshipSpec(spec, f"physics:body{side}", custom=False)
    relationship.targetPathList.explicitItems = [environment]
    types = Sdf.ValueTypeNames
    x, y, z, w = frame.quat.tolist()
    values = (
        ("Pos", types.Point3f, Gf.Vec3f(*(frame.pos / scale).tolist())),
        ("Rot", types.Quatf, Gf.Quatf(w, x, y, z)),
    )
    for name, kind, value in values:
        Sdf.AttributeSpec(spec, f"physics:local{name}{side}", kind).default = value
