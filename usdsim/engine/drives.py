"""Joint drives: one actuator per driven degree of freedom."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.parser.description import DofDescription, DriveDescription

from .context import Build

__all__ = ["INPUTS", "add_drives", "initial_targets", "scale_acceleration_drives"]

INPUTS = (
    mujoco.mjtCtrlInput.mjINPUT_POS
    | mujoco.mjtCtrlInput.mjINPUT_VEL
    | mujoco.mjtCtrlInput.mjINPUT_FF
)
"""Controls of a drive: target position, target velocity, feedforward force."""


def driven_dofs(build: Build) -> list[tuple[DofDescription, DriveDescription]]:
    """The driven degrees of freedom that the engine has, in stage order."""
    known = build.elements["joint"]
    return [
        (dof, dof.drive)
        for joint in build.scene.joints
        for dof in joint.dofs
        if dof.drive is not None and dof.path in known
    ]


def add_drives(build: Build) -> None:
    """Add a PD actuator with feedforward for every drive.

    Its force is clip(ff + kp (q* - q) + kd (v* - v)), with the clip at the drive's force limit.
    """
    for dof, drive in driven_dofs(build):
        joint = build.lookup(dof.path, "joint")
        if dof.kind not in ("hinge", "slide"):
            build.note(
                dof.path, f"a drive on a {dof.kind} joint has no effect; drive D6 axes instead"
            )
            continue
        element = build.spec.add_actuator(
            name=build.namer.take("actuator", None, dof.path),
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            target=build.name_of("joint", dof.path, joint),
        )
        element.set_to_pid(kp=drive.stiffness, kv=drive.damping, ctrlspec=int(INPUTS))
        if np.isfinite(drive.max_force):
            element.forcelimited = 1
            element.forcerange = (-drive.max_force, drive.max_force)
        build.register("actuator", dof.path, element)


def scale_acceleration_drives(build: Build, model: mujoco.MjModel) -> None:
    """Multiply gains given per unit of mass or inertia with that of their joint.

    That inertia is the one the axis feels at the reference pose with every other axis locked.
    """
    for dof, drive in driven_dofs(build):
        actuator = build.elements["actuator"].get(dof.path)
        if not drive.acceleration or actuator is None:
            continue
        joint = build.elements["joint"][dof.path]
        inertia = model.dof_M0[model.jnt_dofadr[joint.id]]
        model.actuator_biasprm[actuator.id, 1:3] *= inertia


def initial_targets(build: Build, model: mujoco.MjModel) -> NDArray[np.float64]:
    """Controls as authored on the drives; zero for every other actuator, shape (nu,)."""
    controls = np.zeros(model.nu)
    actuators: dict[str, Any] = build.elements["actuator"]
    for dof, drive in driven_dofs(build):
        if dof.path in actuators:
            start = model.actuator_ctrladr[actuators[dof.path].id]
            joint = build.elements["joint"][dof.path].id
            zero = model.qpos0[model.jnt_qposadr[joint]]  # where the stage counts from
            controls[start : start + 2] = drive.target_position + zero, drive.target_velocity
    return controls
