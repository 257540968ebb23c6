"""Loop closures with axes of their own: limits, drives, friction, more than one axis."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.math.transforms import Pose
from usdsim.parser.description import BodyDescription, JointDescription

from .context import Build, wxyz
from .joints import add_joint

__all__ = ["close_with_links"]

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
    link = build.body(joint.parent).add_body(
        name=build.namer.take("body", None, f"{joint.path}:link"),
        pos=joint.parent_frame.pos,
        quat=wxyz(joint.parent_frame.quat),
        explicitinertial=True,
        mass=share.mass * SHARE,
        inertia=share.inertia * SHARE,
        ipos=com.pos,
        iquat=wxyz(com.quat),
    )
    turn = quat_conjugate(frame.quat)
    for dof in joint.dofs:
        moved = replace(dof, axis=quat_apply(turn, dof.axis), anchor=np.zeros(3))
        add_joint(build, link, joint, moved)
    names = []
    for body, pose, side in (
        (link, Pose(), "0"),
        (build.body(joint.child), frame, "1"),
    ):
        name = build.namer.take("site", None, f"{joint.path}:frame{side}")
        body.add_site(name=name, pos=pose.pos, quat=wxyz(pose.quat))
        names.append(name)
    data = np.zeros(mujoco.mjNEQDATA)
    data[10] = 1.0
    weld = build.spec.add_equality(
        name=build.namer.take("equality", None, joint.path),
        type=mujoco.mjtEq.mjEQ_WELD,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        name1=names[0],
        name2=names[1],
        solimp=SOLIMP,
    )
    weld.data = data
    build.register("equality", joint.path, weld)


def _take_share(build: Build, index: int) -> BodyDescription:
    """Move the link's share of mass out of the child's spec body; returns the child."""
    child, element = build.scene.bodies[index], build.bodies[index]
    element.mass = element.mass - child.mass * SHARE
    element.inertia = element.inertia - child.inertia * SHARE
    return child
