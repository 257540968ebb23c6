"""Environments: origins, copies, collision groups."""

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics, UsdShade
from spawner_stages import environments, robot_file

from usdsim import schemas, spawners
from usdsim.parser import parse_stage
from usdsim.usd.attributes import authored
from usdsim.usd.schemas import has_api
from usdsim.usd.stage import create_stage
from usdsim.usd.xforms import local_pose


def test_grid_origins_are_centred_and_spaced():
    origins = spawners.grid_origins(6, 2.0)
    assert origins.shape == (6, 3)
    np.testing.assert_allclose(origins.mean(axis=0), 0.0, atol=1e-12)
    apart = np.linalg.norm(origins[:, None] - origins[None], axis=-1) + 10.0 * np.eye(6)
    np.testing.assert_allclose(apart.min(axis=1), 2.0)
    np.testing.assert_allclose(spawners.grid_origins(1, 2.0), [[0.0, 0.0, 0.0]])
    for wrong in ((0, 1.0), (2, -1.0)):
        with pytest.raises(ValueError):
            spawners.grid_origins(*wrong)


@pytest.mark.parametrize(
    "mode", [{}, {"copy": True}, {"instanceable": True}], ids=["refer", "copy", "instance"]
)
def test_environments_are_cloned_with_their_content(mode):
    stage = environments(1)
    cfg = spawners.SphereCfg(
        radius=0.1, rigid_props=schemas.RigidBodyBaseCfg(),
        physics_material=spawners.RigidBodyMaterialCfg(),
        collision_props=schemas.CollisionBaseCfg(),
        physics_material_path="/World/shared",
    )  # fmt: skip
    cfg.func("/World/envs/env_0/ball", cfg, (0.0, 0.0, 1.0), stage=stage)
    paths = spawners.clone_environments("/World/envs/env_0", 5, 3.0, stage=stage, **mode)
    assert paths == [f"/World/envs/env_{i}" for i in range(5)]
    assert stage.GetCompositionErrors() == []
    for i, origin in enumerate(spawners.grid_origins(5, 3.0)):
        env = stage.GetPrimAtPath(paths[i])
        np.testing.assert_allclose(local_pose(env)[0].pos, origin)
        assert authored(env, "usdsim:environmentIndex") == i
        np.testing.assert_allclose(authored(env, "usdsim:environmentOrigin"), origin)
        assert has_api(env, "UsdsimEnvironmentAPI")
        assert env.IsInstance() == (bool(mode.get("instanceable")) and i > 0)
        shape = stage.GetPrimAtPath(f"{paths[i]}/ball/geometry/mesh")
        bound = UsdShade.MaterialBindingAPI(shape).ComputeBoundMaterial("physics")[0]
        assert str(bound.GetPath()) == "/World/shared"
    ball = stage.GetPrimAtPath("/World/envs/env_3/ball")
    assert has_api(ball, "PhysicsRigidBodyAPI")


def test_clones_keep_relations_within_themselves(tmp_path):
    stage = environments(1)
    cfg = spawners.UsdFileCfg(usd_path=robot_file(tmp_path))
    cfg.func("/World/envs/env_0/robot", cfg, stage=stage)
    spawners.clone_environments("/World/envs/env_0", 3, stage=stage)
    joint = UsdPhysics.Joint.Get(stage, "/World/envs/env_2/robot/joint")
    assert joint.GetBody0Rel().GetTargets() == [Sdf.Path("/World/envs/env_2/robot/link_0")]
    assert len(parse_stage(stage).scene.bodies) == 6


def test_clones_may_be_placed_by_hand():
    stage = environments(1)
    origins = [[0.0, 0.0, 0.0], [1.0, 5.0, 2.0]]
    spawners.clone_environments("/World/envs/env_0", 2, origins=origins, stage=stage)
    env = stage.GetPrimAtPath("/World/envs/env_1")
    np.testing.assert_allclose(local_pose(env)[0].pos, [1.0, 5.0, 2.0])


@pytest.mark.parametrize("author", [Usd.Stage.OverridePrim, Usd.Stage.DefinePrim])
def test_environments_without_a_type_become_frames(author):
    stage = create_stage()
    stage.DefinePrim("/World/envs")
    author(stage, "/World/envs/env_0")
    paths = spawners.clone_environments("/World/envs/env_0", 2, 3.0, stage=stage)
    prims = [stage.GetPrimAtPath(path) for path in paths]
    assert [(prim.IsDefined(), prim.GetTypeName()) for prim in prims] == [(True, "Xform")] * 2
    assert local_pose(prims[1])[0].pos.tolist() != local_pose(prims[0])[0].pos.tolist()


def test_what_cannot_be_cloned():
    stage = environments(2)
    UsdGeom.Xform.Define(stage, "/World/thing")
    clone = spawners.clone_environments
    with pytest.raises(ValueError, match="exists already"):
        clone("/World/envs/env_0", 2, stage=stage)
    with pytest.raises(ValueError, match="env_0"):
        clone("/World/thing", 2, stage=stage)
    with pytest.raises(ValueError, match="No prim"):
        clone("/World/envs/env_9_0", 2, stage=stage)
    with pytest.raises(ValueError, match="shape"):
        clone("/World/envs/env_0", 2, origins=[[0.0, 0.0, 0.0]], stage=stage)


def test_environments_do_not_collide_with_one_another():
    stage = environments(3)
    for i in range(3):
        cfg = spawners.SphereCfg(radius=1.0, collision_props=schemas.CollisionBaseCfg())
        cfg.func(f"/World/envs/env_{i}/ball", cfg, stage=stage)
    ground = spawners.GroundPlaneCfg()
    ground.func("/World/ground", ground, stage=stage)
    paths = [f"/World/envs/env_{i}" for i in range(3)]
    groups = spawners.filter_collisions(paths, ["/World/ground"], stage=stage)
    table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(stage)
    for i, a in enumerate(groups):
        for j, b in enumerate(groups):
            together = i == j or "global" in a or "global" in b
            assert table.IsCollisionEnabled(Sdf.Path(a), Sdf.Path(b)) == together, (a, b)
    members = UsdPhysics.CollisionGroup.Get(stage, groups[0]).GetCollidersCollectionAPI()
    assert members.ComputeMembershipQuery().IsPathIncluded("/World/envs/env_0/ball/geometry/mesh")
