"""Actuator authoring: configured actuators written to a stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.actuators.networks.actuators import ActuatorNetLSTMCfg, ActuatorNetMLPCfg
from usdsim.actuators.networks.files import read_settings, settings_of
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.schemas import (
    JointDriveBaseCfg,
    NewtonActuatorCfg,
    modify_joint_drive_properties,
    read_joint_drive_properties,
    replace_actuators,
)
from usdsim.usd.names import legal_name

from .base import ActuatorBaseCfg
from .collection import group_ids, group_of_joints
from .dc_motor import DCMotorCfg
from .delay import DelayCfg
from .ideal_pd import IdealPDActuatorCfg, RemotizedPDActuatorCfg
from .implicit import DelayedImplicitActuatorCfg, ImplicitActuatorCfg
from .values import JointValue, resolve_joint_parameter

__all__ = ["write_actuators"]


def write_actuators(
    stage: Any,
    articulation_path: str,
    cfgs: Mapping[str, ActuatorBaseCfg],
    joint_paths: Sequence[str],
) -> tuple[tuple[str, str], ...]:
    """Write actuators to a stage, for any application that reads their schemas.

    Drives of the engine become ``PhysicsDriveAPI`` on their joints; each other joint gets a
    ``NewtonActuator`` prim ``<articulation>/<group>_<joint>_actuator``. Other ``NewtonActuator``
    prims on these joints are deactivated. Gains that are None are taken from the joint's drive.

    Args:
        stage: the ``Usd.Stage``.
        articulation_path: prim the actuators are put under.
        cfgs: configurations by group name.
        joint_paths: prims of all joints of the articulation; their names are the last parts.

    Returns:
        Notes of what the stage cannot say: prim path and message.

    Raises:
        InvalidValueError: a group has no joint, a joint is in two groups, a value is not allowed,
            or a network's file does not say how it is used.
        UnsupportedError: a configuration has no counterpart on stages.
        StageError: there is no such joint.
    """
    names = [path.rpartition("/")[2] for path in joint_paths]
    prims: dict[str, NewtonActuatorCfg] = {}
    drives: dict[str, JointDriveBaseCfg] = {}
    notes: list[tuple[str, str]] = []
    groups = {group: group_ids(group, cfg, names) for group, cfg in cfgs.items()}
    owned = group_of_joints(groups, names)
    for group, ids in groups.items():
        cfg = cfgs[group]
        writer = _GroupWriter(
            group, cfg, [names[i] for i in ids], [joint_paths[i] for i in ids], stage
        )
        for k, i in enumerate(ids):
            if isinstance(cfg, ImplicitActuatorCfg):
                drives[joint_paths[i]] = writer.drive(k)
            else:
                path = f"{articulation_path}/{legal_name(f'{group}_{names[i]}_actuator')}"
                prims[path] = writer.actuator(k)
                notes += [(path, message) for message in writer.losses()]
    replace_actuators(prims, [joint_paths[i] for i in owned], stage)
    for path, drive in drives.items():
        modify_joint_drive_properties(path, drive, stage)
    return tuple(notes)


class _GroupWriter:
    """Takes a group's configuration to prims."""

    def __init__(
        self,
        group: str,
        cfg: ActuatorBaseCfg,
        names: Sequence[str],
        paths: Sequence[str],
        stage: Any,
    ):
        known = (ImplicitActuatorCfg, IdealPDActuatorCfg)
        if isinstance(cfg, DelayedImplicitActuatorCfg) or not isinstance(cfg, known):
            raise UnsupportedError(
                f"Actuator group {group!r} is a {type(cfg).__name__}, which no prim of a stage can "
                "be. Use a model that makes the effort itself, such as DelayedPDActuatorCfg."
            )
        self._cfg, self._names, self._paths = cfg, names, paths
        self._what, self._stage = f"actuator group {group!r}", stage

    def drive(self, k: int) -> JointDriveBaseCfg:
        """The drive of a joint."""
        return JointDriveBaseCfg(
            stiffness=self._value("stiffness", k),
            damping=self._value("damping", k),
            max_force=_finite(self._limit("effort_limit", "effort_limit_sim", k)),
        )

    def actuator(self, k: int) -> NewtonActuatorCfg:
        """The actuator prim of a joint."""
        cfg = self._cfg
        values: dict[str, Any] = {"targets": self._paths[k]}
        limit = self._limit("effort_limit", None, k)
        if isinstance(cfg, ActuatorNetMLPCfg | ActuatorNetLSTMCfg):
            values["model_path"] = self._network_file(cfg)
        else:
            values.update(self._gains(k))
        if isinstance(cfg, DelayCfg) and cfg.max_delay:
            values["delay_steps"] = cfg.max_delay
        if isinstance(cfg, RemotizedPDActuatorCfg):
            table = np.asarray(cfg.joint_parameter_lookup, dtype=np.float64)
            values.update(
                lookup_positions=table[:, 0].tolist(), lookup_efforts=table[:, 2].tolist()
            )
        elif isinstance(cfg, DCMotorCfg):
            values["max_motor_effort"] = _finite(limit)
            values["saturation_effort"] = self._value("saturation_effort", k)
            values["velocity_limit"] = _finite(self._limit("velocity_limit", None, k))
        else:
            values["max_effort"] = _finite(limit)
        return NewtonActuatorCfg(**values)

    def losses(self) -> list[str]:
        """Settings of the configuration that a prim does not say."""
        cfg = self._cfg
        if isinstance(cfg, DelayCfg) and cfg.min_delay != cfg.max_delay:
            return [f"is always {cfg.max_delay} steps late, instead of {cfg.min_delay} or more"]
        return []

    def _gains(self, k: int) -> dict[str, Any]:
        gains = {"kp": self._value("stiffness", k), "kd": self._value("damping", k)}
        if None in gains.values():
            drive = read_joint_drive_properties(self._paths[k], JointDriveBaseCfg, self._stage)
            gains["kp"] = drive.stiffness if gains["kp"] is None else gains["kp"]
            gains["kd"] = drive.damping if gains["kd"] is None else gains["kd"]
        return {name: 0.0 if value is None else value for name, value in gains.items()}

    def _network_file(self, cfg: ActuatorNetMLPCfg | ActuatorNetLSTMCfg) -> str:
        kind, settings = read_settings(cfg.network_file)
        if {"model_type": kind, **settings} != settings_of(cfg):
            raise InvalidValueError(
                f"network_file of {self._what}",
                cfg.network_file,
                "a file whose metadata say what is configured",
                "Write one with save_settings.",
            )
        return cfg.network_file

    def _value(self, name: str, k: int) -> float | None:
        """A configured value of a joint; None: as on the stage."""
        return self._resolved(getattr(self._cfg, name), name)[k]

    def _limit(self, name: str, other: str | None, k: int) -> float | None:
        """A limit under any of its names."""
        fields = [name, f"actuator_{name}"]
        if other is not None:
            fields += [other, f"joint_{name}"]
        for field in fields:
            value = self._value(field, k)
            if value is not None:
                return value
        return None

    def _resolved(self, value: JointValue, name: str) -> list[float | None]:
        nothing = np.full(len(self._names), np.nan)
        what = f"{name} of {self._what}"
        array: NDArray[Any] = resolve_joint_parameter(value, nothing, self._names, 1, what=what)[0]
        return [None if number != number else float(number) for number in array]


def _finite(limit: float | None) -> float | None:
    """A limit as a schema has it, which says nothing where there is none."""
    return None if limit is None or np.isinf(limit) else limit
