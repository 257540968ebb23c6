"""Operations on triangle meshes."""

from __future__ import annotations

import hashlib
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.cache import DiskCache
from usdsim.core.errors import InvalidValueError
from usdsim.core.extras import library
from usdsim.math.inertia import MassProperties, mesh_mass
from usdsim.math.mesh_files.raw_mesh import RawMaterial, RawMesh
from usdsim.math.mesh_files.reading import MESH_SUFFIXES, load_mesh
from usdsim.math.rotations import cross

from .bounds import bounds
from .hull import convex_hull
from .polygons import triangle_corners, triangulate
from .welding import weld
from .winding import is_wound_alike, turned

__all__ = [
    "MESH_SUFFIXES",
    "RawMaterial",
    "RawMesh",
    "bounding_box",
    "bounding_sphere",
    "convex_hull",
    "decompose",
    "have_area",
    "is_flat",
    "least_hull_volume",
    "load_mesh",
    "simplify",
    "triangle_corners",
    "triangulate",
    "upside_down",
    "volume_properties",
    "with_area",
]

Array = NDArray[np.float64]
Faces = NDArray[np.int32]

# The search takes time with the triangles: that of the package's own settings takes minutes for
# the link of a robot, and finds as many parts.
_SEARCH = {
    "preprocess_resolution": 30,
    "mcts_iterations": 60,
    "mcts_nodes": 10,
    "mcts_max_depth": 2,
}
_CACHE = DiskCache("decomposition")
_SEARCHED = 20000
"""Triangles up to which a closed mesh is searched as it is."""


def volume_properties(
    points: ArrayLike, faces: ArrayLike, density: float = 1.0, *, hull: bool = False
) -> MassProperties:
    """Mass properties of what a mesh encloses, or of its convex hull, at a density [kg/m^3].

    Winding is put right first; a mesh that encloses nothing even then counts as its hull.
    """
    if not hull:
        first, place = weld(np.asarray(points, np.float64))
        triangles = first[place][np.asarray(faces, np.int64)]
        turn = turned(triangles)[:, None]
        triangles = np.where(turn, triangles[:, ::-1], triangles)
        hull = not is_wound_alike(triangles)
    points, faces = convex_hull(points) if hull else (points, triangles)
    return mesh_mass(density, points, faces)


def bounding_box(points: ArrayLike) -> tuple[Array, Array]:
    """Centre and half extents of the axis-aligned box around points [m], shapes (3,)."""
    cloud = np.asarray(points, dtype=np.float64)
    low, high = bounds(cloud)
    return 0.5 * (low + high), 0.5 * (high - low)


def is_flat(points: ArrayLike) -> bool:
    """Whether all points of a mesh lie in a plane, to a millionth of its extent."""
    found = np.asarray(points, dtype=np.float64)
    if len(found) < 4:
        return True
    centred = found - found.mean(axis=0)
    extent = float(np.abs(centred).max())
    return bool(np.linalg.svd(centred, compute_uv=False)[-1] <= 1e-6 * extent)


def least_hull_volume(points: ArrayLike) -> float:
    """Volume that the convex hull of points has at least [m^3].

    Of all solids in which points may scatter as these do, a simplex with as many of them at each
    corner is the smallest: 8/3 of the product of their standard deviations along principal axes.
    """
    found = np.asarray(points, dtype=np.float64)
    if len(found) < 4:
        return 0.0
    spread = np.linalg.svd(found - found.mean(axis=0), compute_uv=False) / np.sqrt(len(found))
    return float(8.0 / 3.0 * spread.prod())


def bounding_sphere(points: ArrayLike) -> tuple[Array, float]:
    """Centre (3,) and radius of the smallest sphere around points [m]."""
    cloud = np.asarray(points, dtype=np.float64)
    cloud = cloud[weld(cloud)[0]]
    support = cloud[:1]
    centre, radius = cloud[0], 0.0
    # The radius grows strictly and supports are finite, so this ends at the smallest sphere.
    for _ in range(10 * len(cloud)):
        distance = np.linalg.norm(cloud - centre, axis=1)
        farthest = int(distance.argmax())
        if distance[farthest] <= radius * (1.0 + 1e-12) + 1e-300:
            break
        support = np.vstack([support, cloud[farthest]])
        support, centre, radius = _smallest_sphere(support)
    return centre, float(np.linalg.norm(cloud - centre, axis=1).max())


def _smallest_sphere(points: Array) -> tuple[Array, Array, float]:
    """Support, centre and radius of the smallest sphere around at most five points."""
    best: tuple[Array, Array, float] | None = None
    for size in range(2, min(len(points), 4) + 1):
        for chosen in combinations(range(len(points)), size):
            support = points[list(chosen)]
            edges = support[1:] - support[0]
            weights, *_ = np.linalg.lstsq(
                edges @ edges.T, 0.5 * np.einsum("ij,ij->i", edges, edges), rcond=None
            )
            centre = support[0] + weights @ edges
            radius = float(np.linalg.norm(support - centre, axis=1).max())
            reach = np.linalg.norm(points - centre, axis=1).max()
            if reach <= radius * (1.0 + 1e-10) and (best is None or radius < best[2]):
                best = support, centre, radius
    return best if best is not None else (points[:4], points.mean(axis=0), 0.0)


def have_area(points: ArrayLike, faces: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Non-degenerate triangles: which span an area in single precision, as USD stores points.

    Args:
        points: vertices, shape (n, 3).
        faces: corner indices, shape (m, 3).

    Returns:
        Shape (m,); all of them where none spans any.
    """
    corners = np.asarray(points, np.float32)
    a, b, c = (corners.take(faces[:, i], axis=0) for i in range(3))
    # Column by column: NumPy takes ten times as long along a short last axis.
    x, y, z = (cross(b - a, c - a) != 0.0).T
    spans = np.asarray(x | y | z)
    return spans if spans.any() else np.ones(len(faces), np.bool_)


def with_area(points: ArrayLike, faces: NDArray[np.int32]) -> NDArray[np.int32]:
    """Non-degenerate triangles, corner indices of shape (k, 3); see `have_area`."""
    kept = have_area(points, faces)
    return faces if kept.all() else faces[kept]


def upside_down(coordinates: ArrayLike) -> NDArray[np.float32]:
    """Texture coordinates with v from the other edge of a picture, shape (n, 2).

    USD counts from the lower edge, the engine from the upper one.
    """
    turned = np.array(coordinates, np.float32)
    turned[:, 1] = np.float32(1.0) - turned[:, 1]
    return turned


def simplify(points: ArrayLike, faces: ArrayLike, max_faces: int) -> tuple[Array, Faces]:
    """A coarser mesh, by joining points that fall into one cell of a grid.

    Args:
        points: [m], shape (n, 3).
        faces: shape (m, 3).
        max_faces: how many triangles may stay; the finest grid that respects it is used.

    Returns:
        Points and triangles.

    Raises:
        InvalidValueError: `max_faces` is below four.
    """
    if max_faces < 4:
        raise InvalidValueError("max_faces", max_faces, "four or more")
    cloud = np.asarray(points, dtype=np.float64)
    triangles = np.asarray(faces, dtype=np.int32)
    if len(triangles) <= max_faces:
        return cloud, triangles
    low, high = 1, 1 << 12
    best = _cluster(cloud, triangles, low)
    while high - low > 1:
        cells = (low + high) // 2
        coarse = _cluster(cloud, triangles, cells)
        if len(coarse[1]) <= max_faces:
            low, best = cells, coarse
        else:
            high = cells
    return best


def _cluster(points: Array, faces: Faces, cells: int) -> tuple[Array, Faces]:
    low, high = bounds(points)
    size = float((high - low).max()) / cells or 1.0
    grid = np.floor((points - low) / size).astype(np.int64)
    _, owner = weld(grid)
    count = np.bincount(owner)
    joined = np.stack([np.bincount(owner, points[:, i]) / count for i in range(3)], axis=1)
    merged = owner[faces].astype(np.int32)
    a, b, c = merged.T
    merged = merged[(a != b) & (b != c) & (c != a)]
    # Rotated copies of one triangle are the same triangle.
    start = merged.argmin(axis=1)
    rolled = np.take_along_axis(merged, (start[:, None] + np.arange(3)) % 3, axis=1)
    merged = rolled[weld(rolled)[0]]
    used, renumbered = np.unique(merged, return_inverse=True)
    return joined[used], renumbered.reshape(merged.shape).astype(np.int32)


def decompose(
    points: ArrayLike, faces: ArrayLike, *, max_hulls: int = 32, threshold: float = 0.05
) -> list[tuple[Array, Faces]]:
    """Approximate a mesh by convex parts.

    Meshes that are not closed, or have more than 20000 triangles, are decomposed as the surface of
    their cells in a grid of 30 along the longest side. The result is kept on disk; see
    `usdsim.core.cache`.

    Args:
        points: [m], shape (n, 3).
        faces: shape (m, 3).
        max_hulls: how many parts at most.
        threshold: concavity a part may keep, relative to the mesh.

    Returns:
        Points and triangles of each part.

    Raises:
        UnsupportedError: the optional package ``coacd`` is not installed.
    """
    coacd = library("coacd", "Convex decomposition", "use the convexHull approximation")
    corners, triangles = np.asarray(points, np.float64), np.asarray(faces, np.int32)
    remesh = "on" if len(triangles) > _SEARCHED else "auto"
    options = {"threshold": threshold, "max_convex_hull": max_hulls, "preprocess_mode": remesh}
    options |= _SEARCH
    digest = hashlib.sha256(corners.tobytes() + triangles.tobytes()).hexdigest()
    key = (digest, sorted(options.items()))
    kept = _CACHE.load(key)
    if kept is None:
        coacd.set_log_level("error")
        parts = coacd.run_coacd(coacd.Mesh(corners, triangles), **options)
        kept = [(np.asarray(p, np.float64), np.asarray(f, np.int32)) for p, f in parts]
        _CACHE.store(key, kept, {})
    return kept
