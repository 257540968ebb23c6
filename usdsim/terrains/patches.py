"""Flat patches: level places on a surface, where robots can be put."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import StageError

from .cfg import FlatPatchSamplingCfg
from .surfaces import MeshLike, heights_at

__all__ = ["find_flat_patches"]

RING = 10
"""Points of a circle that are looked at."""
MOST_ROUNDS = 1000


def find_flat_patches(
    mesh: MeshLike, cfg: FlatPatchSamplingCfg, origin: ArrayLike, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Places on a mesh that are level within a tolerance, by trial.

    Args:
        mesh: the surface.
        cfg: how many, how large, where, and how level.
        origin: what ranges are relative to [m], shape (3,).
        rng: draws the places.

    Returns:
        Places relative to the origin [m], shape (num_patches, 3); z is the mean height of the rim.

    Raises:
        StageError: there are not as many.
    """
    start = np.asarray(origin, np.float64)
    points = np.asarray(mesh.vertices, np.float64)
    spans = [
        (
            max(low + start[axis], points[:, axis].min()),
            min(high + start[axis], points[:, axis].max()),
        )
        for axis, (low, high) in enumerate((cfg.x_range, cfg.y_range))
    ]
    least, most = np.transpose(spans)
    angle = 2.0 * np.pi * np.arange(RING) / RING
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ring = np.vstack([radius * circle for radius in np.atleast_1d(cfg.patch_radius)])
    found = np.zeros((0, 3))
    for _ in range(MOST_ROUNDS):
        count = cfg.num_patches - len(found)
        if count <= 0:
            return found - start
        place = least + (most - least) * rng.random((count, 2))
        around = (place[:, None] + ring).reshape(-1, 2)
        height = heights_at(mesh, around).reshape(count, -1)
        low, high = height.min(axis=1), height.max(axis=1)
        # Where there is nothing heights are NaN, and no comparison holds.
        good = (high - low <= cfg.max_height_diff) & (low >= cfg.z_range[0] + start[2])
        good &= high <= cfg.z_range[1] + start[2]
        level = np.column_stack([place, height.mean(axis=1)])[good]
        found = np.vstack([found, level])
    raise StageError(
        f"Found {len(found)} of {cfg.num_patches} flat patches of radius {cfg.patch_radius} m with "
        f"heights within {cfg.max_height_diff} m. Allow smaller or rougher ones, or a larger range."
    )
