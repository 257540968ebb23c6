import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.inertia import mesh_mass
from usdsim.math.meshes.hull import convex_hull

POINT = st.tuples(*[st.floats(-1, 1)] * 3)


def worst_height(points, corners, faces):
    """How far points stand above faces, relative to the extent.

    A small displacement turns a thin triangle far, so heights are weighted with its width.
    """
    extent = np.ptp(points, axis=0).max()
    a, b, c = (corners[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    longest = np.max([np.linalg.norm(e, axis=1) for e in (b - a, c - b, a - c)], axis=0)
    # Twice the area over the longest side is the width; the normal's length cancels.
    heights = np.asarray(points) @ normals.T - np.einsum("ij,ij->i", normals, a)
    assert areas.max() > 0.0
    return (heights / longest).max() / extent**2


def check(points, corners, faces, tolerance=1e-5):
    """A hull is closed, of one piece, made of the given points, and around all of them."""
    edges = {}
    for face in faces.tolist():
        for start, end in zip(face, face[1:] + face[:1], strict=True):
            assert (start, end) not in edges
            edges[start, end] = True
    assert all((end, start) in edges for start, end in edges)
    assert len(corners) - len(edges) // 2 + len(faces) == 2
    assert {tuple(corner) for corner in corners} <= {tuple(point) for point in points}
    assert mesh_mass(1.0, corners, faces).mass >= 0.0
    assert worst_height(points, corners, faces) < tolerance
    # No point reaches further than the corners, whichever way one looks.
    directions = np.random.default_rng(0).normal(size=(500, 3))
    directions /= np.ptp(points, axis=0)
    reach = (np.asarray(points) @ directions.T).max(axis=0)
    size = np.ptp(np.asarray(points) @ directions.T, axis=0)
    assert ((reach - (corners @ directions.T).max(axis=0)) <= tolerance * size).all()


def test_corners_of_a_filled_box():
    axis = np.linspace(-1, 1, 9)
    points = np.stack(np.meshgrid(axis, 2 * axis, 3 * axis), -1).reshape(-1, 3)
    corners, faces = convex_hull(points)
    assert len(corners) == 8 and len(faces) == 12 and faces.dtype == np.int32
    check(points, corners, faces)
    assert mesh_mass(1.0, corners, faces).mass == pytest.approx(48.0)


@pytest.mark.parametrize("shape", ["gauss", "ball", "sphere", "cylinder", "needle", "pancake"])
def test_clouds(shape):
    rng = np.random.default_rng(5)
    points = rng.normal(size=(600, 3))
    if shape in ("ball", "sphere"):
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        points *= rng.uniform(0, 1, (600, 1)) ** (1 / 3) if shape == "ball" else 1.0
    elif shape == "cylinder":
        angle = np.linspace(0, 2 * np.pi, 300, endpoint=False)
        ring = np.stack([np.cos(angle), np.sin(angle)], -1)
        points = np.vstack([np.column_stack([ring, np.full(300, z)]) for z in (-1, 1)])
    elif shape == "needle":
        points *= [1e3, 1e-2, 1e-2]
    elif shape == "pancake":
        points *= [1.0, 1.0, 1e-4]
    points += [10.0, -20.0, 30.0]
    corners, faces = convex_hull(points)
    check(points, corners, faces)
    if shape == "cylinder":
        assert len(corners) == 600
        assert mesh_mass(1.0, corners, faces).mass == pytest.approx(2 * np.pi, rel=1e-3)
    if shape == "sphere":
        assert len(corners) == 600


def test_volume_agrees_with_sampling():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(30, 3))
    corners, faces = convex_hull(points)
    a, b, c = (corners[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    low, high = points.min(axis=0), points.max(axis=0)
    samples = rng.uniform(low, high, size=(50000, 3))
    inside = (samples @ normals.T <= np.einsum("ij,ij->i", normals, a)).all(axis=1).mean()
    volume = mesh_mass(1.0, corners, faces).mass
    assert volume == pytest.approx(inside * np.prod(high - low), rel=0.03)


def test_single_precision_noise_on_flat_sides():
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, size=(3000, 3))
    side = rng.integers(0, 3, 3000)
    points[np.arange(3000), side] = np.sign(points[np.arange(3000), side])
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).T.reshape(-1, 3)
    cloud = np.vstack([points, corners]) @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    cloud = cloud.astype(np.float32).astype(np.float64)
    hull, faces = convex_hull(cloud)
    check(cloud, hull, faces)
    assert mesh_mass(1.0, hull, faces).mass == pytest.approx(8.0, rel=1e-6)


@given(st.lists(POINT, min_size=4, max_size=30))
@settings(max_examples=60)
def test_any_cloud_has_a_hull_or_is_flat(points):
    cloud = np.array(points)
    try:
        corners, faces = convex_hull(cloud)
    except InvalidValueError:
        centred = cloud - cloud.mean(axis=0)
        assert np.linalg.svd(centred, compute_uv=False)[2] < 1e-8
        return
    check(cloud, corners, faces)


@pytest.mark.parametrize("noise", [1e-12, 1e-10, 1e-9, 1e-8, 1e-6])
def test_layers_that_are_almost_flat(noise):
    """Where rounding decides which side a point is on, a surface can fold over itself."""
    rng = np.random.default_rng(11)
    for size in rng.integers(10, 60, 20):
        cloud = rng.normal(size=(size, 3))
        cloud[:, 2] = cloud[:, 2] * noise + (cloud[:, 0] > 0)
        corners, faces = convex_hull(cloud)
        check(cloud, corners, faces)


def test_hull_does_not_depend_on_order():
    points = np.random.default_rng(4).normal(size=(50, 3))
    first, _ = convex_hull(points)
    second, _ = convex_hull(points[::-1])
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((0, 3)),
        np.zeros((10, 3)),
        np.eye(3),
        np.array([[x, y, 1.0] for x in range(3) for y in range(3)]),
        np.array([[float(i), 2.0 * i, 3.0 * i] for i in range(9)]),
    ],
)
def test_flat_clouds_are_refused(points):
    with pytest.raises(InvalidValueError, match="plane"):
        convex_hull(points)


def test_wrong_arrays_are_named():
    with pytest.raises(ShapeError, match=r"\(n, 3\)"):
        convex_hull(np.zeros((4, 2)))
    with pytest.raises(InvalidValueError, match="NaN"):
        convex_hull(np.full((4, 3), np.nan))
