"""Starts of environments whose joints are authored outside of their limits."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine import CompiledModel
from usdsim.engine.compile.start_limits import within_limits

__all__ = ["limited_starts"]

Array = NDArray[np.float64]


def limited_starts(
    compiled: CompiledModel,
    fields: Mapping[str, tuple[NDArray[np.intp], NDArray[Any]]],
    qpos: Array,
) -> Array:
    """Positions in which environments start, of which limits may move those that are authored.

    Args:
        compiled: one of the environments.
        fields: rows of model fields, and their values in each, shape (n, rows, ...).
        qpos: authored positions in each, shape (n, nq).
    """
    model, starts = copy.copy(compiled.mj), qpos.copy()
    data = mujoco.MjData(model)
    for k, start in enumerate(starts):
        for name, (rows, values) in fields.items():
            getattr(model, name)[rows] = values[k]
        mujoco.mj_setConst(model, data)
        within_limits(model, start, data)
    return starts
