"""Drives with several inputs, as actuators with one, which is all that devices know.

A drive's force is ff + kp (q* - q) + kd (v* - v). The device gets u - kp q - kd v with the one
input u = ff + kp q* + kd v*, computed anew in every step.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel

__all__ = ["PidTables", "pid_actuators", "single_input", "unsupported_pid"]

_PID = int(mujoco.mjtGain.mjGAIN_PID)
_CLAMP_OFF = int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)


def pid_actuators(model: mujoco.MjModel) -> NDArray[np.intp]:
    """Indices of the PID actuators, which have several inputs."""
    return np.flatnonzero(model.actuator_gaintype == _PID)


def unsupported_pid(compiled: CompiledModel) -> Iterable[tuple[str, str]]:
    """Prim path and reason of PID actuators that the device cannot simulate."""
    model, names = compiled.mj, compiled.names
    for index in pid_actuators(model).tolist():
        path = names.paths("actuator")[index] or names.names("actuator")[index]
        if model.actuator_dyntype[index] != mujoco.mjtDyn.mjDYN_NONE:
            yield path, "no integral action and no slew limit of PID actuators"
        elif model.actuator_delay[index] > 0.0:
            yield path, "no delay of PID actuators"


def single_input(model: mujoco.MjModel) -> mujoco.MjModel:
    """The model with PID actuators replaced by ones with one input; itself without any."""
    actuators = pid_actuators(model)
    if not len(actuators):
        return model
    found = copy.copy(model)
    found.actuator_gaintype[actuators] = int(mujoco.mjtGain.mjGAIN_FIXED)
    found.actuator_gainprm[actuators] = 0.0
    found.actuator_gainprm[actuators, 0] = 1.0
    found.actuator_ctrllimited[_inputs(model, actuators)] = 0
    return found


def _inputs(model: mujoco.MjModel, actuators: NDArray[np.intp]) -> NDArray[np.intp]:
    parts = [
        np.arange(first, first + count)
        for first, count in zip(
            model.actuator_ctrladr[actuators].tolist(),
            model.actuator_ctrlnum[actuators].tolist(),
            strict=True,
        )
    ]
    return np.concatenate([np.zeros(0, np.intp), *parts])


@dataclass(frozen=True)
class PidTables:
    """Device tables of the kernel that combines inputs."""

    pid: wp.array
    """Whether each actuator is a drive, shape (nactuator,)."""
    limited: wp.array
    """Whether each input of a drive is clamped to its range, shape (nu,)."""

    @classmethod
    def of(cls, model: mujoco.MjModel, device: str) -> PidTables | None:
        """Tables of a model; None: it has no PID actuators."""
        actuators = pid_actuators(model)
        if not len(actuators):
            return None
        pid = np.zeros(model.nactuator, np.bool_)
        pid[actuators] = True
        limited = np.zeros(model.nu, np.bool_)
        if not model.opt.disableflags & _CLAMP_OFF:
            inputs = _inputs(model, actuators)
            limited[inputs] = model.actuator_ctrllimited[inputs] != 0
        return cls(
            wp.array(pid, dtype=wp.bool, device=device),
            wp.array(limited, dtype=wp.bool, device=device),
        )
