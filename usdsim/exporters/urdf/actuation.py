"""Actuation of joints: the laws of a model's actuators as gains, commands and limits per joint."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco

from .robot import Robot

__all__ = ["ON_JOINTS", "Actuation", "largest_force", "read_actuation"]

ON_JOINTS = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
"""Transmissions of actuators that act on joints."""
_FIXED, _PID, _NONE, _AFFINE = (
    int(mujoco.mjtGain.mjGAIN_FIXED),
    int(mujoco.mjtGain.mjGAIN_PID),
    int(mujoco.mjtBias.mjBIAS_NONE),
    int(mujoco.mjtBias.mjBIAS_AFFINE),
)
_INSTANT = int(mujoco.mjtDyn.mjDYN_NONE)


@dataclass(eq=False)
class Actuation:
    """Drive of one joint."""

    stiffness: float = 0.0
    """[N m/rad or N/m]"""
    damping: float = 0.0
    """[N m s/rad or N s/m]"""
    effort: float = 0.0
    """Largest force [N m or N]; inf: any."""
    target: float | None = None
    """Position where it holds the joint at time zero [rad or m]."""

    @property
    def command(self) -> str:
        """Name of its command interface."""
        if self.stiffness:
            return "position"
        return "velocity" if self.damping else "effort"


def read_actuation(robot: Robot) -> dict[int, Actuation]:
    """Actuation by engine joint; actuators that act otherwise are reported."""
    found: dict[int, Actuation] = {}
    for actuator in range(robot.model.nactuator):
        joint = int(robot.model.actuator_trnid[actuator, 0])
        problem = _problem(robot, actuator)
        if problem:
            where = robot.path("actuator", actuator) or "actuator"
            robot.warn("actuator", where, f"{problem}; left out")
            continue
        _add(robot, actuator, found.setdefault(joint, Actuation()))
    for joint, law in list(found.items()):
        if min(law.stiffness, law.damping) < 0.0:
            what = f"gains {law.stiffness:g} and {law.damping:g}, which are those of no drive"
            robot.warn("actuator", robot.path("joint", joint), f"{what}; left out")
            del found[joint]
    return found


def _problem(robot: Robot, actuator: int) -> str:
    """Reason why an actuator is no drive of one axis; empty if it is one."""
    model = robot.model
    joint = int(model.actuator_trnid[actuator, 0])
    if int(model.actuator_trntype[actuator]) not in ON_JOINTS or joint not in robot.joint_of:
        return "acts on something else than a joint with one axis"
    if int(model.actuator_dyntype[actuator]) != _INSTANT:
        return "has an activation of its own"
    if int(model.actuator_gaintype[actuator]) not in (_FIXED, _PID):
        return "has a gain that is no number"
    if int(model.actuator_biastype[actuator]) not in (_NONE, _AFFINE):
        return "has a bias that is no linear law"
    return ""


def _add(robot: Robot, actuator: int, total: Actuation) -> None:
    model = robot.model
    gear = float(model.actuator_gear[actuator, 0])
    bias = model.actuator_biasprm[actuator]
    affine = not _is_motor(model, actuator)
    constant, position, velocity = bias[:3].tolist()
    if affine:
        total.stiffness += -position * gear * gear
        total.damping += -velocity * gear * gear
    if affine and constant:
        robot.warn("actuator", robot.path("actuator", actuator), "a constant force; left out")
    total.effort += abs(gear) * largest_force(model, actuator)
    if position and gear and affine:
        control = float(robot.compiled.initial.ctrl[model.actuator_ctrladr[actuator]])
        if int(model.actuator_gaintype[actuator]) == _FIXED:
            control *= float(model.actuator_gainprm[actuator, 0]) / -position
        total.target = control / gear


def largest_force(model: mujoco.MjModel, actuator: int) -> float:
    """Largest force of an actuator before its gear [N or N m]; inf: any.

    Its range of forces bounds it or, of a motor, the range of its commands.
    """
    if model.actuator_forcelimited[actuator]:
        return float(abs(model.actuator_forcerange[actuator]).max())
    control = int(model.actuator_ctrladr[actuator])
    if _is_motor(model, actuator) and model.actuator_ctrllimited[control]:
        gain = abs(float(model.actuator_gainprm[actuator, 0]))
        return gain * float(abs(model.actuator_ctrlrange[control]).max())
    return math.inf


def _is_motor(model: mujoco.MjModel, actuator: int) -> bool:
    """Whether the force of an actuator follows its command alone: a bias of zeros is none."""
    instant = int(model.actuator_dyntype[actuator]) == _INSTANT
    unbiased = int(model.actuator_biastype[actuator]) == _NONE
    return instant and (unbiased or not model.actuator_biasprm[actuator].any())
