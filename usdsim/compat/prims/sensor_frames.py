"""Spawned rectangles, and frames that sensors are put on, under Isaac Lab's names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pxr import Usd

from usdsim.spawners import MeshSquareCfg, SpawnerCfg, spawn_mesh_square
from usdsim.spawners.spawner import SpawnPoint, spawner

__all__ = ["MeshRectangleCfg", "SensorFrameCfg", "spawn_mesh_rectangle", "spawn_sensor_frame"]


@dataclass(kw_only=True)
class MeshRectangleCfg(MeshSquareCfg):
    """A flat rectangle of triangles."""

    resolution: tuple[int, int] = (5, 5)
    """Cells along x and y."""


spawn_mesh_rectangle = spawn_mesh_square
"""Spawn a flat rectangle of triangles; see `usdsim.spawners.spawn_mesh_square`."""


@spawner
def spawn_sensor_frame(at: SpawnPoint, cfg: SensorFrameCfg) -> Usd.Prim:
    """Spawn a prim that has a pose and nothing else."""
    return at.define("Xform")


@dataclass(kw_only=True)
class SensorFrameCfg(SpawnerCfg):
    """A prim that has a pose and nothing else, such as a place of a sensor on a link."""

    func: Callable[..., Usd.Prim] = spawn_sensor_frame
