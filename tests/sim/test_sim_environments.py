"""Environments of a stage, and the worlds they become."""

import numpy as np
import pytest
from environments_stage import ENV, author, environments, shape, world_position
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.core.errors import (
    InvalidValueError,
    ParseError,
    ShapeError,
    StageError,
    UnknownNameError,
)
from usdsim.math.rotations import quat_apply, quat_from_axis_angle, quat_from_wxyz
from usdsim.parser import parse_stage
from usdsim.sim.environments.finding import find_environments
from usdsim.sim.environments.worlds import build_worlds, create_engine
from usdsim.spawners import clone_environments, filter_collisions
from usdsim.usd import create_stage, define_prim
from usdsim.usd.attributes import author as author_value
from usdsim.usd.schemas import apply_api

MODES = pytest.mark.parametrize(
    "mode", [{}, {"copy": True}, {"instanceable": True}], ids=["refer", "copy", "instance"]
)


# -- leaving prims out of a parse ---------------------------------------------------------------


def test_excluded_prims_are_not_parsed():
    stage = environments(3)
    everything = parse_stage(stage).scene
    left = parse_stage(stage, exclude=[f"/World/envs/env_{i}" for i in (1, 2)])
    assert len(everything.bodies) == 3 * len(left.scene.bodies)
    for kind in ("bodies", "joints", "geoms", "articulations"):
        paths = [element.path for element in getattr(left.scene, kind)]
        assert paths and not [path for path in paths if "env_1" in path or "env_2" in path]
    noted = [*left.report.read, *(finding.path for finding in left.report.findings)]
    assert noted and not [path for path in noted if "env_1" in path or "env_2" in path]


def test_excluded_physics_scene_does_not_count():
    stage = environments(2)
    scene = define_prim(stage, "/World/envs/env_1/scene", "PhysicsScene")
    apply_api(scene, "MjcSceneAPI")
    author_value(scene, "mjc:option:timestep", "double", 0.125)
    assert parse_stage(stage).scene.timestep == 0.125
    excluded = parse_stage(stage, exclude=["/World/envs/env_1"]).scene
    assert excluded.timestep is None and not excluded.options


def test_environments_are_filtered_again():
    stage = environments(3)
    paths = [f"/World/envs/env_{i}" for i in range(3)]
    filter_collisions(paths[:2], ["/World/floor"], stage=stage)
    found = filter_collisions(paths, ["/World/floor"], stage=stage)
    groups = [UsdPhysics.CollisionGroup(stage.GetPrimAtPath(path)) for path in found]
    assert [len(g.GetFilteredGroupsRel().GetTargets()) for g in groups] == [2, 2, 2, 4]
    assert all(g.GetInvertFilteredGroupsAttr().Get() for g in groups)


def test_filters_of_excluded_prims_are_left_out():
    stage = environments(3)
    paths = [f"/World/envs/env_{i}" for i in range(3)]
    filter_collisions(paths, ["/World/floor"], stage=stage)
    floor = stage.GetPrimAtPath("/World/floor")
    pairs = floor.CreateRelationship("physics:filteredPairs")
    pairs.SetTargets([f"{path}/ball" for path in paths])
    scene = parse_stage(stage, exclude=paths[1:], strict=True).scene
    assert [group.path for group in scene.groups] == [
        "/World/collisions/group_0",
        "/World/collisions/global_group",
    ]
    names = [geom.path for geom in scene.geoms]
    ball, ground = names.index(f"{ENV}/ball"), names.index("/World/floor")
    assert scene.geom_filters == {(min(ball, ground), max(ball, ground))}


def test_joints_into_excluded_prims_are_errors():
    stage = environments(2)
    joint = define_prim(stage, "/World/rope", "PhysicsDistanceJoint")
    joint.CreateRelationship("physics:body0").SetTargets([f"{ENV}/ball"])
    joint.CreateRelationship("physics:body1").SetTargets(["/World/envs/env_1/ball"])
    with pytest.raises(ParseError, match=r"rope.*env_1/ball.*not among"):
        parse_stage(stage, exclude=["/World/envs/env_1"])


# -- finding environments -----------------------------------------------------------------------


def test_marked_environments_are_found_in_order_of_their_indices():
    stage = environments(12)
    found = find_environments(stage)
    assert found.paths == tuple(f"/World/envs/env_{i}" for i in range(12))
    author(stage, found.paths[3], "usdsim:environmentIndex", Sdf.ValueTypeNames.Int, 99)
    assert find_environments(stage).paths[-1] == found.paths[3]


def test_named_environments_are_found_without_marks():
    stage = create_stage()
    for i in (10, 2, 0):
        prim = define_prim(stage, f"/World/envs/env_{i}", "Xform")
        UsdGeom.Xformable(prim).AddTranslateOp().Set((i, 0, 0))
    define_prim(stage, "/World/envs/env_x", "Xform")
    define_prim(stage, "/World/env_7", "Xform")
    found = find_environments(stage)
    assert found.paths == ("/World/envs/env_0", "/World/envs/env_2", "/World/envs/env_10")
    np.testing.assert_array_equal(found.origins, [[0, 0, 0], [2, 0, 0], [10, 0, 0]])
    assert len(find_environments(create_stage())) == 0


@pytest.mark.parametrize("up_axis", ["Z", "Y"])
@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_origins_are_in_metres_with_z_up(up_axis, unit):
    stage = environments(3, up_axis=up_axis, unit=unit)
    found = find_environments(stage)
    for path, origin in zip(found.paths, found.origins, strict=True):
        x, y, z = world_position(stage, path) * unit
        np.testing.assert_allclose(origin, [x, -z, y] if up_axis == "Y" else [x, y, z], atol=1e-12)


def test_ambiguous_environments_are_refused():
    stage = environments(2)
    author(stage, "/World/envs/env_1", "usdsim:environmentIndex", Sdf.ValueTypeNames.Int, 0)
    with pytest.raises(StageError, match=r"env_0 and .*env_1 are both environment 0"):
        find_environments(stage)
    stage = environments(2)
    define_prim(stage, "/World/envs/env_2", "Xform")
    with pytest.raises(StageError, match=r"env_2 is named like an environment"):
        find_environments(stage)
    stage = create_stage()
    apply_api(define_prim(stage, "/field", "Xform"), "UsdsimEnvironmentAPI")
    stage.GetPrimAtPath("/field").GetAttribute("usdsim:environmentIndex").Block()
    with pytest.raises(StageError, match="/field is an environment without"):
        find_environments(stage)


def test_mirrored_environments_are_refused():
    stage = environments(2)
    prim = stage.GetPrimAtPath("/World/envs/env_1")
    UsdGeom.Xformable(prim).AddScaleOp().Set((1.0, -1.0, 1.0))
    with pytest.raises(StageError, match="env_1 is mirrored"):
        find_environments(stage)


# -- worlds -------------------------------------------------------------------------------------


def _expected(stage, path, unit, up_axis):
    x, y, z = world_position(stage, path) * unit
    return np.array([x, -z, y] if up_axis == "Y" else [x, y, z])


@MODES
@pytest.mark.parametrize("turn", [0.0, 0.7])
@pytest.mark.parametrize(("up_axis", "unit"), [("Z", 1.0), ("Y", 0.01)])
def test_worlds_lie_where_the_stage_has_their_environments(mode, turn, up_axis, unit):
    stage = environments(3, turn=turn, up_axis=up_axis, unit=unit, **mode)
    worlds = build_worlds(stage)
    engine, names = worlds.engine, worlds.engine.compiled.names
    assert engine.num_envs == 3
    for name in ("ball", "tray", "arm/base", "arm/link"):
        body = names.index("body", f"{ENV}/{name}")
        for i, path in enumerate(worlds.environments.paths):
            expected = _expected(stage, f"{path}/{name}", unit, up_axis)
            np.testing.assert_allclose(engine.read("xpos")[i, body], expected, atol=1e-6)
            turned = quat_from_axis_angle([0.0, 0.0, 1.0], turn * i)
            got = quat_apply(quat_from_wxyz(engine.read("xquat")[i, body]), np.eye(3))
            first = quat_apply(quat_from_wxyz(engine.read("xquat")[0, body]), np.eye(3))
            np.testing.assert_allclose(got, quat_apply(turned, first), atol=1e-6)
    shelf, floor = (names.index("geom", p) for p in (f"{ENV}/shelf", "/World/floor"))
    for i, path in enumerate(worlds.environments.paths):
        expected = _expected(stage, f"{path}/shelf", unit, up_axis)
        np.testing.assert_allclose(engine.read("geom_xpos")[i, shelf], expected, atol=1e-6)
        np.testing.assert_allclose(
            engine.read("geom_xpos")[i, floor], _expected(stage, "/World/floor", unit, up_axis)
        )


def test_balls_land_on_the_shelf_of_their_own_environment():
    worlds = build_worlds(environments(3))
    engine = worlds.engine
    body = engine.compiled.names.index("body", f"{ENV}/ball")
    engine.step(1500)
    expected = worlds.origins + np.array([0.0, 0.0, 1.0 + 0.2 + 0.1])
    np.testing.assert_allclose(engine.read("xpos")[:, body], expected, atol=2e-3)


def test_a_shelf_at_the_origin_of_the_first_environment_moves_with_the_others():
    stage = create_stage()
    define_prim(stage, ENV, "Xform")
    shape(stage, f"{ENV}/shelf", size=0.2, body=False)
    shape(stage, f"{ENV}/ball", (0.0, 0.0, 1.0), kind="Sphere", mass=1.0)
    clone_environments(ENV, 2, origins=[[0, 0, 0], [5, 0, 0]], stage=stage)
    engine = build_worlds(stage).engine
    engine.step(800)
    body = engine.compiled.names.index("body", f"{ENV}/ball")
    np.testing.assert_allclose(engine.read("xpos")[:, body, 2], 0.3, atol=2e-3)


def test_reset_returns_worlds_to_their_own_places():
    worlds = build_worlds(environments(3, turn=0.3))
    engine = worlds.engine
    start = {f: engine.state(f).copy() for f in ("qpos", "qvel", "mocap_pos", "mocap_quat")}
    engine.step(50)
    moved = engine.state("qpos").copy()
    engine.write("mocap_pos", [[9.0, 9.0, 9.0]])
    engine.reset([1])
    np.testing.assert_array_equal(engine.state("qpos")[1], start["qpos"][1])
    np.testing.assert_array_equal(engine.state("qpos")[[0, 2]], moved[[0, 2]])
    engine.reset()
    for field, value in start.items():
        np.testing.assert_array_equal(engine.state(field), value)


def test_initial_velocities_are_along_the_stages_axes_however_an_environment_is_turned():
    stage = environments(2, turn=np.pi / 2)
    vector = Sdf.ValueTypeNames.Vector3f
    author(stage, f"{ENV}/ball", "physics:velocity", vector, (1, 0, 0))
    author(stage, f"{ENV}/ball", "physics:angularVelocity", vector, (0, 180, 0))
    engine = build_worlds(stage).engine
    joint = engine.compiled.names.index("joint", f"{ENV}/ball")
    dof = engine.compiled.mj.jnt_dofadr[joint]
    np.testing.assert_allclose(
        engine.state("qvel")[:, dof : dof + 3], [[1, 0, 0], [1, 0, 0]], atol=1e-7
    )
    own_axes = [[0, np.pi, 0], [np.pi, 0, 0]]
    np.testing.assert_allclose(engine.state("qvel")[:, dof + 3 : dof + 6], own_axes, atol=1e-6)


def test_worlds_behave_alike():
    worlds = build_worlds(environments(3))
    engine = worlds.engine
    engine.step(100)
    shift = worlds.origins - worlds.origins[0]
    own = [i for i, p in enumerate(engine.compiled.names.paths("body")) if p.startswith(ENV)]
    poses = engine.read("xpos")[:, own] - shift[:, None]
    np.testing.assert_allclose(poses, np.repeat(poses[:1], 3, axis=0), atol=1e-9)


@pytest.mark.parametrize("place", ["before cloning", "first", "literal"])
def test_joints_to_the_world_hold_bodies_in_their_environments(place):
    """Frames given in the world before the move, in the first place, or one by one."""
    origins = [[3.0, 1.0, 0.0], [7.0, -2.0, 0.5]]
    stage = environments(2, origins=origins, copy=place == "literal")
    for i, origin in enumerate(origins):
        shift = {"before cloning": np.zeros(3), "first": origins[0], "literal": origin}[place]
        author(
            stage,
            f"/World/envs/env_{i if place == 'literal' else 0}/arm/fixed",
            "physics:localPos0",
            Sdf.ValueTypeNames.Point3f,
            tuple(map(float, np.array([1.0, 0.0, 0.5]) + shift)),
        )
    engine = build_worlds(stage).engine
    base = engine.compiled.names.index("body", f"{ENV}/arm/base")
    expected = np.add(origins, [1.0, 0.0, 0.5])
    np.testing.assert_allclose(engine.read("xpos")[:, base], expected, atol=1e-6)
    engine.step(100)
    np.testing.assert_allclose(engine.read("xpos")[:, base], expected, atol=1e-6)


def test_a_stage_without_environments_is_one_world():
    stage = create_stage()
    shape(stage, "/ball", (1.0, 2.0, 3.0), kind="Sphere", mass=1.0)
    worlds = build_worlds(stage)
    assert worlds.engine.num_envs == 1 and len(worlds.environments) == 0
    np.testing.assert_array_equal(worlds.origins, [[0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(worlds.engine.read("xpos")[0, 1], [1.0, 2.0, 3.0])


def test_prims_outside_environments_are_in_every_world():
    stage = environments(3)
    shape(stage, "/World/dice", (0.0, 0.0, 9.0), mass=1.0)
    engine = build_worlds(stage).engine
    body = engine.compiled.names.index("body", "/World/dice")
    engine.step(10)
    engine.reset()
    np.testing.assert_array_equal(engine.read("xpos")[:, body], [[0.0, 0.0, 9.0]] * 3)


def test_unknown_devices_are_refused():
    for device in ("tpu", "cpu:0", "", None):
        with pytest.raises(InvalidValueError, match="device"):
            build_worlds(environments(1), device=device)
    compiled = build_worlds(environments(1)).engine.compiled
    with pytest.raises(InvalidValueError, match="device is 'tpu'; allowed: 'cpu'"):
        create_engine(compiled, device="tpu")


def test_initial_states_of_worlds_are_checked():
    engine = build_worlds(environments(3)).engine
    before = engine.initial.read("qpos").copy()
    with pytest.raises(UnknownNameError, match=r"No initial state field 'qacc'.*qpos"):
        engine.initial.read("qacc")
    with pytest.raises(ShapeError, match="initial qpos has shape"):
        engine.initial.write("qpos", np.zeros((2, 3)))
    with pytest.raises(InvalidValueError, match="env_ids is 3"):
        engine.initial.write("qpos", 0.0, [3])
    np.testing.assert_array_equal(engine.initial.read("qpos"), before)
    with pytest.raises(ValueError, match="read-only"):
        engine.initial.read("qpos")[:] = 0.0
    engine.initial.write("qpos", 7.0, [1], [2])
    engine.reset()
    expected = before.copy()
    expected[1, 2] = 7.0
    np.testing.assert_array_equal(engine.state("qpos"), expected)


def test_a_thousand_environments_are_placed():
    worlds = build_worlds(environments(1024))
    engine = worlds.engine
    body = engine.compiled.names.index("body", f"{ENV}/arm/base")
    np.testing.assert_allclose(
        engine.read("xpos")[:, body], worlds.origins + np.array([1.0, 0.0, 0.5]), atol=1e-6
    )
    engine.step(5)
    links = engine.compiled.names.index("body", f"{ENV}/arm/link")
    apart = engine.read("xpos")[:, links] - engine.read("xpos")[:, body]
    np.testing.assert_allclose(apart, np.repeat(apart[:1], 1024, axis=0), atol=1e-9)


def test_muted_layers_do_not_count():
    stage = environments(2)
    extra = Sdf.Layer.CreateAnonymous("extra.usda")
    stage.GetRootLayer().subLayerPaths.append(extra.identifier)
    with Usd.EditContext(stage, extra):
        shape(stage, f"{ENV}/crate", (0.0, 0.0, 3.0), mass=1.0)
    names = build_worlds(stage).engine.compiled.names
    assert names.find("body", f"{ENV}/crate") is not None
    stage.MuteLayer(extra.identifier)
    names = build_worlds(stage).engine.compiled.names
    assert names.find("body", f"{ENV}/crate") is None
