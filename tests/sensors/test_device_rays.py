"""Rays cast on a device hit what rays cast on the host do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from device_under_test import DEVICE

from usdsim.engine import CpuEngine, compile_scene
from usdsim.engine.create import create_engine
from usdsim.math.rotations import quat_from_axis_angle
from usdsim.math.transforms import Pose
from usdsim.parser.description import (
    APART,
    WORLD,
    BodyDescription,
    GeomDescription,
    HeightFieldDescription,
    MeshDescription,
    SceneDescription,
)
from usdsim.sensors.rays.arrays import RayArrays
from usdsim.sensors.rays.scene import RayScene, target_geoms

pytest.importorskip("mujoco_warp")
device_rays = pytest.importorskip("usdsim.sensors.rays.device")

WORLDS, RAYS = 2, 400
REACH = 30.0
BOUND = 2e-4
"""Of distances [m]: single precision, at some metres."""
TETRAHEDRON = np.array([[0, 0, 0], [0.8, 0, 0], [0, 0.7, 0], [0.1, 0.2, 0.6]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


def turned(pos, angle=0.6, axis=(0.3, 0.5, 0.8)):
    axis = np.array(axis) / np.linalg.norm(axis)
    return Pose(np.array(pos, float), quat_from_axis_angle(axis, angle))


def field():
    """A height field of rolling ground."""
    y, x = np.mgrid[0:9, 0:7]
    heights = 0.5 + 0.5 * np.sin(x) * np.cos(0.7 * y)
    return HeightFieldDescription(
        path="/hills", elevation=heights, size=np.array([1.5, 2.0, 0.6, 0.2])
    )


def shapes(still=0):
    """Every kind of shape on bodies and in the world, and a grid of boxes that stand still."""
    sizes = {
        "sphere": (0.3, 0, 0),
        "capsule": (0.2, 0.4, 0),
        "ellipsoid": (0.2, 0.4, 0.3),
        "cylinder": (0.3, 0.25, 0),
        "box": (0.2, 0.3, 0.4),
    }
    geoms, bodies = [], []
    for i, (kind, size) in enumerate(sizes.items()):
        at = Pose(np.array([1.2 * i - 2.4, 0.0, 1.0]))
        bodies.append(
            BodyDescription(
                path=f"/{kind}",
                mass=1.0,
                inertia=np.full(3, 0.02),
                rest_pose=at,
                initial_pose_w=at,
            )
        )
        size = np.array(size, float)
        geoms += [
            GeomDescription(
                path=f"/{kind}/g", body=i, kind=kind, size=size, pose=turned((0, 0, 0))
            ),
            GeomDescription(
                path=f"/still/{kind}", body=WORLD, kind=kind, size=size,
                pose=turned((1.2 * i - 2.4, 2.0, 0.5), 1.1),
            ),
        ]  # fmt: skip
    geoms += [
        GeomDescription(path="/ground", body=WORLD, kind="plane", size=np.zeros(3)),
        GeomDescription(
            path="/box/mesh", body=4, kind="mesh", mesh="/tetra", size=np.zeros(3),
            pose=turned((0.0, -0.8, 0.3)),
        ),
        GeomDescription(
            path="/still/mesh", body=WORLD, kind="mesh", mesh="/tetra", size=np.zeros(3),
            pose=turned((0.0, -2.0, 0.4), 2.0),
        ),
        GeomDescription(
            path="/still/hills", body=WORLD, kind="hfield", mesh="/hills", size=np.zeros(3),
            pose=turned((3.0, -2.0, 0.3), 0.2),
        ),
    ]  # fmt: skip
    geoms += [
        GeomDescription(
            path=f"/grid/b{i}", body=WORLD, kind="box", size=np.array([0.1, 0.12, 0.1 + 0.02 * i]),
            pose=turned((-3.0 + 0.4 * (i % 6), -3.0 + 0.5 * (i // 6), 0.1), 0.1 * i, (0, 0, 1)),
        )
        for i in range(still)
    ]  # fmt: skip
    tetra = MeshDescription(path="/tetra", points=TETRAHEDRON, faces=FACES)
    return compile_scene(
        SceneDescription(
            bodies=tuple(bodies),
            geoms=tuple(replace(geom, collides=False) for geom in geoms),
            meshes={"/tetra": tetra},
            height_fields={"/hills": field()},
        ),
        exact=True,
    )


def random_rays(seed=0):
    """From everywhere towards everywhere, from inside shapes too; shape (WORLDS, RAYS, 3)."""
    rng = np.random.default_rng(seed)
    starts = rng.uniform((-4, -4, 0.1), (4, 4, 3.0), (WORLDS, RAYS, 3))
    aims = rng.uniform((-3, -3, 0.0), (4, 3, 1.4), (WORLDS, RAYS, 3)) - starts
    return starts, aims / np.linalg.norm(aims, axis=-1, keepdims=True)


class Both:
    """Rays at the same shapes, cast by the host and by a device."""

    def __init__(self, compiled, paths):
        self.engines = (
            CpuEngine(compiled, WORLDS),
            create_engine(compiled, WORLDS, device=DEVICE),
        )
        self.host = RayScene(self.engines[0], target_geoms(self.engines[0], paths))
        self.arrays = RayArrays.zeros((WORLDS, RAYS), self.engines[1].device)
        geoms = target_geoms(self.engines[1], paths)
        assert device_rays.casts_on_device(self.engines[1], geoms)
        self.device = device_rays.DeviceRays(self.engines[1], geoms, 1, self.arrays, REACH)

    def compare(self, seed=0, least=0.3):
        """Distances found by the host, after a check that the device finds the same."""
        starts, directions = random_rays(seed)
        wanted, _, normals = self.host.cast(starts, directions, None)
        wanted = np.where(wanted > REACH, -1.0, wanted)
        self.arrays.start.assign(starts)
        self.arrays.direction.assign(directions)
        self.device.follow()
        self.device.run()
        found, outward = (array.numpy() for array in self.arrays.hits)
        # Rays that graze an edge hit or miss it by rounding.
        hit = wanted >= 0.0
        close = np.abs(found - wanted) < BOUND * np.maximum(1.0, wanted)
        assert close.mean() > 0.995 and hit.mean() > least
        alike = np.einsum("ijk,ijk->ij", normals, outward)[hit & close]
        assert np.mean(alike > 0.999) > 0.99
        return wanted


EVERY = ["/sphere", "/capsule", "/ellipsoid", "/cylinder", "/box", "/still", "/ground"]


@pytest.mark.parametrize("path", [*EVERY, "/still/mesh", "/still/hills", "/box/mesh"])
def test_each_kind_of_shape_is_hit_alike(path):
    Both(shapes(), [path]).compare(least=0.005)


@pytest.mark.parametrize("still", [0, 30])
def test_many_shapes_are_hit_alike_wherever_bodies_are(still):
    both = Both(shapes(still), [*EVERY, "/grid"] if still else EVERY)
    before = both.compare()
    for engine in both.engines:
        engine.write("qpos", [[1.0], [2.0]], ids=[2])
        engine.write("qpos", [0.6, 0.8], env_ids=[1], ids=[3, 4])
    after = both.compare()
    assert (np.abs(after - before) > 0.01).mean() > 0.005
    assert bool(both.device._hierarchy) == bool(still)


def test_parameters_that_move_and_resize_shapes_are_followed():
    both = Both(shapes(30), ["/sphere", "/still", "/grid"])
    both.compare()
    grid = both.device._hierarchy
    for engine in both.engines:
        engine.set_param("body_mass", 2.0, env_ids=[1])
    both.compare()
    assert both.device._hierarchy is grid
    index = both.engines[0].compiled.names.index("geom", "/grid/b3")
    for engine in both.engines:
        engine.set_param("geom_size", [0.3, 0.3, 1.5], ids=[index])
    both.compare()
    assert both.device._hierarchy is not grid
    for engine in both.engines:
        engine.set_param("geom_pos", [-2.0, 1.0, 0.7], env_ids=[1], ids=[index + 1])
        engine.set_param("geom_size", [0.5, 0.5, 0.5], env_ids=[0], ids=[0])
    values = both.compare()
    assert not np.array_equal(values[0], values[1])
    assert index + 1 in both.device._targets.geoms.numpy()


def test_shapes_that_a_world_does_not_have_are_missed():
    both = Both(shapes(), EVERY)
    every = both.compare()
    index = both.engines[0].compiled.names.index("geom", "/box/g")
    for engine in both.engines:
        engine.set_param("geom_margin", APART, env_ids=[1], ids=[index])
    found = both.compare()
    np.testing.assert_array_equal(found[0], every[0])
    assert (found[1] != every[1]).any()


def test_some_instances_only():
    both = Both(shapes(), EVERY)
    both.compare()
    starts, directions = random_rays(5)
    kept = both.arrays.distance.numpy()[0].copy()
    both.arrays.start.assign(starts)
    both.arrays.direction.assign(directions)
    both.device.run(np.array([1]))
    wanted, *_ = both.host.cast(starts, directions, None)
    wanted[wanted > REACH] = -1.0
    found = both.arrays.distance.numpy()
    assert np.array_equal(found[0], kept)
    assert np.mean(np.abs(found[1] - wanted[1]) < BOUND * 10.0) > 0.99
    both.device.run(np.zeros(0, np.intp))
    assert np.array_equal(found, both.arrays.distance.numpy())
