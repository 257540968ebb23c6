"""Mesh colliders of 100,000 triangles, by approximation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import mujoco
import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom, UsdPhysics, Vt

from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.usd.stage import create_stage

from .measure import Contender, alternate
from .registry import Row, Settings, benchmark

__all__ = ["large_colliders"]

_TARGET = 0.2
_OF_THE_ENGINE = ("sdf",)
"""Approximations that take the engine alone longer than that."""
_KINDS = (
    "none", "convexHull", "boundingCube", "boundingSphere", "meshSimplification", "sphereFill",
    *_OF_THE_ENGINE,
)  # fmt: skip


@benchmark
def large_colliders(settings: Settings) -> Iterator[Row]:
    """A rigid body from stage to model, and over MuJoCo's compile of the same mesh."""
    points, faces = _waves(*(50, 40) if settings.quick else (250, 200))
    bare = {kind: partial(_compile, points, faces, kind) for kind in ("mesh", "sdf")}
    for kind in _KINDS:
        ours = Contender(lambda: None, partial(_load, _stage(points, faces, kind)))
        theirs = Contender(lambda: None, bare["sdf" if kind == "sdf" else "mesh"])
        result = alternate(ours, theirs, settings.rounds(7))
        target = None if kind in _OF_THE_ENGINE else _TARGET
        detail = {"mujoco_s": result.second, "over_mujoco": 1.0 / result.ratio}
        label = f"{len(faces):,} triangles, {kind}"
        yield Row(label, result.first, "s", target, detail=detail)


def _load(stage: Usd.Stage) -> mujoco.MjModel:
    return compile_scene(parse_stage(stage).scene).mj


def _compile(points: NDArray[np.float64], faces: NDArray[np.int32], kind: str) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.add_mesh(name="mesh", uservert=points.astype(np.float32).ravel(), userface=faces.ravel())
    geom = mujoco.mjtGeom.mjGEOM_SDF if kind == "sdf" else mujoco.mjtGeom.mjGEOM_MESH
    body = spec.worldbody.add_body()
    body.add_freejoint()
    body.add_geom(type=geom, meshname="mesh")
    return spec.compile()


def _stage(points: NDArray[np.float64], faces: NDArray[np.int32], kind: str) -> Usd.Stage:
    """A rigid body whose collider is a mesh with that approximation."""
    stage = create_stage()
    mesh = UsdGeom.Mesh.Define(stage, "/mesh")
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points.astype(np.float32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel()))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    for api in (UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI):
        api.Apply(mesh.GetPrim())
    UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim()).CreateApproximationAttr(kind)
    return stage


def _waves(around: int, across: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """A closed ball with waves, which bends both ways; of 2 x `around` x `across` triangles.

    Args:
        around: points along each circle of latitude.
        across: circles of latitude.
    """
    longitude = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)[:, None]
    latitude = np.linspace(0.0, np.pi, across + 2)[None, 1:-1]
    radius = 1.0 + 0.1 * np.sin(5.0 * longitude) * np.sin(7.0 * latitude)
    x, y = (radius * trig(longitude) * np.sin(latitude) for trig in (np.cos, np.sin))
    ball = np.stack([x, y, radius * np.cos(latitude)], axis=-1).reshape(-1, 3)
    here = np.arange(around)[:, None] * across
    there = np.roll(here, -1, axis=0)
    rows = np.arange(across - 1)
    a, b, c, d = here + rows, here + rows + 1, there + rows, there + rows + 1
    top, bottom = np.full_like(here, len(ball)), np.full_like(here, len(ball) + 1)
    faces = (
        (a, b, c), (c, b, d), (top, here, there), (bottom, there + across - 1, here + across - 1)
    )  # fmt: skip
    points = np.vstack([ball, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    corners = [np.stack(face, axis=-1).reshape(-1, 3) for face in faces]
    return points, np.concatenate(corners).astype(np.int32)
