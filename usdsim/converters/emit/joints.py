"""UsdPhysics joints with frames on both bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pxr import Gf, Usd, UsdPhysics

from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import quat_align
from usdsim.math.transforms import Pose

__all__ = ["align_frames", "emit_drive", "emit_joint", "emit_limit"]

_SCHEMAS: dict[str, Any] = {
    "d6": UsdPhysics.Joint,
    "distance": UsdPhysics.DistanceJoint,
    "fixed": UsdPhysics.FixedJoint,
    "free": UsdPhysics.Joint,
    "prismatic": UsdPhysics.PrismaticJoint,
    "revolute": UsdPhysics.RevoluteJoint,
    "spherical": UsdPhysics.SphericalJoint,
}
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def _vec3f(values: NDArray[np.float64]) -> Gf.Vec3f:
    return Gf.Vec3f(*(float(v) for v in values))


def _quatf(quat: NDArray[np.float64]) -> Gf.Quatf:
    x, y, z, w = (float(v) for v in quat)
    return Gf.Quatf(w, x, y, z)


def align_frames(frame0: Pose, frame1: Pose, axis: ArrayLike) -> tuple[Pose, Pose, str]:
    """Turn both joint frames so that a direction becomes one of their axes.

    Args:
        frame0: joint frame in the first body.
        frame1: joint frame in the second body.
        axis: joint axis in the joint frame, shape (3,).

    Returns:
        The two frames and the axis token. Frames that already have `axis` as a positive axis are
        returned unchanged; both are turned by one rotation, so the joint's zero stays.
    """
    direction = np.asarray(axis, dtype=np.float64)
    direction = direction / np.linalg.norm(direction)
    for token, unit in _AXES.items():
        if np.array_equal(direction, unit):
            return frame0, frame1, token
    turn = Pose(np.zeros(3), quat_align(np.array(_AXES["X"]), direction))
    return frame0 @ turn, frame1 @ turn, "X"


def emit_joint(
    stage: Usd.Stage,
    path: str,
    kind: str,
    body0: str | None,
    body1: str | None,
    frame0: Pose,
    frame1: Pose,
    *,
    axis: str = "X",
    lower: float | None = None,
    upper: float | None = None,
    collision_enabled: bool = False,
    exclude_from_articulation: bool = False,
) -> Usd.Prim:
    """Define a joint.

    Args:
        stage: where to author.
        path: prim path.
        kind: ``revolute``, ``prismatic``, ``spherical``, ``fixed``, ``distance``, ``d6``, ``free``.
        body0: path of the first body (the parent); None is the world.
        body1: path of the second body (the child); None is the world.
        frame0: joint frame in the first body.
        frame1: joint frame in the second body.
        axis: moving axis in the joint frame; see `align_frames` for others.
        lower: lower limit [rad or m]; the shortest distance for distance joints; None is no limit.
        upper: upper limit [rad or m]; the largest angle of a spherical joint [rad]; None is none.
        collision_enabled: whether the two bodies may collide.
        exclude_from_articulation: whether the joint closes a loop.

    Returns:
        The joint prim. All physical values are authored, also those equal to the fallback. A free
        joint is disabled: it constrains nothing either way, but tools that take any joint to the
        world for a fixed base leave disabled ones out.
    """
    schema = _SCHEMAS.get(kind)
    if schema is None:
        raise InvalidValueError(f"Joint kind of {path}", kind, ", ".join(_SCHEMAS))
    joint = schema.Define(stage, path)
    _connect(joint, (body0, body1), (frame0, frame1))
    joint.CreateCollisionEnabledAttr(collision_enabled)
    joint.CreateExcludeFromArticulationAttr(exclude_from_articulation)
    if kind in ("revolute", "prismatic"):
        unit = 180.0 / math.pi if kind == "revolute" else 1.0
        joint.CreateAxisAttr(axis)
        joint.CreateLowerLimitAttr(-math.inf if lower is None else lower * unit)
        joint.CreateUpperLimitAttr(math.inf if upper is None else upper * unit)
    elif kind == "spherical":
        cone = -1.0 if upper is None else math.degrees(upper)
        joint.CreateAxisAttr(axis)
        joint.CreateConeAngle0LimitAttr(cone)
        joint.CreateConeAngle1LimitAttr(cone)
    elif kind == "free":
        joint.CreateJointEnabledAttr(False)
    elif kind == "distance":
        joint.CreateMinDistanceAttr(-1.0 if lower is None else lower)
        joint.CreateMaxDistanceAttr(-1.0 if upper is None else upper)
    return joint.GetPrim()


def _connect(joint: Any, bodies: tuple[str | None, str | None], frames: tuple[Pose, Pose]) -> None:
    if bodies[0]:
        joint.CreateBody0Rel().SetTargets([bodies[0]])
    if bodies[1]:
        joint.CreateBody1Rel().SetTargets([bodies[1]])
    joint.CreateLocalPos0Attr(_vec3f(frames[0].pos))
    joint.CreateLocalRot0Attr(_quatf(frames[0].quat))
    joint.CreateLocalPos1Attr(_vec3f(frames[1].pos))
    joint.CreateLocalRot1Attr(_quatf(frames[1].quat))


def emit_limit(joint: Usd.Prim, dof: str, lower: float, upper: float) -> None:
    """Limit one axis of a ``d6`` joint.

    Args:
        joint: joint prim.
        dof: ``transX`` to ``rotZ``, or ``distance``.
        lower: lower limit [m or rad]; above `upper`, the axis is locked.
        upper: upper limit [m or rad].
    """
    unit = 180.0 / math.pi if dof.startswith("rot") else 1.0
    limit = UsdPhysics.LimitAPI.Apply(joint, dof)
    # A locked axis is spelled low 1, high -1: converting infinities or signs would lose it.
    limit.CreateLowAttr(lower * unit)
    limit.CreateHighAttr(upper * unit)


def emit_drive(
    joint: Usd.Prim,
    dof: str,
    *,
    stiffness: float = 0.0,
    damping: float = 0.0,
    max_force: float = math.inf,
    target_position: float = 0.0,
    target_velocity: float = 0.0,
    acceleration: bool = False,
) -> None:
    """Drive one axis of a joint.

    Args:
        joint: joint prim.
        dof: ``angular``, ``linear``, or an axis of a ``d6`` joint.
        stiffness: [N m/rad or N/m].
        damping: [N m s/rad or N s/m].
        max_force: [N m or N].
        target_position: [rad or m].
        target_velocity: [rad/s or m/s].
        acceleration: whether gains are per unit of inertia or mass.
    """
    degree = math.pi / 180.0 if dof == "angular" or dof.startswith("rot") else 1.0
    drive = UsdPhysics.DriveAPI.Apply(joint, dof)
    drive.CreateTypeAttr("acceleration" if acceleration else "force")
    drive.CreateStiffnessAttr(stiffness * degree)
    drive.CreateDampingAttr(damping * degree)
    drive.CreateMaxForceAttr(max_force)
    drive.CreateTargetPositionAttr(target_position / degree)
    drive.CreateTargetVelocityAttr(target_velocity / degree)
