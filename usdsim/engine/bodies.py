"""Bodies, their mass properties, and what attaches them to their parents."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from usdsim.parser.description import WORLD, BodyDescription

from .context import Build, wxyz
from .joints import add_joint, is_tree_joint
from .mujoco import apply_overrides

__all__ = ["add_bodies", "is_free", "set_free_damping"]


def is_free(build: Build, body: BodyDescription) -> bool:
    """Whether a body has all six degrees of freedom."""
    if body.kinematic or body.fixed:
        return False
    joints = [build.scene.joints[j] for j in body.joints]
    return all(j.kind == "distance" and not j.dofs for j in joints) or any(
        dof.kind == "free" for joint in joints for dof in joint.dofs
    )


def add_bodies(build: Build) -> None:
    """Add every body below its parent, with its joints."""
    for body in build.scene.bodies:
        element = _add_body(build, body)
        build.bodies.append(element)
        build.register("body", body.path, element)
        if body.kinematic or body.fixed:
            continue
        tree = [build.scene.joints[j] for j in body.joints if is_tree_joint(build.scene.joints[j])]
        for joint in tree:
            for dof in joint.dofs:
                add_joint(build, element, joint, dof)
        if not tree:
            _add_free_joint(build, element, body)


def _add_body(build: Build, body: BodyDescription) -> Any:
    # The engine moves kinematic and free bodies in world coordinates only.
    in_world = body.parent != WORLD and (body.kinematic or is_free(build, body))
    parent = WORLD if in_world else body.parent
    pose = body.initial_pose_w if in_world else body.rest_pose
    element = build.body(parent).add_body(
        name=build.name("body", body.path),
        pos=pose.pos,
        quat=wxyz(pose.quat),
        explicitinertial=True,
        mass=body.mass,
        ipos=body.com,
        iquat=wxyz(body.inertia_quat),
        inertia=body.inertia,
        mocap=body.kinematic,
        gravcomp=1.0 - body.gravity_scale,
    )
    apply_overrides(element, "body", body.overrides, build.names)
    if build.loose:
        element.simple = 0
    return element


def _add_free_joint(build: Build, element: Any, body: BodyDescription) -> None:
    free = element.add_joint(
        name=build.namer.take("joint", None, body.path),
        type=mujoco.mjtJoint.mjJNT_FREE,
        align=mujoco.mjtAlignFree.mjALIGNFREE_FALSE,
    )
    build.register("joint", body.path, free)


def set_free_damping(build: Build, model: mujoco.MjModel) -> None:
    """Turn decay rates of free bodies into damping of their degrees of freedom.

    A rate c slows a velocity v by c v per second whatever the mass, so the damping is c times the
    mass, and c times the moment of inertia about each body axis.
    """
    for body, element in zip(build.scene.bodies, build.bodies, strict=True):
        if not body.linear_damping and not body.angular_damping:
            continue
        joint = model.body_jntadr[element.id]
        if joint < 0 or model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_FREE:
            if not body.kinematic and not body.fixed:
                build.note(
                    body.path,
                    "linear and angular damping act on free bodies only; give the joint damping",
                )
            continue
        start = model.jnt_dofadr[joint]
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, model.body_iquat[element.id])
        axes = rotation.reshape(3, 3)
        moments = (axes**2) @ model.body_inertia[element.id]
        model.dof_damping[start : start + 3] += body.linear_damping * body.mass
        model.dof_damping[start + 3 : start + 6] += body.angular_damping * moments
