"""Bodies of the description, once the forest and the shapes are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import BodyDescription, JointDescription
from usdsim.parser.joints.links import RestPoses
from usdsim.parser.mjc import MujocoReader, adjust_masses
from usdsim.parser.overrides import overrides_of
from usdsim.parser.prims import PrimView
from usdsim.parser.signs import with_sign

from .animation import pose_samples
from .locked_axes import articulated, locked_axes, stopped
from .mass import MassPass
from .rigid_bodies import BodyRecord, body_motion
from .speed_limits import speed_limits
from .surface_velocity import surface_velocity
from .topology import Forest

__all__ = ["describe_bodies"]


def describe_bodies(
    context: ParseContext,
    reader: MujocoReader,
    records: Sequence[BodyRecord],
    forest: Forest,
    poses: RestPoses,
    joints: Sequence[JointDescription],
    weights: MassPass,
) -> tuple[BodyDescription, ...]:
    """Bodies, parents before children."""
    carrying: dict[int, list[int]] = {}
    for j, joint in enumerate(joints):
        if joint.in_tree:
            carrying.setdefault(joint.child, []).append(j)
    number = forest.numbers()
    jointed = articulated(context)
    bodies = []
    for index, i in enumerate(forest.order):
        view, kinematic = records[i].view, records[i].kinematic
        weight = weights.weigh(index, view)
        rest, initial = poses.rest[i], context.frames.world_pose(view.index)
        samples = pose_samples(context, view) if kinematic and not view.in_mujoco else None
        if samples is not None:
            rest = initial = Pose(*samples.at(0.0))
        above = forest.parent[i]
        loose = not (forest.joints[i] or above >= 0 or kinematic or records[i].fixed)
        locked = locked_axes(context, view, able=loose and view.path not in jointed)
        linear, angular = _motion(context, view, weight.com, locked, kinematic=kinematic)
        bodies.append(
            BodyDescription(
                path=view.path,
                name=view.source_name,
                overrides=overrides_of(reader, view, "body"),
                parent=number[above] if above >= 0 else -1,
                joints=tuple(carrying.get(index, ())),
                rest_pose=with_sign(view, rest),
                initial_pose_w=with_sign(view, initial),
                linear_velocity=linear,
                angular_velocity=angular,
                kinematic=kinematic,
                carries=not view.in_mujoco,
                samples=samples,
                fixed=_is_welded(records[i], forest, i),
                mass=weight.mass,
                com=weight.com,
                inertia=weight.inertia,
                inertia_quat=weight.quat,
                mass_source=weight.source,
                gravity_compensation=_compensation(context, view),
                linear_damping=context.quantities.read(view, "body", "linear_damping") or 0.0,
                angular_damping=context.quantities.read(view, "body", "angular_damping") or 0.0,
                **_switches(context, view, linked=view.path in jointed),
                starts_asleep=view.flag("physics:startsAsleep"),
                sleep_threshold=_threshold(context, view),
                locked=locked,
                surface_velocity=surface_velocity(context, view, kinematic=kinematic),
                **speed_limits(context, view, kinematic=kinematic),
            )
        )
    return adjust_masses(reader.scene, bodies, context.report)


def _motion(
    context: ParseContext,
    view: PrimView,
    com: NDArray[np.float64],
    locked: NDArray[np.bool_],
    *,
    kinematic: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Velocities of a body's origin that its locked axes let it have."""
    if kinematic:
        return np.zeros(3), np.zeros(3)
    linear, angular = body_motion(context, view, com)
    return stopped(locked, linear, angular, context.frames.rotation[view.index] @ com)


def _threshold(context: ParseContext, view: PrimView) -> float | None:
    value = context.quantities.read(view, "body", "sleep_threshold")
    if value is None or 0.0 <= value < np.inf:
        return value
    view.invalid("physxRigidBody:sleepThreshold", value, "a number >= 0")
    return None


def _switches(context: ParseContext, view: PrimView, *, linked: bool) -> dict[str, bool]:
    """Switches of what acts on a body, by field of the description; all are on unless authored.

    Gyroscopic torque always acts on links of articulations.
    """
    fields = ("gyroscopic", "solves_contacts")
    found = {name: context.quantities.read(view, "body", name) is not False for name in fields}
    if linked and not found["gyroscopic"]:
        found["gyroscopic"] = True
        context.report.info(
            "foreign-setting", view.path,
            "acts on no body of an articulation, in PhysX neither",
            attribute="physxRigidBody:enableGyroscopicForces", value=False,
        )  # fmt: skip
    return found


def _compensation(context: ParseContext, view: PrimView) -> float:
    """Share of a body's weight that is compensated."""
    stated = context.quantities.stated(view, "body", "gravity_compensation")
    stated += [
        replace(statement, value=float(statement.value), precise=True)
        for statement in context.quantities.stated(view, "body", "disable_gravity")
    ]
    return float(context.quantities.settle(view, "gravity_compensation", stated) or 0.0)


def _is_welded(record: BodyRecord, forest: Forest, i: int) -> bool:
    """Whether a body hangs on its parent without a joint, in whichever direction that was said."""
    if forest.joints[i] or record.kinematic:
        return False
    return record.fixed or forest.parent[i] >= 0
