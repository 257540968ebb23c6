"""Bodies, their mass properties, and what attaches them to their parents."""

from __future__ import annotations

from typing import Any

import mujoco

from usdsim.math.rotations import quat_to_wxyz
from usdsim.parser.description import (
    WORLD,
    BodyDescription,
    DofDescription,
    JointDescription,
)

from .context import Build
from .joints import add_joint, is_tree_joint
from .mjc import apply_overrides

__all__ = ["add_bodies", "axes_of", "is_free", "is_under_world"]


def is_free(build: Build, body: BodyDescription) -> bool:
    """Whether a body has all six degrees of freedom."""
    if body.kinematic or body.fixed:
        return False
    joints = [build.scene.joints[j] for j in body.joints]
    return all(j.kind == "distance" and not j.dofs for j in joints) or any(
        dof.kind == "free" for joint in joints for dof in joint.dofs
    )


def is_under_world(build: Build, body: BodyDescription) -> bool:
    """Whether a body hangs on the world: kinematic and free ones move in its coordinates only."""
    return body.parent == WORLD or body.kinematic or is_free(build, body)


def axes_of(
    build: Build, body: BodyDescription
) -> list[tuple[JointDescription, DofDescription]] | None:
    """Axes that carry a body, each with its joint; None: nothing does, and it is free."""
    if body.kinematic or body.fixed:
        return []
    tree = [build.scene.joints[j] for j in body.joints if is_tree_joint(build.scene.joints[j])]
    return [(joint, dof) for joint in tree for dof in joint.dofs] if tree else None


def add_bodies(build: Build) -> None:
    """Add every body below its parent, with its joints."""
    for index, body in enumerate(build.scene.bodies):
        element = _add_body(build, index, body)
        build.bodies.append(element)
        build.register("body", body.path, element)
        axes = axes_of(build, body)
        if axes is None:
            _add_free_joint(build, element, body)
        for joint, dof in axes or ():
            add_joint(build, element, joint, dof)


def _add_body(build: Build, index: int, body: BodyDescription) -> Any:
    in_world = is_under_world(build, body)
    pose = body.initial_pose_w if in_world and body.parent != WORLD else body.rest_pose
    parent = build.worldbody(index) if in_world else build.bodies[body.parent]
    element = parent.add_body(
        name=build.name("body", body.path),
        pos=pose.pos,
        quat=quat_to_wxyz(pose.quat),
        explicitinertial=True,
        mass=body.mass,
        ipos=body.com,
        iquat=quat_to_wxyz(body.inertia_quat),
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
