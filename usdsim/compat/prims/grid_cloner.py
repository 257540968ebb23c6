"""Cloners of Isaac Sim: copies of a prim, at poses or on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pxr import Usd

from usdsim.compat.cloner import copy_prim, filter_collisions
from usdsim.math.rotations import quat_from_wxyz
from usdsim.spawners import grid_origins
from usdsim.usd.prims import define_prim
from usdsim.usd.stage import stage_or_current

__all__ = ["Cloner", "GridCloner"]


class Cloner:
    """Copies prims on a stage.

    Args:
        stage: the stage; None: the current one.
    """

    def __init__(self, stage: Usd.Stage | None = None):
        self._stage = stage_or_current(stage)

    def define_base_env(self, base_env_path: str) -> None:
        """Define the prim that copies lie below."""
        define_prim(self._stage, base_env_path, "Xform")

    def generate_paths(self, root_path: str, num_paths: int) -> list[str]:
        """Paths with numbers from 0: ``/World/envs/env_0`` of ``/World/envs/env``."""
        return [f"{root_path}_{i}" for i in range(num_paths)]

    def clone(
        self,
        source_prim_path: str,
        prim_paths: Sequence[str],
        positions: Any = None,
        orientations: Any = None,
        replicate_physics: bool = False,
        **_: Any,
    ) -> None:
        """Copy a prim to paths; one that is its own stays as it is, but for its pose.

        Args:
            source_prim_path: the prim.
            prim_paths: the copies' paths.
            positions: in the frame of the parent, in stage units, shape (n, 3); None: as they are.
            orientations: unit quaternions wxyz, shape (n, 4); None: not turned.
            replicate_physics: accepted; environments are worlds of one model anyway.
        """
        for i, path in enumerate(prim_paths):
            place = None if positions is None else positions[i]
            turn = None if orientations is None else quat_from_wxyz(orientations[i])
            copy_prim(self._stage, source_prim_path, path, place, turn)

    def filter_collisions(
        self,
        physicsscene_path: str,
        collision_root_path: str,
        prim_paths: Sequence[str],
        global_paths: Sequence[str] = (),
    ) -> None:
        """Keep copies from colliding with one another; see `usdsim.compat.cloner`."""
        filter_collisions(
            self._stage, physicsscene_path, collision_root_path, prim_paths, global_paths
        )


class GridCloner(Cloner):
    """Copies prims to a square grid about the origin.

    Args:
        spacing: distance of neighbours, in stage units.
        num_per_row: accepted; the grid is square.
        stage: the stage; None: the current one.
    """

    def __init__(self, spacing: float, num_per_row: int = -1, stage: Usd.Stage | None = None):
        super().__init__(stage)
        self._spacing = spacing

    def clone(  # type: ignore[override]
        self,
        source_prim_path: str,
        prim_paths: Sequence[str],
        position_offsets: Any = None,
        orientation_offsets: Any = None,
        replicate_physics: bool = False,
        **_: Any,
    ) -> list[list[float]]:
        """Copy a prim to the places of the grid; see `Cloner.clone`.

        Args:
            source_prim_path: the prim.
            prim_paths: the copies' paths.
            position_offsets: distances from these places, shape (n, 3); None: none.
            orientation_offsets: unit quaternions wxyz, shape (n, 4); None: not turned.
            replicate_physics: see `Cloner.clone`.

        Returns:
            The places, shape (n, 3).
        """
        places = grid_origins(len(prim_paths), self._spacing)
        if position_offsets is not None:
            places = places + np.asarray(position_offsets, float)
        super().clone(source_prim_path, prim_paths, places, orientation_offsets)
        found: list[list[float]] = places.tolist()
        return found
