"""Bodies, their mass properties, and what attaches them to their parents."""

from __future__ import annotations

from typing import Any

import mujoco

from usdsim.parser.description import WORLD, BodyDescription

from .context import Build, wxyz
from .joints import add_joint, is_tree_joint
from .mjc import apply_overrides

__all__ = ["add_bodies", "is_free"]


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
        gravcomp=body.gravity_compensation,
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
