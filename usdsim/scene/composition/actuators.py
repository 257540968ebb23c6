"""Actuators of an editable world."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from numbers import Real
from typing import Any

import mujoco
import numpy as np

from usdsim.core.errors import UnsupportedError
from usdsim.scene.elements.actuator import DampingType

from .contact_values import Range, limits
from .elements import Field, WorldPart
from .fields import codes, listed, optional_name
from .values import Case, Value, Variant

__all__ = [
    "Actuator",
    "ActuatorTarget",
    "ActuatorType",
    "BiasType",
    "DynType",
    "GainType",
    "GeneralParam",
    "PositionParam",
]

_TRN, _GAIN, _BIAS = mujoco.mjtTrn, mujoco.mjtGain, mujoco.mjtBias
_DYN, _TYPE = mujoco.mjtDyn, mujoco.mjtActuator


class DynType(Enum):
    """Dynamics between control and force."""

    None_ = "none"
    Integrator = "integrator"
    Filter = "filter"
    FilterExact = "filterexact"


class GainType(Enum):
    """Gain of an actuator: a number, or one that depends on length and velocity."""

    Fixed = "fixed"
    Affine = "affine"


class BiasType(Enum):
    """Force of an actuator without control."""

    None_ = "none"
    Affine = "affine"


def _ten(first: float) -> Any:
    return lambda: np.array([first] + [0.0] * 9, np.float32)


@dataclass
class GeneralParam(Value):
    """Force of an actuator as MuJoCo's general one has it: gain times control, plus bias."""

    dyntype: DynType = DynType.None_
    """Dynamics between control and force."""
    actearly: bool = False
    """Whether the force is that of the next activation."""
    gain: GainType = GainType.Fixed
    """Kind of the gain."""
    bias: BiasType = BiasType.None_
    """Kind of the bias."""
    dynprm: Any = field(default_factory=_ten(1.0))
    """Numbers of the dynamics."""
    gainprm: Any = field(default_factory=_ten(1.0))
    """Numbers of the gain."""
    biasprm: Any = field(default_factory=_ten(0.0))
    """Numbers of the bias."""
    actrange: Range | None = None
    """Range of the activation."""


@dataclass
class PositionParam(Value):
    """Servo that drives to a position."""

    kp: float = 0.0
    """Stiffness [N/m] or [N m/rad]."""
    damping_value: float = 0.0
    """Damping, a coefficient or a ratio."""
    damping_type: DampingType = DampingType.Kv
    """Meaning of the damping."""
    timeconst: float = 0.0
    """Time constant of a filter of the control [s]; 0: none."""
    implicit_stiffness: bool = False
    """Whether the stiffness is integrated implicitly; the integrator of the world decides here."""


class ActuatorTarget(Variant):
    """Part of the world that is driven, by name."""

    floating_base = Case("value", kind=str)
    joint = Case("value", kind=str)
    tendon = Case("value", kind=str)
    link = Case("value", kind=str)


class ActuatorType(Variant):
    """Law of an actuator."""

    general = Case("value", kind=GeneralParam)
    motor = Case()
    position = Case("value", kind=PositionParam)
    velocity = Case("value", kind=Real)
    adhesion = Case("value", kind=Real)


def _type_of(actuator: Any) -> str:
    """Law by the numbers, which a program may have changed since the file was read."""
    if actuator.trntype == _TRN.mjTRN_BODY:
        return "adhesion"
    gain = np.array(actuator.gainprm, np.float64)
    bias = np.array(actuator.biasprm, np.float64)
    fixed = actuator.gaintype == _GAIN.mjGAIN_FIXED and not gain[1:].any()
    affine = actuator.biastype == _BIAS.mjBIAS_AFFINE and not bias[3:].any() and bias[0] == 0.0
    plain = actuator.dyntype == _DYN.mjDYN_NONE
    if fixed and plain and actuator.biastype == _BIAS.mjBIAS_NONE and gain[0] == 1.0:
        return "motor"
    if actuator.gaintype == _GAIN.mjGAIN_PID and affine and plain and not gain.any():
        return "position"
    filtered = actuator.dyntype == _DYN.mjDYN_FILTEREXACT
    if fixed and affine and bias[1] == -gain[0] and (plain or filtered):
        return "position"
    if fixed and affine and plain and bias[1] == 0.0 and bias[2] == -gain[0]:
        return "velocity"
    return "general"


_DYNS = codes(DynType, _DYN, "mjDYN_")
_GAINS = codes(GainType, _GAIN, "mjGAIN_")
_BIASES = codes(BiasType, _BIAS, "mjBIAS_")
_activation = limits("actrange", "actlimited")


def _kind(owner: Any, table: dict[Any, Any], attribute: str) -> Any:
    value = getattr(owner.element, attribute)
    for kind, known in table.items():
        if known == value:
            return kind
    raise UnsupportedError(f"{attribute} of {owner!r} is MuJoCo's {value.name}: see element.")


def _law(owner: Any) -> ActuatorType:
    actuator = owner.element
    variant = _type_of(actuator)
    gain = np.array(actuator.gainprm, np.float32)
    bias = np.array(actuator.biasprm, np.float32)
    dynamics = np.array(actuator.dynprm, np.float32)
    if variant == "motor":
        return ActuatorType.motor()
    if variant in ("velocity", "adhesion"):
        return ActuatorType(variant, float(gain[0]))
    if variant == "position":
        ratio = bias[2] > 0.0
        damping = DampingType.Dampratio if ratio else DampingType.Kv
        filtered = actuator.dyntype != _DYN.mjDYN_NONE
        constant = float(dynamics[0]) if filtered else 0.0
        return ActuatorType.position(
            PositionParam(float(abs(bias[1])), float(abs(bias[2])), damping, constant)
        )
    kinds = (
        _kind(owner, table, attribute)
        for table, attribute in ((_DYNS, "dyntype"), (_GAINS, "gaintype"), (_BIASES, "biastype"))
    )
    dyntype, gaintype, biastype = kinds
    span = _activation.__get__(owner, type(owner))
    early = bool(actuator.actearly)
    return ActuatorType.general(
        GeneralParam(dyntype, early, gaintype, biastype, dynamics, gain, bias, span)
    )


def _set_law(owner: Any, value: ActuatorType) -> None:
    actuator, said = owner.element, value.value
    actuator.actlimited, actuator.actearly, actuator.ctrlspec = 0, False, 0
    actuator.set_to_motor()
    if value.variant == "position":
        ratio = said.damping_type is DampingType.Dampratio
        damping = {"dampratio" if ratio else "kv": said.damping_value}
        constant = said.timeconst if said.timeconst > 0.0 else -1.0
        actuator.set_to_position(kp=said.kp, timeconst=constant, **damping)
    elif value.variant == "velocity":
        actuator.set_to_velocity(kv=said)
    elif value.variant == "adhesion":
        actuator.set_to_adhesion(gain=said)
    elif value.variant == "general":
        actuator.type = _TYPE.mjACTUATOR_GENERAL
        actuator.dyntype, actuator.actearly = _DYNS[said.dyntype], bool(said.actearly)
        actuator.gaintype, actuator.biastype = _GAINS[said.gain], _BIASES[said.bias]
        actuator.dynprm, actuator.gainprm = _padded(said.dynprm), _padded(said.gainprm)
        actuator.biasprm = _padded(said.biasprm)
        _activation.__set__(owner, said.actrange)


def _padded(values: Any) -> Any:
    numbers = np.zeros(10)
    given = np.ravel(np.asarray(values, np.float64))[:10]
    numbers[: len(given)] = given
    return numbers


_TARGETS = {
    "joint": (_TRN.mjTRN_JOINT, _TRN.mjTRN_JOINTINPARENT),
    "tendon": (_TRN.mjTRN_TENDON,),
    "link": (_TRN.mjTRN_BODY,),
}


def _target(owner: Any) -> ActuatorTarget:
    actuator = owner.element
    for variant, kinds in _TARGETS.items():
        if actuator.trntype in kinds:
            target = str(actuator.target)
            joint = owner.home.spec.joint(target) if variant == "joint" else None
            free = joint is not None and joint.type == mujoco.mjtJoint.mjJNT_FREE
            return ActuatorTarget("floating_base" if free else variant, target)
    raise UnsupportedError(f"{owner!r} drives what MuJoCo calls {actuator.trntype.name}: element.")


def _set_target(owner: Any, value: ActuatorTarget) -> None:
    kind = "joint" if value.variant == "floating_base" else value.variant
    owner.element.trntype, owner.element.target = _TARGETS[kind][0], value.value


class Actuator(WorldPart):
    """Actuator of an editable world."""

    name = optional_name("name")
    target = Field(_target, _set_target, ActuatorTarget)
    actuator_type = Field(_law, _set_law, ActuatorType)
    ctrlrange = limits("ctrlrange", "ctrllimited")
    forcerange = limits("forcerange", "forcelimited")
    gear = listed("gear", 6)

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_actuator(trntype=_TRN.mjTRN_JOINT)
