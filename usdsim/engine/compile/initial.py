"""Initial state of a scene."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import (
    quat_apply,
    quat_conjugate,
    quat_from_wxyz,
    quat_multiply,
    quat_to_wxyz,
)
from usdsim.math.transforms import Pose
from usdsim.parser.description import BodyDescription

from .context import Build
from .deformables import CompiledDeformable, set_initial_points
from .drives import initial_targets
from .start_limits import within_limits

__all__ = ["InitialState", "initial_state"]

SNAP = 1e-6
"""Authored poses this close [m, rad] to the engine's own are taken to be them, bit by bit."""


@dataclass(frozen=True, eq=False)
class InitialState:
    """State at time zero, in the engine's layout."""

    qpos: NDArray[np.float64]
    """Generalized positions, shape (nq,)."""
    qvel: NDArray[np.float64]
    """Generalized velocities, shape (nv,)."""
    ctrl: NDArray[np.float64]
    """Controls, shape (nu,)."""
    mocap_pos: NDArray[np.float64]
    """Positions of kinematic bodies in world [m], shape (nmocap, 3)."""
    mocap_quat: NDArray[np.float64]
    """Orientations of kinematic bodies in world, wxyz as the engine has them, shape (nmocap, 4)."""


def initial_state(
    build: Build, model: mujoco.MjModel, deformables: tuple[CompiledDeformable, ...] = ()
) -> tuple[InitialState, NDArray[np.float64] | None]:
    """Authored joint positions, poses, velocities and drive targets.

    Returns:
        The state, and positions as authored where limits have moved them, shape (nq,).
    """
    qpos, qvel = np.array(model.qpos0), np.zeros(model.nv)
    _set_axes(build, model, qpos, qvel)
    starts, counts, kinds = (
        array.tolist() for array in (model.body_jntadr, model.body_jntnum, model.jnt_type)
    )
    for body, element in zip(build.scene.bodies, build.bodies, strict=True):
        index = element.id
        for joint in range(starts[index], starts[index] + counts[index]):
            if kinds[joint] == mujoco.mjtJoint.mjJNT_FREE:
                _set_free(body, model, joint, qpos, qvel)
            elif kinds[joint] == mujoco.mjtJoint.mjJNT_BALL:
                _set_ball(build, body, model, joint, qpos, qvel)
    authored = qpos.copy()
    if not build.owns_options:  # A stage with settings of a solver starts as its engine would.
        within_limits(model, qpos)
    mocap_pos, mocap_quat = _kinematic_poses(build, model)
    targets = initial_targets(build, model)
    moved = not np.array_equal(authored, qpos)
    set_initial_points(deformables, qpos, qvel, mocap_pos)
    state = InitialState(qpos, qvel, targets, mocap_pos, mocap_quat)
    return state, authored if moved else None


def _kinematic_poses(
    build: Build, model: mujoco.MjModel
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Positions and orientations, wxyz, of bodies that the user moves, in the engine's order."""
    mocap = model.body_mocapid >= 0
    order = np.argsort(model.body_mocapid[mocap])
    positions, orientations = model.body_pos[mocap][order], model.body_quat[mocap][order]
    for body, element in zip(build.scene.bodies, build.bodies, strict=True):
        place = model.body_mocapid[element.id]
        if not body.kinematic or place < 0:
            continue
        own = Pose(positions[place], quat_from_wxyz(orientations[place]))
        if not own.almost_equal(body.initial_pose_w, SNAP, SNAP):
            positions[place] = body.initial_pose_w.pos
            orientations[place] = quat_to_wxyz(body.initial_pose_w.quat)
    return positions, orientations


def _set_axes(
    build: Build, model: mujoco.MjModel, qpos: NDArray[np.float64], qvel: NDArray[np.float64]
) -> None:
    joints = build.elements["joint"]
    positions, velocities = model.jnt_qposadr.tolist(), model.jnt_dofadr.tolist()
    for joint in build.scene.joints:
        for dof in joint.dofs:
            element = joints.get(dof.path)
            if element is None or dof.kind not in ("hinge", "slide"):
                continue
            index = element.id
            qpos[positions[index]] += dof.position  # counted from the rest pose
            qvel[velocities[index]] = dof.velocity


def _set_free(
    body: BodyDescription,
    model: mujoco.MjModel,
    joint: int,
    qpos: NDArray[np.float64],
    qvel: NDArray[np.float64],
) -> None:
    adr, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    own = Pose(qpos[adr : adr + 3], quat_from_wxyz(qpos[adr + 3 : adr + 7]))
    pose = body.initial_pose_w
    if not own.almost_equal(pose, SNAP, SNAP):
        qpos[adr : adr + 3] = pose.pos
        qpos[adr + 3 : adr + 7] = quat_to_wxyz(pose.quat)
    qvel[dof : dof + 3] = body.linear_velocity
    if not np.any(body.angular_velocity):
        return
    # The engine's angular velocity of a free body is in the body frame.
    inverse = quat_conjugate(pose.quat)
    qvel[dof + 3 : dof + 6] = quat_apply(inverse, body.angular_velocity)


def _set_ball(
    build: Build,
    body: BodyDescription,
    model: mujoco.MjModel,
    joint: int,
    qpos: NDArray[np.float64],
    qvel: NDArray[np.float64],
) -> None:
    if model.body_jntnum[model.jnt_bodyid[joint]] != 1:
        return  # behind other axes the pose alone does not tell the ball's share
    bodies = build.scene.bodies
    world = body.parent < 0
    parent = Pose() if world else bodies[body.parent].initial_pose_w
    parent_velocity = np.zeros(3) if world else bodies[body.parent].angular_velocity
    rest = quat_multiply(parent.quat, body.rest_pose.quat)
    rotation = quat_multiply(quat_conjugate(rest), body.initial_pose_w.quat)
    adr, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    if abs(rotation[3]) < np.cos(0.5 * SNAP):
        qpos[adr : adr + 4] = quat_to_wxyz(rotation)
    relative = body.angular_velocity - parent_velocity
    qvel[dof : dof + 3] = quat_apply(quat_conjugate(body.initial_pose_w.quat), relative)
