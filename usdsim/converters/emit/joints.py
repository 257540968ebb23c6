"""UsdPhysics joints with frames on both bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import quat_align
from usdsim.math.transforms import Pose
from usdsim.usd.drafts import LayerDraft, PrimDraft, define, fill, link

__all__ = ["align_frames", "emit_drive", "emit_joint", "emit_limit"]

_SCHEMAS = {
    "d6": "PhysicsJoint",
    "distance": "PhysicsDistanceJoint",
    "fixed": "PhysicsFixedJoint",
    "free": "PhysicsJoint",
    "prismatic": "PhysicsPrismaticJoint",
    "revolute": "PhysicsRevoluteJoint",
    "spherical": "PhysicsSphericalJoint",
}
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


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
    layer: LayerDraft,
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
) -> PrimDraft:
    """Define a joint.

    Args:
        layer: where to author.
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
    joint = define(layer, path, schema)
    for end, body in (("body0", body0), ("body1", body1)):
        if body:
            link(joint, f"physics:{end}", [body])
    values: dict[str, Any] = {
        "physics:localPos0": frame0.pos,
        "physics:localRot0": frame0.quat,
        "physics:localPos1": frame1.pos,
        "physics:localRot1": frame1.quat,
        "physics:collisionEnabled": collision_enabled,
        "physics:excludeFromArticulation": exclude_from_articulation,
    }
    fill(joint, schema, values | _range(kind, axis, lower, upper))
    return joint


def _range(kind: str, axis: str, lower: float | None, upper: float | None) -> dict[str, Any]:
    """Axis of a joint and ends of its range, by attribute."""
    if kind in ("revolute", "prismatic"):
        unit = 180.0 / math.pi if kind == "revolute" else 1.0
        return {
            "physics:axis": axis,
            "physics:lowerLimit": -math.inf if lower is None else lower * unit,
            "physics:upperLimit": math.inf if upper is None else upper * unit,
        }
    if kind == "spherical":
        cone = -1.0 if upper is None else math.degrees(upper)
        cones = {f"physics:coneAngle{i}Limit": cone for i in (0, 1)}
        return {"physics:axis": axis, **cones}
    if kind == "distance":
        return {
            "physics:minDistance": -1.0 if lower is None else lower,
            "physics:maxDistance": -1.0 if upper is None else upper,
        }
    return {"physics:jointEnabled": False} if kind == "free" else {}


def emit_limit(joint: PrimDraft, dof: str, lower: float, upper: float) -> None:
    """Limit one axis of a ``d6`` joint.

    Args:
        joint: joint prim.
        dof: ``transX`` to ``rotZ``, or ``distance``.
        lower: lower limit [m or rad]; above `upper`, the axis is locked.
        upper: upper limit [m or rad].
    """
    unit = 180.0 / math.pi if dof.startswith("rot") else 1.0
    # A locked axis is spelled low 1, high -1: converting infinities or signs would lose it.
    ends = {f"limit:{dof}:physics:low": lower * unit, f"limit:{dof}:physics:high": upper * unit}
    fill(joint, "PhysicsLimitAPI", ends, dof)


def emit_drive(
    joint: PrimDraft,
    dof: str,
    *,
    stiffness: float = 0.0,
    damping: float = 0.0,
    max_force: float = math.inf,
    target_position: float = 0.0,
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
        acceleration: whether gains are per unit of inertia or mass.
    """
    degree = math.pi / 180.0 if dof == "angular" or dof.startswith("rot") else 1.0
    values = {
        "type": "acceleration" if acceleration else "force",
        "stiffness": stiffness * degree,
        "damping": damping * degree,
        "maxForce": max_force,
        "targetPosition": target_position / degree,
        "targetVelocity": 0.0,
    }
    prefixed = {f"drive:{dof}:physics:{name}": value for name, value in values.items()}
    fill(joint, "PhysicsDriveAPI", prefixed, dof)
