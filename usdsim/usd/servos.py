"""Servo actuators: MuJoCo actuators that move one joint axis as a drive does, and their gains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from pxr import Usd

from usdsim.core.dialects.mjc_tables import TYPES
from usdsim.core.dialects.mjc_tokens import LIMITED

from .attributes import author, authored

__all__ = [
    "Servo",
    "actuators_on",
    "read_servo",
    "servo_fields",
    "servo_law",
    "write_servo",
]

_ON_JOINTS = ("joint", "jointinparent")
_FIELDS = {
    "gainprm": ("mjc:gainPrm", "double[]"),
    "biasprm": ("mjc:biasPrm", "double[]"),
    "forcelimited": ("mjc:forceLimited", "token"),
    "forcerange[0]": ("mjc:forceRange:min", "double"),
    "forcerange[1]": ("mjc:forceRange:max", "double"),
}
"""Attribute and type by field of the spec."""


@dataclass(frozen=True)
class Servo:
    """Servo on the axis of a joint: force = kp (q* - q) + kd (v* - v), limited."""

    stiffness: float
    """kp [N/m or N m/rad]"""
    damping: float
    """kd [N s/m or N m s/rad]"""
    max_force: float
    """[N or N m]"""
    gear: float = 1.0
    """Travel of the actuator per travel of the joint."""
    aims_at: Literal["position", "velocity"] = "position"
    """Quantity its control is a target for."""

    def edited(self, **values: float | None) -> Servo:
        """The servo with other gains; None: as it is.

        Raises:
            ValueError: no gains of this servo do that; the message says why.
        """
        given: dict[str, Any] = {name: v for name, v in values.items() if v is not None}
        new = replace(self, **given)
        if self.gear == 0.0:
            raise ValueError("has a gear of 0 and moves nothing")
        if new.stiffness and self.aims_at == "velocity":
            raise ValueError("aims at a velocity and has no stiffness")
        return new


def servo_law(gain: float, bias: Sequence[float], gear: float, max_force: float) -> Servo | None:
    """The servo of a fixed gain and an affine bias; None: it is none.

    Args:
        gain: force per control.
        bias: constant force, and force per travel and per speed of the actuator.
        gear: travel of the actuator per travel of the joint.
        max_force: largest force of the actuator.
    """
    constant, stiffness, damping = (float(bias[0]), -float(bias[1]), -float(bias[2]))
    if constant or min(stiffness, damping) < 0.0:
        return None
    if stiffness != gain and (stiffness or damping != gain):
        return None
    return Servo(
        stiffness * gear * gear + 0.0,
        damping * gear * gear + 0.0,
        abs(gear) * max_force,
        gear,
        "position" if stiffness == gain else "velocity",
    )


def read_servo(prim: Usd.Prim) -> Servo | str:
    """The servo that an actuator prim is, or why it is none."""

    def token(name: str, default: str) -> str:
        return str(authored(prim, f"mjc:{name}", default))

    if prim.HasRelationship("mjc:plugin") and prim.GetRelationship("mjc:plugin").GetTargets():
        return "is computed by a plugin"
    if token("trnType", "joint") not in _ON_JOINTS:
        return "does not act on the joint's axis"
    if token("dynType", "none") != "none":
        return f"has dynamics of its own ({token('dynType', 'none')})"
    if token("gainType", "fixed") != "fixed" or token("biasType", "none") != "affine":
        return "is no servo: its force does not depend on position and speed as a drive's does"
    gain = _numbers(prim, "mjc:gainPrm", 1.0)
    law = servo_law(
        gain[0], _numbers(prim, "mjc:biasPrm"), _numbers(prim, "mjc:gear", 1.0)[0], _limit(prim)
    )
    return law or "is no servo: its gain and bias do not pull towards its control"


def _numbers(prim: Usd.Prim, name: str, first: float = 0.0) -> list[float]:
    values = np.ravel(authored(prim, name, (first,))).astype(float).tolist()
    return [*values, 0.0, 0.0, 0.0] if len(values) < 3 else values


def _limit(prim: Usd.Prim) -> float:
    ends = [float(authored(prim, f"mjc:forceRange:{end}", 0.0)) for end in ("min", "max")]
    limited = authored(prim, "mjc:forceLimited", "auto")
    if limited == "false" or (limited == "auto" and ends[0] >= ends[1]):
        return float(np.inf)
    return max(map(abs, ends))


def servo_fields(old: Servo, new: Servo, gain: Any, bias: Any) -> dict[str, Any]:
    """Fields of the actuator that make one servo another; those that stay are left out.

    Args:
        old: the servo as it is.
        new: the servo it becomes.
        gain: the actuator's gain parameters.
        bias: the actuator's bias parameters.
    """
    fields: dict[str, Any] = {}
    square = old.gear * old.gear
    if (new.stiffness, new.damping) != (old.stiffness, old.damping):
        gain = np.array([1.0] if gain is None else gain, np.float64)
        bias = np.array(np.zeros(3) if bias is None else bias, np.float64)
        bias = np.concatenate([bias, np.zeros(max(0, 3 - len(bias)))])
        gain[0] = (new.stiffness if new.aims_at == "position" else new.damping) / square
        bias[1:3] = -new.stiffness / square, -new.damping / square
        fields |= {"gainprm": gain, "biasprm": bias + 0.0}
    if new.max_force != old.max_force:
        limit = new.max_force / abs(old.gear)
        limited = bool(np.isfinite(limit))
        fields["forcelimited"] = LIMITED.index("true" if limited else "false")
        if limited:
            fields |= {"forcerange[0]": -limit, "forcerange[1]": limit}
    return fields


def write_servo(prim: Usd.Prim, old: Servo, new: Servo) -> list[str]:
    """Author the gains of an actuator prim; returns the attributes that changed."""
    current = (authored(prim, "mjc:gainPrm"), authored(prim, "mjc:biasPrm"))
    changed = []
    for field, value in servo_fields(old, new, *current).items():
        name, kind = _FIELDS[field]
        author(prim, name, kind, LIMITED[value] if kind == "token" else value)
        changed.append(f"{prim.GetPath()}.{name}")
    return changed


def actuators_on(stage: Usd.Stage) -> Mapping[str, list[Usd.Prim]]:
    """Actuator prims by the path of what they act on, in stage order."""
    found: dict[str, list[Usd.Prim]] = {}
    for prim in _actuators(stage):
        for target in prim.GetRelationship("mjc:target").GetTargets():
            found.setdefault(str(target), []).append(prim)
    return found


def _actuators(stage: Usd.Stage) -> Iterator[Usd.Prim]:
    return (prim for prim in stage.Traverse() if prim.GetTypeName() == TYPES["actuator"])
