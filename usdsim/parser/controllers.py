"""Newton's actuator prims that are what a drive is."""

from __future__ import annotations

import numpy as np

from .context import Context
from .description import DriveDescription

__all__ = ["parse_controllers"]

_APIS = ("NewtonPDControlAPI", "NewtonPIDControlAPI", "NewtonMaxEffortClampingAPI")


def parse_controllers(context: Context) -> dict[str, DriveDescription]:
    """Proportional-derivative controllers by the joint they act on.

    Gains and limits are in stage units of length and mass, angles in radians. What else an actuator
    prim states (delay, integral gain, motor curves) stays unread, and is reported as such.
    """
    found: dict[str, DriveDescription] = {}
    for view in context.views:
        if view.type_name != "NewtonActuator" or not any(api in view.apis for api in _APIS):
            continue
        targets = view.targets("newton:targets")
        if not targets or targets[0].pathString not in context.by_path:
            context.report.error(
                "dangling-target", view.path,
                f"drives {targets[0] if targets else 'nothing'}; a target is a joint",
                attribute="newton:targets",
            )  # fmt: skip
            continue
        joint = context.by_path[targets[0].pathString]
        angular = joint.type_name != "PhysicsPrismaticJoint"
        gain, rate, effort = (
            context.units.factor(unit)
            for unit in (("N m", "N m s", "N m") if angular else ("N/m", "N s/m", "N"))
        )
        found[joint.path] = DriveDescription(
            stiffness=view.number("newton:kp", 0.0) * gain,
            damping=view.number("newton:kd", 0.0) * rate,
            max_force=view.number("newton:maxEffort", np.inf) * effort,
        )
    return found
