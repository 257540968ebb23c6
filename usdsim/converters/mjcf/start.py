"""Start of a simulation: a keyframe as states of joints, targets of drives and poses of bodies."""

from __future__ import annotations

import math

import numpy as np
from pxr import Usd

from usdsim.core.errors import InvalidValueError
from usdsim.math.transforms import Pose
from usdsim.usd.attributes import author
from usdsim.usd.schemas import apply_api, has_api
from usdsim.usd.servos import Servo, read_servo
from usdsim.usd.xforms import set_local_pose

from .context import MjcfContext, has_sign, wxyz_pose

__all__ = ["start_in"]

_FREE, _BALL, _SLIDE, _HINGE = 0, 1, 2, 3
_AXES = {_SLIDE: "linear", _HINGE: "angular"}


def start_in(context: MjcfContext, keyframe: str | None) -> None:
    """Author a keyframe as the start of the stage, for simulators that know none.

    Args:
        context: of a complete conversion.
        keyframe: its name; None: the first one, if there is any.

    Raises:
        InvalidValueError: there is no such keyframe.
    """
    names = [key.name for key in context.elements("key")]
    if keyframe is not None and keyframe not in names:
        raise InvalidValueError("keyframe", keyframe, ", ".join(names) or "none: there is none")
    if not names:
        return
    index = 0 if keyframe is None else names.index(keyframe)
    model = context.model
    for joint in range(model.njnt):
        _place(context, joint, model.key_qpos[index], model.key_qvel[index])
    for actuator in range(model.nactuator):
        _aim(context, actuator, model.key_ctrl[index])
    context.report.info(
        "keyframe-start", context.root, f"starts in keyframe {names[index] or index!r}"
    )


def _place(context: MjcfContext, joint: int, qpos: np.ndarray, qvel: np.ndarray) -> None:
    model = context.model
    kind = int(model.jnt_type[joint])
    first, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    prim = context.stage.GetPrimAtPath(context.paths["joint"][joint])
    if kind == _FREE:
        if not np.array_equal(qpos[first : first + 7], model.qpos0[first : first + 7]):
            path = context.paths["body"][model.jnt_bodyid[joint]]
            _stand(context, path, wxyz_pose(qpos[first : first + 3], qpos[first + 3 : first + 7]))
        return
    if kind == _BALL:
        if not np.array_equal(qpos[first : first + 4], model.qpos0[first : first + 4]):
            context.report.warn(
                "keyframe-start", str(prim.GetPath()),
                "is a ball joint, for whose position there is no attribute; it starts at its "
                "reference",
            )  # fmt: skip
        return
    axis, unit = _AXES[kind], _unit(kind)
    position, speed = float(qpos[first] - model.qpos0[first]), float(qvel[dof])
    if position or speed:
        apply_api(prim, "PhysicsJointStateAPI", axis)
        author(prim, f"state:{axis}:physics:position", "float", position * unit)
        author(prim, f"state:{axis}:physics:velocity", "float", speed * unit)


def _stand(context: MjcfContext, path: str, pose: Pose) -> None:
    """Author the start of a body."""
    prim = context.stage.GetPrimAtPath(path)
    set_local_pose(prim, pose)
    if has_sign(pose):
        author(prim, "mjc:quat", "quatd", pose.quat, uniform=True)
        context.restate(path, "mjc:quat")


def _aim(context: MjcfContext, actuator: int, controls: np.ndarray) -> None:
    """Author the keyframe's control as the target of the drive that restates a servo."""
    model = context.model
    servo = read_servo(context.stage.GetPrimAtPath(context.paths["actuator"][actuator]))
    if not isinstance(servo, Servo) or servo.gear == 0.0:
        return
    joint = int(model.actuator_trnid[actuator, 0])
    kind = int(model.jnt_type[joint])
    prim: Usd.Prim = context.stage.GetPrimAtPath(context.paths["joint"][joint])
    if kind not in _AXES or not has_api(prim, "PhysicsDriveAPI", _AXES[kind]):
        return
    aim = float(controls[model.actuator_ctrladr[actuator]]) / servo.gear
    if servo.aims_at == "position":
        aim -= float(model.qpos0[model.jnt_qposadr[joint]])
    name = f"drive:{_AXES[kind]}:physics:target{servo.aims_at.capitalize()}"
    author(prim, name, "float", aim * _unit(kind))


def _unit(kind: int) -> float:
    return math.degrees(1.0) if kind == _HINGE else 1.0
