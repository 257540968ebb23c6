"""Degrees of freedom of joints in the body tree."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from usdsim.engine.surfaces.compliance import compliant
from usdsim.parser.description import DofDescription, JointDescription

from .context import Build
from .mjc import FORCE_SCALE, LIMIT_STIFFNESS, TENDON_OFFSET, apply_overrides

__all__ = [
    "DOF_TYPES",
    "UNLIMITED",
    "add_joint",
    "is_tree_joint",
    "set_limit_compliance",
]

DOF_TYPES = {
    "hinge": mujoco.mjtJoint.mjJNT_HINGE,
    "slide": mujoco.mjtJoint.mjJNT_SLIDE,
    "ball": mujoco.mjtJoint.mjJNT_BALL,
    "free": mujoco.mjtJoint.mjJNT_FREE,
}
UNLIMITED = 1e10
"""Stands for the missing side of a one-sided limit [m or rad]."""


def is_tree_joint(joint: JointDescription) -> bool:
    """Whether a joint carries its child body; distance joints only hold it on a leash."""
    return joint.in_tree and not (joint.kind == "distance" and not joint.dofs)


def add_joint(build: Build, element: Any, joint: JointDescription, dof: DofDescription) -> Any:
    """Add one axis of a joint to a spec body."""
    path = dof.path
    limited = np.isfinite(dof.upper)
    if dof.kind != "ball":
        # An axis without play is locked by a constraint instead; see `constraints`.
        limited = (limited or np.isfinite(dof.lower)) and dof.lower < dof.upper
    added = element.add_joint(
        name=build.name("joint", path),
        type=DOF_TYPES[dof.kind],
        pos=dof.anchor,
        axis=dof.axis,
        limited=int(limited),
        ref=dof.reference,
        range=_range(dof) if limited else (0.0, 0.0),
        armature=dof.armature,
        frictionloss=dof.friction,
        damping=(dof.damping, 0.0, 0.0),
        align=mujoco.mjtAlignFree.mjALIGNFREE_FALSE,
    )
    overrides = {**joint.overrides, **dof.overrides}
    if limited:
        overrides.pop("range", None)  # that of an axis without limits
    apply_overrides(added, "joint", overrides, build.names)
    return build.register("joint", path, added)


def _range(dof: DofDescription) -> tuple[float, float]:
    """Range of a limited axis, with finite ends."""
    if dof.kind == "ball":
        return 0.0, dof.upper
    return max(dof.lower, -UNLIMITED), min(dof.upper, UNLIMITED)


def set_limit_compliance(build: Build, model: mujoco.MjModel) -> None:
    """Set the stiffness of joint and tendon limits that have one of their own."""
    joints = build.elements["joint"]
    for joint in build.scene.joints:
        for dof in joint.dofs:
            if not dof.limit_stiffness or dof.path not in joints:
                continue
            index = joints[dof.path].id
            weight = float(model.dof_invweight0[model.jnt_dofadr[index]])
            values = compliant(
                dof.limit_stiffness, dof.limit_damping or 0.0, weight, model.opt.timestep
            )
            # What is too stiff for the time step stays as rigid as the solver makes limits.
            if values is not None:
                model.jnt_solref[index], model.jnt_solimp[index] = values
    _set_springs(build, model)
    for element in build.scene.elements:
        stiffness = element.overrides.get(LIMIT_STIFFNESS)
        offset = element.overrides.get(TENDON_OFFSET)
        if element.kind != "tendon" or not (stiffness or offset):
            continue
        index = model.tendon(build.names[element.path]).id
        if offset and "springlength" not in element.overrides:
            # The length of the initial pose, on the stage; the engine's is without the offset.
            model.tendon_lengthspring[index] -= offset
        if not stiffness:
            continue
        weight = float(model.tendon_invweight0[index])
        # The tendon's own damper acts beyond the limits too.
        firm = stiffness * element.overrides.get(FORCE_SCALE, 1.0)
        values = compliant(firm, 0.0, weight, model.opt.timestep)
        if values is not None:
            model.tendon_solref_lim[index], model.tendon_solimp_lim[index] = values


def _set_springs(build: Build, model: mujoco.MjModel) -> None:
    """Make distance joints with springs pull back with them beyond their distances."""
    tendons = build.elements["tendon"]
    for joint in build.scene.joints:
        if not joint.spring_stiffness or joint.path not in tendons:
            continue
        index = tendons[joint.path].id
        weight = float(model.tendon_invweight0[index])
        values = compliant(joint.spring_stiffness, joint.spring_damping, weight, model.opt.timestep)
        if values is None:
            build.note(
                joint.path,
                f"the spring of {joint.spring_stiffness:g} N/m is too stiff for a time step of "
                f"{model.opt.timestep:g} s; the joint stops at its distances",
            )
        else:
            model.tendon_solref_lim[index], model.tendon_solimp_lim[index] = values
