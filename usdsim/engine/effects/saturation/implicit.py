"""Implicit inertia: what forces at the end of a step add to the inertia that others feel."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.effects.axes import axis_dofs
from usdsim.engine.parameters.cpu import Parameters

__all__ = ["implicit_inertia", "is_discrete"]

Floats = NDArray[np.float64]


def is_discrete(model: mujoco.MjModel) -> bool:
    """Whether accelerations of a model are those of forces at the end of the step."""
    return bool(model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE)


def implicit_inertia(
    model: mujoco.MjModel,
    parameters: Parameters,
    dofs: NDArray[np.intp],
    stiffness: Floats,
    damping: Floats,
) -> Floats:
    """Inertia that implicit forces stand for [kg or kg m^2], shape (num_envs, nv) or (1, nv).

    A force -k q - d v at the end of a step of length h is one at its start and -(h d + h^2 k) a.
    The integrator of the discrete step takes both parts so, the implicit ones damping alone, and
    Euler's the damping of joints alone.

    Args:
        model: the model.
        parameters: the engine's.
        dofs: degrees of freedom of drives, each once, shape (drives,).
        stiffness: kp of drives, zero for those that do not count, shape (num_envs or 1, drives).
        damping: kd, likewise.
    """
    step = parameters.read("opt.timestep")[:, None]
    parts: list[tuple[Any, Floats]] = [(slice(None), step * parameters.read("dof_damping"))]
    if model.opt.integrator != mujoco.mjtIntegrator.mjINT_EULER:
        parts.append((dofs, step * damping))
    if is_discrete(model):
        axes = axis_dofs(model)
        springs = step**2 * parameters.read("jnt_stiffness")[:, model.dof_jntid[axes]]
        parts += [(dofs, step**2 * stiffness), (axes, springs)]
    found = np.zeros((max(len(values) for _, values in parts), model.nv))
    for columns, values in parts:
        found[:, columns] += values
    return found
