"""Constant forces and torques on bodies, as PhysxForceAPI states them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_tokens import BIAS, GAIN, TRANSMISSION
from usdsim.math.rotations import quat_to_matrix
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import ActuatorDescription, BodyDescription, SiteDescription
from usdsim.parser.prims import PrimView

__all__ = ["Forces", "parse_forces"]

Array = NDArray[np.float64]
_API, _PREFIX = "PhysxForceAPI", "physxForce:"
_ROUND = 1e-3
"""Relative difference of moments of inertia that counts as none."""


@dataclass(slots=True, eq=False)
class Forces:
    """Actuators that push whatever their control is, and the points where they do."""

    actuators: list[ActuatorDescription] = field(default_factory=list)
    sites: list[SiteDescription] = field(default_factory=list)

    def push(
        self,
        path: str,
        body: int,
        point: Pose,
        force: Array,
        torque: Array | None = None,
        *,
        world: bool = False,
    ) -> None:
        """Add one that acts on a body for ever.

        Args:
            path: its own.
            body: index of the body.
            point: where it acts, and its axes, in the body's frame [m].
            force: in these axes [N], shape (3,).
            torque: the same [N m]; None: none.
            world: whether the axes are those of the world instead.
        """
        overrides = {
            "trntype": TRANSMISSION.index("site"),
            "target": path,
            "gear": np.concatenate([force, np.zeros(3) if torque is None else torque]),
            "gaintype": GAIN.index("fixed"),
            "gainprm[0]": 0.0,
            "biastype": BIAS.index("affine"),
            "biasprm[0]": 1.0,
        }
        self.sites.append(SiteDescription(path=path, body=body, pose=point))
        targets = {"target": (path,)}
        if world:
            axes = f"{path}:axes"
            self.sites.append(SiteDescription(path=axes, body=-1))
            overrides["refsite"], targets["refsite"] = axes, (axes,)
        self.actuators.append(ActuatorDescription(path=path, overrides=overrides, targets=targets))


def parse_forces(context: ParseContext, bodies: Sequence[BodyDescription]) -> Forces:
    """Forces in stage order.

    A force acts at the body's centre of mass, or where the schema is on a prim below the body, at
    that prim's origin; along the axes of the prim, which turn with the body, or of the world.
    Accelerations are multiplied by the mass and the inertia of the body.
    """
    found = Forces()
    for view in context.views:
        if _API in view.apis:
            _add(context, view, bodies, found)
    return found


def _add(
    context: ParseContext, view: PrimView, bodies: Sequence[BodyDescription], found: Forces
) -> None:
    mode = view.value(_PREFIX + "mode", "acceleration")
    force = view.vector(_PREFIX + "force", np.zeros(3))
    torque = view.vector(_PREFIX + "torque", np.zeros(3))
    world = view.flag(_PREFIX + "worldFrameEnabled")
    enabled = view.flag(_PREFIX + "forceEnabled", default=True)
    index, pose = context.place(view)
    if index < 0 or bodies[index].kinematic:
        context.report.unsupported(
            view.path, _PREFIX + "force", force.tolist(),
            "pushes nothing: the prim is neither a rigid body that forces move nor below one; "
            "apply PhysxForceAPI to one",
        )  # fmt: skip
        return
    if mode not in ("force", "acceleration"):
        view.invalid(_PREFIX + "mode", mode, "force or acceleration", code="unknown-token")
        return
    for name, value in (("force", force), ("torque", torque)):
        if not np.isfinite(value).all():
            view.invalid(_PREFIX + name, value.tolist(), "finite numbers")
            return
    if not enabled or not (force.any() or torque.any()):
        return
    body, units = bodies[index], context.units
    if world:
        force, torque = units.to_z_up_matrix @ force, units.to_z_up_matrix @ torque
    if mode == "force":
        force, torque = force * units.factor("N"), torque * units.factor("N m")
    else:
        force = force * units.length * body.mass
        torque = _torque(context, view, body, None if world else pose, torque)
    point = Pose(body.com) if view.path == body.path else pose
    found.push(f"{view.path}:force", index, point, force, torque, world=world)


def _torque(
    context: ParseContext, view: PrimView, body: BodyDescription, frame: Pose | None, value: Array
) -> Array:
    """Torque [N m] of an angular acceleration [rad/s^2] in a frame of the body; None: in world."""
    if frame is None:
        if value.any() and np.ptp(body.inertia) > _ROUND * body.inertia.max():
            context.report.unsupported(
                view.path, _PREFIX + "torque", value.tolist(),
                "is an acceleration along the world's axes, for which the torque would change with "
                "the pose of the body; author it in the frame of the prim, or as a force",
            )  # fmt: skip
            return np.zeros(3)
        return np.asarray(body.inertia.mean() * value)
    turn = quat_to_matrix(frame.quat).T @ quat_to_matrix(body.inertia_quat)
    return np.asarray((turn * body.inertia) @ turn.T @ value)
