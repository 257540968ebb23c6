"""Length ranges of muscles: by sampling, where the engine's own search does not converge."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["UNCONVERGED", "sample_length_ranges"]

UNCONVERGED = "Lengthrange computation did not converge"
"""Begin of the engine's complaint."""
_SAMPLES = 2000
_MUSCLE = mujoco.mjtGain.mjGAIN_MUSCLE, mujoco.mjtBias.mjBIAS_MUSCLE


def sample_length_ranges(spec: mujoco.MjSpec) -> list[int]:
    """Set the length ranges of muscles that state none, to the extremes of sampled postures.

    Hinges and slides take positions within their limits, their extremes among them; those without
    limits turn once around, or stay.

    Args:
        spec: the spec, whose actuators receive the ranges.

    Returns:
        Indices of these actuators.
    """
    mode = spec.compiler.LRopt.mode
    spec.compiler.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)
    try:
        model = spec.compile()
    finally:
        spec.compiler.LRopt.mode = mode
    data, lengths = mujoco.MjData(model), []
    for posture in _postures(model):
        data.qpos[:] = posture
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_tendon(model, data)
        mujoco.mj_transmission(model, data)
        lengths.append(np.array(data.actuator_length))
    ends = np.min(lengths, axis=0), np.max(lengths, axis=0)
    found = []
    for actuator in spec.actuators:
        muscle = (actuator.gaintype, actuator.biastype)
        if any(actuator.lengthrange) or not set(muscle) & set(_MUSCLE):
            continue
        out = int(model.actuator_outadr[actuator.id])
        actuator.lengthrange = (ends[0][out], ends[1][out])
        found.append(int(actuator.id))
    return found


def _postures(model: mujoco.MjModel) -> Iterator[NDArray[np.float64]]:
    """Sampled positions of all joints; the same model always gives the same samples."""
    chosen = np.flatnonzero(model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE))
    hinge = model.jnt_type[chosen] == int(mujoco.mjtJoint.mjJNT_HINGE)
    limited = model.jnt_limited[chosen].astype(bool)
    address = model.jnt_qposadr[chosen]
    start = model.qpos0[address]
    around = np.where(hinge, np.pi, 0.0)
    low = np.where(limited, model.jnt_range[chosen, 0], start - around)
    high = np.where(limited, model.jnt_range[chosen, 1], start + around)
    random = np.random.default_rng(0)
    for number in range(_SAMPLES):
        share = random.random(len(chosen))
        if number % 2:  # half of the postures are corners of the ranges
            share = np.round(share)
        posture = np.array(model.qpos0)
        posture[address] = low + share * (high - low)
        yield posture
