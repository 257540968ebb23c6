"""Triangle meshes, from NumPy arrays without copies through Python lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import ShapeError
from usdsim.math.meshes.welding import weld
from usdsim.usd.drafts import LayerDraft, PrimDraft, fill, write

from .shapes import define_surface, emit_colour

__all__ = ["VARYING", "emit_mesh", "emit_varying", "set_approximation"]

VARYING = {"normals": ("normal3f[]", 3), "st": ("texCoord2f[]", 2)}
"""Type and width of what varies along a mesh, by primvar."""


def set_approximation(prim: PrimDraft, token: str) -> None:
    """Author how a mesh collides: ``convexHull``, ``none``, ``convexDecomposition`` and so on."""
    fill(prim, "PhysicsMeshCollisionAPI", {"physics:approximation": token})


def emit_mesh(
    layer: LayerDraft,
    path: str,
    points: ArrayLike,
    faces: ArrayLike,
    *,
    normals: ArrayLike | None = None,
    uvs: ArrayLike | None = None,
    rgba: ArrayLike | None = None,
) -> PrimDraft:
    """Define a triangle mesh.

    Args:
        layer: where to author.
        path: prim path.
        points: vertices [m], shape (n, 3).
        faces: triangle corner indices, shape (m, 3).
        normals: unit normals per point, shape (n, 3), or per corner of each face, shape (m, 3, 3).
        uvs: texture coordinates per point, shape (n, 2), or per corner, shape (m, 3, 2).
        rgba: display colour and opacity, shape (4,).

    Returns:
        The mesh prim, without subdivision.
    """
    vertices = np.ascontiguousarray(points, dtype=np.float32).reshape(-1, 3)
    corners = np.ascontiguousarray(faces, dtype=np.int32).reshape(-1, 3)
    if len(corners) and (corners.min() < 0 or corners.max() >= len(vertices)):
        raise ShapeError(f"faces of mesh {path}", corners.shape, f"indices below {len(vertices)}")
    mesh = define_surface(layer, path, vertices, corners)
    for name, given in (("normals", normals), ("st", uvs)):
        if given is not None:
            _write_varying(mesh, name, given, vertices, corners)
    if rgba is not None:
        emit_colour(mesh, rgba)
    return mesh


def _write_varying(
    mesh: PrimDraft,
    name: str,
    given: ArrayLike,
    points: NDArray[np.float32],
    faces: NDArray[np.int32],
) -> None:
    """Write what varies along a mesh: per point, or per corner where corners differ."""
    values = np.ascontiguousarray(given, dtype=np.float32)
    width = VARYING[name][1]
    per_point, per_corner = (len(points), width), (*faces.shape, width)
    if values.shape not in (per_point, per_corner):
        allowed = f"{per_point} (per point) or {per_corner} (per corner)"
        raise ShapeError(f"{name} of mesh {mesh.path}", values.shape, allowed)
    indices = None
    if values.shape == per_corner:
        first, indices = weld(values.reshape(-1, width))
        kept, _ = weld(np.column_stack([faces.ravel(), indices]))
        if np.array_equal(faces.ravel()[kept], np.arange(len(points))):
            # Every point has one value, whichever face it is a corner of.
            values, indices = values.reshape(-1, width)[kept], None
        else:
            values = values.reshape(-1, width)[first]
    emit_varying(mesh, name, values, indices)


def emit_varying(
    mesh: PrimDraft, name: str, values: NDArray[Any], indices: NDArray[Any] | None
) -> None:
    """Author what varies along a mesh.

    Args:
        mesh: the mesh.
        name: primvar, of `VARYING`.
        values: a value per point, or different ones, shape (n, width).
        indices: which of them each corner has, shape (3 m,); None: values are those of points.
    """
    interpolation = "vertex" if indices is None else "faceVarying"
    # Normals of points have an attribute of their own, which more tools read.
    plain = name == "normals" and indices is None
    kind, name = VARYING[name][0], name if plain else f"primvars:{name}"
    write(mesh, name, kind, values, metadata={"interpolation": interpolation})
    if indices is not None:
        write(mesh, f"{name}:indices", "int[]", indices)
