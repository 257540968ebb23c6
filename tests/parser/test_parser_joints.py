import numpy as np
import pytest
from parser_builders import about, body, by_path, joint, new_stage, parse, place, shape
from pxr import Sdf, UsdGeom, UsdPhysics

from usdsim.converters.mjcf import convert_mjcf
from usdsim.core.errors import ParseError
from usdsim.math.rotations import quat_apply, quat_to_rotvec
from usdsim.math.transforms import Pose
from usdsim.parser import parse_stage

INF = np.inf


def moved(found, values):
    """Pose of the child in the parent with its degrees of freedom at these positions."""
    scene, j = found
    joint_ = scene.joints[j]
    pose = scene.bodies[joint_.child].rest_pose
    for dof, value in zip(joint_.dofs, values, strict=True):
        turn = Pose(np.zeros(3), about(dof.axis, np.degrees(value)))
        if dof.kind == "slide":
            motion = Pose(dof.axis * value)
        else:
            motion = Pose(dof.anchor) @ turn @ Pose(-dof.anchor)
        pose = pose @ motion
    return pose


def usd_pose(frame0, frame1, motion):
    """Pose of body 1 in body 0 by UsdPhysics' definition."""
    return frame0 @ motion @ frame1.inverse()


FRAME0 = Pose(np.array([0.3, -0.2, 0.5]), about((1, 2, 3), 50))
FRAME1 = Pose(np.array([-0.1, 0.4, 0.2]), about((3, -1, 1), -70))
UNIT = dict(zip("XYZ", np.eye(3), strict=True))


def pair(kind, scale0=(1, 1, 1), scale1=(1, 1, 1), swap=False, **values):
    """Two bodies at the joint's zero position, with turned frames on both sides."""
    stage = new_stage()
    base = Pose(np.array([1.0, 2.0, 3.0]), about((0, 1, 1), 20))
    tip = base @ usd_pose(FRAME0, FRAME1, Pose())
    body(stage, "/a", base.pos, base.quat, scale0)
    body(stage, "/b", tip.pos, tip.quat, scale1)
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/b" if swap else "/a"))
    prim = joint(
        stage, "/j", kind, "/a", "/b",
        localPos0=FRAME0.pos / scale0, localRot0=FRAME0.quat,
        localPos1=FRAME1.pos / scale1, localRot1=FRAME1.quat, **values,
    )  # fmt: skip
    return stage, prim


def found_in(stage):
    scene = parse(stage)
    return scene, [j.path for j in scene.joints].index("/j")


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
@pytest.mark.parametrize("scale0", [(1, 1, 1), (2, 3, 4)])
@pytest.mark.parametrize("scale1", [(1, 1, 1), (5, 1, 2)])
@pytest.mark.parametrize("kind", ["Revolute", "Prismatic"])
def test_frames_on_both_sides(kind, axis, scale0, scale1):
    stage, _ = pair(kind, scale0, scale1, axis=axis)
    motion = Pose(0.4 * UNIT[axis]) if kind == "Prismatic" else Pose(quat=about(UNIT[axis], 40))
    expected = usd_pose(FRAME0, FRAME1, motion)
    value = 0.4 if kind == "Prismatic" else np.radians(40)
    assert moved(found_in(stage), [value]).almost_equal(expected, 1e-6, 1e-6)


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic"])
def test_a_reversed_joint_keeps_the_meaning_of_its_position(kind):
    stage, _ = pair(kind, swap=True, axis="Y", lowerLimit=-5.0, upperLimit=20.0)
    scene, j = found_in(stage)
    assert scene.bodies[scene.joints[j].child].path == "/a"
    motion = Pose(0.4 * UNIT["Y"]) if kind == "Prismatic" else Pose(quat=about(UNIT["Y"], 40))
    expected = usd_pose(FRAME0, FRAME1, motion).inverse()
    value = 0.4 if kind == "Prismatic" else np.radians(40)
    assert moved((scene, j), [value]).almost_equal(expected, 1e-6, 1e-6)
    (dof,) = scene.joints[j].dofs
    unit = 1.0 if kind == "Prismatic" else np.pi / 180
    np.testing.assert_allclose([dof.lower, dof.upper], np.array([-5, 20]) * unit)


def lock(prim, **axes):
    for name, (low, high) in axes.items():
        api = UsdPhysics.LimitAPI.Apply(prim, name)
        api.CreateLowAttr(low)
        api.CreateHighAttr(high)


@pytest.mark.parametrize("swap", [False, True])
def test_d6_axes_stack_in_order(swap):
    stage, prim = pair("", swap=swap)
    lock(prim, transY=(1, -1), rotY=(-90, 90))
    found = found_in(stage)
    dofs = found[0].joints[found[1]].dofs
    names = ["transX", "transZ", "rotX", "rotY", "rotZ"]
    assert [d.path for d in dofs] == [f"/j:{n}" for n in (names[::-1] if swap else names)]
    values = dict(zip(names, [0.1, -0.3, 0.5, -0.7, 0.9], strict=True))
    motion = Pose(np.array([0.1, 0, -0.3]))
    for axis, name in (("X", "rotX"), ("Y", "rotY"), ("Z", "rotZ")):
        motion = motion @ Pose(quat=about(UNIT[axis], np.degrees(values[name])))
    expected = usd_pose(FRAME0, FRAME1, motion)
    result = moved(found, [values[d.path[3:]] for d in dofs])
    assert result.almost_equal(expected.inverse() if swap else expected, 1e-6, 1e-6)


def test_d6_limits_and_drives_per_axis():
    stage, prim = pair("")
    lock(prim, transX=(-0.5, 0.25), transY=(1, -1), transZ=(1, -1), rotX=(-30, 60), rotZ=(1, -1))
    drive = UsdPhysics.DriveAPI.Apply(prim, "rotY")
    drive.CreateStiffnessAttr(2.0)
    scene, j = found_in(stage)
    slide, turn, driven = scene.joints[j].dofs
    assert (slide.lower, slide.upper) == (-0.5, 0.25)
    np.testing.assert_allclose([turn.lower, turn.upper], np.radians([-30, 60]))
    assert (driven.lower, driven.upper) == (-INF, INF)
    assert driven.drive.stiffness == pytest.approx(2.0 * 180 / np.pi)


def test_three_free_rotations_are_a_ball():
    stage, prim = pair("")
    lock(prim, transX=(1, -1), transY=(1, -1), transZ=(1, -1))
    scene, j = found_in(stage)
    assert [d.kind for d in scene.joints[j].dofs] == ["ball"]


def test_a_joint_without_constraints_frees_its_body():
    stage = new_stage()
    body(stage, "/a")
    body(stage, "/b")
    joint(stage, "/world", "", None, "/a")
    joint(stage, "/between", "", "/a", "/b")
    scene = parse(stage)
    (free,) = scene.joints
    assert free.kind == "free" and [d.kind for d in free.dofs] == ["free"]
    assert scene.bodies[1].joints == ()
    assert scene.body_filters == {(0, 1)}


def test_spherical_cone_limits():
    stage, prim = pair("Spherical", axis="Z", coneAngle0Limit=30.0, coneAngle1Limit=45.0)
    scene, j = found_in(stage)
    (dof,) = scene.joints[j].dofs
    assert dof.kind == "ball" and np.isinf(dof.upper)
    assert dof.cone.angles == pytest.approx(np.radians((30, 45)))
    # The first angle is about the axis after the joint's, as in PhysX.
    assert dof.cone.axis.tolist() == [0, 0, 1] and dof.cone.toward.tolist() == [0, 1, 0]
    assert parse_stage(stage).report.by_code("cone-angles")
    for none in (-1.0, 0.0):
        prim.GetAttribute("physics:coneAngle1Limit").Set(none)
        result = parse_stage(stage)
        assert result.scene.joints[0].dofs[0].cone is None
        (finding,) = result.report.by_code("approximated")
        assert finding.attribute == "physics:coneAngle1Limit"


def test_balls_of_mjcf_keep_the_limit_of_their_whole_rotation_until_an_angle_is_edited():
    xml = (
        "<mujoco><compiler angle='radian'/><worldbody><body name='rod'><geom size='0.1'/>"
        "<joint name='ball' type='ball' range='0 0.7' limited='true'/></body></worldbody></mujoco>"
    )
    stage = new_stage()
    convert_mjcf(xml, stage)
    prim = next(p for p in stage.Traverse() if p.IsA(UsdPhysics.SphericalJoint))

    def limits():
        (dof,) = (d for j in parse_stage(stage).scene.joints for d in j.dofs)
        return dof.upper, dof.cone and dof.cone.angles

    assert limits() == (0.7, None)
    prim.GetAttribute("physics:coneAngle0Limit").Set(20.0)
    upper, angles = limits()
    assert np.isinf(upper) and angles == pytest.approx((np.radians(20.0), 0.7))


def test_fixed_joints_keep_bodies_apart():
    stage, _ = pair("Fixed")
    scene, j = found_in(stage)
    assert scene.joints[j].dofs == () and scene.joints[j].in_tree
    assert scene.bodies[1].rest_pose.almost_equal(usd_pose(FRAME0, FRAME1, Pose()), 1e-6, 1e-6)


def test_distance_joints_do_not_carry_bodies():
    stage = new_stage(meters=0.01)
    body(stage, "/a")
    body(stage, "/b")
    joint(stage, "/j", "Distance", "/a", "/b", minDistance=10.0, maxDistance=50.0)
    scene = parse(stage)
    (found,) = scene.joints
    assert not found.in_tree and scene.bodies[1].parent == -1
    assert (found.min_distance, found.max_distance) == (pytest.approx(0.1), pytest.approx(0.5))


def test_a_distance_may_be_the_only_limit_of_a_joint_of_six_axes():
    stage = new_stage(meters=0.01)
    body(stage, "/a")
    body(stage, "/b")
    prim = joint(stage, "/j", "", "/a", "/b")
    limit = UsdPhysics.LimitAPI.Apply(prim, "distance")
    limit.CreateLowAttr(10.0)
    limit.CreateHighAttr(50.0)
    result = parse_stage(stage)
    (found,) = result.scene.joints
    assert (found.min_distance, found.max_distance) == (pytest.approx(0.1), pytest.approx(0.5))
    assert not result.report.warnings
    locked = UsdPhysics.LimitAPI.Apply(prim, "rotX")
    locked.CreateLowAttr(1.0)
    locked.CreateHighAttr(-1.0)
    assert {f.attribute for f in parse_stage(stage).report.by_code("unsupported")} == {
        "limit:distance:physics:low", "limit:distance:physics:high"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (None, None, (-INF, INF)),
        (-90.0, None, (-np.pi / 2, INF)),
        (None, 90.0, (-INF, np.pi / 2)),
        (-90.0, 45.0, (-np.pi / 2, np.pi / 4)),
        (-3.4028235e38, 3.4028235e38, (-INF, INF)),
    ],
)
def test_limits_of_each_side(low, high, expected):
    values = {"lowerLimit": low, "upperLimit": high}
    stage, _ = pair("Revolute", **{k: v for k, v in values.items() if v is not None})
    scene, j = found_in(stage)
    dof = scene.joints[j].dofs[0]
    assert (dof.lower, dof.upper) == pytest.approx(expected)


def test_crossed_limits_lock():
    stage, _ = pair("Revolute", lowerLimit=1.0, upperLimit=-1.0)
    scene, j = found_in(stage)
    assert scene.joints[j].dofs == ()


def test_targets_on_shapes_belong_to_their_body():
    stage = new_stage()
    body(stage, "/a", (1, 0, 0), scale=(2, 2, 2))
    shape(stage, "/a/cube", pos=(0, 0, 1), scale=(1, 1, 3))
    body(stage, "/b", (1, 0, 8))
    joint(stage, "/j", "Revolute", "/a/cube", "/b", localPos0=(0, 0, 1))
    scene = parse(stage)
    np.testing.assert_allclose(scene.joints[0].parent_frame.pos, [0, 0, 2 + 6])
    assert scene.joints[0].parent == 0


def test_world_frames_follow_the_prim_they_name():
    stage = new_stage("Y", 0.01)
    ground = shape(stage, "/ground", pos=(0, 100, 0), collides=False)
    body(stage, "/b", (0, 100, 0))
    joint(stage, "/j", "Revolute", str(ground.GetPath()), "/b", axis="Y")
    scene = parse(stage)
    frame = scene.joints[0].parent_frame
    np.testing.assert_allclose(frame.pos, [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(quat_apply(frame.quat, [0, 1, 0]), [0, 0, 1], atol=1e-12)


def test_authored_poses_beat_single_precision_frames():
    """The rest pose keeps all digits of the prims where the frames only restate it."""
    stage = new_stage()
    body(stage, "/a", (0.1, 0.2, 0.3))
    body(stage, "/a/b", (1 / 3, 2 / 3, 1 / 7), about((1, 2, 3), 33))
    joint(
        stage, "/j", "Revolute", "/a", "/a/b",
        localPos0=(1 / 3, 2 / 3, 1 / 7), localRot0=about((1, 2, 3), 33),
    )  # fmt: skip
    scene = parse(stage)
    np.testing.assert_array_equal(scene.bodies[1].rest_pose.pos, [1 / 3, 2 / 3, 1 / 7])
    np.testing.assert_allclose(scene.bodies[1].rest_pose.quat, about((1, 2, 3), 33), atol=1e-16)


@pytest.mark.parametrize(("kind", "value"), [("Revolute", np.radians(35)), ("Prismatic", 0.3)])
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("options", [{}, {"breakForce": 1e6}], ids=["joint", "constraint"])
def test_a_pose_away_from_zero_is_an_initial_position(kind, value, swap, options):
    """Axes of joints outside the tree are counted from where the two frames coincide, too."""
    stage, _ = pair(kind, swap=swap, axis="Z", **options)
    motion = Pose(np.array([0, 0, 0.3])) if kind == "Prismatic" else Pose(quat=about((0, 0, 1), 35))
    base = Pose(np.array([1.0, 2.0, 3.0]), about((0, 1, 1), 20))
    tip = base @ usd_pose(FRAME0, FRAME1, motion)
    place(stage.GetPrimAtPath("/b"), tip.pos, tip.quat)
    scene, j = found_in(stage)
    assert scene.joints[j].dofs[0].position == pytest.approx(value, abs=1e-6)


def test_joint_states_are_initial_values():
    stage, prim = pair("Revolute")
    prim.AddAppliedSchema("PhysicsJointStateAPI:angular")
    prim.CreateAttribute("state:angular:physics:position", Sdf.ValueTypeNames.Float).Set(90.0)
    prim.CreateAttribute("state:angular:physics:velocity", Sdf.ValueTypeNames.Float).Set(-180.0)
    scene, j = found_in(stage)
    dof = scene.joints[j].dofs[0]
    assert (dof.position, dof.velocity) == (pytest.approx(np.pi / 2), pytest.approx(-np.pi))


def test_disabled_joints_are_no_joints():
    stage, prim = pair("Revolute")
    prim.GetAttribute("physics:jointEnabled").Set(False)
    result = parse_stage(stage)
    assert result.scene.joints == ()
    assert [f.path for f in result.report.by_code("disabled-joint")] == ["/j"]


def disabled_free(stage, body0, body1):
    """A free joint as converters write it."""
    prim = joint(stage, "/free", "", body0, body1, jointEnabled=False)
    prim.AddAppliedSchema("MjcJointAPI")
    prim.CreateAttribute("mjc:type", Sdf.ValueTypeNames.Token).Set("free")
    prim.CreateAttribute("mjc:armature", Sdf.ValueTypeNames.Double).Set(0.25)
    prim.CreateAttribute("usdsim:sourceName", Sdf.ValueTypeNames.String).Set("root joint")
    return prim


@pytest.mark.parametrize("ends", [(None, "/a"), ("/a", None), ("/", "/a")])
def test_a_disabled_free_joint_names_the_freedom_of_its_body(ends):
    stage, _ = pair("Revolute")
    UsdGeom.Xform.Define(stage, "/world")
    disabled_free(stage, *("/world" if end == "/" else end for end in ends))
    result = parse_stage(stage)
    found = by_path(result.scene.joints)["/free"]
    (dof,) = found.dofs
    assert (found.kind, found.name, found.in_tree, dof.kind) == ("free", "root joint", True, "free")
    assert dof.armature == 0.25
    assert [b.parent for b in result.scene.bodies] == [-1, 0]
    assert not result.report.findings


def test_a_disabled_free_joint_gives_way_to_one_that_holds_its_body():
    stage, _ = pair("Revolute")
    disabled_free(stage, None, "/a")
    joint(stage, "/held", "Fixed", None, "/b")
    result = parse_stage(stage)
    assert [(j.path, j.in_tree) for j in result.scene.joints] == [("/j", True), ("/held", True)]
    assert [f.path for f in result.report.by_code("disabled-joint")] == ["/free"]
    assert not result.report.by_code("unsupported")


def test_a_disabled_free_joint_between_bodies_does_nothing():
    stage = new_stage()
    body(stage, "/a")
    body(stage, "/b")
    disabled_free(stage, "/a", "/b")
    result = parse_stage(stage)
    assert (result.scene.joints, result.scene.body_filters) == ((), frozenset())
    assert [f.path for f in result.report.by_code("disabled-joint")] == ["/free"]


def test_a_disabled_hinge_is_not_free_whatever_type_it_states():
    stage, prim = pair("Revolute", jointEnabled=False)
    prim.CreateAttribute("mjc:type", Sdf.ValueTypeNames.Token).Set("free")
    assert parse(stage).joints == ()


def test_joints_that_break_are_constraints():
    stage, _ = pair("Fixed", breakForce=10.0, breakTorque=3.0)
    result = parse_stage(stage)
    found = by_path(result.scene.joints)["/j"]
    assert (found.break_force, found.break_torque, found.in_tree) == (10.0, 3.0, False)
    assert [body.parent for body in result.scene.bodies] == [-1, -1]
    assert [(f.severity, f.path) for f in result.report.by_code("breakable-joint")] == [
        ("info", "/j")
    ]
    assert not result.report.by_code("unsupported")


def test_break_limits_are_in_units_of_the_stage():
    stage = new_stage(meters=0.01, kilograms=0.001)
    body(stage, "/a")
    joint(stage, "/j", "Fixed", None, "/a", breakForce=100.0, breakTorque=100.0)
    found = parse(stage).joints[0]
    assert found.break_force == pytest.approx(1e-3)
    assert found.break_torque == pytest.approx(1e-5)


@pytest.mark.parametrize("value", [np.inf, 3.40282347e38, 3.40282347e30])
def test_joints_without_break_limits_stay_in_the_tree(value):
    stage, _ = pair("Fixed", breakForce=value, breakTorque=value)
    result = parse_stage(stage)
    found = by_path(result.scene.joints)["/j"]
    assert found.in_tree and np.isinf([found.break_force, found.break_torque]).all()
    assert not result.report.by_code("breakable-joint")


def test_negative_break_limits_are_refused():
    stage, _ = pair("Fixed", breakTorque=-1.0)
    with pytest.raises(ParseError, match="physics:breakTorque"):
        parse_stage(stage)


def test_a_constraint_between_a_body_and_the_world_starts_where_it_is():
    stage = new_stage()
    body(stage, "/a", (0, 0, 0.4))
    joint(stage, "/j", "Prismatic", "/a", None, axis="Z", breakForce=1.0)
    found = parse(stage).joints[0]
    assert (found.parent, found.child) == (0, -1)
    assert found.dofs[0].position == pytest.approx(-0.4)


def turn_drives(prim, names="XYZ"):
    for number, name in enumerate(names, 1):
        drive = UsdPhysics.DriveAPI.Apply(prim, f"rot{name}")
        drive.CreateStiffnessAttr(np.pi / 180 * 100 * number)
        drive.CreateTargetPositionAttr(10.0 * number)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("kind", ["Spherical", ""])
def test_drives_about_three_axes_drive_a_ball(kind, swap):
    """Body 1 moves against body 0 by the drives' axes, whichever of the two is the child."""
    stage, prim = pair(kind, swap=swap)
    if not kind:
        lock(prim, transX=(1, -1), transY=(1, -1), transZ=(1, -1))
    turn_drives(prim)
    scene, j = found_in(stage)
    (ball,) = scene.joints[j].dofs
    assert (ball.kind, ball.drive) == ("ball", None)
    assert [drive.path for drive in ball.ball_drives] == ["/j:rotX", "/j:rotY", "/j:rotZ"]
    found = [(d.drive.stiffness, d.drive.target_position) for d in ball.ball_drives]
    expected = [(100.0 * n, np.radians(10.0 * n)) for n in (1, 2, 3)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    frame = FRAME0 if swap else FRAME1
    for drive, unit in zip(ball.ball_drives, UNIT.values(), strict=True):
        axis = quat_apply(frame.quat, unit) * (-1 if swap else 1)
        np.testing.assert_allclose(drive.axis, axis, atol=1e-7)


def test_drives_about_some_axes_of_six_make_hinges():
    stage, prim = pair("")
    lock(prim, transX=(1, -1), transY=(1, -1), transZ=(1, -1))
    turn_drives(prim, "Y")
    scene, j = found_in(stage)
    assert [(d.kind, d.drive is not None) for d in scene.joints[j].dofs] == [
        ("hinge", False),
        ("hinge", True),
        ("hinge", False),
    ]


def test_drives_convert_degrees():
    stage, prim = pair("Revolute")
    drive = UsdPhysics.DriveAPI.Apply(prim, "angular")
    drive.CreateStiffnessAttr(np.pi / 180 * 100)
    drive.CreateDampingAttr(np.pi / 180 * 10)
    drive.CreateTargetPositionAttr(90.0)
    drive.CreateTargetVelocityAttr(180.0)
    drive.CreateMaxForceAttr(3.0)
    found = by_path(parse(stage).joints)["/j"].dofs[0].drive
    assert found.stiffness == pytest.approx(100) and found.damping == pytest.approx(10)
    assert found.target_position == pytest.approx(np.pi / 2)
    assert found.target_velocity == pytest.approx(np.pi)
    assert found.max_force == 3.0 and not found.acceleration


def test_acceleration_drives_have_no_mass_in_their_units():
    stage = new_stage(meters=0.01, kilograms=0.001)
    body(stage, "/a")
    prim = joint(stage, "/j", "Revolute", None, "/a")
    drive = UsdPhysics.DriveAPI.Apply(prim, "angular")
    drive.CreateTypeAttr("acceleration")
    drive.CreateStiffnessAttr(1.0)
    found = parse(stage).joints[0].dofs[0].drive
    assert found.acceleration and found.stiffness == pytest.approx(180 / np.pi)


def test_unlimited_forces():
    stage, prim = pair("Prismatic")
    UsdPhysics.DriveAPI.Apply(prim, "linear").CreateMaxForceAttr(3.4028235e38)
    assert found_in(stage)[0].joints[0].dofs[0].drive.max_force == INF


def test_axis_directions_are_unit_and_turned():
    stage, _ = pair("Revolute", axis="Z")
    scene, j = found_in(stage)
    dof = scene.joints[j].dofs[0]
    np.testing.assert_allclose(dof.axis, quat_apply(FRAME1.quat, [0, 0, 1]), atol=1e-6)
    np.testing.assert_allclose(dof.anchor, FRAME1.pos, atol=1e-6)
    assert np.linalg.norm(quat_to_rotvec(scene.joints[j].child_frame.quat)) > 0.1
