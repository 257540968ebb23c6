"""Joint parameters that actuators configure, put into the scene before it is compiled.

What is the same in all worlds belongs into the model: parameters of worlds cost memory and time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.actuators import ActuatorBaseCfg, resolve_joint_parameter
from usdsim.actuators.limits import resolve_limits
from usdsim.core.errors import UnknownNameError
from usdsim.core.names import match_names
from usdsim.parser.description import DofDescription, DriveDescription, SceneDescription

__all__ = ["authored_values", "configure_dofs", "matching_joints"]

_PLAIN = ("stiffness", "damping", "armature", "viscous_friction")
_EFFORT = ("effort_limit", "effort_limit_sim")
_PROBES = (1.0, 2.0)
"""Values on a stage: what comes out alike for both does not depend on the stage."""
_VELOCITIES = (
    "velocity_limit",
    "velocity_limit_sim",
    "actuator_velocity_limit",
    "joint_velocity_limit",
)

Values = dict[str, float]


def matching_joints(cfg: ActuatorBaseCfg, names: Sequence[str]) -> list[int]:
    """Positions of the joints of a group; none where a pattern matches none."""
    try:
        return match_names(cfg.joint_names_expr, names, kind="joint")[0]
    except UnknownNameError:
        return []


def authored_values(scene: SceneDescription, paths: Mapping[str, str]) -> dict[str, Values]:
    """Authored joint parameters, by name of the joint and of the actuators' parameter.

    Args:
        scene: the description, in which every joint has a drive.
        paths: degree of freedom of each joint name.
    """
    dofs = {dof.path: dof for joint in scene.joints for dof in joint.dofs}
    return {name: _authored(dofs[path]) for name, path in paths.items()}


def _authored(dof: DofDescription) -> Values:
    drive = dof.drive or DriveDescription()
    values = {
        "armature": dof.armature,
        "viscous_friction": dof.damping,
        "effort_limit": drive.max_force,
    }
    if not drive.acceleration:
        values |= {"stiffness": drive.stiffness, "damping": drive.damping}
    return values


def configure_dofs(
    scene: SceneDescription, paths: Mapping[str, str], cfgs: Mapping[str, ActuatorBaseCfg]
) -> SceneDescription:
    """Set what configurations say whatever the stage says; the rest stays.

    Args:
        scene: the description, in which every joint has a drive.
        paths: degree of freedom of each joint name.
        cfgs: configurations by group.
    """
    names = list(paths)
    found: dict[str, Values] = {}
    for group, cfg in cfgs.items():
        chosen = [names[i] for i in matching_joints(cfg, names)]
        for joint, values in zip(chosen, _configured(group, cfg, chosen), strict=True):
            found[paths[joint]] = values
    if not any(found.values()):
        return scene
    return replace(
        scene,
        joints=tuple(
            replace(
                joint,
                dofs=tuple(
                    _changed(dof, found[dof.path]) if found.get(dof.path) else dof
                    for dof in joint.dofs
                ),
            )
            if any(found.get(dof.path) for dof in joint.dofs)
            else joint
            for joint in scene.joints
        ),
    )


def _configured(group: str, cfg: ActuatorBaseCfg, joints: Sequence[str]) -> list[Values]:
    """Parameters of each joint that do not depend on the stage."""
    what = f"actuator group {group!r}"
    implicit = cfg.class_type.is_implicit_model
    columns: dict[str, list[NDArray[Any]]] = {}
    for name in _PLAIN:
        columns[name] = [
            resolve_joint_parameter(getattr(cfg, name), probe, joints, 1, what=f"{name} of {what}")
            for probe in _PROBES
        ]
    changes: dict[str, Any] = dict.fromkeys(_VELOCITIES)
    without_velocities = replace(cfg, **changes)
    limits = [
        resolve_limits(
            without_velocities,
            joints,
            1,
            effort_default=probe,
            velocity_default=np.inf,
            implicit=implicit,
            what=what,
        )
        for probe in _PROBES
    ]
    for name in _EFFORT:
        columns[name] = [getattr(limit, name) for limit in limits]
    # What is not allowed is left to the model, which says what is.
    known = {name: ((a == b) & (a >= 0.0))[0] for name, (a, b) in columns.items()}
    known["effort_limit_sim"] &= known.pop("effort_limit")
    return [
        {
            name: 0.0
            if name in ("stiffness", "damping") and not implicit
            else float(columns[name][0][0, i])
            for name, sure in known.items()
            if sure[i]
        }
        for i in range(len(joints))
    ]


def _changed(dof: DofDescription, values: Values) -> DofDescription:
    drive = dof.drive or DriveDescription()
    gains: dict[str, Any] = {
        name: values[name] for name in ("stiffness", "damping") if name in values
    }
    if drive.acceleration and len(gains) < 2:
        gains = {}
    return replace(
        dof,
        drive=replace(
            drive,
            **gains,
            acceleration=drive.acceleration and not gains,
            max_force=values.get("effort_limit_sim", drive.max_force),
        ),
        armature=values.get("armature", dof.armature),
        damping=values.get("viscous_friction", dof.damping),
    )
