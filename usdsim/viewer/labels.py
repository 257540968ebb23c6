"""Labels: names of bodies, written beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BodyLabels"]


class BodyLabels:
    """Names of bodies on a page.

    Args:
        api: the page's scene.
    """

    def __init__(self, api: Any):
        self._api = api
        self._labels: dict[str, Any] = {}

    def show(self, paths: Iterable[str]) -> None:
        """Write the names of these prims, and of no others."""
        for label in self._labels.values():
            label.remove()
        self._labels = {
            path: self._api.add_label(f"/names/{k}", path.rpartition("/")[2])
            for k, path in enumerate(paths)
        }

    def follow(self, bodies: Mapping[str, int], poses: NDArray[np.float64]) -> None:
        """Put names where their bodies are now.

        Args:
            bodies: row of each prim path.
            poses: position in world [m] and wxyz, shape (rows, 7).
        """
        for path, label in self._labels.items():
            label.position = poses[bodies[path], :3]
