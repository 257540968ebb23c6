"""Array backends: NumPy's arrays or torch's tensors, as the world there is was asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_from_wxyz
from usdsim.sim import SimulationContext
from usdsim.views.usable import UsableArray
from usdsim.views.values import to_numpy

__all__ = ["backend", "given", "poses_given", "rows", "xyzw"]

_WXYZ = [3, 0, 1, 2]


def backend() -> str:
    """Kind of arrays: ``numpy`` or ``torch``; torch's for simulations of Isaac Lab."""
    simulation = SimulationContext.instance()
    return "numpy" if simulation is None else getattr(simulation, "backend", "torch")


def given(array: Any) -> Any:
    """Values as programs get them, on the simulation's device, of an array of ours or NumPy's."""
    if backend() == "numpy":
        return array.numpy() if isinstance(array, UsableArray) else array
    if isinstance(array, UsableArray):
        array = array.torch
    simulation = SimulationContext.instance()
    device = "cpu" if simulation is None else simulation.device
    return import_module("torch").as_tensor(array, device=device)


def poses_given(poses: Any) -> tuple[Any, Any]:
    """Positions, shape (n, 3), and quaternions wxyz, (n, 4), of poses with xyzw, (n, 7)."""
    found = given(poses)
    return found[..., :3], found[..., 3:7][..., _WXYZ]


def rows(values: Any) -> NDArray[np.float32] | None:
    """Numbers of an array of any kind, or of a sequence; None stays None."""
    return None if values is None else np.array(to_numpy(values), np.float32)


def xyzw(orientations: Any) -> NDArray[np.float64] | None:
    """Quaternions in the order of arrays here, of wxyz; None stays None."""
    return None if orientations is None else quat_from_wxyz(to_numpy(orientations))
