"""Friction and restitution of the shapes of assets, world by world."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import warp as wp
from articulation_stages import ANYWHERE, ROBOT, chain, environments
from asset_stages import G, cuboid
from device_under_test import assert_repeated
from pxr import Gf, UsdGeom, UsdPhysics

from usdsim.assets import (
    RigidObject,
    RigidObjectCfg,
    RigidObjectCollection,
    RigidObjectCollectionCfg,
)
from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.core.errors import InvalidValueError, ShapeError, StageError, UnsupportedError
from usdsim.schemas import CollisionBaseCfg, MassPropertiesCfg, RigidBodyBaseCfg
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.spawners import GroundPlaneCfg, RigidBodyMaterialCfg, SphereCfg

pytestmark = pytest.mark.usefixtures("device")

HALF, DT = 0.1, 0.002
Start = RigidObjectCfg.InitialStateCfg


def surface(friction=0.5, restitution=0.0, mode=None) -> RigidBodyMaterialCfg:
    return RigidBodyMaterialCfg(
        static_friction=friction,
        dynamic_friction=friction,
        restitution=restitution,
        friction_combine_mode=mode,
        restitution_combine_mode=mode,
    )


@pytest.fixture
def large(monkeypatch):
    """Treat every scene as one too large to have contact pairs for all its shapes."""
    monkeypatch.setattr("usdsim.engine.surfaces.varied.FEW_PAIRS", 0)


def floor(sim, material=None) -> None:
    cfg = GroundPlaneCfg(physics_material=material or surface())
    cfg.func("/World/floor", cfg, stage=sim.stage)


def box_cfg(name="Box", y=0.0, free=True, material=None, z=HALF) -> RigidObjectCfg:
    shape = cuboid(size=(2 * HALF,) * 3, physics_material=material or surface())
    return RigidObjectCfg(
        prim_path=f"{{ENV_REGEX_NS}}/{name}",
        spawn=shape,
        init_state=Start(pos=(0.0, y, z)),
        randomize_materials=free,
    )


def ball_cfg(material=None) -> RigidObjectCfg:
    shape = SphereCfg(
        radius=HALF,
        mass_props=MassPropertiesCfg(mass=1.0),
        rigid_props=RigidBodyBaseCfg(),
        collision_props=CollisionBaseCfg(),
        physics_material=material or surface(),
    )
    return RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Ball",
        spawn=shape,
        init_state=Start(pos=(0.0, 0.0, 1.0 + HALF)),
        randomize_materials=True,
    )


def tilted(angle: float) -> tuple[float, float, float]:
    """Gravity on a slope that descends along +y, in the slope's frame."""
    return (0.0, G * np.sin(angle), -G * np.cos(angle))


def slid(friction: float, angle: float, time: float) -> float:
    """Distance a box slides from rest down a slope [m]."""
    return 0.5 * G * max(0.0, np.sin(angle) - friction * np.cos(angle)) * time**2


# -- rigid objects ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "mixed"),
    [
        (None, lambda a, b: (a + b) / 2),
        ("min", min),
        ("multiply", lambda a, b: a * b),
        ("max", max),
    ],
)
def test_friction_decides_in_each_world_how_far_a_box_slides(make_sim, mode, mixed):
    angle, own, steps = np.radians(30), (0.1, 0.4, 1.2), 250
    sim = make_sim(gravity=tilted(angle), dt=DT)
    floor(sim, surface(0.8))
    box = RigidObject(box_cfg(material=surface(0.8, mode=mode)))
    sim.reset()
    box.set_material_properties([[[mu, mu, 0.0]] for mu in own])
    sim.step_n(steps)
    moved = box.data.root_link_pos_w.numpy()[:, 1]
    expected = [slid(mixed(mu, 0.8), angle, steps * DT) for mu in own]
    np.testing.assert_allclose(moved, expected, rtol=0.02, atol=2e-3)


def test_restitution_decides_in_each_world_how_high_a_ball_rebounds(make_sim):
    own = (0.4, 0.7, 1.0)
    sim = make_sim(dt=DT)
    floor(sim, surface(restitution=1.0))
    ball = RigidObject(ball_cfg(surface(mode="multiply")))
    sim.reset()
    ball.set_material_properties_index(materials=[[[0.5, 0.5, e]] for e in own])
    heights = []
    for _ in range(550):
        sim.step()
        heights.append(ball.data.root_link_pos_w.numpy()[:, 2] - HALF)
    fallen = int(np.sqrt(2.0 / G) / DT) + 20
    apex = np.max(heights[fallen:], axis=0)
    np.testing.assert_allclose(apex, np.square(own), atol=0.05)


def test_writes_are_read_back_and_defaults_stay(make_sim):
    sim = make_sim()
    floor(sim)
    box = RigidObject(box_cfg(material=surface(0.7, 0.25)))
    sim.reset()
    start = np.array([[[0.7, 0.7, 0.25]]] * 3, np.float32)
    data = box.data
    np.testing.assert_array_equal(data.material_properties.numpy(), start)
    assert (box.num_shapes, box.shape_names) == (data.num_shapes, data.shape_names)
    assert box.num_shapes == len(box.shape_names) == 1
    new = wp.array([[[0.9, 0.6, 0.1]]], dtype=wp.float32)
    box.set_material_properties(new, None, [1])
    expected = start.copy()
    expected[1] = [[0.9, 0.6, 0.1]]
    np.testing.assert_array_equal(data.material_properties.numpy(), expected)
    np.testing.assert_array_equal(data.default_material_properties.numpy(), start)
    box.set_material_properties_mask(
        materials=np.full((3, 1, 3), 0.3), env_mask=np.array([True, False, False])
    )
    expected[0] = 0.3
    np.testing.assert_array_equal(data.material_properties.numpy(), expected)
    box.set_material_properties(data.default_material_properties)
    np.testing.assert_array_equal(data.material_properties.numpy(), start)


def test_a_write_to_one_world_leaves_the_others_as_they_were(make_sim):
    def run(write: bool) -> np.ndarray:
        sim = make_sim(gravity=tilted(0.4))
        floor(sim)
        box = RigidObject(box_cfg())
        sim.reset()
        if write:
            box.set_material_properties([1.0, 0.05, 0.9], env_ids=[2])
        sim.step_n(150)
        poses = box.data.root_link_pose_w.numpy().copy()
        SimulationContext.clear_instance()
        return poses

    alone, written = run(False), run(True)
    assert_repeated(written[:2], alone[:2])
    assert np.abs(written[2] - alone[2]).max() > 0.01


def test_without_the_flag_materials_are_read_but_not_written(make_sim, large):
    sim = make_sim()
    floor(sim)
    box = RigidObject(box_cfg(free=False))
    sim.reset()
    assert sim.engine.compiled.mj.npair == 0
    before = box.data.material_properties.numpy().copy()
    np.testing.assert_allclose(before, [[[0.5, 0.5, 0.0]]] * 3)
    with pytest.raises(UnsupportedError, match="randomize_materials=True"):
        box.set_material_properties([0.9, 0.9, 0.0])
    np.testing.assert_array_equal(box.data.material_properties.numpy(), before)


BAD = [
    (dict(materials=[0.5, 0.5, 1.5]), InvalidValueError, "restitution from 0 to 1"),
    (dict(materials=[-0.5, 0.5, 0.0]), InvalidValueError, "in instance 0"),
    (dict(materials=[np.nan, 0.5, 0.0]), InvalidValueError, "Nothing was written"),
    (dict(materials=[0.5, 0.5]), ShapeError, "material_properties"),
    (dict(materials=0.5, shape_ids=[1]), InvalidValueError, "shape_ids"),
    (dict(materials=0.5, env_ids=[3]), InvalidValueError, "env_ids"),
]


@pytest.mark.parametrize(("given", "error", "words"), BAD)
def test_refused_writes_change_nothing(sim, given, error, words):
    floor(sim)
    box = RigidObject(box_cfg())
    sim.reset()
    before = sim.engine.param("pair_friction").copy()
    with pytest.raises(error, match=words):
        box.set_material_properties(**given)
    np.testing.assert_array_equal(sim.engine.param("pair_friction"), before)
    np.testing.assert_array_equal(box.data.material_properties.numpy(), [[[0.5, 0.5, 0.0]]] * 3)


def test_nothing_is_written_before_the_start(sim):
    box = RigidObject(box_cfg())
    with pytest.raises(StageError, match=r"sim.reset\(\)"):
        box.set_material_properties(0.5)


def test_a_reset_of_the_simulation_starts_from_the_stage_again(sim):
    floor(sim)
    box = RigidObject(box_cfg())
    sim.reset()
    box.set_material_properties([0.9, 0.9, 0.4])
    sim.reset()
    np.testing.assert_array_equal(box.data.material_properties.numpy(), [[[0.5, 0.5, 0.0]]] * 3)


def test_environments_may_bring_materials_of_their_own(make_sim):
    sim = make_sim(num_envs=2)
    floor(sim)
    box = RigidObject(box_cfg())
    other = sim.stage.GetPrimAtPath("/World/envs/env_1/Box/geometry/material")
    own = {"dynamicFriction": 0.3, "staticFriction": 0.3, "restitution": 0.6}
    for name, value in own.items():
        other.GetAttribute(f"physics:{name}").Set(value)
    sim.reset()
    expected = [[[0.5, 0.5, 0.0]], [[0.3, 0.3, 0.6]]]
    np.testing.assert_allclose(box.data.material_properties.numpy(), expected, atol=1e-6)
    np.testing.assert_allclose(sim.engine.param("pair_friction")[:, 0, 0], [0.5, 0.4])
    # The other world's restitution stays when its friction is written.
    box.set_material_properties([0.9, 0.9, 0.6], env_ids=[1])
    np.testing.assert_allclose(box.data.material_properties.numpy()[..., 2], [[0.0], [0.6]])
    np.testing.assert_allclose(sim.engine.param("pair_friction")[:, 0, 0], [0.5, 0.7])


def test_several_matches_in_a_world_are_instances_of_their_own(make_sim):
    angle, steps = np.radians(30), 200
    sim = make_sim(num_envs=2, gravity=tilted(angle))
    floor(sim)
    for k in range(2):
        cfg = box_cfg(f"Box_{k}", y=1.0 * k)
        RigidObject(cfg.replace(randomize_materials=False))
    boxes = RigidObject(
        RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Box_.*", spawn=None, randomize_materials=True)
    )
    sim.reset()
    own = (0.1, 0.3, 0.5, 0.2)
    start = boxes.data.root_link_pos_w.numpy()[:, 1].copy()
    boxes.set_material_properties([[[mu, mu, 0.0]] for mu in own[:3]], env_ids=[0, 1, 2])
    boxes.set_material_properties([0.2, 0.2, 0.0], env_ids=[3])
    np.testing.assert_allclose(boxes.data.material_properties.numpy()[:, 0, 1], own)
    sim.step_n(steps)
    moved = boxes.data.root_link_pos_w.numpy()[:, 1] - start
    expected = [slid((mu + 0.5) / 2, angle, steps * 0.002) for mu in own]
    np.testing.assert_allclose(moved, expected, rtol=0.02, atol=2e-3)


def test_two_varied_objects_combine_what_both_were_given(make_sim):
    sim = make_sim(num_envs=2)
    floor(sim)
    low, high = RigidObject(box_cfg("Low")), RigidObject(box_cfg("High", z=3 * HALF))
    sim.reset()
    low.set_material_properties([0.9, 0.9, 0.6], env_ids=[1])
    high.set_material_properties([0.1, 0.1, 0.2], env_ids=[1])
    model = sim.engine.world_model(1)
    geoms = {sim.engine.compiled.names.index("geom", f"/World/envs/env_0/{n}/geometry/mesh")
             for n in ("Low", "High")}  # fmt: skip
    pair = next(
        i for i in range(model.npair) if {model.pair_geom1[i], model.pair_geom2[i]} == geoms
    )
    assert model.pair_friction[pair, 0] == pytest.approx(0.5)
    assert sim.engine.param("pair_friction")[0, pair, 0] == pytest.approx(0.5)
    geom = [sim.engine.compiled.names.index("geom", f"/World/envs/env_0/{n}/geometry/mesh")
            for n in ("Low", "High")]  # fmt: skip
    np.testing.assert_allclose(sim.engine.surfaces[:, geom, 2], [[0.0, 0.0], [0.6, 0.2]], atol=1e-6)
    high.set_material_properties([0.7, 0.7, 0.2], env_ids=[0])
    np.testing.assert_allclose(sim.engine.param("pair_friction")[:, pair, 0], [0.6, 0.5])


# -- collections -----------------------------------------------------------------------------------


def test_objects_of_a_collection_slide_by_their_own_friction(make_sim):
    angle, steps, own = np.radians(30), 200, np.array([[0.1, 0.3], [0.5, 0.2]])
    sim = make_sim(num_envs=2, gravity=tilted(angle))
    floor(sim)
    names = ("first", "second")
    boxes = RigidObjectCollection(
        RigidObjectCollectionCfg(
            rigid_objects={n: box_cfg(n, y=1.0 * k) for k, n in enumerate(names)}
        )
    )
    sim.reset()
    assert boxes.num_shapes == 2
    assert [name.partition("/")[0] for name in boxes.shape_names] == list(names)
    boxes.set_material_properties(np.stack([own, own, 0 * own], -1))
    np.testing.assert_allclose(boxes.data.material_properties.numpy()[..., 1], own)
    start = boxes.data.object_link_pos_w.numpy()[..., 1].copy()
    sim.step_n(steps)
    moved = boxes.data.object_link_pos_w.numpy()[..., 1] - start
    expected = [[slid((mu + 0.5) / 2, angle, steps * 0.002) for mu in row] for row in own]
    np.testing.assert_allclose(moved, expected, rtol=0.02, atol=2e-3)


def test_only_objects_with_the_flag_can_be_written(sim, large):
    floor(sim)
    objects = {"free": box_cfg("free"), "fixed": box_cfg("fixed", y=1.0, free=False)}
    boxes = RigidObjectCollection(RigidObjectCollectionCfg(rigid_objects=objects))
    sim.reset()
    boxes.set_material_properties([0.9, 0.8, 0.1], shape_ids=[0])
    with pytest.raises(UnsupportedError, match="fixed/"):
        boxes.set_material_properties([0.9, 0.7, 0.1], shape_ids=[1])
    found = boxes.data.material_properties.numpy()
    np.testing.assert_allclose(found[0], [[0.9, 0.8, 0.1], [0.5, 0.5, 0.0]])


# -- articulations ---------------------------------------------------------------------------------


def sledge():
    """A floating box with a box on a slide across, both on the ground and 1 m apart."""
    stage = chain(1, fixed=False, kind="Prismatic", axis="X", height=HALF)
    for name, x in (("base", 0.0), ("link_1", 1.0)):
        body = f"{ROBOT}/{name}"
        api = UsdPhysics.MassAPI(stage.GetPrimAtPath(body))
        api.CreateCenterOfMassAttr(Gf.Vec3f(x, 0, 0))
        cube = UsdGeom.Cube.Define(stage, f"{body}/{name}_shape")
        cube.CreateSizeAttr(2 * HALF)
        cube.AddTranslateOp().Set(Gf.Vec3d(x, 0, 0))
        UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    return stage


@pytest.fixture
def sledges():
    """Three sledges on slopes of 30 degrees."""

    def make(**options):
        stage = environments(sledge(), 3)
        sim = SimulationContext(SimulationCfg(dt=DT, gravity=tilted(np.radians(30))), stage)
        floor(sim)
        robot = Articulation(ArticulationCfg(prim_path=ANYWHERE, **options))
        sim.reset()
        return sim, robot

    yield make
    SimulationContext.clear_instance()


def test_an_articulation_slides_by_the_mean_friction_of_its_shapes(sledges):
    sim, robot = sledges(randomize_materials=True)
    assert sorted(robot.shape_names) == ["base_shape", "link_1_shape"]
    # Both boxes weigh the same, so what brakes is the mean of their frictions with the ground.
    own = np.array([[0.1, 0.1], [0.3, 0.3], [0.9, 0.9]])
    robot.set_material_properties(np.stack([own, own, 0 * own], -1))
    start = robot.data.root_link_pos_w.numpy()[:, 1].copy()
    sim.step_n(200)
    moved = robot.data.root_link_pos_w.numpy()[:, 1] - start
    expected = [slid((mu + 0.5) / 2, np.radians(30), 200 * DT) for mu in own[:, 0]]
    np.testing.assert_allclose(moved, expected, rtol=0.03, atol=2e-3)
    np.testing.assert_allclose(robot.data.material_properties.numpy()[..., 1], own)


def test_shapes_of_an_articulation_are_chosen_by_index_and_by_mask(sledges):
    _, robot = sledges(randomize_materials=True)
    expected = np.array(robot.data.material_properties.numpy())
    robot.set_material_properties([0.9, 0.8, 0.0], shape_ids=[1], env_ids=[0, 2])
    expected[[0, 2], 1] = [0.9, 0.8, 0.0]
    np.testing.assert_allclose(robot.data.material_properties.numpy(), expected)
    full = np.full((3, 2, 3), 0.25)
    robot.set_material_properties_index(materials=full, shape_ids=[0], env_ids=[1], full_data=True)
    expected[1, 0] = 0.25
    robot.set_material_properties_mask(
        materials=2.0 * full,
        shape_mask=np.array([False, True]),
        env_mask=np.array([False, True, False]),
    )
    expected[1, 1] = 0.5
    np.testing.assert_allclose(robot.data.material_properties.numpy(), expected)


def test_an_articulation_without_the_flag_says_how_to_get_it(sledges, large):
    sim, robot = sledges()
    assert sim.engine.compiled.mj.npair == 0
    with pytest.raises(UnsupportedError, match=r"base.*randomize_materials=True"):
        robot.set_material_properties([0.6, 0.6, 0.0], shape_ids=[0])


@pytest.mark.parametrize("owner", [RigidObject, RigidObjectCollection, Articulation])
def test_writers_say_what_they_take(owner):
    assert list(inspect.signature(owner.set_material_properties).parameters)[1:] == [
        "materials",
        "shape_ids",
        "env_ids",
    ]
    text = inspect.getdoc(owner.set_material_properties_mask)
    assert "(num_instances, num_shapes, 3)" in text and "shape_mask" in text
