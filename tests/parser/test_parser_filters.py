import mujoco
import pytest
from parser_builders import body, by_path, joint, new_stage, parse, shape
from pxr import Sdf, UsdGeom, UsdPhysics

from usdsim.engine import compile_scene
from usdsim.parser import parse_stage


def world(*names):
    stage = new_stage()
    for name in names:
        body(stage, f"/{name}")
        shape(stage, f"/{name}/c")
    return stage


def group(stage, path, *members, filtered=(), merge=None, invert=False):
    prim = UsdPhysics.CollisionGroup.Define(stage, path)
    prim.GetCollidersCollectionAPI().CreateIncludesRel().SetTargets(list(members))
    prim.CreateFilteredGroupsRel().SetTargets(list(filtered))
    if merge:
        prim.CreateMergeGroupNameAttr(merge)
    if invert:
        prim.CreateInvertFilteredGroupsAttr(True)
    return prim


def filtered(scene):
    names = [g.path for g in scene.groups]
    return {g.path: sorted(names[i] for i in g.filtered) for g in scene.groups}


def test_groups_and_their_members():
    stage = world("a", "b")
    group(stage, "/g1", "/a", filtered=["/g2"])
    group(stage, "/g2", "/b/c")
    scene = parse(stage)
    assert filtered(scene) == {"/g1": ["/g2"], "/g2": ["/g1"]}
    assert [[scene.geoms[i].path for i in g.geoms] for g in scene.groups] == [["/a/c"], ["/b/c"]]


def test_groups_can_filter_themselves():
    stage = world("a")
    group(stage, "/g1", "/a", filtered=["/g1"])
    assert filtered(parse(stage)) == {"/g1": ["/g1"]}


def test_groups_in_instances_filter():
    stage = world("robot/a", "robot/b")
    group(stage, "/robot/g1", "/robot/a", filtered=["/robot/g2"])
    group(stage, "/robot/g2", "/robot/b")
    copy = stage.DefinePrim("/copy")
    copy.GetReferences().AddInternalReference("/robot")
    copy.SetInstanceable(True)
    assert filtered(parse(stage))["/copy/g1"] == ["/copy/g2"]


def test_merged_groups_filter_as_one():
    stage = world("a", "b", "c")
    group(stage, "/g1", "/a", filtered=["/g3"], merge="m")
    group(stage, "/g2", "/b", merge="m")
    group(stage, "/g3", "/c")
    scene = parse(stage)
    assert filtered(scene) == {"/g1": ["/g3"], "/g2": ["/g3"], "/g3": ["/g1", "/g2"]}
    assert [[scene.geoms[i].path for i in g.geoms] for g in scene.groups] == [
        ["/a/c"],
        ["/b/c"],
        ["/c/c"],
    ]


def test_inverted_groups_collide_only_with_their_list():
    stage = world("a", "b", "c")
    group(stage, "/g1", "/a", filtered=["/g2"], invert=True)
    group(stage, "/g2", "/b")
    group(stage, "/g3", "/c")
    found = filtered(parse(stage))
    assert found["/g1"] == ["/g1", "/g3"] and found["/g2"] == []


def touching(stage, contacts):
    """Whether the two bodies named of each pair may collide, as the engine decides."""
    for prim in stage.Traverse():  # all at one place
        if prim.HasAPI(UsdPhysics.RigidBodyAPI):
            prim.GetAttribute("xformOp:translate").Set((0, 0, 0))
    compiled = compile_scene(parse(stage))
    data = mujoco.MjData(compiled.mj)
    mujoco.mj_forward(compiled.mj, data)
    names = [
        "".join(sorted(compiled.mj.body(compiled.mj.geom_bodyid[g]).name[-1] for g in pair))
        for pair in data.contact.geom
    ]
    return [pair in names for pair in contacts]


def test_what_is_in_no_group_does_not_touch_inverted_groups():
    stage = world("a", "b", "c", "d")
    group(stage, "/g1", "/a", filtered=["/g2"], invert=True, merge="m")
    group(stage, "/g2", "/b")
    group(stage, "/g3", "/c", merge="m")
    assert touching(stage, ["ab", "ad", "bd", "cd"]) == [True, False, True, False]


def test_a_scene_that_inverts_groups_has_them_collide_with_what_they_name():
    stage = world("a", "b", "c", "d")
    scene = UsdPhysics.Scene.Define(stage, "/scene").GetPrim()
    scene.AddAppliedSchema("PhysxSceneAPI")
    switch = scene.CreateAttribute("physxScene:invertCollisionGroupFilter", Sdf.ValueTypeNames.Bool)
    # Filters of an environment, as cloners author them: with itself and the ground.
    group(stage, "/env", "/a", "/b", filtered=["/env", "/ground"])
    group(stage, "/ground", "/c", invert=True)
    group(stage, "/other", "/d", filtered=["/other"])
    contacts = ["ab", "ac", "ad", "cd"]
    switch.Set(True)
    result = parse_stage(stage, strict=True)
    assert filtered(result.scene)["/env"] == ["/other"]
    assert touching(stage, contacts) == [True, True, False, False]
    switch.Set(False)
    stage.GetPrimAtPath("/ground").GetAttribute("physics:invertFilteredGroups").Set(False)
    assert touching(stage, contacts) == [False, False, True, True]


def test_a_scene_that_inverts_groups_leaves_what_is_in_none_alone():
    stage = world("a", "b", "c")
    scene = UsdPhysics.Scene.Define(stage, "/scene").GetPrim()
    scene.CreateAttribute("physxScene:invertCollisionGroupFilter", Sdf.ValueTypeNames.Bool).Set(
        True
    )
    group(stage, "/g1", "/a", invert=True)
    group(stage, "/g2", "/b")
    assert touching(stage, ["ab", "ac", "bc"]) == [False, True, True]


def pairs(stage, path, *targets):
    api = UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath(path))
    api.CreateFilteredPairsRel().SetTargets(list(targets))
    return parse(stage)


def test_body_pairs():
    scene = pairs(world("a", "b", "c"), "/c", "/a")
    assert scene.body_filters == {(0, 2)} and not scene.geom_filters


def test_collider_pairs():
    scene = pairs(world("a", "b"), "/b/c", "/a/c")
    assert scene.geom_filters == {(0, 1)} and not scene.body_filters


def test_collider_with_body():
    stage = world("a", "b")
    shape(stage, "/b/d")
    scene = pairs(stage, "/a/c", "/b")
    paths = [g.path for g in scene.geoms]
    assert {tuple(paths[i] for i in pair) for pair in scene.geom_filters} == {
        ("/a/c", "/b/c"),
        ("/a/c", "/b/d"),
    }


def test_articulation_pairs():
    stage = world("c")
    UsdPhysics.ArticulationRootAPI.Apply(UsdGeom.Xform.Define(stage, "/r").GetPrim())
    body(stage, "/r/a")
    body(stage, "/r/b")
    joint(stage, "/r/j", "Revolute", "/r/a", "/r/b")
    scene = pairs(stage, "/r", "/c")
    paths = [b.path for b in scene.bodies]
    named = {frozenset(paths[i] for i in pair) for pair in scene.body_filters}
    assert named == {frozenset(("/r/a", "/c")), frozenset(("/r/b", "/c"))}


def test_jointed_bodies_say_whether_they_collide():
    stage = world("a", "b")
    joint(stage, "/j", "Revolute", "/a", "/b", collisionEnabled=True)
    assert by_path(parse(stage).joints)["/j"].collision_enabled


def test_a_group_that_does_not_exist_filters_nothing():
    """OpenUSD's own table takes it for the first group, which would then filter itself."""
    stage = new_stage()
    for path in ("/a", "/b"):
        shape(stage, path)
    group = UsdPhysics.CollisionGroup.Define(stage, "/group")
    group.GetCollidersCollectionAPI().IncludePath("/a")
    group.GetCollidersCollectionAPI().IncludePath("/b")
    other = UsdPhysics.CollisionGroup.Define(stage, "/other")
    group.CreateFilteredGroupsRel().SetTargets(["/nowhere", "/other"])
    result = parse_stage(stage)
    found = {g.path: g.filtered for g in result.scene.groups}
    assert found == {"/group": frozenset({1}), "/other": frozenset({0})}
    assert [f.value for f in result.report.by_code("dangling-filter")] == ["/nowhere"]
    assert other.GetPrim().IsValid()
    targets = group.GetFilteredGroupsRel().GetTargets()
    assert [str(target) for target in targets] == ["/nowhere", "/other"]


def posted(target, **values):
    """Pairs of geoms that a joint of a body keeps apart, by what it names at its other end."""
    stage = world("a")
    for path in ("/post", "/group/c", "/other"):
        shape(stage, path)
    UsdGeom.Xform.Define(stage, "/post/frame")
    joint(stage, "/j", "Revolute", target, "/a", **values)
    scene = parse(stage)
    return {frozenset(scene.geoms[i].path for i in pair) for pair in scene.geom_filters}


@pytest.mark.parametrize(
    ("target", "met"), [("/post", "/post"), ("/post/frame", "/post"), ("/group/c", "/group/c")]
)
def test_a_joint_keeps_its_body_from_the_collider_that_it_is_joined_to(target, met):
    assert posted(target) == {frozenset(("/a/c", met))}
    assert posted(target, collisionEnabled=True) == set()


@pytest.mark.parametrize("target", [None, "/group"])
def test_a_joint_to_the_world_keeps_nothing_apart(target):
    """As in PhysX, where what is below the prim that a joint names is no end of it."""
    assert posted(target) == set()
