"""Authored actuators: those of a stage, as configurations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from usdsim.actuators.networks.actuators import ActuatorNetLSTMCfg, ActuatorNetMLPCfg
from usdsim.actuators.networks.files import read_settings
from usdsim.core.errors import ShapeError, UnknownNameError
from usdsim.parser.description import ActuatorDescription, DriveDescription, SceneDescription
from usdsim.parser.joints.controllers import ControllerDescription

from .base import ActuatorBaseCfg
from .dc_motor import DCMotorCfg, DelayedDCMotorCfg
from .ideal_pd import DelayedPDActuatorCfg, IdealPDActuatorCfg, RemotizedPDActuatorCfg
from .implicit import ImplicitActuatorCfg
from .limits import UNLIMITED_EFFORT
from .position_actuators import ServoLaw, combine_servos, joint_of, read_servo

__all__ = ["AuthoredActuators", "authored_actuators"]

_GROUPS: dict[type, str] = {
    ImplicitActuatorCfg: "drives",
    IdealPDActuatorCfg: "pd_controllers",
    DelayedPDActuatorCfg: "delayed_pd_controllers",
    RemotizedPDActuatorCfg: "remotized_pd_controllers",
    DCMotorCfg: "dc_motors",
    DelayedDCMotorCfg: "delayed_dc_motors",
    ActuatorNetMLPCfg: "mlp_networks",
    ActuatorNetLSTMCfg: "lstm_networks",
}
"""Name of the group by kind of configuration."""


@dataclass(frozen=True)
class AuthoredActuators:
    """Actuators of a stage."""

    cfgs: Mapping[str, ActuatorBaseCfg]
    """Configurations by name of the group; joints without actuator are in none."""
    notes: tuple[tuple[str, str], ...] = ()
    """Prim path and message of what is authored and is in no configuration."""


@dataclass(frozen=True)
class _Found:
    """The actuator of one joint."""

    kind: type[ActuatorBaseCfg]
    values: Mapping[str, float]
    """Fields with a value of their own for each joint."""
    shared: Mapping[str, Any]
    """Fields that are the same for all joints of a group."""


def authored_actuators(
    scene: SceneDescription, joint_paths: Sequence[str], joint_names: Sequence[str] | None = None
) -> AuthoredActuators:
    """Configurations that act as the stage says.

    Drives, and servos and motors of the MuJoCo dialect on one joint, become drives of the engine.
    ``NewtonActuator`` prims become the models that do what their schemas say: PD controllers with
    or without delay, DC motors, limits over the position, and networks. Joints whose actuators are
    of the same kind are in one group.

    Args:
        scene: the description.
        joint_paths: paths of degrees of freedom.
        joint_names: their names in the configurations; None: the last parts of the paths.

    Raises:
        UnknownNameError: a path is no degree of freedom of the scene.
        ShapeError: there is not one name per path.
        FileError: the file of a network cannot be read.
        UnsupportedError: the file of a network needs torch, which is not installed.
    """
    names = [p.rpartition("/")[2] for p in joint_paths] if joint_names is None else joint_names
    if len(names) != len(joint_paths):
        raise ShapeError("joint_names", (len(names),), f"({len(joint_paths)},): one per joint path")
    dofs = {dof.path: dof for joint in scene.joints for dof in joint.dofs}
    notes: list[tuple[str, str]] = []
    groups: dict[str, list[tuple[str, _Found]]] = {}
    for path, name in zip(joint_paths, names, strict=True):
        if path not in dofs:
            raise UnknownNameError("degree of freedom", path, dofs)
        drive = dofs[path].drive
        found: _Found | None
        if isinstance(drive, ControllerDescription):
            found = _from_controller(drive, notes)
        elif drive is not None:
            found = _from_drive(drive)
        else:
            found = _from_mujoco([a for a in scene.actuators if joint_of(a) == path], notes)
        if found is not None:
            key = f"{found.kind.__name__} {sorted(found.values)} {found.shared}"
            groups.setdefault(key, []).append((name, found))
    return AuthoredActuators(_configurations(groups), tuple(notes))


def _configurations(
    groups: Mapping[str, Sequence[tuple[str, _Found]]],
) -> dict[str, ActuatorBaseCfg]:
    cfgs: dict[str, ActuatorBaseCfg] = {}
    for members in groups.values():
        first = members[0][1]
        values: dict[str, Any] = {
            field: {re.escape(name): found.values[field] for name, found in members}
            for field in first.values
        }
        base = _GROUPS[first.kind]
        number = sum(name.startswith(base) for name in cfgs)
        expressions = [re.escape(name) for name, _ in members]
        cfgs[f"{base}_{number + 1}" if number else base] = first.kind(
            joint_names_expr=expressions, **values, **first.shared
        )
    return cfgs


def _from_drive(drive: DriveDescription) -> _Found:
    values = {"effort_limit_sim": drive.max_force}
    if not drive.acceleration:
        # Gains per inertia stay as on the stage, for the engine to scale.
        values.update(stiffness=drive.stiffness, damping=drive.damping)
    return _Found(ImplicitActuatorCfg, values, {})


def _from_mujoco(
    actuators: Sequence[ActuatorDescription], notes: list[tuple[str, str]]
) -> _Found | None:
    servos = [read_servo(actuator) for actuator in actuators]
    known = [servo for servo in servos if isinstance(servo, ServoLaw)]
    notes += [(a.path, s) for a, s in zip(actuators, servos, strict=True) if isinstance(s, str)]
    if not known:
        return None
    combined = combine_servos(known)
    if isinstance(combined, str):
        notes += [(a.path, combined) for a in actuators]
        return None
    total = combined[0]
    values = {"stiffness": total.stiffness, "damping": total.damping}
    return _Found(ImplicitActuatorCfg, {**values, "effort_limit_sim": total.max_force}, {})


def _from_controller(controller: ControllerDescription, notes: list[tuple[str, str]]) -> _Found:
    for value, what in (
        (controller.constant_effort, "constant effort"),
        (controller.integral_gain, "integral gain"),
    ):
        if value:
            notes.append((controller.path, f"has a {what} of {value:g}, which no model has"))
    limit = controller.max_force
    shared: dict[str, Any] = {}
    if controller.delay_steps:
        shared.update(min_delay=controller.delay_steps, max_delay=controller.delay_steps)
    if controller.network_file:
        return _from_network(controller, notes)
    values = {"stiffness": controller.stiffness, "damping": controller.damping}
    motor = controller.saturation_effort is not None
    if controller.lookup_positions:
        if motor:
            notes.append((controller.path, "is a DC motor too, which a limit by position is not"))
        table = _limited(controller.lookup_positions, controller.lookup_efforts, limit)
        return _Found(RemotizedPDActuatorCfg, values, {**shared, "joint_parameter_lookup": table})
    if motor:
        values.update(_curve(controller))
        return _Found(DelayedDCMotorCfg if shared else DCMotorCfg, values, shared)
    values["effort_limit"] = limit
    return _Found(DelayedPDActuatorCfg if shared else IdealPDActuatorCfg, values, shared)


def _curve(controller: ControllerDescription) -> dict[str, float]:
    """The limits of a DC motor; one without a curve has a constant limit."""
    limit = min(controller.max_force, controller.motor_effort)
    peak = controller.saturation_effort
    speed = controller.motor_velocity
    if peak is None or not np.isfinite(peak):
        peak, speed = (limit if 0.0 < limit < np.inf else UNLIMITED_EFFORT), np.inf
    return {"effort_limit": limit, "saturation_effort": peak, "velocity_limit": speed}


def _from_network(controller: ControllerDescription, notes: list[tuple[str, str]]) -> _Found:
    if controller.delay_steps:
        notes.append((controller.path, "has delayed commands, which networks have not"))
    if controller.lookup_positions:
        notes.append((controller.path, "has a limit by position, which networks have not"))
    kind, settings = read_settings(controller.network_file)
    shared = {"network_file": controller.network_file, **settings}
    cfg = ActuatorNetLSTMCfg if kind == "lstm" else ActuatorNetMLPCfg
    return _Found(cfg, _curve(controller), shared)


def _limited(
    positions: Sequence[float], efforts: Sequence[float], limit: float
) -> list[list[float]]:
    """A lookup table that is nowhere above a limit."""
    points = [(positions[0], efforts[0])]
    for (a, f), (b, g) in pairwise(zip(positions, efforts, strict=True)):
        if (f - limit) * (g - limit) < 0.0:
            points.append((a + (limit - f) / (g - f) * (b - a), limit))
        points.append((b, g))
    return [[position, 1.0, min(effort, limit)] for position, effort in points]
