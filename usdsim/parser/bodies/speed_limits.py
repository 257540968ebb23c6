"""Speed limits of bodies: largest speeds of the centre of mass and of the rotation."""

from __future__ import annotations

from typing import Any

from usdsim.core.units import UNLIMITED
from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView

__all__ = ["speed_limits"]

_LIMITS = {
    "max_linear_velocity": ("physxRigidBody:maxLinearVelocity", "m/s"),
    "max_angular_velocity": ("physxRigidBody:maxAngularVelocity", "deg/s"),
}


def speed_limits(context: ParseContext, view: PrimView, *, kinematic: bool) -> dict[str, Any]:
    """Limits [m/s, rad/s] by field of the description; kinematic bodies have none.

    Args:
        context: of the stage.
        view: the body.
        kinematic: whether programs move it, and not forces.
    """
    found: dict[str, Any] = {}
    if "physx" not in context.quantities.precedence:
        return found
    for field, (name, unit) in _LIMITS.items():
        value = view.number(name)
        if value is None:
            continue
        if value < 0.0:
            view.invalid(name, value, "zero or a positive number")
        elif value < UNLIMITED and kinematic:
            context.report.info(
                "foreign-setting", view.path, "acts on no kinematic body, in PhysX neither",
                attribute=name, value=value,
            )  # fmt: skip
        elif value < UNLIMITED:
            found[field] = value * context.units.factor(unit)
    return found
