import numpy as np
import pytest
from parser_builders import body, by_path, joint, new_stage, parse, shape
from pxr import Sdf, UsdGeom, UsdPhysics

from usdsim.parser import parse_stage


def chain(*links, names="abcd"):
    """Bodies and revolute joints between them, in this order; ``w`` is the world."""
    stage = new_stage()
    for name in names:
        body(stage, f"/{name}")
    for i, (first, second) in enumerate(links):
        ends = [None if name == "w" else f"/{name}" for name in (first, second)]
        joint(stage, f"/j{i}", "Revolute", *ends)
    return stage


def tree(stage):
    scene = parse(stage)
    names = ["w", *[b.path[1:] for b in scene.bodies]]
    return {b.path[1:]: names[b.parent + 1] for b in scene.bodies}, [
        j.path for j in scene.joints if not j.in_tree
    ]


def test_loops_are_closed_by_the_last_joint():
    stage = chain(("a", "b"), ("b", "c"), ("a", "d"), ("d", "c"))
    assert tree(stage) == ({"a": "w", "b": "a", "c": "b", "d": "a"}, ["/j3"])


def test_loops_through_the_world():
    stage = chain(("w", "a"), ("a", "b"), ("b", "c"), ("c", "w"), names="abc")
    assert tree(stage) == ({"a": "w", "b": "a", "c": "b"}, ["/j3"])


def test_excluded_joints_close_loops_whatever_their_order():
    stage = chain(("a", "b"), ("b", "c"), ("a", "c"), names="abc")
    stage.GetPrimAtPath("/j0").GetAttribute("physics:excludeFromArticulation").Set(True)
    parents, loops = tree(stage)
    assert loops == ["/j0"]
    assert parents == {"a": "w", "c": "a", "b": "c"}


def test_backward_joints_are_turned_around():
    stage = chain(("b", "a"), ("c", "b"), ("w", "a"), names="abc")
    assert tree(stage)[0] == {"a": "w", "b": "a", "c": "b"}


def test_floating_trees_hang_on_the_body_nothing_points_to():
    assert tree(chain(("c", "b"), ("b", "a"), names="abc"))[0] == {"c": "w", "b": "c", "a": "b"}


def test_floating_trees_hang_on_their_articulation_root():
    stage = chain(("c", "b"), ("b", "a"), names="abc")
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/b"))
    assert tree(stage)[0] == {"b": "w", "a": "b", "c": "b"}


def parallel(api=None, root_attribute=False):
    stage = new_stage()
    top = UsdGeom.Xform.Define(stage, "/r").GetPrim()
    UsdPhysics.ArticulationRootAPI.Apply(top)
    if root_attribute:
        top.CreateAttribute("newton:jointsAddMobility", Sdf.ValueTypeNames.Bool).Set(True)
    body(stage, "/r/a")
    body(stage, "/r/b")
    for i, axis in enumerate("XYZ"):
        prim = joint(stage, f"/r/j{i}", "Revolute", "/r/a", "/r/b", axis=axis)
        if api:
            prim.AddAppliedSchema(api)
    return parse_stage(stage)


@pytest.mark.parametrize("options", [{"api": "MjcJointAPI"}, {"root_attribute": True}])
def test_parallel_joints_that_add_up(options):
    result = parallel(**options)
    scene = result.scene
    assert not result.report.by_code("parallel-joint")
    assert scene.bodies[1].joints == (0, 1, 2)
    assert all(j.in_tree for j in scene.joints)
    axes = [j.dofs[0].axis for j in scene.joints]
    np.testing.assert_allclose(axes, np.eye(3), atol=1e-12)


def test_parallel_joints_without_a_word_close_loops():
    result = parallel()
    scene = result.scene
    assert scene.bodies[1].joints == (0,)
    assert [j.in_tree for j in scene.joints] == [True, False, False]
    notes = result.report.by_code("parallel-joint")
    assert [(note.severity, note.path) for note in notes] == [("info", "/r/j1"), ("info", "/r/j2")]
    assert all("</r/j0>" in note.message for note in notes)


def test_loops_through_other_bodies_are_no_parallel_joints():
    result = parse_stage(chain(("a", "b"), ("b", "c"), ("a", "d"), ("d", "c")))
    assert not result.report.by_code("parallel-joint")


def test_joints_between_what_cannot_move_are_dropped():
    stage = new_stage()
    hand = body(stage, "/hand")
    UsdPhysics.RigidBodyAPI(hand).CreateKinematicEnabledAttr(True)
    body(stage, "/b")
    shape(stage, "/wall", collides=False)
    joint(stage, "/j0", "Fixed", None, "/hand")
    joint(stage, "/j1", "Fixed", "/wall", None)
    result = parse_stage(stage)
    assert result.scene.joints == ()
    assert {f.path for f in result.report.by_code("static-joint")} == {"/j0", "/j1"}


def test_articulations():
    stage = chain(("a", "b"), ("b", "c"), ("w", "d"))
    prim = stage.GetPrimAtPath("/a")
    UsdPhysics.ArticulationRootAPI.Apply(prim)
    prim.CreateAttribute("physxArticulation:enabledSelfCollisions", Sdf.ValueTypeNames.Bool).Set(
        False
    )
    fixed = joint(stage, "/fix", "Fixed", None, "/d")
    stage.RemovePrim("/j2")
    UsdPhysics.ArticulationRootAPI.Apply(fixed)
    scene = parse(stage)
    arts = by_path(scene.articulations)
    paths = [b.path for b in scene.bodies]
    floating, based = arts["/a"], arts["/fix"]
    assert [paths[i] for i in floating.bodies] == ["/a", "/b", "/c"]
    assert [scene.joints[j].path for j in floating.joints] == ["/j0", "/j1"]
    assert not floating.fixed_base and not floating.self_collision
    assert [paths[i] for i in based.bodies] == ["/d"]
    assert based.fixed_base and based.self_collision


def test_an_articulation_on_a_plain_prim_holds_what_is_below():
    stage = new_stage()
    for robot in ("r1", "r2"):
        top = UsdGeom.Xform.Define(stage, f"/{robot}").GetPrim()
        UsdPhysics.ArticulationRootAPI.Apply(top)
        top.CreateAttribute("newton:selfCollisionEnabled", Sdf.ValueTypeNames.Bool).Set(
            robot == "r1"
        )
        body(stage, f"/{robot}/base")
        body(stage, f"/{robot}/arm")
        joint(stage, f"/{robot}/j", "Revolute", f"/{robot}/base", f"/{robot}/arm")
    scene = parse(stage)
    one, two = scene.articulations
    assert (one.root, one.bodies) == (0, (0, 1)) and (two.root, two.bodies) == (2, (2, 3))
    assert one.self_collision and not two.self_collision


def test_bodies_without_freedom_of_their_own_hang_on_the_body_above():
    stage = new_stage()
    body(stage, "/a")
    for path in ("/a/frame", "/a/frame/camera"):
        UsdGeom.Xform.Define(stage, path).GetPrim().AddAppliedSchema("MjcBodyAPI")
    scene = parse(stage)
    assert [(b.parent, b.fixed) for b in scene.bodies] == [(-1, False), (0, True), (1, True)]


def test_such_a_frame_can_carry_the_body_above():
    """A joint of the frame to the world turns the tree around."""
    stage = new_stage()
    body(stage, "/a")
    UsdGeom.Xform.Define(stage, "/a/frame").GetPrim().AddAppliedSchema("MjcBodyAPI")
    joint(stage, "/j", "Revolute", None, "/a/frame")
    bodies = by_path(parse(stage).bodies)
    assert not bodies["/a/frame"].fixed and bodies["/a/frame"].joints == (0,)
    assert bodies["/a"].fixed and bodies["/a"].parent == 0
