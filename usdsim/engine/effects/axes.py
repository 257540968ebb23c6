"""Axis parameters per world that the engine's own model does not have."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import assign, checked_ids

__all__ = ["axis_dofs", "updated_axes"]

_SINGLE = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


def axis_dofs(model: mujoco.MjModel) -> NDArray[np.intp]:
    """Degrees of freedom of hinges and slides, in the engine's order."""
    return np.flatnonzero(np.isin(model.jnt_type[model.dof_jntid], _SINGLE))


def updated_axes(
    compiled: CompiledModel,
    what: str,
    before: NDArray[np.float64],
    values: ArrayLike,
    env_ids: NDArray[np.intp] | None,
    dofs: ArrayLike | None,
) -> NDArray[np.float64]:
    """Numbers of all worlds and degrees of freedom after a write to some, shape (num_envs, nv).

    Args:
        compiled: the model.
        what: the quantity, for messages.
        before: the numbers as they are, shape (num_envs, nv).
        values: what broadcasts to (worlds, degrees of freedom), >= 0.
        env_ids: worlds; None: all.
        dofs: degrees of freedom, as indices or a mask; None: those of all hinges and slides.

    Raises:
        InvalidValueError: a value is negative or not a number.
        ShapeError: the values do not fit.
        UnsupportedError: a degree of freedom is not that of a hinge or slide.
    """
    columns = axis_dofs(compiled.mj) if dofs is None else _checked(compiled, what, dofs)
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(what, values, "numbers") from error
    if not (numbers >= 0.0).all():
        raise InvalidValueError(what, _shown(numbers), "numbers >= 0")
    after = np.array(before)
    assign(what, after, numbers, env_ids, columns)
    return after


def _checked(compiled: CompiledModel, what: str, dofs: ArrayLike) -> NDArray[np.intp]:
    model = compiled.mj
    columns = checked_ids(f"dofs of {what}", dofs, model.nv)
    wrong = np.setdiff1d(columns, axis_dofs(model))
    if len(wrong):
        paths = compiled.names.paths("joint")
        joint = int(model.dof_jntid[wrong[0]])
        raise UnsupportedError(
            f"Degree of freedom {wrong[0]} has no {what}: it belongs to the joint "
            f"{paths[joint]!r}, and only hinges and slides have one. Leave it out."
        )
    return columns


def _shown(numbers: NDArray[np.float64]) -> Any:
    """The first number that is not allowed."""
    return float(numbers[~(numbers >= 0.0)].flat[0])
