"""Surface velocities of bodies: conveyor belts and turntables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView
from usdsim.parser.units import DEGREE

from .rigid_bodies import MOTION

__all__ = ["report_surfaces_without_body", "surface_velocity"]

_API = "PhysxSurfaceVelocityAPI"
_LINEAR = "physxSurfaceVelocity:surfaceVelocity"
_ANGULAR = "physxSurfaceVelocity:surfaceAngularVelocity"
_LOCAL = "physxSurfaceVelocity:surfaceVelocityLocalSpace"
_ENABLED = "physxSurfaceVelocity:surfaceVelocityEnabled"
_NAMES = (_LINEAR, _ANGULAR, _LOCAL, _ENABLED)


def surface_velocity(
    context: ParseContext, view: PrimView, *, kinematic: bool
) -> NDArray[np.float64]:
    """Velocity of a body's surface relative to the body, in its frame, shape (6,).

    In the body's axes the linear velocity is scaled as the body's prim is, and both are about its
    origin, as PhysX has them. A velocity along the world's axes is turned into the body's axes
    where the body is authored, and turns with it.

    Returns:
        Linear velocity [m/s], then angular velocity [rad/s].
    """
    if _API not in view.apis:
        return _of_kinematic(context, view) if kinematic else np.zeros(6)
    linear = view.vector(_LINEAR, np.zeros(3))
    angular = view.vector(_ANGULAR, np.zeros(3))
    local, enabled = view.flag(_LOCAL, default=True), view.flag(_ENABLED, default=True)
    for name, value in ((_LINEAR, linear), (_ANGULAR, angular)):
        if not np.isfinite(value).all():
            view.invalid(name, value.tolist(), "finite numbers")
            enabled = False
    if not enabled or not (linear.any() or angular.any()):
        return np.zeros(6)
    frames, length = context.frames, context.units.length
    if local:
        linear = np.abs(frames.scale[view.index]) * linear
    else:
        if not kinematic:
            context.report.warning(
                "approximated", view.path,
                "is false, but the body moves freely: the velocity is along the world's axes where "
                "the body starts, and turns with it; author it in the body's axes",
                attribute=_LOCAL, value=False,
            )  # fmt: skip
        turn = frames.rotation[view.index].T @ context.units.to_z_up_matrix
        linear, angular = turn @ linear, turn @ angular
    return np.concatenate([length * linear, DEGREE * angular])


def _of_kinematic(context: ParseContext, view: PrimView) -> NDArray[np.float64]:
    """Authored velocities of a kinematic body, which move its surface and not the body.

    They are along the world's axes. The authored pose is where the body stays, as in PhysX.
    """
    motion = []
    for name, unit in zip(MOTION, (context.units.length, DEGREE), strict=True):
        value = view.vector(name, np.zeros(3))
        if not np.isfinite(value).all():
            view.invalid(name, value.tolist(), "finite numbers")
            value = np.zeros(3)
        turn = context.frames.rotation[view.index].T @ context.units.to_z_up_matrix
        motion.append(unit * turn @ value)
    return np.concatenate(motion)


def report_surfaces_without_body(context: ParseContext) -> None:
    """Report surface velocities on prims that are no bodies, where PhysX does not read them."""
    for view in context.views:
        if _API not in view.apis or view.path in context.bodies:
            continue
        for name in sorted(view.names.intersection(_NAMES)):
            view.read.add(name)
        context.report.warning(
            "unsupported", view.path,
            "has a surface velocity but is no rigid body, so its surface stands still; apply "
            "PhysicsRigidBodyAPI with physics:kinematicEnabled = true",
            attribute=_LINEAR, value=view.vector(_LINEAR),
        )  # fmt: skip
