"""Triangle meshes, from NumPy arrays without copies through Python lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pxr import Sdf, Usd, UsdGeom, UsdPhysics, Vt

from usdsim.core.errors import ShapeError
from usdsim.math.meshes.welding import weld
from usdsim.math.transforms import Pose
from usdsim.usd.xforms import set_local_pose

from .shapes import emit_colour, enable_collision

__all__ = ["emit_mesh", "set_approximation"]

_VARYING = {
    "normals": (Sdf.ValueTypeNames.Normal3fArray, 3),
    "st": (Sdf.ValueTypeNames.TexCoord2fArray, 2),
}
"""Type and width of what varies along a mesh, by primvar."""


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
        normals: unit normals per point, shape (n, 3), or per corner of each face, shape (m, 3, 3).
        uvs: texture coordinates per point, shape (n, 2), or per corner, shape (m, 3, 2).
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
    for name, given in (("normals", normals), ("st", uvs)):
        if given is not None:
            _write_varying(mesh, name, given, vertices, corners)
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


def _write_varying(
    mesh: UsdGeom.Mesh,
    name: str,
    given: ArrayLike,
    points: NDArray[np.float32],
    faces: NDArray[np.int32],
) -> None:
    """Write what varies along a mesh: per point, or different values and which each corner has."""
    values = np.ascontiguousarray(given, dtype=np.float32)
    kind, width = _VARYING[name]
    per_point, per_corner = (len(points), width), (*faces.shape, width)
    if values.shape not in (per_point, per_corner):
        allowed = f"{per_point} (per point) or {per_corner} (per corner)"
        raise ShapeError(f"{name} of mesh {mesh.GetPath()}", values.shape, allowed)
    indices = None
    if values.shape == per_corner:
        first, indices = weld(values.reshape(-1, width))
        kept, _ = weld(np.column_stack([faces.ravel(), indices]))
        if np.array_equal(faces.ravel()[kept], np.arange(len(points))):
            # Every point has one value, whichever face it is a corner of.
            values, indices = values.reshape(-1, width)[kept], None
        else:
            values = values.reshape(-1, width)[first]
    array = (Vt.Vec2fArray if width == 2 else Vt.Vec3fArray).FromNumpy(np.ascontiguousarray(values))
    interpolation = UsdGeom.Tokens.vertex if indices is None else UsdGeom.Tokens.faceVarying
    if name == "normals" and indices is None:
        mesh.CreateNormalsAttr(array)
        mesh.SetNormalsInterpolation(interpolation)
        return
    primvar = UsdGeom.PrimvarsAPI(mesh.GetPrim()).CreatePrimvar(name, kind, interpolation)
    primvar.Set(array)
    if indices is not None:
        primvar.SetIndices(Vt.IntArray.FromNumpy(indices.astype(np.int32)))
