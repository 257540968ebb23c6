"""Keyframe parts: the bodies, joints and actuators that a keyframe has numbers of.

A keyframe states one number for each coordinate and control of the model it was written for. On a
stage that refers to the file of that model, this is a part of the whole, which may stand elsewhere.
Where a body, joint or actuator of it is gone, nothing says which numbers were its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from usdsim.core.dialects.mjc_control import num_controls
from usdsim.core.dialects.mjc_tokens import JOINT_POSITIONS, JOINT_VELOCITIES
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import BodyDescription, GenericDescription, SceneDescription
from usdsim.parser.report import Report

__all__ = ["with_fitting_keyframes"]

_DRIVE_CONTROLS = 3
_WORLD = "/"


def with_fitting_keyframes(context: ParseContext, scene: SceneDescription) -> SceneDescription:
    """A scene whose keyframes have as many numbers as what they are of.

    That is what lies below the nearest prim above a keyframe that anything that moves lies below,
    or the whole scene. Keyframes of a part, or of what was moved to another place, say so by their
    target ``part``, and their `pose` is that of the part in the world.

    A keyframe with another number of positions or velocities is left out, and of others what has
    another number is. Of scenes whose coordinates the description does not have all (those with
    deformable bodies or closed loops) the compiled model tells.
    """
    keys = [element for element in scene.elements if element.kind == "key"]
    if not keys:
        return scene
    loops = any(joint.dofs and not joint.in_tree for joint in scene.joints)
    flexes = any(element.kind == "flex" for element in scene.elements)
    counted = not (scene.deformables or loops or flexes)
    fitting: dict[str, GenericDescription | None] = {}
    for key in keys:
        part = _part(scene, key.path)
        kept: GenericDescription | None = key
        if counted:
            if not _fits(key, _sizes(scene, part)):
                part = _WORLD
            kept = _fitting(key, _sizes(scene, part), context.report)
        fitting[key.path] = kept and _placed(context, scene, kept, part)
    if all(fitting[key.path] is key for key in keys):
        return scene
    elements = [fitting.get(e.path, e) if e.kind == "key" else e for e in scene.elements]
    return replace(scene, elements=tuple(e for e in elements if e is not None))


def _part(scene: SceneDescription, path: str) -> str:
    """The nearest prim above a keyframe that a body lies below."""
    while len(path := path.rpartition("/")[0]) > 1:
        if any(body.is_below(path) for body in _moving(scene)):
            return path
    return _WORLD


def _moving(scene: SceneDescription) -> Iterator[Any]:
    return chain(scene.bodies, scene.deformables)


def _placed(
    context: ParseContext, scene: SceneDescription, key: GenericDescription, part: str
) -> GenericDescription:
    """A keyframe that says what it is of, unless that is the whole scene as it was written."""
    view = context.by_path.get(part)
    pose = Pose()
    if view is not None:
        pose = Pose(context.frames.pos[view.index], context.frames.quat[view.index])
    if pose.almost_equal(Pose()):
        if all(body.is_below(part) for body in _moving(scene)):
            return key
        pose = Pose()
    return replace(key, targets={"part": (part,)}, pose=pose)


def _fits(key: GenericDescription, sizes: Mapping[str, int]) -> bool:
    return all(_given(key, field) in (0, sizes[field]) for field in ("qpos", "qvel"))


def _given(key: GenericDescription, field: str) -> int:
    return int(np.size(key.overrides.get(field, ())))


def _fitting(
    key: GenericDescription, sizes: Mapping[str, int], report: Report
) -> GenericDescription | None:
    values = dict(key.overrides)
    for field, size in sizes.items():
        given = _given(key, field)
        if given in (0, size):
            continue
        whole = field in ("qpos", "qvel")
        lost = "the keyframe is left out" if whole else "they are left out"
        report.repaired(
            "keyframe-left-out", key.path,
            f"has {given} numbers, and the model has {size}, as a body, joint or actuator of the "
            f"keyframe is not simulated: {lost}",
            attribute=f"mjc:{field}", value=given,
        )  # fmt: skip
        if whole:
            return None
        del values[field]
    return key if len(values) == len(key.overrides) else replace(key, overrides=values)


def _sizes(scene: SceneDescription, part: str) -> dict[str, int]:
    """Numbers by field of a keyframe of a part, of the fields whose size is known."""
    bodies = [body for body in scene.bodies if body.is_below(part)]
    kinds = [kind for body in bodies for kind in _freedom(scene, body)]
    mocap = sum(body.kinematic for body in bodies)
    sizes = {
        "qpos": sum(JOINT_POSITIONS[kind] for kind in kinds),
        "qvel": sum(JOINT_VELOCITIES[kind] for kind in kinds),
        "mpos": 3 * mocap,
        "mquat": 4 * mocap,
    }
    values = [actuator.overrides for actuator in scene.actuators if actuator.is_below(part)]
    dofs = [dof for joint in scene.joints if joint.is_below(part) for dof in joint.dofs]
    if not any(dof.ball_drives for dof in dofs):
        drives = sum(dof.drive is not None for dof in dofs)
        sizes["ctrl"] = sum(map(num_controls, values)) + _DRIVE_CONTROLS * drives
    states = [int(value.get("actdim", -1)) for value in values]
    if all(state >= 0 for state in states):
        sizes["act"] = sum(states)
    return sizes


def _freedom(scene: SceneDescription, body: BodyDescription) -> list[str]:
    if body.kinematic or body.fixed:
        return []
    joints = [scene.joints[j] for j in body.joints if scene.joints[j].in_tree]
    held = [joint for joint in joints if joint.kind != "distance" or joint.dofs]
    return [dof.kind for joint in held for dof in joint.dofs] if held else ["free"]
