"""Joint drives: one actuator per driven degree of freedom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.parser.description import DofDescription, DriveDescription, JointDescription

from .context import Build
from .joints import is_tree_joint

__all__ = [
    "INPUTS",
    "Driven",
    "add_drives",
    "control_values",
    "driven_axes",
    "initial_targets",
    "scale_acceleration_drives",
]

INPUTS = (
    mujoco.mjtCtrlInput.mjINPUT_POS
    | mujoco.mjtCtrlInput.mjINPUT_VEL
    | mujoco.mjtCtrlInput.mjINPUT_FF
)
"""Controls of a drive: target position, target velocity, feedforward force."""


@dataclass(frozen=True)
class Driven:
    """A drive, and the axes it acts on."""

    path: str
    body: int
    """Description index of the body that it moves."""
    dof: DofDescription
    drive: DriveDescription
    axes: NDArray[np.float64] | None = None
    """Unit axes of a ball's drive in the frame that moves, one or all three, shape (1 or 3, 3)."""
    drives: tuple[DriveDescription, ...] = ()
    """Drives that state the targets: the drive, or where there is one for all axes, each axis'."""

    @property
    def whole(self) -> bool:
        """Whether it turns a ball to an orientation rather than about an axis."""
        return self.axes is not None and len(self.axes) > 1

    def inertia(self, build: Build, model: mujoco.MjModel) -> float:
        """Inertia about the axis at the reference pose with all others locked [kg or kg m^2]."""
        start = self.address(build, model)
        if self.axes is None:
            return float(model.dof_M0[start])
        data, full = mujoco.MjData(model), np.zeros((model.nv, model.nv))
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, full)
        return float(self.axes[0] @ full[start : start + 3, start : start + 3] @ self.axes[0])

    def mobility(self, build: Build, model: mujoco.MjModel) -> float:
        """Acceleration per force at the reference pose with all others free, at most."""
        start = self.address(build, model)
        count = 1 if self.axes is None else 3
        return float(model.dof_invweight0[start : start + count].max())

    def address(self, build: Build, model: mujoco.MjModel) -> int:
        """First degree of freedom."""
        return int(model.jnt_dofadr[build.elements["joint"][self.dof.path].id])


NO_FORCE = 1e-15
"""Force limit of drives that have none [N or N m]: the engine takes no empty range, and its writer
leaves out one that is within the precision of its numbers of none."""


_ANY_FORCE = 1e12
"""Force limit of drives without one whose envelope narrows it [N or N m]."""


def driven_axes(build: Build) -> list[Driven]:
    """The drives of what the engine has, in stage order."""
    known: dict[str, Any] = build.elements["joint"]
    found: list[Driven] = []
    for joint in build.scene.joints:
        for dof in joint.dofs:
            if dof.path not in known:
                continue
            if dof.drive is not None:
                found.append(Driven(dof.path, joint.child, dof, dof.drive, drives=(dof.drive,)))
            if dof.ball_drives:
                found += _of_ball(joint, dof)
    return found


def _of_ball(joint: JointDescription, dof: DofDescription) -> list[Driven]:
    """Drives of a ball: one of all axes if they are alike, else one per axis."""
    drives = [ball.drive for ball in dof.ball_drives]
    axes = np.array([ball.axis for ball in dof.ball_drives])
    if not is_tree_joint(joint):
        # The link that closes a loop has the joint's frame.
        axes = quat_apply(quat_conjugate(joint.child_frame.quat), axes)
    laws = {(d.stiffness, d.damping, d.max_force, d.acceleration, _pushes(d)) for d in drives}
    first = drives[0]
    if len(drives) == 3 and len(laws) == 1 and not first.acceleration and not _pushes(first):
        path = f"{joint.path}:rot"
        return [Driven(path, joint.child, dof, first, axes, tuple(drives))]
    return [
        Driven(ball.path, joint.child, dof, ball.drive, axes[i : i + 1], (ball.drive,))
        for i, ball in enumerate(dof.ball_drives)
    ]


def _pushes(drive: DriveDescription) -> bool:
    """Whether a drive ever has a target velocity."""
    sampled = drive.samples is not None and bool(drive.samples.values[:, 1].any())
    return sampled or drive.target_velocity != 0.0


def add_drives(build: Build) -> None:
    """Add an actuator for every drive.

    Its force is clip(ff + kp (q* - q) + kd (v* - v)), with the clip at the drive's force limit. Of
    a ball, q is the component of the rotation vector along the axis, and v that of the angular
    velocity. Three like drives of a ball are one: its torque is kp e - kd w, where e is the
    rotation vector from the ball's orientation to the target's, and its size is limited.
    """
    for driven in driven_axes(build):
        dof, drive = driven.dof, driven.drive
        if driven.axes is None and dof.kind not in ("hinge", "slide"):
            build.note(
                dof.path,
                f"a drive of a {dof.kind} joint has no effect; a ball's drives are rotX, rotY, "
                "and rotZ",
            )
            continue
        element = build.spec_of(driven.body).add_actuator(
            name=build.namer.take("actuator", None, driven.path),
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            target=build.name_of("joint", dof.path, build.lookup(dof.path, "joint")),
        )
        if driven.whole:
            element.set_to_orientation(kp=drive.stiffness, kv=drive.damping)
        else:
            element.set_to_pid(kp=drive.stiffness, kv=drive.damping, ctrlspec=int(INPUTS))
            if driven.axes is not None:
                element.gear[:3] = driven.axes[0]
        if np.isfinite(drive.max_force) or drive.envelope is not None:
            element.forcelimited = 1
            limit = min(max(drive.max_force, NO_FORCE), _ANY_FORCE)
            element.forcerange = (0.0 if driven.whole else -limit, limit)
        build.register("actuator", driven.path, element)


def scale_acceleration_drives(build: Build, model: mujoco.MjModel) -> NDArray[np.intp]:
    """Multiply gains given per unit of mass or inertia with that of their axis.

    Returns:
        Actuator and degree of freedom of each such drive of a hinge or slide, shape (drives, 2).
    """
    found = []
    for driven in driven_axes(build):
        actuator = build.elements["actuator"].get(driven.path)
        if not driven.drive.acceleration or actuator is None:
            continue
        model.actuator_biasprm[actuator.id, 1:3] *= driven.inertia(build, model)
        if driven.axes is None:
            found.append((actuator.id, driven.address(build, model)))
    return np.array(found, np.intp).reshape(-1, 2)


def initial_targets(build: Build, model: mujoco.MjModel) -> NDArray[np.float64]:
    """Controls as authored on drives and actuators, shape (nu,)."""
    controls = np.zeros(model.nu)
    # Actuators follow the drives, and may be nameless.
    for index, actuator in enumerate(build.scene.actuators, len(build.elements["actuator"])):
        if actuator.control:
            controls[model.actuator_ctrladr[index]] = actuator.control
    actuators: dict[str, Any] = build.elements["actuator"]
    for driven in driven_axes(build):
        if driven.path not in actuators:
            continue
        start = model.actuator_ctrladr[actuators[driven.path].id]
        targets = np.array([(d.target_position, d.target_velocity) for d in driven.drives])
        values = control_values(build, model, driven, targets)
        controls[start : start + len(values)] = values
    return controls


def control_values(
    build: Build, model: mujoco.MjModel, driven: Driven, targets: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Controls of a drive for targets of the stage: of a ball's orientation three, else two.

    Args:
        build: the compilation.
        model: the engine's model.
        driven: the drive.
        targets: position [m or rad] and velocity [m/s or rad/s] of each of its `drives`, (n, 2).
    """
    if driven.axes is not None and driven.whole:
        return np.asarray(targets[:, 0] @ driven.axes)
    joint = build.elements["joint"][driven.dof.path].id
    # Where the stage counts from; a ball counts from the rest pose.
    zero = model.qpos0[model.jnt_qposadr[joint]] if driven.axes is None else 0.0
    return np.array([targets[0, 0] + zero, targets[0, 1]])
