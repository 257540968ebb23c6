"""Constraints that hold vertices of deformable bodies at targets, where somebody asks for them."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from .context import Build

__all__ = ["add_targets", "target_rows"]

_STIFF = 1e4
"""Stiffness in units of mass per squared time step. Implicit integration takes a held vertex to its
target in one step, but for one part in this many."""
_LEAST = 1e-8
"""Damping that is none, of the sign that tells it from a time constant."""
_SOLIMP = (0.9999, 0.9999, 0.001, 0.5, 2.0)
_AXES = "xyz"


def add_targets(build: Build) -> None:
    """Add one constraint, switched off, for each coordinate of vertices that follow targets."""
    for soft in build.soft:
        if not soft.description.follows_targets:
            continue
        for i, vertex in enumerate(soft.vertices):
            for axis, joint in zip(_AXES, vertex.joints, strict=False):
                where = _name(soft.description.mesh, i, axis)
                build.spec.add_equality(
                    name=build.namer.take("equality", None, where),
                    type=mujoco.mjtEq.mjEQ_JOINT,
                    name1=build.name_of("joint", where, joint),
                    active=False,
                    solref=_solref(build.spec.option),
                    solimp=_SOLIMP,
                )


def target_rows(soft: Any, model: mujoco.MjModel) -> NDArray[np.int32]:
    """Constraints of the three coordinates of each vertex.

    Args:
        soft: the body in the spec.
        model: what was compiled from the spec.

    Returns:
        Indices among the engine's equality constraints; -1: the vertex cannot be held, or nobody
        asked for it, shape (vertices, 3).
    """
    rows = np.full((len(soft.vertices), 3), -1, np.int32)
    if not soft.description.follows_targets:
        return rows
    held = (model.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (model.eq_obj2id < 0)
    of_joint = {int(model.eq_obj1id[row]): int(row) for row in np.flatnonzero(held)}
    for i, vertex in enumerate(soft.vertices):
        for k, joint in enumerate(vertex.joints):
            rows[i, k] = of_joint[int(joint.id)]
    return rows


def _name(mesh: str, vertex: int, axis: str) -> str:
    return f"{mesh}:{vertex}:{axis}"


def _solref(option: Any) -> tuple[float, float]:
    """Stiffness and damping of a constraint that closes its gap within a step."""
    rate = 1.0 / option.timestep
    if option.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE:
        return -_STIFF * rate**2, -_LEAST
    # Explicit integration goes too far with more than this.
    return -((_SOLIMP[1] * rate) ** 2), -_SOLIMP[1] * rate
