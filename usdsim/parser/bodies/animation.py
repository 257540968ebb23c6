"""Animated transforms of kinematic bodies and static colliders."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from pxr import Usd, UsdGeom

from usdsim.math.rotations import quat_from_matrix
from usdsim.math.time_samples import PoseSamples
from usdsim.parser.context import ParseContext
from usdsim.parser.description import (
    ActuatorDescription,
    BodyDescription,
    DofDescription,
    JointDescription,
)
from usdsim.parser.element import path_of_prim
from usdsim.parser.frames import decompose
from usdsim.parser.joints.drives import SAMPLED
from usdsim.parser.prims import PrimView
from usdsim.parser.time_codes import seconds

from .forces import SAMPLED as FORCES

__all__ = ["animated_colliders", "pose_samples", "report_other_samples"]

_LONGEST = 20_000
"""Poses that are read of one body at most."""


def is_animated(view: PrimView) -> bool:
    """Whether a prim's own transform varies over time."""
    return any(
        name.startswith("xformOp:") and view.prim.GetAttribute(name).GetNumTimeSamples() > 1
        for name in view.names
    )


def animated_colliders(
    context: ParseContext, colliders: Iterable[str], bodies: Iterable[str]
) -> list[PrimView]:
    """Prims that move static colliders: the nearest animated one at or above each."""
    views = context.views if context.sampled else ()
    moved = {view.path for view in views if is_animated(view)}
    held = set(bodies)
    found = {}
    for path in colliders if moved else ():
        above, nearest = path, ""
        while len(above) > 1 and above not in held:
            if above in moved and not nearest:
                nearest = above
            above = above.rpartition("/")[0]
        if nearest and len(above) <= 1:
            found[nearest] = context.by_path[nearest]
    return list(found.values())


def pose_samples(context: ParseContext, view: PrimView) -> PoseSamples | None:
    """Poses of a prim over time; None: nothing at or above it is animated.

    Time is zero at the stage's start time code. Between keys there is a sample for each time code,
    so that turning follows the interpolation of the stage.
    """
    codes = _time_codes(view.prim)
    if len(codes) < 2:
        return None
    stage, units, turn = context.stage, context.units, context.units.to_z_up_matrix
    matrices = []
    cache = UsdGeom.XformCache()
    for code in codes:
        cache.SetTime(Usd.TimeCode(code))
        matrices.append(np.array(cache.GetLocalToWorldTransform(view.prim)))
    stacked = np.array(matrices)
    rotation = decompose(turn @ np.swapaxes(stacked[:, :3, :3], 1, 2))[0]
    quat = quat_from_matrix(rotation)
    for i in range(1, len(quat)):
        if quat[i] @ quat[i - 1] < 0.0:
            quat[i] *= -1.0
    return PoseSamples(
        times=seconds(stage, codes),
        pos=units.length * stacked[:, 3, :3] @ turn.T,
        quat=quat,
    )


def _time_codes(prim: Usd.Prim) -> list[float]:
    keys: set[float] = set()
    while prim and not prim.IsPseudoRoot():
        xformable = UsdGeom.Xformable(prim)
        if xformable:
            keys.update(xformable.GetTimeSamples())
            if xformable.GetResetXformStack():
                break
        prim = prim.GetParent()
    if len(keys) < 2:
        return []
    first, last = min(keys), max(keys)
    between = np.arange(np.ceil(first), np.floor(last) + 1.0)
    if len(between) <= _LONGEST:
        keys.update(between.tolist())
    return sorted(keys)


def report_other_samples(
    context: ParseContext,
    bodies: Iterable[BodyDescription],
    joints: Iterable[JointDescription],
    forces: Iterable[ActuatorDescription],
) -> None:
    """Report what varies over time without effect: physics, and transforms that forces decide."""
    if not context.sampled:
        return
    known = {body.path for body in bodies if body.samples is not None}
    driven = {joint.path for joint in joints if any(map(_follows, joint.dofs))}
    pushing = {path_of_prim(force.path) for force in forces if force.samples is not None}
    for view in context.views:
        for name in sorted(view.read):
            placing = name.startswith("xformOp:")
            if name not in view.names or not (placing or ":" in name):
                continue
            if placing and (context.bodies.get(view.path) is None or view.path in known):
                continue
            if view.path in driven and name.startswith("drive:") and name.endswith(SAMPLED):
                continue
            if view.path in pushing and name in FORCES:
                continue
            attribute = view.prim.GetAttribute(name)
            if not attribute or attribute.GetNumTimeSamples() < 2:
                continue
            why = (
                "is animated, but the body is moved by forces: its first sample is where it "
                "starts; make it kinematic to let it follow the samples"
                if placing
                else "varies over time, which has no effect: its first sample is used"
            )
            context.report.unsupported(view.path, name, attribute.GetNumTimeSamples(), why)


def _follows(dof: DofDescription) -> bool:
    """Whether targets of a drive are sampled."""
    drives = (dof.drive, *(ball.drive for ball in dof.ball_drives))
    return any(drive is not None and drive.samples is not None for drive in drives)
