"""Arrays under the names of Isaac Lab: Warp arrays that are torch tensors, and conversions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import warp as wp

from usdsim.actuators import ArticulationActions
from usdsim.core.arguments import on_host
from usdsim.views.usable import UsableArray, usable

__all__ = [
    "TENSOR_TYPES",
    "TENSOR_TYPE_CONVERSIONS",
    "ArticulationActions",
    "ProxyArray",
    "TensorData",
    "convert_to_torch",
    "convert_to_warp_mesh",
    "transform_to_vec_quat",
]


class _Proxies(type):
    """Type of `ProxyArray`: what it makes, and what counts as one, are usable arrays."""

    def __call__(cls, array: wp.array) -> UsableArray:
        return usable(array)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, UsableArray)


class ProxyArray(metaclass=_Proxies):
    """Array of a quantity of assets and sensors, or a Warp array that becomes usable like one."""


TensorData = np.ndarray | torch.Tensor | wp.array
"""Arrays of any of the libraries."""
TENSOR_TYPES = {"numpy": np.ndarray, "torch": torch.Tensor, "warp": wp.array}
"""Types of arrays by name of the library."""


def convert_to_torch(array: Any, dtype: Any = None, device: Any = None) -> torch.Tensor:
    """A tensor of an array of any library, or of numbers; memory is shared where it can be.

    Args:
        array: the values.
        dtype: type of the tensor; None: as given.
        device: where it lives; None: as given.
    """
    if isinstance(array, wp.array):
        array = wp.to_torch(array)
    if isinstance(array, np.ndarray) and array.dtype == np.uint32:
        array = array.astype(np.int32)  # torch calculates little with unsigned integers
    return torch.as_tensor(array, dtype=dtype, device=device)


def _numpy(array: Any) -> np.ndarray[Any, Any]:
    return np.asarray(on_host(array))


TENSOR_TYPE_CONVERSIONS = {
    "numpy": {wp.array: lambda x: x.numpy(), torch.Tensor: _numpy},
    "torch": {wp.array: wp.to_torch, np.ndarray: torch.from_numpy},
    "warp": {np.ndarray: wp.array, torch.Tensor: wp.from_torch},
}
"""Functions by name of the library that is wanted, and type of the array that is given."""


def convert_to_warp_mesh(points: Any, indices: Any, device: str) -> wp.Mesh:
    """A mesh for rays.

    Args:
        points: vertices [m], shape (n, 3).
        indices: vertices of the triangles, shape (m, 3) or (3 m,).
        device: where it lives.
    """
    corners = np.asarray(indices, np.int32).reshape(-1)
    return wp.Mesh(
        points=wp.array(np.asarray(points, np.float32), dtype=wp.vec3, device=device),
        indices=wp.array(corners, dtype=wp.int32, device=device),
    )


def transform_to_vec_quat(t: wp.array) -> tuple[wp.array, wp.array]:
    """Positions, vec3f, and orientations, quatf, of transforms in the same memory.

    Args:
        t: transforms, transformf, of up to three axes.

    Raises:
        TypeError: they are no transforms.
    """
    if t.dtype != wp.transformf:
        raise TypeError(f"transform_to_vec_quat takes arrays of transformf, not of {t.dtype}.")
    numbers, all_of = t.view(wp.float32), (slice(None),) * t.ndim
    places, turns = (numbers[(*all_of, part)] for part in (slice(3), slice(3, 7)))
    return places.view(wp.vec3f), turns.view(wp.quatf)
