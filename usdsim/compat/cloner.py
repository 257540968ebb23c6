"""Cloner: grids of environments, and copies of prims by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp
from pxr import Sdf, Usd

from usdsim.core.errors import InvalidValueError
from usdsim.math.transforms import Pose
from usdsim.spawners import filter_collisions, grid_origins
from usdsim.usd.xforms import set_local_pose
from usdsim.views.usable import usable

__all__ = ["filter_collisions", "grid_transforms", "usd_replicate"]

_UP = {"x": (2, 0, 1), "y": (1, 2, 0), "z": (0, 1, 2)}
"""Columns of a grid about z that are its coordinates when another axis is up."""


def grid_transforms(
    N: int,
    spacing: float = 1.0,
    up_axis: str = "z",
    device: Any = "cpu",
) -> tuple[Any, Any]:
    """Poses on a square grid about the origin.

    Args:
        N: number of poses.
        spacing: distance of neighbours, in stage units.
        up_axis: the axis across the grid: ``x``, ``y`` or ``z``.
        device: where the tensors live.

    Returns:
        Positions, shape (N, 3), and identity quaternions xyzw, shape (N, 4), as torch tensors.

    Raises:
        InvalidValueError: the axis is another.
    """
    if up_axis.lower() not in _UP:
        raise InvalidValueError("up_axis", up_axis, "one of 'x', 'y', 'z'")
    origins = grid_origins(N, spacing)[:, list(_UP[up_axis.lower()])]
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (N, 1))
    return tuple(_tensor(values, device) for values in (origins, turns))


def _tensor(values: Any, device: Any) -> Any:
    return usable(wp.array(values, dtype=wp.float32, device="cpu")).torch.to(device)


def usd_replicate(
    stage: Usd.Stage,
    sources: Sequence[str],
    destinations: Sequence[str],
    env_ids: Any,
    mask: Any = None,
    positions: Any = None,
    quaternions: Any = None,
) -> None:
    """Copy prims to numbered places, those of few path segments first.

    Args:
        stage: the stage.
        sources: paths of the prims to copy.
        destinations: where each goes, with ``{}`` for the number.
        env_ids: the numbers.
        mask: which of them each source is copied to, shape (sources, numbers); None: all.
        positions: positions by number in the parent's frame, in stage units; None: as copied.
        quaternions: orientations by number, xyzw; None: as copied.
    """
    layer, numbers = stage.GetEditTarget().GetLayer(), [int(number) for number in env_ids]
    order = sorted(range(len(sources)), key=lambda i: destinations[i].count("/"))
    for i in order:
        chosen = [n for k, n in enumerate(numbers) if mask is None or bool(mask[i][k])]
        for number in chosen:
            target = Sdf.Path(destinations[i].format(number))
            Sdf.CreatePrimInLayer(layer, target)
            if str(target) != sources[i]:
                Sdf.CopySpec(layer, Sdf.Path(sources[i]), layer, target)
            prim = stage.GetPrimAtPath(target)
            if positions is None and quaternions is None:
                continue
            place = positions[number] if positions is not None else (0.0, 0.0, 0.0)
            turn = quaternions[number] if quaternions is not None else (0.0, 0.0, 0.0, 1.0)
            set_local_pose(prim, Pose(np.asarray(place, float), np.asarray(turn, float)))
