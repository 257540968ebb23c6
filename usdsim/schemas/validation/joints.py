"""Rules about joints and the trees they make."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.core.dialects.physx import GEARS
from usdsim.core.errors import StageError
from usdsim.math.rotations import quat_apply
from usdsim.math.transforms import Pose
from usdsim.usd.attributes import from_usd
from usdsim.usd.queries import find_ancestor, traverse
from usdsim.usd.schemas import has_api
from usdsim.usd.xforms import world_pose

from .finding import Finding, Rule, found

__all__ = ["RULES"]

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_APART = 1e-3
"""Distance [m] and angle [rad] from which joint frames count as apart."""


def _joints(stage: Usd.Stage) -> Iterator[UsdPhysics.Joint]:
    for prim in traverse(stage):
        joint = UsdPhysics.Joint(prim)
        if joint and prim.GetTypeName() not in GEARS and joint.GetJointEnabledAttr().Get():
            yield joint


def _body(joint: UsdPhysics.Joint, end: int) -> Sdf.Path | None:
    """The rigid body at an end of a joint; None: the world."""
    body = _first_with(joint, end, "PhysicsRigidBodyAPI")
    return body.GetPath() if body else None


def _target(joint: UsdPhysics.Joint, end: int) -> Usd.Prim:
    """The prim that an end of a joint is on; invalid: the world, or there is none."""
    relationship = joint.GetBody1Rel() if end else joint.GetBody0Rel()
    targets = relationship.GetForwardedTargets()
    return joint.GetPrim().GetStage().GetPrimAtPath(targets[0]) if targets else Usd.Prim()


def _first_with(joint: UsdPhysics.Joint, end: int, api: str) -> Usd.Prim | None:
    """The first prim with an API schema, upwards from the one that an end of a joint is on."""
    return find_ancestor(_target(joint, end), lambda p: has_api(p, api), include_self=True)


def _frame(joint: UsdPhysics.Joint, end: int, cache: UsdGeom.XformCache) -> Pose | None:
    """World pose of a joint frame, in stage units; None where a target is missing."""
    relationship = joint.GetBody1Rel() if end else joint.GetBody0Rel()
    targets = relationship.GetForwardedTargets()
    position = joint.GetLocalPos1Attr() if end else joint.GetLocalPos0Attr()
    rotation = joint.GetLocalRot1Attr() if end else joint.GetLocalRot0Attr()
    pos, quat = from_usd(position.Get()), from_usd(rotation.Get())
    norm = float(np.linalg.norm(quat))
    if norm == 0.0 or not np.isfinite([*pos, *quat]).all():
        return None
    local = Pose(np.asarray(pos, dtype=np.float64), np.asarray(quat, dtype=np.float64) / norm)
    if not targets:
        return local
    prim = joint.GetPrim().GetStage().GetPrimAtPath(targets[0])
    if not prim:
        return None
    try:
        pose, scale = world_pose(prim, cache, allow_shear=True)
    except StageError:
        return None
    return pose @ Pose(local.pos * scale, local.quat)


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return 2.0 * float(np.arccos(min(1.0, abs(float(a @ b)))))


def _frames_apart(stage: Usd.Stage) -> Iterator[Finding]:
    cache = UsdGeom.XformCache()
    meters = UsdGeom.GetStageMetersPerUnit(stage)
    for joint in _joints(stage):
        kind = str(joint.GetPrim().GetTypeName())
        if kind not in _FREEDOMS:
            continue
        first, second = _frame(joint, 0, cache), _frame(joint, 1, cache)
        if first is None or second is None:
            continue
        distance, angle = _FREEDOMS[kind](joint, first, second)
        if distance * meters > _APART or angle > _APART:
            yield found(
                str(joint.GetPath()),
                f"The joint frames on the two bodies are {distance * meters:.4g} m and "
                f"{np.degrees(angle):.4g} degrees apart, where the joint cannot move.",
            )


def _axis(joint: UsdPhysics.Joint, frame: Pose) -> np.ndarray:
    token = str(joint.GetPrim().GetAttribute("physics:axis").Get() or "X")
    return quat_apply(frame.quat, np.array(_AXES[token]))


def _fixed(_: UsdPhysics.Joint, a: Pose, b: Pose) -> tuple[float, float]:
    return float(np.linalg.norm(a.pos - b.pos)), _angle(a.quat, b.quat)


def _revolute(joint: UsdPhysics.Joint, a: Pose, b: Pose) -> tuple[float, float]:
    sine = float(np.linalg.norm(np.cross(_axis(joint, a), _axis(joint, b))))
    cosine = float(_axis(joint, a) @ _axis(joint, b))
    return float(np.linalg.norm(a.pos - b.pos)), float(np.arctan2(sine, cosine))


def _prismatic(joint: UsdPhysics.Joint, a: Pose, b: Pose) -> tuple[float, float]:
    offset = b.pos - a.pos
    direction = _axis(joint, a)
    aside = offset - direction * float(offset @ direction)
    return float(np.linalg.norm(aside)), _angle(a.quat, b.quat)


def _spherical(_: UsdPhysics.Joint, a: Pose, b: Pose) -> tuple[float, float]:
    return float(np.linalg.norm(a.pos - b.pos)), 0.0


_FREEDOMS = {
    "PhysicsFixedJoint": _fixed,
    "PhysicsPrismaticJoint": _prismatic,
    "PhysicsRevoluteJoint": _revolute,
    "PhysicsSphericalJoint": _spherical,
}
"""Distances of joint frames in the directions that a joint locks."""


def _limits(stage: Usd.Stage) -> Iterator[Finding]:
    for joint in _joints(stage):
        prim = joint.GetPrim()
        low, high = prim.GetAttribute("physics:lowerLimit"), prim.GetAttribute("physics:upperLimit")
        if not low or not high or low.Get() is None or high.Get() is None:
            continue
        if low.Get() > high.Get():
            yield found(
                str(joint.GetPath()),
                f"The lower limit {low.Get():g} is above the upper limit {high.Get():g}.",
                "physics:lowerLimit",
                low.Get(),
            )


def _same_body(stage: Usd.Stage) -> Iterator[Finding]:
    for joint in _joints(stage):
        first, second = _body(joint, 0), _body(joint, 1)
        if first == second:
            what = f"the body {first} with itself" if first else "the world with itself"
            yield found(str(joint.GetPath()), f"The joint connects {what}.")


class _Groups:
    """Groups of bodies that hang together."""

    def __init__(self) -> None:
        self._parent: dict[Sdf.Path | None, Sdf.Path | None] = {}

    def root(self, body: Sdf.Path | None) -> Sdf.Path | None:
        self._parent.setdefault(body, body)
        while self._parent[body] != body:
            body = self._parent[body]
        return body

    def join(self, a: Sdf.Path | None, b: Sdf.Path | None) -> bool:
        """Connect two bodies; False where they hang together already."""
        first, second = self.root(a), self.root(b)
        self._parent[second] = first
        return first != second


def _loops(stage: Usd.Stage) -> Iterator[Finding]:
    groups = _Groups()
    pairs: set[frozenset[Sdf.Path | None]] = set()
    for joint in _joints(stage):
        if joint.GetExcludeFromArticulationAttr().Get():
            continue
        first, second = _body(joint, 0), _body(joint, 1)
        pair = frozenset((first, second))
        # Parallel joints between two bodies add up in some dialects; they are no loop of bodies.
        if first == second or groups.join(first, second) or pair in pairs:
            pairs.add(pair)
            continue

        def exclude(target: UsdPhysics.Joint = joint) -> None:
            target.CreateExcludeFromArticulationAttr(True)

        yield found(
            str(joint.GetPath()),
            f"The joint closes a loop between {first or 'the world'} and {second or 'the world'} "
            "but is not excluded from the articulation.",
            "physics:excludeFromArticulation",
            False,
            None if joint.GetPrim().IsInstanceProxy() else exclude,
        )


def _standing(joint: UsdPhysics.Joint, end: int) -> Sdf.Path | None:
    """The part of an articulation that stands still at an end of a joint, such as a fixed palm."""
    root = _first_with(joint, end, "PhysicsArticulationRootAPI")
    return _target(joint, end).GetPath() if root else None


def _unreachable(stage: Usd.Stage) -> Iterator[Finding]:
    groups = _Groups()
    for joint in _joints(stage):
        first, second = (_body(joint, end) or _standing(joint, end) for end in (0, 1))
        if first is not None and second is not None:
            groups.join(first, second)
    for root in traverse(stage):
        if not has_api(root, "PhysicsArticulationRootAPI"):
            continue
        bodies = [p.GetPath() for p in traverse(stage, root) if has_api(p, "PhysicsRigidBodyAPI")]
        if not bodies:
            continue
        home = groups.root(bodies[0])
        for body in bodies[1:]:
            if groups.root(body) != home:
                yield found(
                    str(body),
                    f"No joint connects the body to {bodies[0]}, the first one of the articulation "
                    f"{root.GetPath()}, so it moves on its own.",
                )


RULES = (
    Rule("joint-frames-apart", "warning", "Joint frames meet in the authored pose.", _frames_apart),
    Rule("joint-limits", "error", "Lower limits are below upper limits.", _limits),
    Rule("joint-same-body", "error", "Joints connect different bodies.", _same_body),
    Rule("articulation-loop", "warning", "Joints that close loops are excluded.", _loops),
    Rule("unreachable-body", "warning", "Bodies of an articulation are connected.", _unreachable),
)
