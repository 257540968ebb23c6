"""Losses of an export: what a model has and no URDF can say, each with its prims."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from usdsim.exporters.unsaid import unsaid

from .robot import Robot

__all__ = ["note_losses"]

_COUPLING = int(mujoco.mjtEq.mjEQ_JOINT)
_KINDS = {
    "tendon": ("ntendon", "a tendon"),
    "skin": ("nskin", "a skin"),
    "plugin": ("nplugin", "a plugin"),
    "key": ("nkey", "a keyframe"),
}
"""Kinds of elements without a counterpart: the member that counts them, and a word."""
_EARTH = 0.02
"""Difference between what simulators and places take for the gravity of the Earth [m/s^2]."""


def note_losses(robot: Robot) -> None:
    """Warn of everything that is left out."""
    for kind, (size, word) in _KINDS.items():
        for index in range(int(getattr(robot.model, size))):
            where = _where(robot, kind, index)
            robot.warn(kind, where, f"{word}, which URDF cannot say; left out")
    for path in (body.path for body in robot.compiled.scene.deformables):
        robot.warn("deformable", path, "a deformable body, which URDF cannot say; left out")
    for note in (*_loops(robot), *_bodies(robot), *_joints(robot), *_world(robot)):
        robot.warn(*note)
    for code, path, what in unsaid(robot.compiled.scene):
        robot.warn(code, path, f"{what}, which URDF cannot say")
    for path, message in robot.compiled.notes:
        robot.warn("engine", path, message)


def _where(robot: Robot, kind: str, index: int) -> str:
    names = robot.compiled.names
    if kind not in names.kinds:
        return kind
    return names.paths(kind)[index] or names.names(kind)[index] or kind


def _loops(robot: Robot) -> Iterator[tuple[str, str, str]]:
    model = robot.model
    for index in range(int(model.neq)):
        if int(model.eq_type[index]) != _COUPLING:
            where = _where(robot, "equality", index)
            yield "loop", where, "closes a loop, which URDF cannot say; left out"
    for joint in robot.compiled.scene.joints:
        if not joint.in_tree and joint.kind == "distance":
            yield "loop", joint.path, "keeps a distance, which URDF cannot say; left out"


def _bodies(robot: Robot) -> Iterator[tuple[str, str, str]]:
    model = robot.model
    for body in robot.compiled.scene.bodies:
        damping = (body.linear_damping, body.angular_damping)
        if any(damping):
            yield "damping", body.path, f"decay of motion {damping[0]:g} and {damping[1]:g} 1/s"
        if body.surface_velocity.any():
            yield "surface-velocity", body.path, "a moving surface, which URDF cannot say"
    for index in np.flatnonzero(model.body_gravcomp).tolist():
        share = float(model.body_gravcomp[index])
        if share != 1.0 and not robot.weightless:
            yield "gravity", robot.path("body", index), f"a share {share:g} of its weight held"


def _joints(robot: Robot) -> Iterator[tuple[str, str, str]]:
    model = robot.model
    for joint in np.flatnonzero(model.jnt_stiffnesspoly.any(axis=1)).tolist():
        yield "spring", robot.path("joint", joint), "a spring that is not linear"
    for joint in range(int(model.njnt)):
        if joint not in robot.joint_of:
            yield from _resistance(robot, joint)
    for joint in np.flatnonzero(model.jnt_limited).tolist():
        if joint not in robot.joint_of:
            yield "ball-limit", robot.path("joint", joint), "a limit of a ball"
    for joint in np.flatnonzero(model.jnt_actfrclimited).tolist():
        low, high = model.jnt_actfrcrange[joint]
        if low != -high:
            yield "effort", robot.path("joint", joint), f"forces from {low:g} to {high:g}"


def _resistance(robot: Robot, joint: int) -> Iterator[tuple[str, str, str]]:
    """Resistance of a floating base or a ball, which no element of the format can say."""
    model, where = robot.model, robot.path("joint", joint)
    if model.jnt_stiffness[joint]:
        yield "spring", where, f"a spring of stiffness {model.jnt_stiffness[joint]:g}; left out"
    if int(model.jnt_type[joint]) != int(mujoco.mjtJoint.mjJNT_FREE):
        return
    dof = int(model.jnt_dofadr[joint])
    for values, word in (
        (model.dof_damping, "damping"),
        (model.dof_frictionloss, "dry friction"),
        (model.dof_armature, "armature"),
    ):
        if values[dof]:
            yield "damping", where, f"{word} {values[dof]:g} of a floating base; left out"


def _world(robot: Robot) -> Iterator[tuple[str, str, str]]:
    model = robot.model
    gravity = model.opt.gravity
    # Where there is none, every link says that it has no weight.
    if not robot.weightless and np.abs(gravity - (0.0, 0.0, -9.81)).max() > _EARTH:
        where = robot.compiled.scene.source or "/"
        yield "gravity", where, f"gravity {gravity.tolist()} m/s^2, which is the simulator's"
    for geom in range(int(model.ngeom)):
        if int(model.geom_bodyid[geom]) == 0:
            where = robot.path("geom", geom)
            yield "environment", where, "a shape of the world, which is no robot; left out"
