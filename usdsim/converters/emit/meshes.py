"""Triangle meshes, from NumPy arrays without copies through Python lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from pxr import Sdf, Usd, UsdGeom, UsdPhysics, Vt

from usdsim.core.errors import ShapeError
from usdsim.math.transforms import Pose
from usdsim.usd.xforms import set_local_pose

from .shapes import emit_colour, enable_collision

__all__ = ["emit_mesh", "set_approximation"]


def _interpolation(path: str, what: str, count: int, points: int, faces: int) -> str:
    if count == points:
        return UsdGeom.Tokens.vertex
    if count == 3 * faces:
        return UsdGeom.Tokens.faceVarying
    raise ShapeError(
        f"{what} of mesh {path}", (count,), f"{points} (per point) or {3 * faces} (per corner)"
    )


def set_approximation(prim: Usd.Prim, token: str) -> None:
    """Author how a mesh collides: ``convexHull``, ``none``, ``convexDecomposition`` and so on."""
    UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(token)


def emit_mesh(
    stage: Usd.Stage,
    path: str,
    points: ArrayLike,
    faces: ArrayLike,
    *,
    normals: ArrayLike | None = None,
    uvs: ArrayLike | None = None,
    pose: Pose | None = None,
    scale: ArrayLike | None = None,
    rgba: ArrayLike | None = None,
    purpose: str = "default",
    collides: bool = False,
    approximation: str | None = None,
) -> Usd.Prim:
    """Define a triangle mesh.

    Args:
        stage: where to author.
        path: prim path.
        points: vertices [m], shape (n, 3).
        faces: triangle corner indices, shape (m, 3).
        normals: unit normals per point, shape (n, 3), or per corner, shape (3 m, 3).
        uvs: texture coordinates per point, shape (n, 2), or per corner, shape (3 m, 2).
        pose: pose in the parent prim; None for none.
        scale: scale on top of `pose`, shape (3,).
        rgba: display colour and opacity, shape (4,).
        purpose: imageable purpose token.
        collides: whether the mesh is a collider.
        approximation: collision approximation token, for colliders.

    Returns:
        The mesh prim, without subdivision.
    """
    vertices = np.ascontiguousarray(points, dtype=np.float32).reshape(-1, 3)
    corners = np.ascontiguousarray(faces, dtype=np.int32).reshape(-1, 3)
    if len(corners) and (corners.min() < 0 or corners.max() >= len(vertices)):
        raise ShapeError(f"faces of mesh {path}", corners.shape, f"indices below {len(vertices)}")
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(vertices))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(corners), 3, dtype=np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(corners.ravel()))
    if len(vertices):
        bounds = np.stack([vertices.min(axis=0), vertices.max(axis=0)])
        mesh.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(bounds))
    if normals is not None:
        _write_normals(mesh, normals, len(vertices), len(corners))
    if uvs is not None:
        _write_uvs(mesh, uvs, len(vertices), len(corners))
    prim = mesh.GetPrim()
    if pose is not None or scale is not None:
        set_local_pose(prim, pose or Pose(), None if scale is None else np.asarray(scale, float))
    if rgba is not None:
        emit_colour(mesh, rgba)
    if purpose != "default":
        mesh.CreatePurposeAttr(purpose)
    if collides:
        _collide(prim, approximation)
    return prim


def _collide(prim: Usd.Prim, approximation: str | None) -> None:
    enable_collision(prim)
    if approximation is not None:
        set_approximation(prim, approximation)


def _write_normals(mesh: UsdGeom.Mesh, normals: ArrayLike, points: int, faces: int) -> None:
    values = np.ascontiguousarray(normals, dtype=np.float32).reshape(-1, 3)
    mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(values))
    path = str(mesh.GetPath())
    mesh.SetNormalsInterpolation(_interpolation(path, "normals", len(values), points, faces))


def _write_uvs(mesh: UsdGeom.Mesh, uvs: ArrayLike, points: int, faces: int) -> None:
    coords = np.ascontiguousarray(uvs, dtype=np.float32).reshape(-1, 2)
    primvar = UsdGeom.PrimvarsAPI(mesh.GetPrim()).CreatePrimvar(
        "st",
        Sdf.ValueTypeNames.TexCoord2fArray,
        _interpolation(str(mesh.GetPath()), "uvs", len(coords), points, faces),
    )
    primvar.Set(Vt.Vec2fArray.FromNumpy(coords))
