"""Scans of meshes, primitives and several shapes, against the functions they are made of."""

from __future__ import annotations

import numpy as np
import pytest

import usdsim
from usdsim.core.errors import ShapeError
from usdsim.math.rotations import quat_apply, quat_to_matrix
from usdsim.scene import SceneData, TerrainScanner, load_mjcf_str, load_model
from usdsim.usd import create_stage

SCENE = """
<mujoco>
  <asset>
    <hfield name="ramp" nrow="2" ncol="2" size="2 2 1 .1" elevation="0 1  0 1"/>
  </asset>
  <worldbody>
    <geom name="plane" type="plane" size="0 0 1" pos="0 0 .25" euler="0 -30 0"/>
    <geom name="ramp" type="hfield" hfield="ramp" pos="0 0 1"/>
    <geom name="step" type="box" size="1 1 .5" pos="5 0 0"/>
    <geom name="dome" size="1" pos="8 0 0"/>
    <body name="lift" mocap="true" pos="0 9 1">
      <geom name="deck" type="box" size="2 2 .1"/>
      <geom name="post" type="cylinder" size=".3 .5" pos="1 0 .5"/>
    </body>
    <body name="base" pos="0 0 6">
      <freejoint/><geom size=".1" mass="1"/><site name="eye" pos="0 0 1"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    return load_mjcf_str(SCENE)


def _at(model: usdsim.SceneModel, places, threads: int = 0) -> SceneData:
    data = SceneData(model, batch=(len(places),), threads=threads)
    model.floating_bases[0].set_translation(data, places)
    return data


def test_planes_and_their_normals(model):
    base, plane = model.get_link("base"), model.get_geom("plane")
    data = _at(model, [[0, 0, 6], [40, 3, 6]])
    offsets = np.array([[0.0, 0.0], [1, 0], [-1, 2]])
    slope = np.tan(np.radians(30))
    x = np.array([[0.0], [40.0]]) + offsets[:, 0]
    heights = TerrainScanner(plane, base, offsets, "world").scan(data)
    np.testing.assert_allclose(heights, 0.25 + slope * x, rtol=1e-6)
    normals = TerrainScanner(plane, base, offsets, "world", "normal").scan(data)
    assert normals.shape == (2, 3, 3) and normals.flags.writeable
    np.testing.assert_allclose(normals[..., 0], -0.5, atol=1e-6)
    np.testing.assert_allclose(normals[..., 2], np.cos(np.radians(30)), atol=1e-6)
    clear = TerrainScanner(plane, base, offsets, "world", "clearance").scan(data)
    np.testing.assert_allclose(clear, 6 - heights, atol=1e-5)


def test_points_beside_a_shape_have_no_height(model):
    base, dome = model.get_link("base"), model.get_geom("dome")
    data = _at(model, [[8, 0, 6]])
    offsets = [[0, 0], [0.6, 0], [0, -0.8], [1.5, 0]]
    heights = TerrainScanner(dome, base, offsets).scan(data)[0]
    np.testing.assert_allclose(heights, [1, 0.8, 0.6, np.nan], atol=1e-6)
    normals = TerrainScanner(dome, base, offsets, output="normal").scan(data)[0]
    np.testing.assert_allclose(normals[1], [0.6, 0, 0.8], atol=1e-6)
    assert np.isnan(normals[3]).all()


def test_several_shapes_and_nothing_else_count(model):
    site = model.get_site("eye")
    names = ("ramp", "step", "dome")
    terrain = [model.get_geom(name) for name in names]
    data = _at(model, [[0, 0, 6]])
    offsets = [[0, 0], [1, 0], [5, 0.5], [8, 0], [3.5, 0]]
    heights = TerrainScanner(terrain, site, offsets).scan(data)[0]
    np.testing.assert_allclose(heights, [1.5, 1.75, 0.5, 1, np.nan], atol=1e-6)
    # The plane is above the ramp here, but was not asked for.
    alone = TerrainScanner(terrain[:1], site, [[1.5, 0]]).scan(data)[0]
    np.testing.assert_allclose(alone, 1.875, atol=1e-6)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_terrain_may_move(model, threads):
    base, lift = model.get_link("base"), model.get_body("lift").mocap
    data = _at(model, [[0, 9, 6], [0, 9, 6], [0, 9, 6]], threads)
    half = np.radians(10)
    tilt = [np.sin(half), 0, 0, np.cos(half)]
    lift.set_pose(data, [[0, 9, 1, 0, 0, 0, 1], [0.5, 9, 2, 0, 0, 0, 1], [0, 9, 3, *tilt]])
    deck = [model.get_geom("deck"), model.get_geom("post")]
    scanner = TerrainScanner(deck, base, [[0, 0], [1, 0], [0, 1]])
    np.testing.assert_allclose(scanner.scan(data)[:2], [[1.1, 2, 1.1], [2.1, 2.1, 2.1]], atol=1e-5)
    across = 3 + 0.1 / np.cos(2 * half)
    np.testing.assert_allclose(
        scanner.scan(data)[2, [0, 2]], [across, across + np.tan(2 * half)], atol=1e-5
    )
    normal = TerrainScanner(deck, base, [[0, 0]], output="normal").scan(data)[2, 0]
    np.testing.assert_allclose(normal, quat_apply(np.array(tilt), [0, 0, 1.0]), atol=1e-6)
    for key in ([2, 0], slice(1, 3), 1):
        np.testing.assert_array_equal(scanner.scan(data[key]), scanner.scan(data)[key])


def test_normals_of_height_fields_match_rays(model):
    base, ramp = model.get_link("base"), model.get_geom("ramp")
    data = _at(model, [[0, 0, 6]])
    inside = [[0.3, 0.2], [-1, 1]]
    slope = 1 / 4
    expected = np.array([-slope, 0, 1]) / np.hypot(slope, 1)
    normals = TerrainScanner(ramp, base, inside, output="normal").scan(data)[0]
    np.testing.assert_allclose(normals, [expected] * 2, atol=1e-6)
    rays = TerrainScanner([ramp, model.get_geom("dome")], base, inside, output="normal")
    np.testing.assert_allclose(rays.scan(data)[0], normals, atol=1e-5)
    beyond = TerrainScanner(ramp, base, [[5, 0]], output="normal").scan(data)[0]
    np.testing.assert_allclose(beyond, [[0, 0, 1]], atol=1e-7)


def test_results_may_go_into_an_array(model):
    base, plane = model.get_link("base"), model.get_geom("plane")
    data = _at(model, [[0, 0, 6], [1, 0, 6]])
    for output, tail in (("height", ()), ("clearance", ()), ("normal", (3,))):
        scanner = TerrainScanner(plane, base, [[0, 0], [1, 1]], output=output)
        out = np.empty((2, 2, *tail), np.float32)
        assert scanner.scan(data, out=out) is out
        np.testing.assert_array_equal(out, scanner.scan(data))
        with pytest.raises(ShapeError, match="out of"):
            scanner.scan(data, out=np.empty((3, 2), np.float32))


# Meshes -----------------------------------------------------------------------------------------


def _hills(x, y):
    return 0.3 * np.sin(x) * np.cos(y)


@pytest.fixture(scope="module")
def hills() -> usdsim.SceneModel:
    """Triangles over a grid, twice as large as their points say and turned by 90 degrees."""
    stage, count = create_stage(), 25
    mesh = stage.DefinePrim("/Ground", "Mesh")
    xs = np.linspace(-1, 1, count)
    points = [(float(x), float(y), float(_hills(2 * x, 2 * y) / 2)) for y in xs for x in xs]
    corners = []
    for start in (row * count + column for row in range(count - 1) for column in range(count - 1)):
        far = start + count + 1
        corners += [start, start + 1, far, start, far, start + count]
    mesh.GetAttribute("points").Set(points)
    mesh.GetAttribute("faceVertexIndices").Set(corners)
    mesh.GetAttribute("faceVertexCounts").Set([3] * (len(corners) // 3))
    mesh.ApplyAPI("PhysicsCollisionAPI")
    mesh.ApplyAPI("PhysicsMeshCollisionAPI")
    for name, kind, value in (
        ("xformOp:rotateZ", "float", 90.0),
        ("xformOp:scale", "double3", (2.0, 2.0, 2.0)),
    ):
        _attribute(mesh, name, kind, value)
    _attribute(mesh, "xformOpOrder", "token[]", ["xformOp:rotateZ", "xformOp:scale"])
    ball = stage.DefinePrim("/Ball", "Sphere")
    for api in ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI"):
        ball.ApplyAPI(api)
    return load_model(stage)


def _attribute(prim, name: str, kind: str, value) -> None:
    from pxr import Sdf

    prim.CreateAttribute(name, Sdf.ValueTypeNames.Find(kind)).Set(value)


def test_meshes_of_many_parts(hills):
    ground = next(geom for geom in hills.geoms if geom.path.startswith("/Ground"))
    assert sum(geom.path.startswith("/Ground") for geom in hills.geoms) > 100
    ball = hills.get_link("Ball")
    rng = np.random.default_rng(2)
    places = rng.uniform(-0.4, 0.4, size=(6, 3)) + np.array([0, 0, 3])
    data = _at(hills, places)
    offsets = rng.uniform(-1.4, 1.4, size=(40, 2))
    heights = TerrainScanner(ground, ball, offsets, "world").scan(data)
    normals = TerrainScanner(ground, ball, offsets, "world", "normal").scan(data)
    where = places[:, None, :2] + offsets
    x, y = where[..., 1], -where[..., 0]
    np.testing.assert_allclose(heights, _hills(x, y), atol=2e-3)
    rise = np.stack([0.3 * np.sin(x) * np.sin(y), 0.3 * np.cos(x) * np.cos(y)], axis=-1)
    expected = np.concatenate([-rise, np.ones((*x.shape, 1))], axis=-1)
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    np.testing.assert_allclose(normals, expected, atol=5e-2)


@pytest.mark.parametrize("alignment", ["yaw", "base", "world"])
def test_alignment_turns_the_points(hills, alignment):
    ground = next(geom for geom in hills.geoms if geom.path.startswith("/Ground"))
    data = _at(hills, [[0.2, 0, 3], [0, 0.1, 3]])
    quat = np.array([0.2, -0.1, 0.6, 0.7])
    quat /= np.linalg.norm(quat)
    hills.floating_bases[0].set_rotation(data, quat)
    offsets = np.array([[0.5, 0], [0, 0.5], [-0.6, 0.3]])
    turn = np.eye(2)
    if alignment == "base":
        turn = quat_to_matrix(quat)[:2, :2]
    elif alignment == "yaw":
        ahead = quat_to_matrix(quat)[:2, 0]
        ahead /= np.linalg.norm(ahead)
        turn = np.array([[ahead[0], -ahead[1]], [ahead[1], ahead[0]]])
    where = np.array([[[0.2, 0]], [[0, 0.1]]]) + offsets @ turn.T
    heights = TerrainScanner(ground, hills.get_link("Ball"), offsets, alignment).scan(data)
    np.testing.assert_allclose(heights, _hills(where[..., 1], -where[..., 0]), atol=2e-3)
