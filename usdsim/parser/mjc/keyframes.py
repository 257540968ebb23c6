"""Keyframe sizes: keyframes state one number for each coordinate and control of a model.

Where a body, joint or actuator is gone, nothing says which numbers were its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from usdsim.core.dialects.mjc_tokens import BIAS, DYNAMICS
from usdsim.parser.description import BodyDescription, GenericDescription, SceneDescription
from usdsim.parser.report import Report

__all__ = ["with_fitting_keyframes"]

_POSITIONS = {"hinge": 1, "slide": 1, "ball": 4, "free": 7}
_VELOCITIES = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}
_SEVERAL = DYNAMICS.index("pid"), BIAS.index("so3")
"""Codes of actuators that may have several controls."""
_DRIVE_CONTROLS = 3


def with_fitting_keyframes(scene: SceneDescription, report: Report) -> SceneDescription:
    """A scene whose keyframes have as many numbers as it has coordinates and controls.

    A keyframe with another number of positions or velocities is left out, and of others what has
    another number is. Scenes whose coordinates the description does not have all (those with
    deformable bodies or closed loops) are returned as they are.
    """
    keys = [element for element in scene.elements if element.kind == "key"]
    loops = any(joint.dofs and not joint.in_tree for joint in scene.joints)
    if not keys or scene.deformables or loops or any(e.kind == "flex" for e in scene.elements):
        return scene
    sizes = _sizes(scene)
    fitting = {key.path: _fitting(key, sizes, report) for key in keys}
    if all(fitting[key.path] is key for key in keys):
        return scene
    elements = [fitting.get(e.path, e) if e.kind == "key" else e for e in scene.elements]
    return replace(scene, elements=tuple(e for e in elements if e is not None))


def _fitting(
    key: GenericDescription, sizes: Mapping[str, int], report: Report
) -> GenericDescription | None:
    values = dict(key.overrides)
    for field, size in sizes.items():
        given = int(np.size(values.get(field, ())))
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


def _sizes(scene: SceneDescription) -> dict[str, int]:
    """Numbers by field of a keyframe, of the fields whose size is known."""
    kinds = [kind for body in scene.bodies for kind in _freedom(scene, body)]
    mocap = sum(body.kinematic for body in scene.bodies)
    sizes = {
        "qpos": sum(_POSITIONS[kind] for kind in kinds),
        "qvel": sum(_VELOCITIES[kind] for kind in kinds),
        "mpos": 3 * mocap,
        "mquat": 4 * mocap,
    }
    values = [actuator.overrides for actuator in scene.actuators]
    dofs = [dof for joint in scene.joints for dof in joint.dofs]
    if not (any(map(_several, values)) or any(dof.ball_drives for dof in dofs)):
        drives = sum(dof.drive is not None for dof in dofs)
        sizes["ctrl"] = len(values) + _DRIVE_CONTROLS * drives
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


def _several(values: Mapping[str, Any]) -> bool:
    return values.get("dyntype") == _SEVERAL[0] or values.get("biastype") == _SEVERAL[1]
