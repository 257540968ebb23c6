"""Loop closures with axes of their own: limits, drives, friction, more than one axis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from usdsim.engine.effects.breaking.cpu import add_gauge, is_breakable
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_to_wxyz
from usdsim.math.transforms import Pose
from usdsim.parser.description import BodyDescription, JointDescription

from .context import Build
from .joints import add_joint

__all__ = ["TORQUE_SCALE", "add_site", "close_with_links"]

TORQUE_SCALE = 2.0
"""Weight of rotation in a weld. It multiplies half of the angle, the vector part of a quaternion,
so at this value the forces of the constraint are torques."""

SHARE = 0.02
"""Part of the child's mass that the link carries."""
SOLIMP = (0.999, 0.9999, 0.001, 0.5, 2.0)
"""The lighter of two bodies sets how far a weld yields, so this one must be tighter than others."""


def close_with_links(build: Build, joint: JointDescription) -> None:
    """Close a loop by a link that has the joint's axes and is welded to the child.

    The link moves as one with the child, so it takes over a share of its mass without changing
    anything, and axes, limits and drives mean what they mean on any other joint.
    """
    frame = joint.child_frame
    child = build.scene.bodies[max(joint.child, joint.parent)]
    share = child if joint.child < 0 else _take_share(build, joint.child)
    com = frame.inverse() @ Pose(share.com, share.inertia_quat)
    holder, place = build.body(joint.parent), joint.parent_frame
    if is_breakable(joint):
        holder, place = add_gauge(build, holder, joint, place), Pose()
    link = holder.add_body(
        name=build.namer.take("body", None, f"{joint.path}:link"),
        pos=place.pos,
        quat=quat_to_wxyz(place.quat),
        explicitinertial=True,
        mass=share.mass * SHARE,
        inertia=share.inertia * SHARE,
        ipos=com.pos,
        iquat=quat_to_wxyz(com.quat),
        gravcomp=share.gravity_compensation,
    )
    turn = quat_conjugate(frame.quat)
    for dof in joint.dofs:
        moved = replace(dof, axis=quat_apply(turn, dof.axis), anchor=np.zeros(3))
        add_joint(build, link, joint, moved)
    names = [
        add_site(build, link, Pose(), f"{joint.path}:frame0"),
        add_site(build, build.body(joint.child), frame, f"{joint.path}:frame1"),
    ]
    weld = build.spec.add_equality(
        name=build.namer.take("equality", None, joint.path),
        type=mujoco.mjtEq.mjEQ_WELD,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        name1=names[0],
        name2=names[1],
        solimp=SOLIMP,
    )
    weld.data[10] = TORQUE_SCALE
    build.register("equality", joint.path, weld)
    owner, place = (joint.child, frame) if joint.child >= 0 else (joint.parent, joint.parent_frame)
    build.stand_ins.append((link, owner, place))


def add_site(build: Build, body: Any, pose: Pose, path: str) -> str:
    """Add a site of the engine's own to a spec body; returns its name."""
    name = build.namer.take("site", None, path)
    body.add_site(name=name, pos=pose.pos, quat=quat_to_wxyz(pose.quat))
    return name


def _take_share(build: Build, index: int) -> BodyDescription:
    """Move the link's share of mass out of the child's spec body; returns the child."""
    child, element = build.scene.bodies[index], build.bodies[index]
    element.mass = element.mass - child.mass * SHARE
    element.inertia = element.inertia - child.inertia * SHARE
    return child
