"""Rays at shapes that stand still, cast at one surface, are those of MuJoCo in every world."""

import mujoco
import numpy as np
import pytest

from usdsim.converters import convert
from usdsim.engine import CpuEngine, compile_scene
from usdsim.math.rotations import quat_from_axis_angle
from usdsim.parser import parse_stage
from usdsim.sensors.rays.arrays import RayArrays
from usdsim.sensors.rays.host import HostRays
from usdsim.sensors.rays.scene import RayScene
from usdsim.sensors.rays.static_rays import StaticRays
from usdsim.sensors.rays.surface import has_surface

MJCF = """
<mujoco>
  <asset>
    <hfield name="h" nrow="6" ncol="9" size="2 1.5 0.6 0.2" elevation="{heights}"/>
    <mesh name="m" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
  </asset>
  <worldbody>
    <geom name="ground" type="plane" size="{plane}" pos="0 0 -0.5" euler="3 5 0"/>
    <geom name="crate" type="box" size="0.4 0.3 0.5" pos="3 0 0" euler="10 20 30"/>
    <body name="fixed" pos="-3 1 0" euler="0 0 40">
      <geom name="field" type="hfield" hfield="h" pos="0 0 0.1"/>
      <geom name="rock" type="mesh" mesh="m" pos="0 3 0.4" euler="40 0 10"/>
    </body>
    <body name="arm" pos="0 -6 0"><geom name="base" type="box" size="0.1 0.1 0.1"/></body>
    <body name="ball" pos="0 0 2"><freejoint/><geom name="ball" size="0.1"/></body>
  </worldbody>
</mujoco>
"""
STILL = ("ground", "crate", "field", "rock")
WORLDS, RAYS = 3, 400


@pytest.fixture(params=["0 0 1", "4 3 1"], ids=["endless", "bounded"])
def engine(request, tmp_path):
    rng = np.random.default_rng(0)
    heights = " ".join(f"{h:.4f}" for h in rng.uniform(0.0, 1.0, 54))
    source, target = tmp_path / "ground.xml", tmp_path / "ground.usda"
    source.write_text(MJCF.format(heights=heights, plane=request.param))
    convert(source, target)
    return CpuEngine(compile_scene(parse_stage(target).scene), WORLDS)


def geoms(engine, names):
    paths = engine.compiled.names.paths("geom")
    found = [i for i, path in enumerate(paths) if path.split("/")[-1].partition(":")[0] in names]
    assert len(found) == len(names)
    return np.array(found, np.intp)


def rays(seed, origin=(0.0, 0.0, 3.0), spread=4.0):
    """Rays from above, steep and flat, shape (worlds, rays, 3)."""
    rng = np.random.default_rng(seed)
    start = rng.uniform(-spread, spread, (WORLDS, RAYS, 3)) * (1.0, 1.0, 0.1) + origin
    direction = rng.normal(size=start.shape) - (0.0, 0.0, 1.5)
    return start, direction / np.linalg.norm(direction, axis=-1, keepdims=True)


def ray_arrays(start, direction):
    arrays = RayArrays.zeros(start.shape[:2], "cpu")
    arrays.start.assign(start)
    arrays.direction.assign(direction)
    return arrays


def cast(engine, ids, start, direction, rows=None, farthest=1e6):
    """Distances and normals of the still caster, and those of rays in the worlds."""
    arrays = ray_arrays(start, direction)
    still = StaticRays(engine, ids, arrays, farthest, lambda: pytest.fail("in worlds"))
    still.run(rows)
    distance, hit, normal = RayScene(engine, ids).cast(start, direction, None)
    return [hits.numpy() for hits in arrays.hits], (distance, normal, hit)


def assert_same(ours, theirs):
    (distance, normal), (expected, outward, _) = ours, theirs
    np.testing.assert_allclose(distance, expected, rtol=2e-6, atol=2e-6)
    alike = np.abs(normal - outward).max(axis=-1) < 1e-5
    # On an edge, either of its faces may be the one that is hit.
    assert alike.mean() > 0.995


def test_rays_are_those_of_the_engine(engine):
    ours, theirs = cast(engine, geoms(engine, STILL), *rays(0))
    assert_same(ours, theirs)
    assert set(np.unique(theirs[2])) >= set(geoms(engine, STILL))


@pytest.mark.parametrize("name", STILL)
def test_rays_at_one_shape_are_those_of_the_engine(engine, name):
    ids = geoms(engine, [name])
    near = engine.world_data(0).geom_xpos[ids[0]] + np.array([0.0, 0.0, 1.5])
    ours, theirs = cast(engine, ids, *rays(1, near, 2.0))
    assert_same(ours, theirs)
    assert (theirs[0] >= 0.0).any()


def test_rays_without_an_end_or_a_start_end_nowhere(engine):
    start, direction = rays(2)
    direction[:, :10] = [0.0, 0.0, 1.0]
    start[:, 10:20] = np.nan
    (distance, normal), _ = cast(engine, geoms(engine, ["crate"]), np.nan_to_num(start), direction)
    assert (distance[:, :10] == -1.0).all() and (normal[:, :10] == 0.0).all()
    arrays = ray_arrays(start, direction)
    StaticRays(engine, geoms(engine, STILL), arrays, 1e6, lambda: None).run()
    assert (arrays.distance.numpy()[:, 10:20] == -1.0).all()


def test_some_instances_leave_the_others(engine):
    start, direction = rays(3)
    (distance, _), theirs = cast(
        engine, geoms(engine, STILL), start, direction, np.array([1], np.intp)
    )
    np.testing.assert_allclose(distance[1], theirs[0][1], rtol=2e-6, atol=2e-6)
    assert (distance[[0, 2]] == 0.0).all()


def test_what_moves_or_differs_between_worlds_is_left_to_the_worlds(engine):
    start, direction = rays(4)
    ids = geoms(engine, STILL)
    arrays = ray_arrays(start, direction)
    asked = []

    def in_worlds(which=ids):
        asked.append(which)
        return HostRays(RayScene(engine, which), 1, arrays)

    still = StaticRays(engine, ids, arrays, 1e6, in_worlds)

    def check():
        still.run()
        expected = RayScene(engine, ids).cast(start, direction, None)[0]
        np.testing.assert_allclose(arrays.distance.numpy(), expected, rtol=2e-6, atol=2e-6)

    check()
    crate = geoms(engine, ["crate"])
    engine.set_param("geom_pos", [[2.5, 0.2, 0.1]], ids=crate)
    check()
    arm = [i for i, path in enumerate(engine.compiled.names.paths("body")) if path.endswith("arm")]
    engine.set_param("body_pos", [[0.0, -7.0, 0.0]], env_ids=[1], ids=arm)
    check()
    assert not asked, "it moved in all worlds alike, and what differs between them is no target"
    engine.set_param("geom_size", [[0.8, 0.3, 0.5]], env_ids=[1], ids=crate)
    check()
    assert len(asked) == 1
    engine.set_param("geom_size", [[0.8, 0.3, 0.5]], ids=crate)
    check()
    turned = np.roll(quat_from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.3), 1)
    paths = engine.compiled.names.paths("body")
    fixed = [i for i, path in enumerate(paths) if path.endswith("fixed")]
    engine.set_param("body_quat", [turned], env_ids=[2], ids=fixed)
    check()
    assert len(asked) == 1
    ball = geoms(engine, ["ball"])
    moving = StaticRays(engine, ball, arrays, 1e6, lambda: in_worlds(ball))
    moving.run()
    assert len(asked) == 2
    assert not has_surface(engine.compiled.mj, ball)
    assert engine.compiled.mj.geom_type[ball[0]] == mujoco.mjtGeom.mjGEOM_SPHERE
