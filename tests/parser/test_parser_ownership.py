"""Stages with several physics scenes: whose gravity acts, and what meets what."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from parser_builders import body, joint, new_stage, parse, shape
from pxr import Gf, Sdf, UsdPhysics
from soft_stages import soft_cube

import usdsim
from usdsim.core.errors import ParseError
from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage

EARTH, MOON = 9.81, 1.62


def scene(stage, path, magnitude=EARTH, direction=(0, 0, -1)):
    prim = UsdPhysics.Scene.Define(stage, path)
    prim.CreateGravityMagnitudeAttr(magnitude)
    prim.CreateGravityDirectionAttr(Gf.Vec3f(*direction))
    return prim.GetPrim()


def owned(stage, path, *owners, pos=(0, 0, 0), moves=True):
    """A cube of 1 m, in the scenes of these paths."""
    prim = shape(stage, path, pos=pos, size=1.0)
    relations = [UsdPhysics.CollisionAPI(prim).CreateSimulationOwnerRel()]
    if moves:
        relations.append(UsdPhysics.RigidBodyAPI.Apply(prim).CreateSimulationOwnerRel())
    for relation in relations if owners else ():
        relation.SetTargets(owners)
    return prim


def two_scenes(meters=1.0):
    stage = new_stage(meters=meters)
    scene(stage, "/earth", EARTH / meters)
    scene(stage, "/moon", MOON / meters)
    return stage


def velocities(stage, device="cpu", seconds=0.2):
    """Velocity of each body of a stage after some time, divided by it [m/s^2]."""
    compiled = compile_scene(parse(stage))
    sim = create_engine(compiled, 1, device=device)
    sim.step(round(seconds / compiled.mj.opt.timestep))
    found = np.array(sim.read("cvel")[0], dtype=float)
    ids = (compiled.names.find("body", one.path) for one in compiled.scene.bodies)
    return {
        one.path: found[index, 3:] / seconds
        for one, index in zip(compiled.scene.bodies, ids, strict=True)
    }


@pytest.mark.parametrize("meters", [1.0, 0.01])
def test_bodies_fall_with_the_gravity_of_their_scene(device, meters):
    stage = two_scenes(meters)
    owned(stage, "/a", "/earth")
    owned(stage, "/b", "/moon", pos=(3, 0, 0))
    owned(stage, "/c", pos=(6, 0, 0))
    found = velocities(stage, device)
    for path, size in (("/a", EARTH), ("/b", MOON), ("/c", EARTH)):
        assert found[path] == pytest.approx([0, 0, -size], abs=1e-4), path
    assert parse_stage(stage).report.warnings == []


@pytest.mark.parametrize("first", [EARTH, 0.0])
def test_gravity_may_point_elsewhere_up_or_nowhere(device, first):
    stage = new_stage()
    scene(stage, "/first", first)
    scene(stage, "/down", 3.0)
    scene(stage, "/up", 2.0, (0, 0, 1))
    scene(stage, "/along", 4.0, (1, 0, 0))
    scene(stage, "/off", 0.0)
    for i, name in enumerate(("first", "down", "up", "along", "off")):
        owned(stage, f"/of_{name}", f"/{name}", pos=(5 * i, 0, 0))
    found = velocities(stage, device)
    wanted = {
        "first": (0, 0, -first), "down": (0, 0, -3), "up": (0, 0, 2), "along": (4, 0, 0),
        "off": (0, 0, 0),
    }  # fmt: skip
    for name, value in wanted.items():
        assert found[f"/of_{name}"] == pytest.approx(value, abs=1e-4), name


def test_compensation_is_a_share_of_the_own_gravity():
    stage = two_scenes()
    prim = owned(stage, "/b", "/moon")
    prim.CreateAttribute("mjc:gravcomp", Sdf.ValueTypeNames.Double).Set(0.5)
    assert velocities(stage)["/b"] == pytest.approx([0, 0, -0.5 * MOON], abs=1e-4)


def test_another_gravity_at_run_time_keeps_the_ratio_of_the_scenes():
    stage = two_scenes()
    owned(stage, "/b", "/moon")
    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model)
    model.set_gravity_override(data, [0.0, 2.0 * EARTH, 0.0])
    model.step_n(data, 10)
    speed = np.asarray(data.dof_vel)[:3] / (10 * model.low.opt.timestep)
    assert speed == pytest.approx([0, 2.0 * MOON, 0], abs=1e-4)


def test_what_shares_a_scene_meets_and_nothing_else(device):
    stage = two_scenes()
    owned(stage, "/shared", "/earth", "/moon", pos=(0, 0, -9.5), moves=False)
    owned(stage, "/floor", "/earth", pos=(0, 0, -0.5), moves=False)
    owned(stage, "/a", "/earth", pos=(0, 0, 0.5))
    owned(stage, "/b", "/moon", pos=(0, 0, 0.6))
    compiled = compile_scene(parse(stage))
    assert touching(compiled) == {
        ("/a", "/floor"), ("/a", "/shared"), ("/b", "/shared"),
    }  # fmt: skip
    sim = create_engine(compiled, 1, device=device)
    sim.step(round(0.5 / compiled.mj.opt.timestep))
    heights = np.array(sim.read("xpos"), dtype=float)[0, 1:, 2]
    assert heights == pytest.approx([0.5, 0.6 - 0.5 * MOON * 0.25], abs=2e-3)


def touching(compiled):
    """Pairs of paths of geoms that the engine's masks let meet."""
    model, names = compiled.mj, compiled.names.paths("geom")
    found = set()
    for a, b in itertools.combinations(range(model.ngeom), 2):
        types, affinities = model.geom_contype, model.geom_conaffinity
        apart = model.geom_bodyid[a] != model.geom_bodyid[b]
        if apart and (types[a] & affinities[b] or types[b] & affinities[a]):
            found.add(tuple(sorted((names[a], names[b]))))
    return found


def test_kinematic_bodies_meet_what_is_in_any_of_their_scenes():
    stage = two_scenes()
    UsdPhysics.RigidBodyAPI(owned(stage, "/k", "/earth", "/moon")).CreateKinematicEnabledAttr(True)
    owned(stage, "/a", "/earth", pos=(3, 0, 0))
    owned(stage, "/b", "/moon", pos=(6, 0, 0))
    result = parse_stage(stage)
    assert touching(compile_scene(result.scene)) == {("/a", "/k"), ("/b", "/k")}
    assert result.report.warnings == []


def test_colliders_of_a_body_are_in_its_scene():
    stage = two_scenes()
    body(stage, "/b").GetRelationship("physics:simulationOwner").SetTargets(["/moon"])
    shape(stage, "/b/g")
    owned(stage, "/b/h", "/earth", moves=False)
    owned(stage, "/floor", "/moon", pos=(0, 0, -5), moves=False)
    result = parse_stage(stage)
    assert touching(compile_scene(result.scene)) == {("/b/g", "/floor"), ("/b/h", "/floor")}
    (finding,) = result.report.warnings
    assert (finding.path, finding.attribute) == ("/b/h", "physics:simulationOwner")


def test_a_body_that_forces_move_is_in_the_first_of_its_scenes():
    stage = two_scenes()
    owned(stage, "/b", "/moon", "/earth")
    assert [f.path for f in parse_stage(stage).report.by_code("several-owners")] == ["/b"]
    assert velocities(stage)["/b"] == pytest.approx([0, 0, -MOON], abs=1e-4)


def test_joints_between_scenes_hold_nothing():
    stage = two_scenes()
    owned(stage, "/a", "/earth")
    owned(stage, "/b", "/moon", pos=(3, 0, 0))
    joint(stage, "/j", "Fixed", "/a", "/b", localPos0=(3, 0, 0))
    result = parse_stage(stage)
    assert result.scene.joints == ()
    (finding,) = result.report.by_code("dangling-joint")
    assert "/earth and /moon" in finding.message


def test_joints_within_a_scene_hold():
    stage = two_scenes()
    owned(stage, "/a", "/moon")
    owned(stage, "/b", "/moon", pos=(3, 0, 0))
    joint(stage, "/j", "Fixed", "/a", "/b", localPos0=(3, 0, 0))
    joint(stage, "/k", "Fixed", None, "/a")
    assert len(parse(stage).joints) == 2


def test_settings_that_all_scenes_share_are_those_of_the_first():
    stage = two_scenes()
    owned(stage, "/b", "/moon")
    for path, rate in (("/earth", 500), ("/moon", 100)):
        prim = stage.GetPrimAtPath(path)
        prim.CreateAttribute("physxScene:timeStepsPerSecond", Sdf.ValueTypeNames.Int).Set(rate)
    result = parse_stage(stage)
    assert result.scene.timestep == 1 / 500
    (finding,) = result.report.by_code("second-scene")
    assert "physxScene:timeStepsPerSecond" in finding.message
    stage.GetPrimAtPath("/moon").GetAttribute("physxScene:timeStepsPerSecond").Set(500)
    assert parse_stage(stage).report.warnings == []


def test_an_owner_that_is_no_scene_is_told():
    stage = two_scenes()
    owned(stage, "/a", "/b")
    owned(stage, "/b", "/moon", pos=(3, 0, 0))
    (finding,) = parse_stage(stage).report.by_code("dangling-owner")
    assert "no physics scene" in finding.message
    with pytest.raises(ParseError, match="no physics scene"):
        parse_stage(stage, strict=True)


def test_scenes_and_collision_groups_filter_together():
    stage = two_scenes()
    for i, owner in enumerate(("/earth", "/earth", "/moon")):
        owned(stage, f"/b{i}", owner, pos=(3 * i, 0, 0))
    group = UsdPhysics.CollisionGroup.Define(stage, "/group")
    group.GetCollidersCollectionAPI().CreateIncludesRel().SetTargets(["/b0"])
    group.CreateFilteredGroupsRel().SetTargets(["/group"])
    assert touching(compile_scene(parse(stage))) == {("/b0", "/b1")}


@pytest.mark.parametrize(("direction", "scale"), [((0, 0, -1), MOON / EARTH), ((1, 0, 0), 0.0)])
def test_deformable_bodies_have_their_scene_too(direction, scale):
    stage = new_stage()
    scene(stage, "/earth")
    scene(stage, "/moon", MOON, direction)
    soft, _ = soft_cube(stage, "/soft")
    soft.CreateRelationship("omniphysics:simulationOwner").SetTargets(["/moon"])
    owned(stage, "/floor", "/earth", moves=False)
    result = parse_stage(stage)
    (found,) = result.scene.deformables
    assert found.gravity_scale == pytest.approx(scale)
    assert [f.path for f in result.report.by_code("unsupported")] == ["/soft"][: scale == 0.0]
    compiled = compile_scene(result.scene).mj
    assert not compiled.flex_contype[0] & compiled.geom_conaffinity[0]
    assert not compiled.flex_conaffinity[0] & compiled.geom_contype[0]
