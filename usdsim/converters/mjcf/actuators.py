"""Actuators, and the drives that servos are to other tools."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from usdsim.converters.emit.joints import emit_drive
from usdsim.core.dialects.mjc_tokens import BIAS, DYNAMICS, GAIN, JOINT, LIMITED, TRANSMISSION
from usdsim.usd.drafts import keep
from usdsim.usd.servos import servo_law

from .context import MjcfContext
from .rows import write_rows

__all__ = ["convert_actuators"]

_TARGETS = {
    "joint": "joint",
    "jointinparent": "joint",
    "slidercrank": "site",
    "tendon": "tendon",
    "site": "site",
    "body": "body",
}
_ELSEWHERE = (
    "inheritrange", "ctrllimited", "ctrlrange", "lengthrange", "actdim", "jointinparent",
)  # fmt: skip
_SLIDE, _HINGE = JOINT.index("slide"), JOINT.index("hinge")


def convert_actuators(context: MjcfContext) -> None:
    """Define every actuator."""
    model = context.model
    for index, path, actuator in context.defined("actuator"):
        write_rows(context, path, "actuator", index, skip=_ELSEWHERE)
        context.set(path, "mjc:actDim", "int", int(model.actuator_actnum[index]))
        _write_ranges(context, path, index, actuator)
        _write_targets(context, path, index, actuator)
        context.refer(path, "mjc:plugin", "plugin", int(model.actuator_plugin[index]))
        _drive(context, index)


def _write_ranges(context: MjcfContext, path: str, index: int, actuator: Any) -> None:
    model = context.model
    limited, control = int(actuator.ctrllimited), np.array(actuator.ctrlrange)
    first = int(model.actuator_ctrladr[index])
    if model.actuator_ctrlnum[index] == 1:
        limited, control = int(model.actuator_ctrllimited[first]), model.actuator_ctrlrange[first]
    elif limited == LIMITED.index("auto"):
        limited = int(control[0] < control[1])
    context.set(path, "mjc:ctrlLimited", "token", LIMITED[limited])
    out = int(model.actuator_outadr[index])
    ranges = {"ctrlRange": control, "lengthRange": model.actuator_lengthrange[out]}
    for name, values in ranges.items():
        context.set(path, f"mjc:{name}:min", "double", float(values[0]))
        context.set(path, f"mjc:{name}:max", "double", float(values[1]))


def _write_targets(context: MjcfContext, path: str, index: int, actuator: Any) -> None:
    model = context.model
    # The compiler turns joints and sites of orientation servos into a transmission of their own.
    kind = TRANSMISSION[int(actuator.trntype)]
    first, second = (int(i) for i in model.actuator_trnid[index])
    target = _TARGETS.get(kind)
    if target:
        context.refer(path, "mjc:target", target, first)
    if target == "site":
        name = "mjc:sliderSite" if kind == "slidercrank" else "mjc:refSite"
        context.refer(path, name, "site", second)
    if kind == "jointinparent":
        context.set(path, "mjc:jointInParent", "bool", True)


def _drive(context: MjcfContext, index: int) -> None:
    """Author the drive of a servo: force = kp (q* - q) + kd (v* - v) on one joint axis."""
    model = context.model
    if (
        TRANSMISSION[model.actuator_trntype[index]] != "joint"
        or DYNAMICS[model.actuator_dyntype[index]] != "none"
        or GAIN[model.actuator_gaintype[index]] != "fixed"
        or BIAS[model.actuator_biastype[index]] != "affine"
    ):
        return
    joint = int(model.actuator_trnid[index, 0])
    if model.jnt_type[joint] < _SLIDE:
        return
    force = math.inf
    if model.actuator_forcelimited[index]:
        force = float(np.abs(model.actuator_forcerange[index]).max())
    gear = float(model.actuator_gear[int(model.actuator_outadr[index]), 0])
    gain, bias = float(model.actuator_gainprm[index, 0]), model.actuator_biasprm[index]
    servo = servo_law(gain, bias, gear, force)
    prim = context.spec(context.paths["joint"][joint])
    dof = "angular" if model.jnt_type[joint] == _HINGE else "linear"
    if servo is None or f"PhysicsDriveAPI:{dof}" in prim.schemas:
        return
    stiffness, damping, limit = servo.stiffness, servo.damping, servo.max_force
    emit_drive(prim, dof, stiffness=stiffness, damping=damping, max_force=limit)
    kept = {"drive_stiffness": stiffness, "drive_damping": damping, "drive_max_force": limit}
    keep(prim, kept)
