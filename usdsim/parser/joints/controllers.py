"""Newton's actuator prims: controllers of joints, of which a drive is the simplest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from usdsim.parser.context import ParseContext
from usdsim.parser.description import DriveDescription
from usdsim.parser.prims import PrimView

__all__ = ["ControllerDescription", "parse_controllers"]

_PD, _PID, _NETWORK = "NewtonPDControlAPI", "NewtonPIDControlAPI", "NewtonNeuralControlAPI"
_LIMIT, _MOTOR, _TABLE = (
    f"Newton{kind}ClampingAPI" for kind in ("MaxEffort", "DCMotor", "PositionBased")
)
_DELAY = "NewtonActuatorDelayAPI"
_APIS = (_PD, _PID, _NETWORK, _LIMIT, _MOTOR, _TABLE, _DELAY)
_BEYOND = (
    "newton:constEffort",
    "newton:ki",
    "newton:integralMax",
    "newton:delaySteps",
    "newton:maxMotorEffort",
    "newton:saturationEffort",
    "newton:velocityLimit",
    "newton:lookupPositions",
    "newton:lookupEfforts",
    "newton:modelPath",
)
"""Attributes of controllers that a drive alone does not obey."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ControllerDescription(DriveDescription):
    """A controller of one joint: a drive, and what actuator models make of the rest of the prim."""

    path: str
    """Prim path."""
    constant_effort: float = 0.0
    """[N m or N]"""
    integral_gain: float = 0.0
    """[N m/(rad s) or N/(m s)]"""
    integral_limit: float = np.inf
    """Largest integral of position errors [rad s or m s]."""
    delay_steps: int = 0
    """Steps by which commands are late."""
    motor_effort: float = np.inf
    """Largest effort of a DC motor [N m or N]."""
    saturation_effort: float | None = None
    """Effort of a DC motor at rest [N m or N]; None: it is no DC motor."""
    motor_velocity: float = np.inf
    """No-load speed of a DC motor [rad/s or m/s]."""
    lookup_positions: tuple[float, ...] = ()
    """Positions of the effort limits [rad or m]; empty: none."""
    lookup_efforts: tuple[float, ...] = ()
    """Largest efforts there [N m or N]."""
    network_file: str = ""
    """File of the network that makes the effort; empty: none."""


def parse_controllers(context: ParseContext) -> dict[str, ControllerDescription]:
    """Controllers by the joint they act on.

    Gains and limits are in stage units of length and mass, angles in radians. What a drive does not
    do (delay, integral gain, motor curves, networks) is described too, and reported: it acts where
    actuator models run, and nowhere else.
    """
    found: dict[str, ControllerDescription] = {}
    for view in context.views:
        if view.type_name != "NewtonActuator" or not any(api in view.apis for api in _APIS):
            continue
        targets = view.targets("newton:targets")
        if not targets or targets[0].pathString not in context.by_path:
            context.report.repaired(
                "dangling-element", view.path,
                f"drives {targets[0] if targets else 'nothing'}, so it is left out; a target is a "
                "joint that is simulated",
                attribute="newton:targets",
            )  # fmt: skip
            continue
        joint = context.by_path[targets[0].pathString]
        angular = joint.type_name != "PhysicsPrismaticJoint"
        found[joint.path] = _controller(context, view, angular=angular)
        for name in _BEYOND:
            if name in view.names and name in view.read:
                context.report.unsupported(
                    view.path, name, view.raw(name),
                    "is more than a drive does; it acts in actuator models only, such as those "
                    "of usdsim.actuators",
                )  # fmt: skip
    return found


def _controller(context: ParseContext, view: PrimView, *, angular: bool) -> ControllerDescription:
    """Read the properties of the schemas that are applied."""

    def number(name: str, unit: str, fallback: float) -> float:
        value = view.number(f"newton:{name}", fallback)
        # No limit stays none in any unit.
        return float(value) if np.isinf(value) else float(value * context.units.factor(unit))

    effort, gain, rate = ("N m", "N m", "N m s") if angular else ("N", "N/m", "N s/m")
    distance = "" if angular else "m"
    values: dict[str, Any] = {}
    if _PD in view.apis or _PID in view.apis:
        values.update(
            stiffness=number("kp", gain, 0.0),
            damping=number("kd", rate, 0.0),
            constant_effort=number("constEffort", effort, 0.0),
        )
    if _PID in view.apis:
        values["integral_gain"] = number("ki", gain, 0.0)
        values["integral_limit"] = number("integralMax", distance, np.inf)
    if _LIMIT in view.apis:
        values["max_force"] = number("maxEffort", effort, np.inf)
    if _MOTOR in view.apis:
        values["motor_effort"] = number("maxMotorEffort", effort, np.inf)
        values["saturation_effort"] = number("saturationEffort", effort, np.inf)
        values["motor_velocity"] = number("velocityLimit", distance, np.inf)
    positions, efforts = _table(context, view, angular=angular) if _TABLE in view.apis else ((), ())
    return ControllerDescription(
        path=view.path,
        delay_steps=_delay(view) if _DELAY in view.apis else 0,
        lookup_positions=positions,
        lookup_efforts=efforts,
        network_file=_network_file(view) if _NETWORK in view.apis else "",
        **values,
    )


def _delay(view: PrimView) -> int:
    steps = view.number("newton:delaySteps", 1)
    if not 0 <= steps < np.inf:
        view.invalid("newton:delaySteps", steps, "zero or a positive number of steps")
        return 0
    return int(steps)


def _table(
    context: ParseContext, view: PrimView, *, angular: bool
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Positions and effort limits; empty where they are no function."""
    positions = view.array("newton:lookupPositions", default=np.zeros(0))
    efforts = view.array("newton:lookupEfforts", default=np.zeros(0))
    if len(positions) != len(efforts) or (np.diff(positions) <= 0.0).any():
        view.invalid(
            "newton:lookupPositions", positions.tolist(),
            f"ascending numbers, one for each of the {len(efforts)} newton:lookupEfforts",
        )  # fmt: skip
        return (), ()
    distance = 1.0 if angular else context.units.factor("m")
    effort = context.units.factor("N m" if angular else "N")
    return tuple((positions * distance).tolist()), tuple((efforts * effort).tolist())


def _network_file(view: PrimView) -> str:
    """The file as the stage resolves it; as authored where it does not."""
    asset = view.value("newton:modelPath", None)
    if asset is None:
        return ""
    return str(getattr(asset, "resolvedPath", "") or getattr(asset, "path", asset))
