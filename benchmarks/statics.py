"""Static shapes by the thousand: scans, generated terrains and copies of point instancers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom, UsdPhysics, Vt

from usdsim.terrains import ROUGH_TERRAINS_CFG, TerrainGenerator

from .large_scenes import loading
from .measure import alternate, median_time
from .registry import Row, Settings, benchmark

__all__ = ["static_copies", "static_scan", "static_terrain"]

_CELL = 0.1
"""Between points of a scan [m]."""


@benchmark
def static_scan(settings: Settings) -> Iterator[Row]:
    """Open meshes without a grid, such as scans: time per triangle over that of a small one."""
    few, many = (800, 3_200) if settings.quick else (10_000, 80_000)
    large, small = (loading(_meshes([_scan(count)])) for count in (many, few))
    result = alternate(large, small, settings.rounds(3))
    longer = few / (many * result.ratio)
    yield Row(f"{many:,} triangles of a scan over {few:,}, time per triangle", longer, "x", 1.5)
    yield Row(f"{many:,} triangles of a scan, loaded", result.first, "s")


@benchmark
def static_terrain(settings: Settings) -> Iterator[Row]:
    """A generated terrain, of boxes for the most part, from stage to model."""
    cfg = ROUGH_TERRAINS_CFG
    cfg = cfg.replace(num_rows=1, num_cols=4) if settings.quick else cfg
    terrain = TerrainGenerator(cfg)
    stage = _meshes((mesh.vertices, mesh.faces) for mesh in terrain.terrain_meshes)
    seconds = median_time(loading(stage).run, settings.rounds(3))
    yield Row(f"{cfg.num_rows * cfg.num_cols} pieces of terrain, loaded", seconds, "s")


@benchmark
def static_copies(settings: Settings) -> Iterator[Row]:
    """Copies of a point instancer: time per copy over that of few."""
    few, many = (50, 200) if settings.quick else (2_000, 10_000)
    result = alternate(loading(_copies(many)), loading(_copies(few)), settings.rounds(3))
    longer = few / (many * result.ratio)
    yield Row(f"{many:,} copies over {few:,}, time per copy", longer, "x", 1.5)


def _scan(count: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points [m] and triangles of uneven ground, so many or somewhat fewer."""
    side = round(np.sqrt(count / 2.0)) + 1
    random = np.random.default_rng(0)
    x, y = np.meshgrid(np.arange(side), np.arange(side)) + 0.3 * random.normal(size=(2, side, side))
    heights = np.sin(_CELL * x) * np.cos(_CELL * y) + 0.2 * random.normal(size=x.shape)
    node = np.arange(side * side).reshape(side, side)
    a, b, c, d = (
        part.ravel() for part in (node[:-1, :-1], node[:-1, 1:], node[1:, 1:], node[1:, :-1])
    )
    faces = np.vstack([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return _CELL * np.stack([x, y, heights], axis=2).reshape(-1, 3), faces


def _meshes(surfaces: Iterable[tuple[NDArray[np.float64], NDArray[np.int64]]]) -> Usd.Stage:
    """A stage of triangle meshes whose triangles collide."""
    stage = Usd.Stage.CreateInMemory()
    for i, (points, faces) in enumerate(surfaces):
        mesh = UsdGeom.Mesh.Define(stage, f"/World/mesh_{i}")
        mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points.astype(np.float32)))
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.astype(np.int32).ravel()))
        UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
        UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim()).CreateApproximationAttr("none")
    return stage


def _copies(count: int) -> Usd.Stage:
    """A stage with a point instancer of a cube that collides."""
    stage = Usd.Stage.CreateInMemory()
    instancer = UsdGeom.PointInstancer.Define(stage, "/World/stones")
    cube = UsdGeom.Cube.Define(stage, "/World/stones/stone")
    UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    instancer.CreatePrototypesRel().SetTargets([cube.GetPath()])
    instancer.CreateProtoIndicesAttr(Vt.IntArray(count))
    places = 3.0 * np.stack([np.arange(count), np.zeros(count), np.zeros(count)], axis=1)
    instancer.CreatePositionsAttr(Vt.Vec3fArray.FromNumpy(places.astype(np.float32)))
    return stage
