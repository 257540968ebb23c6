import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.inertia import (
    MassProperties,
    box_mass,
    capsule_mass,
    combine,
    cone_mass,
    cylinder_mass,
    ellipsoid_mass,
    is_physical,
    mesh_mass,
    principal,
    shape_mass_properties,
    sphere_mass,
    surface_mass,
)
from usdsim.math.rotations import quat_normalize, quat_to_matrix
from usdsim.math.transforms import Pose

RNG = np.random.default_rng(7)
LENGTH = st.floats(0.01, 10)
MOMENTS = st.tuples(*[st.floats(1e-3, 1e3)] * 3).map(np.array)
QUAT = (
    st.tuples(*[st.floats(-1, 1)] * 4)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: quat_normalize(np.array(q)))
)

INSIDE = {
    "sphere": lambda p, s: np.linalg.norm(p, axis=1) <= s[0],
    "box": lambda p, s: (np.abs(p) <= s).all(axis=1),
    "ellipsoid": lambda p, s: np.linalg.norm(p / s, axis=1) <= 1,
    "cylinder": lambda p, s: (np.hypot(p[:, 0], p[:, 1]) <= s[0]) & (np.abs(p[:, 2]) <= s[1]),
    "capsule": lambda p, s: (
        np.hypot(np.hypot(p[:, 0], p[:, 1]), np.maximum(np.abs(p[:, 2]) - s[1], 0)) <= s[0]
    ),
    "cone": lambda p, s: (
        (np.hypot(p[:, 0], p[:, 1]) <= s[0] * (s[1] - p[:, 2]) / (2 * s[1]))
        & (np.abs(p[:, 2]) <= s[1])
    ),
}


@pytest.mark.parametrize("kind", sorted(INSIDE))
def test_solids_agree_with_summed_cells(kind):
    """An integral over small cells knows nothing of the closed forms."""
    size = np.array([0.75, 0.5, 1.0])  # whole numbers of cells
    reach = 1.25
    cells = 120
    axis = (np.arange(cells) + 0.5) / cells * 2 * reach - reach
    points = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    points = points[INSIDE[kind](points, size)]
    mass = 1000.0 * len(points) * (2 * reach / cells) ** 3
    com = points.mean(axis=0)
    moved = points - com
    second = moved.T @ moved * (mass / len(points))
    inertia = np.trace(second) * np.eye(3) - second
    got = shape_mass_properties(kind, size, 1000.0)
    assert got.mass == pytest.approx(mass, rel=5e-3)
    np.testing.assert_allclose(got.com, com, atol=3e-3)
    np.testing.assert_allclose(got.inertia, inertia, atol=1e-2 * np.trace(inertia))


def test_textbook_values():
    ball = sphere_mass(1.0, 2.0)
    assert ball.mass == pytest.approx(4 / 3 * np.pi * 8)
    np.testing.assert_allclose(ball.inertia, 0.4 * ball.mass * 4 * np.eye(3), rtol=1e-15)
    box = box_mass(2.0, [0.5, 1.0, 1.5])
    assert box.mass == pytest.approx(2.0 * 1 * 2 * 3)
    np.testing.assert_allclose(np.diag(box.inertia), box.mass / 12 * np.array([13, 10, 5]))
    rod = cylinder_mass(1.0, 0.5, 1.0)
    np.testing.assert_allclose(
        np.diag(rod.inertia), rod.mass * np.array([(0.75 + 4) / 12, (0.75 + 4) / 12, 0.125])
    )
    cone = cone_mass(1.0, 1.0, 0.5)
    assert cone.mass == pytest.approx(np.pi / 3)
    np.testing.assert_allclose(cone.com, [0, 0, -0.25])
    np.testing.assert_allclose(
        np.diag(cone.inertia), cone.mass * np.array([0.1875, 0.1875, 0.3]), rtol=1e-14
    )
    np.testing.assert_allclose(
        capsule_mass(3.0, 0.4, 0.0).inertia, sphere_mass(3.0, 0.4).inertia, rtol=1e-14
    )
    np.testing.assert_allclose(
        ellipsoid_mass(3.0, [0.4, 0.4, 0.4]).inertia, sphere_mass(3.0, 0.4).inertia, rtol=1e-14
    )


def trimesh_solid(name):
    import trimesh

    make = trimesh.creation
    return {
        "box": lambda: make.box((1, 2, 3)),
        "ball": lambda: make.icosphere(3, 0.7),
        "torus": lambda: make.torus(1.0, 0.3),
        "capsule": lambda: make.capsule(1.0, 0.3),
        "annulus": lambda: make.annulus(0.2, 0.5, 1.0),
    }[name]()


@pytest.mark.parametrize("name", ["box", "ball", "torus", "capsule", "annulus"])
def test_meshes_agree_with_trimesh(name):
    mesh = trimesh_solid(name)
    points = mesh.vertices @ quat_to_matrix(quat_normalize(np.array([0.1, 0.5, 0.2, 0.7]))).T
    points = points + np.array([3.0, -2.0, 5.0])
    mesh = type(mesh)(points, mesh.faces, process=False)
    got = mesh_mass(700.0, points, mesh.faces)
    assert got.mass == pytest.approx(700.0 * mesh.volume, rel=1e-9)
    np.testing.assert_allclose(got.com, mesh.center_mass, atol=1e-9)
    np.testing.assert_allclose(
        got.inertia, 700.0 * mesh.moment_inertia, atol=1e-8 * np.trace(got.inertia)
    )


def test_box_mesh_is_exact_far_from_the_origin():
    mesh = trimesh_solid("box")
    got = mesh_mass(2.0, mesh.vertices + 1e6, mesh.faces)
    exact = box_mass(2.0, [0.5, 1.0, 1.5])
    np.testing.assert_allclose(got.inertia, exact.inertia, atol=1e-8)
    np.testing.assert_allclose(got.com, [1e6] * 3, rtol=1e-14)
    inside_out = mesh_mass(2.0, mesh.vertices, mesh.faces[:, ::-1])
    np.testing.assert_allclose(inside_out.inertia, exact.inertia, rtol=1e-12, atol=1e-13)
    assert inside_out.mass == pytest.approx(exact.mass)


def test_meshes_without_volume_have_no_mass():
    square = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1.0]])
    flat = mesh_mass(1000.0, square, [[0, 1, 2], [0, 2, 3]])
    assert flat.mass == 0.0 and not flat.inertia.any()
    np.testing.assert_allclose(flat.com, [0.5, 0.5, 1.0])
    assert mesh_mass(1.0, square, []).mass == 0.0
    assert mesh_mass(1.0, np.zeros((3, 3)), [[0, 1, 2]]).mass == 0.0


def test_open_meshes_agree_with_the_engine():
    import mujoco

    mesh = trimesh_solid("box")
    points, faces = mesh.vertices + 0.25, mesh.faces[2:]
    spec = mujoco.MjSpec()
    asset = spec.add_mesh(name="m", uservert=points.ravel(), userface=faces.ravel())
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT
    body = spec.worldbody.add_body()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="m", density=100.0)
    model = spec.compile()
    got = mesh_mass(100.0, points, faces)
    assert got.mass == pytest.approx(model.body_mass[1], rel=1e-5)
    np.testing.assert_allclose(got.com, model.body_ipos[1], atol=1e-5)
    np.testing.assert_allclose(
        np.sort(principal(got.inertia)[0]), np.sort(model.body_inertia[1]), rtol=1e-5
    )


def test_a_shell_weighs_like_its_triangles():
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=5, radius=2.0)
    shell = surface_mass(3.0, mesh.vertices + 5.0, mesh.faces)
    # Of a thin sphere: m = 4 pi r^2 rho, I = 2/3 m r^2.
    mass = 4.0 * np.pi * 4.0 * 3.0
    assert shell.mass == pytest.approx(mass, rel=2e-3)
    np.testing.assert_allclose(shell.com, 5.0, atol=1e-9)
    expected = 2.0 / 3.0 * mass * 4.0 * np.eye(3)
    np.testing.assert_allclose(shell.inertia, expected, rtol=3e-3, atol=1e-6)
    plate = surface_mass(1.0, [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    np.testing.assert_allclose(plate.inertia, np.diag([2 / 12, 8 / 12, 10 / 12]), atol=1e-12)
    assert surface_mass(1.0, np.zeros((3, 3)), [[0, 1, 2]]).mass == 0.0


def test_unsigned_meshes_weigh_the_same_whichever_way_they_face():
    import trimesh

    box = trimesh.creation.box((1.0, 2.0, 3.0))
    faces = np.array(box.faces)
    faces[::2] = faces[::2, ::-1]
    mixed = mesh_mass(1.0, box.vertices, faces, signed=False)
    assert mixed.mass == pytest.approx(6.0)
    np.testing.assert_allclose(mixed.inertia, mesh_mass(1.0, box.vertices, box.faces).inertia)


def test_broken_meshes_are_named():
    square = np.zeros((4, 3))
    with pytest.raises(ShapeError, match="points"):
        mesh_mass(1.0, np.zeros((4, 2)), [[0, 1, 2]])
    with pytest.raises(ShapeError, match="Triangulate"):
        mesh_mass(1.0, square, [[0, 1, 2, 3]])
    for bad in ([[0, 1, 4]], [[0, 1, -1]]):
        with pytest.raises(InvalidValueError, match="0 to 3"):
            mesh_mass(1.0, square, bad)


def test_dispatch_by_kind():
    mesh = trimesh_solid("box")
    got = shape_mass_properties("mesh", np.zeros(3), 2.0, mesh.vertices, mesh.faces)
    assert got.mass == pytest.approx(12.0)
    assert shape_mass_properties("plane", np.ones(3), 1.0).mass == 0.0
    with pytest.raises(InvalidValueError, match="ellipsoid"):
        shape_mass_properties("torus", np.ones(3), 1.0)
    with pytest.raises(InvalidValueError, match="points"):
        shape_mass_properties("mesh", np.ones(3), 1.0)


@given(LENGTH, LENGTH, LENGTH)
def test_a_box_cut_in_two_is_a_box(a, b, c):
    whole = box_mass(500.0, [a, b, c])
    half = box_mass(500.0, [a / 2, b, c])
    both = combine([half.moved(Pose(np.array([side * a / 2, 0, 0]))) for side in (-1, 1)])
    assert both.mass == pytest.approx(whole.mass)
    np.testing.assert_allclose(both.com, 0, atol=1e-12)
    np.testing.assert_allclose(both.inertia, whole.inertia, atol=1e-10 * np.trace(whole.inertia))


@given(QUAT, st.tuples(*[st.floats(-5, 5)] * 3).map(np.array))
def test_moving_a_mesh_moves_its_mass(quat, shift):
    mesh = trimesh_solid("box")
    points = mesh.vertices + np.array([0.3, 0.1, -0.2])
    pose = Pose(shift, quat)
    there = mesh_mass(10.0, pose.apply(points), mesh.faces)
    moved = mesh_mass(10.0, points, mesh.faces).moved(pose)
    np.testing.assert_allclose(there.com, moved.com, atol=1e-12)
    np.testing.assert_allclose(there.inertia, moved.inertia, atol=1e-10)


def test_parallel_axes():
    part = sphere_mass(1.0, 0.5).moved(Pose(np.array([0.0, 0.0, 2.0])))
    about = part.about([0, 0, 0])
    np.testing.assert_allclose(
        np.diag(about) - np.diag(part.inertia), part.mass * np.array([4, 4, 0]), atol=1e-12
    )
    np.testing.assert_array_equal(part.about(part.com), part.inertia)


def test_nothing_combined_is_massless():
    assert combine([]).mass == 0.0
    assert combine([MassProperties(), MassProperties()]).mass == 0.0


def test_another_mass_for_the_same_shape():
    box = box_mass(2.0, [1, 2, 3])
    heavy = box.with_mass(5.0)
    np.testing.assert_allclose(heavy.inertia, box_mass(5.0 / 48.0, [1, 2, 3]).inertia)
    assert MassProperties().with_mass(3.0).mass == 3.0


@given(MOMENTS, QUAT)
def test_principal_axes_rebuild_the_tensor(moments, quat):
    rotation = quat_to_matrix(quat)
    tensor = rotation @ np.diag(moments) @ rotation.T
    found, axes = principal(tensor)
    turned = quat_to_matrix(axes)
    np.testing.assert_allclose(
        turned @ np.diag(found) @ turned.T, tensor, atol=4e-15 * moments.max()
    )
    np.testing.assert_allclose(np.sort(found), np.sort(moments), rtol=1e-9, atol=1e-14)
    assert np.linalg.det(turned) == pytest.approx(1.0)
    assert np.linalg.norm(axes) == pytest.approx(1.0, abs=1e-15)


@given(MOMENTS)
def test_diagonal_tensors_stay_digit_by_digit(moments):
    found, axes = principal(np.diag(moments))
    np.testing.assert_array_equal(found, moments)
    np.testing.assert_array_equal(axes, [0, 0, 0, 1])


def test_small_products_give_small_rotations():
    for moments in ([3.0, 1.0, 2.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]):
        tensor = np.diag(moments)
        tensor[0, 1] = tensor[1, 0] = 1e-3
        tensor[1, 2] = tensor[2, 1] = -1e-3
        found, axes = principal(tensor)
        assert np.linalg.norm(axes[:3]) < 2e-3 and axes[3] > 0.999
        np.testing.assert_allclose(found, moments, atol=1e-5)


def test_principal_of_nothing():
    assert np.isnan(principal(np.full((3, 3), np.nan))[0]).all()
    found, axes = principal(np.zeros((3, 3)))
    assert found.tolist() == [0, 0, 0] and axes.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("moments", "physical"),
    [
        ([1, 1, 1], True),
        ([1, 1, 2], True),
        ([1, 1, 2.0000001], True),
        ([1, 1, 2.001], False),
        ([3, 1, 1], False),
        ([0, 0, 0], True),
        ([0, 1, 1], True),
        ([0, 0, 1], False),
        ([-1e-9, 1, 1], False),
        ([np.nan, 1, 1], False),
        ([np.inf, np.inf, 1], False),
    ],
)
def test_moments_obey_the_triangle_inequality(moments, physical):
    assert is_physical(moments) is physical


@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=4, max_size=10))
def test_every_cloud_of_masses_is_physical(points):
    parts = [sphere_mass(1.0, 0.1).moved(Pose(np.array(point))) for point in points]
    assert is_physical(principal(combine(parts).inertia)[0])
