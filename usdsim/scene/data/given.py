"""Data given by callers: what elements ask of them first, and the error for what is no data.

Methods of elements get data from programs. What they read first is a function here, so that any
object can be given: one that is no `SceneData` of the model is answered with an error, and asking
costs nothing where it is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.scene.arrays import FloatArray

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

    from .access import DataAccess

__all__ = ["check_data", "engine_array", "read_dof_pos", "read_dof_vel"]


def check_data(data: DataAccess, model: SceneModel) -> None:
    """Raise an `InvalidValueError` unless `data` are data of `model`."""
    try:
        if data._worlds is not None and data._model is model:
            return
    except AttributeError:
        pass
    _refuse(data, model)


def engine_array(data: DataAccess, model: SceneModel, name: str) -> NDArray[Any]:
    """An engine array for the current state, read-only, shape (*B, ...)."""
    try:
        if data._model is model:
            return data._worlds.read(name)[data._rows]
    except AttributeError:
        if hasattr(data, "_worlds"):
            raise
    _refuse(data, model)


def read_dof_pos(data: DataAccess, model: SceneModel, columns: slice) -> FloatArray:
    """Selected positions, laid out as in `SceneData.dof_pos`, shape (*B, n)."""
    return model.layout.dof_pos_from_engine(engine_array(data, model, "qpos"), columns)


def read_dof_vel(data: DataAccess, model: SceneModel, columns: slice) -> FloatArray:
    """Selected velocities, laid out as in `SceneData.dof_vel`, shape (*B, n)."""
    return engine_array(data, model, "qvel")[..., columns].astype(np.float32)


def _refuse(data: Any, model: SceneModel) -> NoReturn:
    allowed = f"a SceneData that belongs to the model asked, here {model!r}"
    remedy = "SceneData(model) makes one; each model, with its elements and plans, needs its own."
    raise InvalidValueError("data", data, allowed, remedy)
