"""Joint frames that disagree with body poses: what is said, and what the start follows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parser_builders import about, body, joint, new_stage, parse, place, shape
from pxr import Gf, UsdGeom, UsdPhysics

import usdsim
from usdsim.core.errors import InvalidValueError, ParseError
from usdsim.math.rotations import quat_from_euler, quat_to_euler, quat_to_matrix
from usdsim.parser import parse_stage

CODE = "joint-frames-apart"


def pair(kind="Revolute", pos=(0, 0, 1), turn=None, **values):
    """Two bodies whose joint puts the second at the origin of the first."""
    stage = new_stage()
    for path, at, rot in (("/a", (0, 0, 0), None), ("/b", pos, turn)):
        body(stage, path, at, rot)
        shape(stage, path + "/shape", "Sphere", radius=0.1)
    joint(stage, "/joint", kind, "/a", "/b", **values)
    return stage


def apart(stage, **options):
    return parse_stage(stage, **options).report.by_code(CODE)


def test_a_disagreement_names_joint_distance_and_angle():
    findings = apart(pair("Fixed", (0.3, 0, 0.4), about((0, 1, 0), 30)))
    assert [f.path for f in findings] == ["/joint"]
    assert "0.5 m" in findings[0].message
    assert "30 degrees" in findings[0].message
    with pytest.raises(ParseError, match="initial_poses='bodies'"):
        parse_stage(pair("Fixed"), strict=True)


def test_a_robot_that_slides_on_the_world_may_be_placed_if_its_joint_names_the_prim_above():
    stage = new_stage()
    place(UsdGeom.Xform.Define(stage, "/robot").GetPrim(), (0, 2, 0))
    body(stage, "/robot/cart", (0, 0, 1))
    shape(stage, "/robot/cart/shape", "Sphere", radius=0.1)
    slide = joint(stage, "/robot/slide", "Prismatic", None, "/robot/cart", localPos0=(0, 0, 1))
    (finding,) = apart(stage)
    assert "name the prim above the robot" in finding.message
    slide.GetRelationship("physics:body0").SetTargets(["/robot"])
    assert not apart(stage)
    (cart,) = parse(stage).bodies
    np.testing.assert_allclose(cart.initial_pose_w.pos, (0, 2, 1))


@pytest.mark.parametrize(
    ("kind", "pos", "turn"),
    [
        ("Revolute", (0, 0, 0), about((1, 0, 0), 170)),
        ("Prismatic", (0.7, 0, 0), None),
        ("Spherical", (0, 0, 0), about((1, 2, 3), 100)),
        ("Fixed", (0, 0, 0), None),
        ("Distance", (0, 3, 0), about((0, 1, 0), 50)),
        ("Fixed", (0, 0, 5e-4), None),
    ],
)
def test_what_a_joint_allows_is_no_disagreement(kind, pos, turn):
    assert not apart(pair(kind, pos, turn))


@pytest.mark.parametrize(
    ("kind", "pos", "turn", "distance", "degrees"),
    [
        ("Revolute", (0, 0.2, 0), about((1, 0, 0), 90), 0.2, 0),
        ("Revolute", (0, 0, 0), about((0, 0, 1), 20), 0, 20),
        ("Prismatic", (0.7, 0, 0.1), None, 0.1, 0),
        ("Prismatic", (0.7, 0, 0), about((1, 0, 0), 10), 0, 10),
        ("Spherical", (0, 0.25, 0), about((1, 2, 3), 100), 0.25, 0),
    ],
)
def test_only_what_a_joint_locks_counts(kind, pos, turn, distance, degrees):
    (finding,) = apart(pair(kind, pos, turn))
    words = finding.message.split()
    assert float(words[words.index("m") - 1]) == pytest.approx(distance, abs=1e-6)
    assert float(words[words.index("degrees") - 1]) == pytest.approx(degrees, abs=1e-3)


def test_axes_that_a_six_axis_joint_locks_count():
    stage = pair("", (0.5, 0, 0.3), about((0, 0, 1), 40))
    stage.RemovePrim("/joint")
    prim = UsdPhysics.Joint.Define(stage, "/joint").GetPrim()
    prim.GetRelationship("physics:body0").SetTargets(["/a"])
    prim.GetRelationship("physics:body1").SetTargets(["/b"])
    for axis in ("transY", "transZ", "rotX", "rotY"):
        limit = UsdPhysics.LimitAPI.Apply(prim, axis)
        limit.CreateLowAttr(1.0)
        limit.CreateHighAttr(-1.0)
    (finding,) = apart(stage)
    assert "0.3 m" in finding.message


def test_the_start_follows_the_joints_unless_told_otherwise():
    stage = pair("Revolute", (0.2, 0.5, 0), about((1, 0, 0), 25))
    found = {}
    for choice in ("joints", "bodies"):
        model = usdsim.load_model(stage, initial_poses=choice)
        data = usdsim.SceneData(model)
        found[choice] = model.get_link("b").get_pose(data)
        found[choice][:3] -= model.get_link("a").get_pose(data)[:3]
    np.testing.assert_allclose(found["joints"][:3], 0, atol=1e-6)
    np.testing.assert_allclose(found["bodies"][:3], [0.2, 0.5, 0], atol=1e-6)
    for pose in found.values():  # The angle is the joint's own in both.
        np.testing.assert_allclose(np.abs(pose[3:] @ about((1, 0, 0), 25)), 1, atol=1e-6)
    with pytest.raises(InvalidValueError, match="initial_poses"):
        parse_stage(stage, initial_poses="links")


@pytest.mark.parametrize("articulated", [False, True])
def test_loose_bodies_meet_by_their_masses(articulated):
    """Joints pull at both ends, so the centre of mass stays; bases of articulations stay."""
    stage = pair("Fixed", (0, 0, 1))
    for path, mass in (("/a", 1.0), ("/b", 3.0)):
        UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath(path)).CreateMassAttr(mass)
    if articulated:
        UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/a"))
    model = usdsim.load_model(stage)
    height = 0.0 if articulated else 0.75
    heights = [link.get_pose(usdsim.SceneData(model))[2] for link in model.links]
    np.testing.assert_allclose(heights, height, atol=1e-6)


def test_bodies_that_stay_are_joined_where_they_are():
    """Of a hinge the frame on body 0 moves, so the hinge turns about the axis on body 1."""
    stage = pair("Revolute", (0, 0.5, 0), localPos1=(0, -0.1, 0))
    scene = parse(stage, initial_poses="bodies")
    np.testing.assert_allclose(scene.joints[0].parent_frame.pos, [0, 0.4, 0], atol=1e-7)
    np.testing.assert_allclose(scene.bodies[1].rest_pose.pos, [0, 0.5, 0], atol=1e-7)


def based(kind="Fixed", root="/robot"):
    """An articulation away from the origin, whose joint to the world has its frames at zero."""
    stage = new_stage()
    place(stage.DefinePrim("/robot", "Xform"), (3, 4, 0), about((0, 0, 1), 90))
    body(stage, "/robot/base")
    body(stage, "/robot/arm", (0, 0, 1))
    for path in ("/robot/base/s", "/robot/arm/s"):
        shape(stage, path, "Sphere", radius=0.1)
    joint(stage, "/robot/root", kind, None, "/robot/base")
    joint(stage, "/robot/hinge", "Revolute", "/robot/base", "/robot/arm", localPos0=(0, 0, 1))
    if root:
        UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(root))
    return stage


@pytest.mark.parametrize("root", ["/robot", "/robot/root"])
def test_a_fixed_base_of_an_articulation_stays_where_it_is_authored(root):
    """As in PhysX: such a joint says that the base is fixed, not where."""
    result = parse_stage(based(root=root), strict=True)
    np.testing.assert_allclose(result.scene.bodies[0].rest_pose.pos, [3, 4, 0], atol=1e-7)
    assert [f.path for f in result.report.by_code("fixed-base")] == ["/robot/root"]


@pytest.mark.parametrize(
    ("kind", "root"), [("Fixed", None), ("Revolute", "/robot"), ("Fixed", "/robot/base")]
)
def test_other_joints_to_the_world_place_their_body(kind, root):
    """As in PhysX, where an articulation whose root is a body floats until a joint holds it."""
    result = parse_stage(based(kind, root))
    np.testing.assert_allclose(result.scene.bodies[0].rest_pose.pos, [0, 0, 0], atol=1e-7)
    assert [f.path for f in result.report.by_code(CODE)] == ["/robot/root"]


def test_loops_that_are_open_at_the_start_are_reported():
    stage = based()
    weld = joint(stage, "/robot/loop", "Fixed", "/robot/base", "/robot/arm")
    weld.GetAttribute("physics:excludeFromArticulation").Set(True)
    weld.GetAttribute("physics:localPos0").Set(Gf.Vec3f(0, 0, 0.75))
    (finding,) = apart(stage)
    assert finding.path == "/robot/loop"
    assert "0.25 m" in finding.message


@pytest.mark.parametrize("meters", [1.0, 0.01])
def test_a_disagreement_is_in_metres(meters):
    stage = new_stage(meters=meters)
    for path, pos in (("/a", (0, 0, 0)), ("/b", (0, 0, 0.5 / meters))):
        body(stage, path, pos)
        shape(stage, path + "/s", "Sphere", radius=0.1 / meters)
    joint(stage, "/joint", "Fixed", "/a", "/b")
    assert "0.5 m" in apart(stage)[0].message


def test_disjointed_chain_of_another_tool_starts_where_its_frames_meet():
    """Bodies authored 10 m apart, joint frames half a metre out: PhysX starts at 0, 1, 2, 3 m."""
    stage = new_stage()
    for i in range(4):
        body(stage, f"/link{i}", (10 * i, 0, 0))
        shape(stage, f"/link{i}/s", "Sphere", radius=0.1)
    for i in range(3):
        joint(
            stage, f"/joint{i}", "Revolute", f"/link{i}", f"/link{i + 1}", axis="Y",
            localPos0=(0.5, 0, 0), localPos1=(-0.5, 0, 0),
        )  # fmt: skip
    result = parse_stage(stage)
    assert [f.path for f in result.report.by_code(CODE)] == ["/joint0", "/joint1", "/joint2"]
    rest = [body.rest_pose.pos[0] for body in result.scene.bodies]
    np.testing.assert_allclose(rest, [0, 1, 1, 1])


@settings(max_examples=50)
@given(st.lists(st.floats(-1.5, 1.5), min_size=3, max_size=3))
def test_angles_about_turned_axes(angles):
    turn = quat_from_euler(angles)
    np.testing.assert_allclose(quat_to_euler(turn), angles, atol=1e-9)
    x, y, z = (quat_to_matrix(about(np.eye(3)[i], np.degrees(angles[i]))) for i in range(3))
    np.testing.assert_allclose(quat_to_matrix(turn), x @ y @ z, atol=1e-12)
