"""Private names of assets that tasks use nevertheless: there while the layer is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from usdsim.assets.common.base import AssetBase
from usdsim.views.usable import usable

__all__ = ["add_private_names", "remove_private_names"]


def _all_indices(asset: Any) -> Any:
    """Indices of all instances, int32, shape (num_instances,)."""
    rows = np.arange(asset.num_instances, dtype=np.int32)
    return usable(wp.array(rows, dtype=wp.int32, device=asset.device))


_NAMES = {"_ALL_INDICES": property(_all_indices)}


def add_private_names() -> None:
    """Give assets the names."""
    for name, value in _NAMES.items():
        setattr(AssetBase, name, value)


def remove_private_names() -> None:
    """Take the names away."""
    for name in _NAMES:
        delattr(AssetBase, name)
