"""Scenes built piece by piece: the scene first, assets after it, clones late, or nothing at all."""

from __future__ import annotations

import numpy as np
import pytest

from usdsim.assets import RigidObject, RigidObjectCfg, RigidObjectCollection
from usdsim.assets.collection.cfg import RigidObjectCollectionCfg
from usdsim.core.errors import InvalidValueError, StageError, UnknownNameError
from usdsim.schemas import CollisionBaseCfg, MassPropertiesCfg, RigidBodyBaseCfg
from usdsim.sim import (
    InteractiveScene,
    InteractiveSceneCfg,
    SimulationCfg,
    build_simulation_context,
)
from usdsim.spawners import CuboidCfg
from usdsim.usd.prims import define_prim

DT = 0.01


@pytest.fixture
def sim():
    with build_simulation_context(SimulationCfg(dt=DT)) as running:
        yield running


def cube(prim_path: str, height: float = 1.0, **values) -> RigidObjectCfg:
    return RigidObjectCfg(
        prim_path=prim_path,
        spawn=CuboidCfg(
            size=(0.1, 0.1, 0.1),
            rigid_props=RigidBodyBaseCfg(),
            mass_props=MassPropertiesCfg(mass=1.0),
            collision_props=CollisionBaseCfg(),
        ),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, height)),
        **values,
    )


@pytest.mark.parametrize("replicated", [True, False])
@pytest.mark.parametrize("copied", [True, False])
def test_assets_may_follow_the_scene(sim, replicated: bool, copied: bool):
    scene = InteractiveScene(InteractiveSceneCfg(3, 2.0, replicate_physics=replicated))
    box = RigidObject(cube("/World/envs/env_.*/Cube"))
    scene.clone_environments(copy_from_source=copied)
    scene.rigid_objects["cube"] = box
    sim.reset()
    assert box.num_instances == 3
    assert scene["cube"] is box and "cube" in scene and scene.keys() == ["cube"]
    sim.step()
    scene.update(DT)
    fallen = -9.81 * DT**2
    height = box.data.root_pos_w.numpy()[:, 2]
    np.testing.assert_allclose(height, 1.0 + fallen, atol=1e-6)
    origins = scene.env_origins.numpy()
    np.testing.assert_allclose(box.data.root_pos_w.numpy()[:, :2], origins[:, :2], atol=1e-6)


def test_what_is_spawned_in_the_first_environment_is_cloned_late(sim):
    scene = InteractiveScene(InteractiveSceneCfg(2, 1.0, replicate_physics=False))
    cfg = cube("/World/envs/env_0/Cube")
    cfg.spawn.func(cfg.prim_path, cfg.spawn, translation=cfg.init_state.pos)
    assert not sim.stage.GetPrimAtPath("/World/envs/env_1/Cube")
    scene.clone_environments(copy_from_source=True)
    box = RigidObject(cube("/World/envs/env_.*/Cube").replace(spawn=None))
    sim.reset()
    assert box.num_instances == 2


def test_a_prim_that_is_there_is_not_spawned_over(sim):
    InteractiveScene(InteractiveSceneCfg(2, 1.0))
    define_prim(sim.stage, "/World/envs/env_1/Cube", "Cube")
    with pytest.raises(StageError, match="env_1/Cube exists already"):
        RigidObject(cube("/World/envs/env_.*/Cube"))
    assert not sim.stage.GetPrimAtPath("/World/envs/env_0/Cube")


def test_a_stage_without_physics_is_an_empty_world(sim):
    sim.reset()
    for _ in range(3):
        sim.step()
    assert sim.current_time == pytest.approx(3 * DT)


def test_a_collection_has_an_instance_for_each_match(sim):
    for i in range(3):
        define_prim(sim.stage, f"/World/Table_{i}", "Xform")
    names = ("low", "high")
    objects = {n: cube(f"/World/Table_.*/{n}", 1.0 + k) for k, n in enumerate(names)}
    boxes = RigidObjectCollection(RigidObjectCollectionCfg(rigid_objects=objects))
    sim.reset()
    assert (boxes.num_instances, boxes.num_objects) == (3, 2)
    heights = np.array([[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]], np.float32)
    poses = boxes.data.object_link_pose_w.numpy().copy()
    poses[..., 2] = heights
    boxes.write_object_link_pose_to_sim(poses)
    written = boxes.data.object_link_pose_w.numpy()
    np.testing.assert_allclose(written[..., 2], heights, atol=1e-6)
    engine = sim.engine
    body = engine.compiled.names.index("body", "/World/Table_1/high")
    assert engine.read("xpos")[0, body, 2] == pytest.approx(4.5, abs=1e-6)


def test_objects_of_a_collection_match_equally_often(sim):
    for i in range(2):
        define_prim(sim.stage, f"/World/Table_{i}", "Xform")
    objects = {"many": cube("/World/Table_.*/many"), "one": cube("/World/one")}
    RigidObjectCollection(RigidObjectCollectionCfg(rigid_objects=objects))
    with pytest.raises(StageError, match="'many': 2, 'one': 1"):
        sim.reset()


def test_scene_configurations_by_position_and_with_changes():
    cfg = InteractiveSceneCfg(4, 2.5, lazy_sensor_update=False)
    assert (cfg.num_envs, cfg.env_spacing, cfg.lazy_sensor_update) == (4, 2.5, False)
    assert cfg.replace(num_envs=8).num_envs == 8 and cfg.num_envs == 4
    with pytest.raises(InvalidValueError, match="each once"):
        InteractiveSceneCfg(4, num_envs=5)
    with pytest.raises(UnknownNameError, match="num_envs"):
        cfg.replace(num_env=8)


def test_configurations_within_are_copied_and_changed_alike():
    cfg = cube("/World/Cube")
    start = cfg.init_state.replace(pos=(1.0, 2.0, 3.0))
    assert start.pos == (1.0, 2.0, 3.0) and cfg.init_state.pos == (0.0, 0.0, 1.0)
    assert cfg.spawn.replace(size=(1.0, 1.0, 1.0)).mass_props is not cfg.spawn.mass_props
    plain = cfg.to_dict()
    assert plain["init_state"]["pos"] == (0.0, 0.0, 1.0)
    assert plain["spawn"]["mass_props"]["mass"] == 1.0
    assert plain["class_type"] == "usdsim.assets.rigid.rigid_object:RigidObject"
    assert SimulationCfg().replace(dt=0.5).dt == 0.5
    with pytest.raises(UnknownNameError, match="pos"):
        cfg.init_state.replace(position=(0.0, 0.0, 0.0))
