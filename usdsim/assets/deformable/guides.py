"""Vertex guides: held vertices of deformable objects, drawn on the stage at their targets."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.usd.guides import hide_points, show_points
from usdsim.views.nodes.view import NodeView

__all__ = ["TargetGuides"]

_NAME = "/kinematic_targets"
_WIDTH = 0.1
"""Width of a mark, relative to the distance between an element's corners."""


class TargetGuides:
    """Marks where an asset's vertices are held, as guides: points of one prim for all instances.

    Args:
        stage: where it draws.
    """

    def __init__(self, stage: Any):
        self._stage = stage
        names = (f"{_NAME}_{i}" if i else _NAME for i in count())
        self._path = next(name for name in names if not stage.GetPrimAtPath(name))
        self._units = stage_units(stage, Report())
        self._drawn: NDArray[np.float64] | None = None
        # The prim is there from now on, so that the next asset takes another name.
        show_points(stage, self._path, np.zeros((0, 3)), 0.0)

    def draw(self, view: NodeView) -> None:
        """Mark what is held now."""
        targets = view.targets()
        held = targets[targets[..., 3] == 0.0][:, :3]
        if self._drawn is not None and np.array_equal(held, self._drawn):
            return
        self._drawn = held
        back = quat_conjugate(self._units.to_z_up)
        sides = np.linalg.norm(view.layout.rest_shapes[0], axis=1)
        width = _WIDTH * float(np.median(sides)) / self._units.length
        show_points(self._stage, self._path, quat_apply(back, held) / self._units.length, width)

    def clear(self) -> None:
        """Take the marks away."""
        self._drawn = None
        hide_points(self._stage, self._path)
