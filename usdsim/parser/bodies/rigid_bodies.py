"""Rigid bodies, before they are put into a tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import cross
from usdsim.parser.context import ParseContext
from usdsim.parser.instances import carried_motion
from usdsim.parser.mjc import is_body
from usdsim.parser.prims import PrimView
from usdsim.parser.quantities import Statement
from usdsim.parser.units import DEGREE

from .animation import animated_colliders

__all__ = ["MOTION", "BodyRecord", "body_motion", "collect_bodies"]

MOTION = ("physics:velocity", "physics:angularVelocity")
"""Attributes of the velocities of a body, linear and angular."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyRecord:
    """A prim that is a body."""

    view: PrimView
    kinematic: bool = False
    fixed: bool = False
    """Rigidly attached to the body above it, without a joint."""


def collect_bodies(context: ParseContext, colliders: Iterable[str] = ()) -> list[BodyRecord]:
    """Bodies in stage order; a disabled one is no body, its colliders belong to what is above.

    What animates `colliders` that belong to no body is a kinematic body.
    """
    enabled, disabled = set(), set()
    for view, desc in context.descs("RigidBody"):
        view.flag("physics:rigidBodyEnabled")
        if desc.rigidBodyEnabled:
            enabled.add(view.path)
        else:
            disabled.add(view.path)
            context.report.info(
                "disabled-body", view.path, "is not simulated: physics:rigidBodyEnabled is false"
            )
    records = []
    for view in context.views:
        if view.path in enabled:
            records.append(BodyRecord(view, kinematic=_is_kinematic(context, view)))
        elif view.path not in disabled and is_body(view):
            records.append(BodyRecord(view, kinematic=_is_kinematic(context, view), fixed=True))
    led = animated_colliders(context, colliders, [record.view.path for record in records])
    if led:
        records += [BodyRecord(view, kinematic=True) for view in led]
        records.sort(key=lambda record: record.view.index)
    for record in records:
        _check_frame(context, record.view)
    return records


def _is_kinematic(context: ParseContext, view: PrimView) -> bool:
    names = {"mjc": "mjc:mocap", "physics": "physics:kinematicEnabled"}
    stated = [
        Statement(dialect, name, view.flag(name))
        for dialect, name in names.items()
        if name in view.names
    ]
    return bool(context.quantities.settle(view, "kinematic", stated))


def body_motion(
    context: ParseContext, view: PrimView, com: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Authored velocity in world of a body's origin [m/s], and angular [rad/s]; both shape (3,).

    Stages give that of the centre of mass along their own axes, as PhysX reads it, and the angular
    one in degrees. Of copies, the motion their point instancer states goes first.

    Args:
        context: the stage being parsed.
        view: the body.
        com: centre of mass in the body's frame [m], shape (3,).
    """
    if context.motions:
        carried = carried_motion(
            context.motions, context.frames, context.units.length, context.by_path, view
        )
        if carried is not None:
            view.read.update(MOTION)
            return carried
    if view.names.isdisjoint(MOTION):
        return np.zeros(3), np.zeros(3)
    turn = context.units.to_z_up_matrix
    linear = context.units.length * turn @ _velocity(view, MOTION[0])
    angular = DEGREE * turn @ _velocity(view, MOTION[1])
    return linear - cross(angular, context.frames.rotation[view.index] @ com), angular


def _velocity(view: PrimView, name: str) -> NDArray[np.float64]:
    value: NDArray[np.float64] = view.vector(name, np.zeros(3))
    if np.isfinite(value).all():
        return value
    view.invalid(name, value.tolist(), "finite numbers")
    return np.zeros(3)


def _check_frame(context: ParseContext, view: PrimView) -> None:
    frames = context.frames
    if frames.singular[view.index]:
        context.report.error(
            "invalid-transform", view.path,
            "has a transform that is flat or not finite; a body needs position and orientation: "
            "author finite xformOps, and scales other than 0",
        )  # fmt: skip
    elif frames.sheared[view.index]:
        context.report.warning(
            "shear", view.path,
            "is sheared by a non-uniform scale above a rotation; its shapes are sheared, its frame "
            "is the nearest rotation. Author the scale on the shapes, or alike along all axes",
        )  # fmt: skip
    view.quat("xformOp:orient")
