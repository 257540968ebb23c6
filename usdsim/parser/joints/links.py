"""Joints and bodies of the description, once the forest is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.units import UNLIMITED
from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_multiply,
    quat_to_euler,
    quat_to_rotvec,
)
from usdsim.math.transforms import Pose
from usdsim.parser.bodies.rigid_bodies import BodyRecord
from usdsim.parser.bodies.topology import Forest
from usdsim.parser.context import ParseContext
from usdsim.parser.description import DofDescription, JointDescription
from usdsim.parser.mjc import MujocoReader
from usdsim.parser.overrides import overrides_of
from usdsim.parser.prims import PrimView

from .authored import JointRecord
from .couplings import Couplings
from .dofs import make_dofs
from .servos import Servos

__all__ = ["RestPoses", "describe_joints"]

Array = NDArray[np.float64]

_DISTANCES = ("physics:minDistance", "physics:maxDistance")
_LIMITS = ("limit:distance:physics:low", "limit:distance:physics:high")
"""The same of a joint of six axes that only keeps a distance."""
_SPRING = "physxPhysicsDistanceJoint:"
_SNAP = 1e-5
"""Tolerance [m, rad] of frames in single precision about the authored pose they restate."""


class RestPoses:
    """Poses of bodies in their parents, as authored and with joints at zero.

    Attributes:
        authored: per body record, in the parent's frame [m].
        rest: the same with all joint positions zero.
        moved: bodies that are not authored at zero.
    """

    def __init__(
        self,
        context: ParseContext,
        bodies: Sequence[BodyRecord],
        joints: Sequence[JointRecord],
        forest: Forest,
    ):
        prims = [record.view.index for record in bodies]
        parents = [forest.parent[i] for i in range(len(bodies))]
        places = context.frames.relative(prims, [prims[p] if p >= 0 else -1 for p in parents])
        self._frames, self._prims = context.frames, prims
        self.authored = [places.pose(i) for i in range(len(bodies))]
        self.rest = list(self.authored)
        self.moved: set[int] = set()
        tied = [i for i in range(len(bodies)) if forest.joints[i]]
        tied = [i for i in tied if joints[forest.joints[i][0]].kind != "free"]
        if not tied:
            return
        firsts = [joints[forest.joints[i][0]] for i in tied]
        swap = [record.body1 != i for i, record in zip(tied, firsts, strict=True)]
        outer = [r.frame1 if s else r.frame0 for r, s in zip(firsts, swap, strict=True)]
        inner = [r.frame0 if s else r.frame1 for r, s in zip(firsts, swap, strict=True)]
        quat = quat_multiply(_quats(outer), quat_conjugate(_quats(inner)))
        pos = _positions(outer) - quat_apply(quat, _positions(inner))
        at = places.pos[tied], places.quat[tied]
        apart = np.abs(pos - at[0]).max(axis=1) / (1.0 + np.abs(pos).max(axis=1))
        turned = np.linalg.norm(quat_to_rotvec(quat_multiply(quat_conjugate(quat), at[1])), axis=1)
        for row, body in enumerate(tied):
            if apart[row] > _SNAP or turned[row] > _SNAP:
                self.rest[body] = Pose(pos[row], quat[row] / np.linalg.norm(quat[row]))
                self.moved.add(body)

    def between(self, parent: int, child: int) -> Pose:
        """Authored pose of one body in the frame of another; -1 is the world."""
        if child < 0:
            return self.between(child, parent).inverse()
        above = self._prims[parent] if parent >= 0 else -1
        return self._frames.pose(self._prims[child], above)


def describe_joints(
    context: ParseContext,
    reader: MujocoReader,
    joints: Sequence[JointRecord],
    forest: Forest,
    poses: RestPoses,
    servos: Servos,
    couplings: Couplings,
) -> list[JointDescription]:
    """Joints in stage order.

    Args:
        context: of the stage.
        reader: of the MuJoCo dialect.
        joints: as authored.
        forest: which of them carry bodies.
        poses: where bodies rest.
        servos: what actuator prims do to joints.
        couplings: constraints of the MuJoCo dialect that let joints follow others.
    """
    leaders = {record.view.path: record for record in joints}
    number = forest.numbers()
    found = []
    for i, record in enumerate(joints):
        if record.kind == "free" and i not in forest.in_tree:
            continue
        reverse = forest.reversed(i, record)
        ends = (record.body1, record.body0) if reverse else (record.body0, record.body1)
        parent, child = (number[end] if end >= 0 else -1 for end in ends)
        inside = i in forest.in_tree
        overrides = overrides_of(reader, record.view, "joint")
        dofs = make_dofs(context, record, overrides, reverse=reverse)
        if inside:
            dofs = _in_tree(record, dofs, ends[1], forest, poses, reverse)
        else:
            dofs = _apart(record, dofs, poses)
        dofs = tuple(servos.settle(record.view, dof) for dof in dofs)
        found.append(
            JointDescription(
                path=record.view.path,
                name=record.view.source_name,
                overrides={} if dofs else overrides,
                kind=record.kind,
                parent=parent,
                child=child,
                parent_frame=record.frame1 if reverse else record.frame0,
                child_frame=record.frame0 if reverse else record.frame1,
                dofs=dofs,
                in_tree=inside,
                collision_enabled=record.collision_enabled,
                mimic=couplings.settle(record, leaders),
                **record.break_limits,
                **_distances(context, record),
            )
        )
    return found


def _in_tree(
    record: JointRecord,
    dofs: tuple[DofDescription, ...],
    child: int,
    forest: Forest,
    poses: RestPoses,
    reverse: bool,
) -> tuple[DofDescription, ...]:
    """Initial positions of a joint that carries its child, where that is not authored at zero."""
    if child not in poses.moved or len(forest.joints[child]) != 1:
        return dofs
    return _initial(record, dofs, poses.authored[child], reverse)


def _apart(
    record: JointRecord, dofs: tuple[DofDescription, ...], poses: RestPoses
) -> tuple[DofDescription, ...]:
    """Initial positions of a joint outside the tree, which its bodies' poses do not start at."""
    if not any(dof.kind in ("hinge", "slide") for dof in dofs):
        return dofs
    authored = poses.between(record.body0, record.body1)
    if authored.almost_equal(record.frame0 @ record.frame1.inverse(), _SNAP, _SNAP):
        return dofs
    return _initial(record, dofs, authored, reverse=False)


def _initial(
    record: JointRecord,
    dofs: tuple[DofDescription, ...],
    authored: Pose,
    reverse: bool,
) -> tuple[DofDescription, ...]:
    """Positions of hinges and slides that give the authored pose of the child in the parent.

    Positions that are authored themselves stay.
    """
    outer = record.frame1 if reverse else record.frame0
    inner = record.frame0 if reverse else record.frame1
    motion = outer.inverse() @ authored @ inner
    turn = quat_to_rotvec(motion.quat)
    turning = [dof for dof in dofs if dof.kind == "hinge"]
    result = []
    for dof in dofs:
        if dof.position != 0.0 or dof.kind not in ("hinge", "slide"):
            result.append(dof)
            continue
        # In the joint frame, where motion is measured, the axis is the child's without its frame.
        axis = quat_apply(quat_conjugate(inner.quat), dof.axis)
        if dof.kind == "slide":
            result.append(replace(dof, position=float(axis @ motion.pos)))
        elif len(turning) == 1:
            result.append(replace(dof, position=float(axis @ turn)))
        else:
            angle = quat_to_euler(motion.quat)["XYZ".index(dof.path[-1])]
            result.append(replace(dof, position=-angle if reverse else angle))
    return tuple(result)


def _distances(context: ParseContext, record: JointRecord) -> dict[str, Any]:
    if record.kind != "distance":
        return {}
    view, length = record.view, context.units.length
    names = _DISTANCES if view.type_name == "PhysicsDistanceJoint" else _LIMITS
    near, far = (view.number(name, -1.0) for name in names)
    if 0.0 <= far < near:
        view.invalid(names[1], far, f"at least the minimum, {near:g}")
    elif far == 0.0:
        view.invalid(names[1], far, "above 0; two points in one are a spherical joint")
    return {
        "min_distance": max(near, 0.0) * length,
        "max_distance": far * length if 0.0 <= far < UNLIMITED else np.inf,
        **_spring(context, view),
    }


def _spring(context: ParseContext, view: PrimView) -> dict[str, float]:
    """Stiffness and damping of a distance joint that is a spring beyond its distances."""
    if not view.has_api("PhysxPhysicsDistanceJointAPI"):
        return {}
    names = [_SPRING + name for name in ("springEnabled", "springStiffness", "springDamping")]
    enabled = view.flag(names[0])
    stiffness, damping = (view.number(name, 0.0) for name in names[1:])
    if not enabled:
        return {}
    for name, value in zip(names[1:], (stiffness, damping), strict=True):
        if not 0.0 <= value < np.inf:
            view.invalid(name, value, "zero or a positive number")
            return {}
    if stiffness == 0.0:
        context.report.unsupported(
            view.path, names[1], stiffness,
            "is 0, so the spring holds nothing; the joint stops at its distances as if it had no "
            "spring. Author a stiffness, or disable the joint",
        )  # fmt: skip
        return {}
    return {
        "spring_stiffness": stiffness * context.units.factor("N/m"),
        "spring_damping": damping * context.units.factor("N s/m"),
    }


def _quats(poses: Sequence[Pose]) -> Array:
    return np.array([pose.quat for pose in poses])


def _positions(poses: Sequence[Pose]) -> Array:
    return np.array([pose.pos for pose in poses])
