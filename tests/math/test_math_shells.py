import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.math.inertia import mesh_mass
from usdsim.math.meshes.grids import height_grid
from usdsim.math.meshes.hull import convex_hull
from usdsim.math.meshes.shells import convex_shell


def lattice(columns, rows, height, rising=False):
    """Points and faces over a grid of cells of 0.5 x 0.25, every triangle facing up."""
    x, y = np.meshgrid(0.5 * np.arange(columns), 0.25 * np.arange(rows))
    points = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    n = np.arange(columns * rows).reshape(rows, columns)
    a, b, c, d = (q.ravel() for q in (n[:-1, :-1], n[:-1, 1:], n[1:, 1:], n[1:, :-1]))
    cut = [(a, b, c), (a, c, d)] if rising else [(a, b, d), (b, c, d)]
    return points, np.concatenate([np.stack(corners, axis=1) for corners in cut])


def level(x, y):
    return np.zeros_like(x)


def waves(x, y):
    return 0.3 * np.sin(2 * x) * np.cos(3 * y)


def prism(outline, length=1.0):
    """Closed prism along y over an outline in x and z, anticlockwise, a fan from corner 0."""
    n = len(outline)
    points = np.array([(x, y, z) for y in (0.0, length) for x, z in outline])
    caps = [(0, i, i + 1) for i in range(1, n - 1)]
    faces = caps + [(i + n, k + n, j + n) for i, j, k in [(a, b, c) for a, b, c in caps]]
    for i in range(n):
        j = (i + 1) % n
        faces += [(j, i, i + n), (j, i + n, j + n)]
    return points, np.array(faces)


def depth_in(solid, at):
    """How far points are inside a convex solid, negative outside; faces may be any way round."""
    corners, faces = convex_hull(solid)
    a, b, c = (corners[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return (np.einsum("ij,ij->i", normals, a) - np.atleast_2d(at) @ normals.T).min(axis=1)


def deepest(solids, at):
    return np.max([depth_in(points, at) for points, _ in solids], axis=0)


def volume(solids):
    return sum(mesh_mass(1.0, points, faces).mass for points, faces in solids)


def sides(points, faces, step):
    """Points at the centroids of triangles, moved along the normals."""
    a, b, c = (points[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return (a + b + c) / 3 + step * normals


def test_a_plane_with_a_hole_is_four_slabs():
    points, faces = lattice(9, 9, level)
    centres = points[faces].mean(axis=1) - [2.0, 1.0, 0.0]
    faces = faces[(np.abs(centres) > [0.5, 0.25, -1]).any(axis=1) | (np.abs(centres[:, 0]) > 0.5)]
    faces = faces[(np.abs(points[faces].mean(axis=1) - [2, 1, 0]) > [0.5, 0.25, -1])[:, :2].any(1)]
    solids = convex_shell(points, faces, 0.1)
    assert len(solids) == 4
    assert volume(solids) == pytest.approx(0.1 * (4 * 2 - 1 * 0.5), rel=1e-5)
    assert deepest(solids, [(2.0, 1.0, -0.05)])[0] < -0.1


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(5, 60))
def test_joined_triangles_cover_what_the_triangles_cover(seed, count):
    points, faces = lattice(8, 8, level)
    faces = np.random.default_rng(seed).permutation(faces)[:count]
    solids = convex_shell(points, faces, 0.1)
    assert len(solids) <= count
    assert volume(solids) == pytest.approx(0.1 * 0.5 * 0.125 * count, rel=1e-4)
    assert sum(mesh_mass(1.0, *convex_hull(p)).mass for p, _ in solids) == pytest.approx(
        volume(solids), rel=1e-6
    )


def test_a_curved_surface_is_filled_behind_and_free_in_front():
    points, faces = lattice(12, 20, waves)
    solids = convex_shell(points, faces, 0.02)
    assert deepest(solids, sides(points, faces, -1e-3)).min() > 0.0
    assert deepest(solids, sides(points, faces, 1e-4)).max() < 0.0


WEDGE = [(0.0, 0.0), (3.0, 0.0), (3.0, 0.6)]
TROUGH = [(2.99, 0.02), (0.0, 0.02), (0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (2.99, 1.0)]


@pytest.mark.parametrize("thickness", [0.01, 0.5])
@pytest.mark.parametrize("outline", [WEDGE, TROUGH], ids=["wedge", "thin walls"])
def test_nothing_stands_out_of_a_closed_surface(outline, thickness):
    points, faces = prism(outline)
    if mesh_mass(1.0, points, faces).mass < 0.0:
        faces = faces[:, ::-1]
    solids = convex_shell(points, faces, thickness)
    assert deepest(solids, sides(points, faces, 1e-4)).max() < 0.0
    assert deepest(solids, sides(points, faces, -1e-4)).min() > 0.0
    # Corners of the backs are within the outline, which is a union of convex parts.
    inside = np.concatenate([solid for solid, _ in solids])
    hulls = [points] if outline is WEDGE else [
        np.array([(x, y, z) for x in xs for y in (0.0, 1.0) for z in zs])
        for xs, zs in (((0.0, 3.0), (0.0, 0.02)), ((2.99, 3.0), (0.0, 1.0)))
    ]  # fmt: skip
    assert np.max([depth_in(hull, inside) for hull in hulls], axis=0).min() > -1e-6


def test_slivers_and_soup():
    points, faces = lattice(5, 5, waves)
    soup = points[faces].reshape(-1, 3)
    faces = np.vstack([np.arange(len(soup)).reshape(-1, 3), [(0, 0, 1), (2, 1, 2)]])
    assert len(convex_shell(soup, faces, 0.01)) == 32
    assert convex_shell(soup, faces[-2:], 0.01) == []


def test_solids_enclose_what_engines_take():
    """Two triangles of a millimetre that lie back to back, beside a larger surface."""
    points, faces = lattice(3, 3, waves)
    corner = np.array([[5.0, 0, 0], [5.001, 0, 0], [5.0, 0.001, 0]])
    doubled = np.vstack([points, corner, corner - [0.0, 0.0, 1e-9]])
    first, back = (len(points) + np.array(order) for order in ((0, 1, 2), (3, 5, 4)))
    solids = convex_shell(doubled, np.vstack([faces, first, back]), 0.01)
    assert len(solids) == len(convex_shell(points, faces, 0.01))
    assert min(mesh_mass(1.0, *convex_hull(solid)).mass for solid, _ in solids) > 1e-15


@pytest.mark.parametrize("rising", [False, True], ids=["falling", "rising"])
@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_grids_are_found_along_any_axis(axis, sign, rising):
    points, faces = lattice(6, 4, waves, rising)
    # A rotation, so faces keep their side.
    turn = np.roll(np.eye(3), axis, axis=1) @ np.diag([1.0, sign, sign])
    points = points @ turn.T + [3.0, -2.0, 1.0]
    grid = height_grid(points.astype(np.float32), faces)
    rows, columns = grid.elevation.shape
    assert {rows, columns} == {4, 6} and grid.elevation.min() == 0.0
    half = grid.half_extents
    x, y = np.meshgrid(
        np.linspace(-half[0], half[0], columns), np.linspace(-half[1], half[1], rows)
    )
    nodes = grid.pose.apply(np.stack([x, y, grid.elevation], axis=-1).reshape(-1, 3))
    distance = np.linalg.norm(nodes[:, None] - points, axis=2)
    assert distance.min(axis=1).max() < 1e-5 and distance.min(axis=0).max() < 1e-5
    # Diagonals: the middle of (small x, large y) and (large x, small y) is on the surface.
    ends = nodes.reshape(rows, columns, 3)
    middles = 0.5 * (ends[1:, :-1] + ends[:-1, 1:]).reshape(-1, 3)
    edges = 0.5 * (points[faces] + points[np.roll(faces, 1, axis=1)]).reshape(-1, 3)
    assert np.linalg.norm(middles[:, None] - edges, axis=2).min(axis=1).max() < 1e-5


def test_other_meshes_are_no_grids():
    points, faces = lattice(6, 5, waves)
    assert height_grid(points, faces) is not None
    assert height_grid(points, faces[1:]) is None
    assert height_grid(points, faces[:, ::-1]) is not None, "seen from below"
    assert height_grid(points, np.vstack([faces[1:], faces[:1, ::-1]])) is None
    assert height_grid(points, np.vstack([faces[1:], faces[1:2]])) is None
    moved = points.copy()
    moved[7, 0] += 0.1
    assert height_grid(moved, faces) is None
    uneven = points * [1.0, 1.0, 1.0]
    uneven[:, 0] = uneven[:, 0] ** 2
    assert height_grid(uneven, faces) is None
    mixed = faces.copy()
    other = lattice(6, 5, waves, rising=True)[1]
    half = len(faces) // 2
    mixed[0], mixed[half] = other[0], other[half]
    assert height_grid(points, mixed) is None
    assert height_grid(points * [1, 1, 0], mixed) is not None, "flat cells may be cut either way"
