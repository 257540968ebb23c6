"""Links, bases, masses and merging."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from converters_urdf_text import (
    arm,
    codes,
    converted,
    described,
    joint,
    link,
    robot,
)
from pxr import UsdPhysics

from usdsim.converters.urdf.bodies import DEEPEST
from usdsim.core.errors import ConversionError, UnknownNameError
from usdsim.engine import compile_scene
from usdsim.math.rotations import quat_to_matrix
from usdsim.testing import check_conversion
from usdsim.usd.names import get_source_name
from usdsim.usd.xforms import local_pose, world_pose

CHAIN = (
    link("base"),
    joint("elbow"),
    link("arm", mass=2.0, com="0.1 0 0"),
    joint("wrist", "fixed", "arm", "hand", ""),
    link("hand", '<visual><geometry><sphere radius="0.1"/></geometry></visual>', mass=0.5),
    joint("mount", "fixed", "hand", "tool", "", '<origin xyz="0 0 0.5"/>'),
    '<link name="tool"/>',
)


def bodies(stage):
    return {body.name: body for body in described(stage).bodies}


def test_layouts_place_links_alike(tmp_path):
    nested = converted(tmp_path, robot(*CHAIN)).stage
    flat = converted(tmp_path, robot(*CHAIN), layout="flat").stage
    assert nested.GetPrimAtPath("/bot/base/arm/hand/tool")
    for path in ("/bot/base", "/bot/arm", "/bot/hand", "/bot/hand/tool"):
        assert flat.GetPrimAtPath(path), path
    pairs = {
        "/bot/base/arm": "/bot/arm",
        "/bot/base/arm/hand": "/bot/hand",
        "/bot/base/arm/hand/tool": "/bot/hand/tool",
    }
    for one, other in pairs.items():
        a, _ = world_pose(nested.GetPrimAtPath(one))
        b, _ = world_pose(flat.GetPrimAtPath(other))
        assert a.almost_equal(b, 1e-12, 1e-7)
    for name, body in bodies(nested).items():
        assert body.initial_pose_w.almost_equal(bodies(flat)[name].initial_pose_w, 1e-7, 1e-6)


def test_links_are_double_precision(tmp_path):
    stage = converted(tmp_path, arm(origin='<origin xyz="0.1 0 0" rpy="1e-5 2e-5 0"/>')).stage
    prim = stage.GetPrimAtPath("/bot/base/arm")
    assert prim.GetAttribute("xformOp:orient").GetTypeName() == "quatd"
    pose, _ = local_pose(prim)
    assert pose.pos[0] == 0.1
    np.testing.assert_allclose(pose.quat[:2], [0.5e-5, 1e-5], rtol=1e-9)


@pytest.mark.parametrize("merge", [False, True])
def test_every_link_and_joint_keeps_its_name(tmp_path, merge):
    stage = converted(tmp_path, robot(*CHAIN), merge_fixed_joints=merge).stage
    names = {get_source_name(prim) for prim in stage.Traverse()}
    names |= {prim.GetAttribute("urdf:joint").Get() for prim in stage.Traverse()}
    assert {"base", "arm", "hand", "tool", "elbow", "wrist", "mount"} <= names


def test_a_weightless_fixed_link_is_a_frame(tmp_path):
    stage = converted(tmp_path, robot(*CHAIN)).stage
    tool = stage.GetPrimAtPath("/bot/base/arm/hand/tool")
    assert not tool.HasAPI(UsdPhysics.RigidBodyAPI)
    body = bodies(stage)["tool"]
    assert body.fixed
    assert body.mass == 0.0
    np.testing.assert_allclose(body.rest_pose.pos, [0.0, 0.0, 0.5])


def test_colliders_of_a_weightless_frame_weigh_nothing(tmp_path):
    ball = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    light = f'<link name="tip"><inertial><mass value="0"/></inertial>{ball}</link>'
    stage = converted(tmp_path, robot(link("base"), joint("j", "fixed", child="tip"), light)).stage
    found = bodies(stage)
    assert (found["base"].mass, found["tip"].mass) == (1.0, 0.0)


def test_merged_links_move_as_one_with_the_sum_of_their_masses(tmp_path):
    scene = described(converted(tmp_path, robot(*CHAIN), merge_fixed_joints=True).stage)
    assert [body.name for body in scene.bodies] == ["base", "arm"]
    merged = scene.bodies[1]
    offset, turn = np.array([0.1, 0.2, 0.3]), None
    hand = described(converted(tmp_path, robot(*CHAIN)).stage).bodies[2].rest_pose
    turn = quat_to_matrix(hand.quat)
    assert merged.mass == 2.5
    com = (2.0 * np.array([0.1, 0.0, 0.0]) + 0.5 * offset) / 2.5
    np.testing.assert_allclose(merged.com, com, atol=1e-7)

    def steiner(mass, at):
        return mass * (at @ at * np.eye(3) - np.outer(at, at))

    own = np.diag([0.02, 0.03, 0.04])
    expected = own + steiner(2.0, np.array([0.1, 0.0, 0.0]) - com)
    expected += turn @ own @ turn.T + steiner(0.5, offset - com)
    axes = quat_to_matrix(merged.inertia_quat)
    np.testing.assert_allclose(axes @ np.diag(merged.inertia) @ axes.T, expected, atol=1e-9)
    geoms = [geom for geom in scene.geoms if geom.body == 1]
    assert not geoms  # Visual shapes stay visual.


@pytest.mark.parametrize("fixed", [True, False])
def test_base_is_fixed_or_free(tmp_path, fixed):
    scene = described(converted(tmp_path, arm(), fix_base=fixed).stage)
    (articulation,) = scene.articulations
    assert articulation.fixed_base is fixed
    assert scene.bodies[articulation.root].name == "base"
    assert not articulation.self_collision


def test_base_follows_the_file_by_default(tmp_path):
    float_in = robot('<link name="world"/>', link("base"),
                     joint("free", "floating", "world", "base", ""))  # fmt: skip
    stage = converted(tmp_path, float_in).stage
    free = next(UsdPhysics.Joint(p) for p in stage.Traverse() if p.GetName() == "free")
    assert not free.GetJointEnabledAttr().Get()
    assert free.GetBody0Rel().GetTargets() == [stage.GetDefaultPrim().GetPath()]
    scene = described(stage)
    assert [j.kind for j in scene.joints] == ["free"]
    assert scene.joints[0].name == "free"
    held = described(converted(tmp_path, float_in, fix_base=True).stage)
    assert [j.kind for j in held.joints] == ["fixed"]
    fixed = float_in.replace("floating", "fixed")
    scene = described(converted(tmp_path, fixed).stage)
    assert [(j.name, j.kind, j.parent) for j in scene.joints] == [("free", "fixed", -1)]
    assert [body.name for body in scene.bodies] == ["base"]
    released = described(converted(tmp_path, fixed, fix_base=False).stage)
    assert released.joints == ()
    np.testing.assert_allclose(released.bodies[0].initial_pose_w.pos, [0.1, 0.2, 0.3])


def test_root_link_can_be_chosen(tmp_path):
    stage = converted(tmp_path, robot(*CHAIN), root_link_name="arm").stage
    root = [j for j in described(stage).joints if j.parent == -1 or j.child == -1]
    scene = described(stage)
    (held,) = root
    assert scene.bodies[max(held.parent, held.child)].name == "arm"
    with pytest.raises(UnknownNameError, match="Did you mean 'arm'"):
        converted(tmp_path, robot(*CHAIN), root_link_name="amr")


def test_self_collision(tmp_path):
    scene = described(converted(tmp_path, arm(), self_collision=True).stage)
    assert scene.articulations[0].self_collision


@pytest.mark.parametrize(
    ("tensor", "moments"),
    [
        ('ixx="0" iyy="0" izz="0"', None),
        ('ixx="0" iyy="4e-18" izz="-3e-20"', None),
        ('ixx="1" iyy="1" izz="5"', [2.5, 2.5, 5.0]),
        ('ixx="-1" iyy="1" izz="1"', [1e-6, 1.0, 1.0]),
    ],
)
def test_impossible_inertia_is_repaired_or_refused(tmp_path, tensor, moments):
    text = robot(
        f'<link name="base"><inertial><mass value="2"/><inertia {tensor} ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link>"
    )
    result = converted(tmp_path, text)
    assert codes(result) == ["inertia-repaired"]
    assert "'base'" in result.report.warnings[0].message
    found = described(result.stage).bodies[0].inertia
    if moments is None:
        radius = (3.0 * 2.0 / (4.0 * np.pi * 1000.0)) ** (1 / 3)
        moments = np.full(3, 0.4 * 2.0 * radius**2)
    np.testing.assert_allclose(np.sort(found), np.sort(moments), rtol=1e-6)
    with pytest.raises(ConversionError, match=r"bot\.urdf:3 .*repair"):
        converted(tmp_path, text, nonphysical_inertia="error")


def test_mass_without_inertia_has_that_of_its_collision_shapes(tmp_path):
    shape = '<collision><origin xyz="0 0 {}" rpy="0 0 {}"/><geometry>{}</geometry></collision>'
    box = shape.format(0.47, 0, '<box size="0.04 0.06 1"/>')
    text = robot(
        f'<link name="base"><inertial><origin xyz="0 0 0.4"/><mass value="3"/></inertial>{box}'
        "</link>"
    )
    result = converted(tmp_path, text)
    assert codes(result) == ["inertia-from-shapes"]
    body = described(result.stage).bodies[0]
    np.testing.assert_allclose(body.com, [0.0, 0.0, 0.4], atol=1e-7)
    solid = np.array([0.06**2 + 1.0, 0.04**2 + 1.0, 0.04**2 + 0.06**2]) * 3.0 / 12.0
    np.testing.assert_allclose(body.inertia, solid, rtol=1e-6)
    # Two balls: their own moments, and those of their distance from the middle.
    balls = "".join(shape.format(z, 0.5, '<sphere radius="0.1"/>') for z in (-0.5, 0.5))
    text = robot(
        f'<link name="base"><inertial><mass value="2"/><inertia ixx="0"/></inertial>{balls}</link>'
    )
    own = 0.4 * 2.0 * 0.01
    found = described(converted(tmp_path, text).stage).bodies[0].inertia
    np.testing.assert_allclose(np.sort(found), [own, own + 0.5, own + 0.5], rtol=1e-6)


POINT = (
    '<link name="{}"><inertial><origin xyz="0 0 {}"/><mass value="2"/>'
    '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
    '<collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
)


@pytest.mark.parametrize(
    ("kind", "axis", "away", "moment"),
    [
        ("revolute", "0 1 0", -0.5, 4.0 * 0.25),  # two points on a pendulum
        ("revolute", "0 0 1", -0.5, 2 * 0.4 * 2.0 * 0.01),  # on its axis: balls
        ("revolute", "0 1 0", -0.001, 2 * 0.4 * 2.0 * 0.01 + 4.0 * 1e-6),  # nearly
        ("prismatic", "0 1 0", -0.5, 4.0),
    ],
)
def test_masses_without_moments_are_points_where_joints_do_not_need_any(
    tmp_path, kind, axis, away, moment
):
    inner = f'<axis xyz="{axis}"/><limit lower="-1" upper="1"/>'
    tip = joint("tip_joint", "fixed", "arm", "tip", "", origin="")
    text = robot(
        link("base"), joint("j", kind, inner=inner, origin=""), POINT.format("arm", away), tip,
        POINT.format("tip", away),
    )  # fmt: skip
    result = converted(tmp_path, text)
    are_points = moment in (1.0, 4.0)
    assert codes(result) == ([] if are_points else ["inertia-from-shapes"] * 2)
    mj = compile_scene(described(result.stage)).mj
    data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, data)
    full = np.zeros((1, 1))
    mujoco.mj_fullM(mj, data, full)
    assert full[0, 0] == pytest.approx(moment, rel=1e-6)
    for merge in (False, True):
        strict = {"nonphysical_inertia": "error", "merge_fixed_joints": merge}
        if are_points:
            converted(tmp_path, text, **strict)
        else:
            with pytest.raises(ConversionError, match="all zero"):
                converted(tmp_path, text, **strict)


def test_points_that_move_freely_need_more_than_two_of_them(tmp_path):
    fixed = [
        joint(f"j{i}", "fixed", "a", name, "", origin=f'<origin xyz="{at}"/>')
        for i, (name, at) in enumerate([("b", "1 0 0"), ("c", "0 1 0")])
    ]
    parts = [POINT.format(name, 0) for name in "abc"]
    assert codes(converted(tmp_path, robot(*parts[:2], fixed[0]))) == ["inertia-from-shapes"] * 2
    found = converted(tmp_path, robot(*parts, *fixed), merge_fixed_joints=True)
    assert codes(found) == []
    (body,) = described(found.stage).bodies
    assert body.mass == 6.0
    np.testing.assert_allclose(np.sort(body.inertia), [2 / 3, 2.0, 8 / 3], rtol=1e-2)


def test_links_called_world_keep_their_mass(tmp_path):
    text = robot(link("world", mass=0.25), joint("j", parent="world", child="arm"), link("arm"))
    scene = described(converted(tmp_path, text).stage)
    assert {body.name: body.mass for body in scene.bodies} == {"world": 0.25, "arm": 1.0}
    assert compile_scene(scene).mj.body_mass.sum() == 1.25


def test_inertia_turns_with_its_origin(tmp_path):
    text = robot(
        '<link name="base"><inertial><origin xyz="1 2 3" rpy="0.3 0.4 0.5"/><mass value="2"/>'
        '<inertia ixx="0.4" iyy="0.5" izz="0.6" ixy="0.02" ixz="-0.03" iyz="0.05"/>'
        "</inertial></link>"
    )
    body = described(converted(tmp_path, text).stage).bodies[0]
    local = np.array([[0.4, 0.02, -0.03], [0.02, 0.5, 0.05], [-0.03, 0.05, 0.6]])
    cr, sr, cp, sp, cy, sy = (
        np.cos(0.3),
        np.sin(0.3),
        np.cos(0.4),
        np.sin(0.4),
        np.cos(0.5),
        np.sin(0.5),
    )
    turn = np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip
    axes = quat_to_matrix(body.inertia_quat)
    np.testing.assert_allclose(
        axes @ np.diag(body.inertia) @ axes.T, turn @ local @ turn.T, rtol=1e-12, atol=1e-14
    )
    np.testing.assert_allclose(body.com, [1, 2, 3])


@pytest.mark.parametrize("density", [0.0, 500.0])
def test_links_without_inertial_weigh_what_their_shapes_do(tmp_path, density):
    shape = '<collision><geometry><box size="1 2 3"/></geometry></collision>'
    result = converted(tmp_path, robot(f'<link name="base">{shape}</link>'), link_density=density)
    assert codes(result) == ["mass-from-density"]
    body = described(result.stage).bodies[0]
    assert body.mass == pytest.approx(6.0 * (density or 1000.0))
    expected = body.mass / 12.0 * np.array([4 + 9, 1 + 9, 1 + 4])
    np.testing.assert_allclose(body.inertia, expected, rtol=1e-6)
    assert body.mass_source == "authored"


@pytest.mark.parametrize(
    ("inertial", "density", "told"),
    [
        ('<density value="500"/>', 500.0, []),
        ("", 1000.0, ["mass-missing", "mass-from-density"]),
        ('<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>', 1000.0,
         ["mass-missing", "mass-from-density"]),
        ('<density value="-1"/>', 1000.0, ["annotation", "mass-missing", "mass-from-density"]),
        ('<density value="500"/><mass value="2"/>', 2.0 / 6.0, ["inertia-from-shapes"]),
    ],
)  # fmt: skip
def test_an_inertial_without_a_mass_leaves_it_to_the_shapes(tmp_path, inertial, density, told):
    shape = '<collision><geometry><box size="1 2 3"/></geometry></collision>'
    text = robot(f'<link name="base"><inertial>{inertial}</inertial>{shape}</link>')
    result = converted(tmp_path, text)
    assert codes(result) == told
    assert not check_conversion(tmp_path / "bot.urdf", result.stage)
    body = described(result.stage).bodies[0]
    assert body.mass == pytest.approx(6.0 * density)
    expected = body.mass / 12.0 * np.array([4 + 9, 1 + 9, 1 + 4])
    np.testing.assert_allclose(body.inertia, expected, rtol=1e-6)


def test_moving_link_without_mass_gets_a_little(tmp_path):
    text = robot(link("base"), joint("a", child="mid"), '<link name="mid"/>',
                 joint("b", parent="mid", child="tip"), link("tip"))  # fmt: skip
    result = converted(tmp_path, text)
    assert codes(result) == ["massless-moving"]
    assert 0.0 < bodies(result.stage)["mid"].mass <= 1e-6


def test_moving_link_that_carries_a_fixed_mass_is_no_cause_for_warning(tmp_path):
    text = robot(link("base"), joint("a", child="mid"), '<link name="mid"/>',
                 joint("b", "fixed", parent="mid", child="tip"), link("tip"))  # fmt: skip
    assert codes(converted(tmp_path, text)) == []


def test_frames_beside_the_tree(tmp_path):
    frame = '<frame name="grip" link="arm" xyz="1 0 0" rpy="0 0 0"/>'
    stage = converted(tmp_path, robot(link("base"), joint("j"), link("arm"), frame)).stage
    assert get_source_name(stage.GetPrimAtPath("/bot/base/arm/grip")) == "grip"


def test_readable_names_for_illegal_ones(tmp_path):
    text = robot(link("base"), joint("left/arm-1", child="1 arm"), link("1 arm"), name="my robot")
    stage = converted(tmp_path, text).stage
    assert stage.GetPrimAtPath("/my_robot/base/_1_arm")
    assert stage.GetPrimAtPath("/my_robot/Physics/left_arm_1").GetDisplayName() == "left/arm-1"
    scene = described(stage)
    assert [body.name for body in scene.bodies] == ["base", "1 arm"]


def test_a_link_may_be_called_like_a_scope(tmp_path):
    stage = converted(tmp_path, robot(link("Physics"))).stage
    assert [body.name for body in described(stage).bodies] == ["Physics"]


def test_collision_filter_groups(tmp_path):
    group = (
        '<drake:collision_filter_group name="g"><drake:member link="base"/>'
        '<drake:member link="arm"/><drake:ignored_collision_filter_group name="g"/>'
        "</drake:collision_filter_group>"
    )
    scene = described(
        converted(tmp_path, robot(link("base"), joint("j"), link("arm"), group)).stage
    )
    assert scene.body_filters == {(0, 1)}


def test_long_chains_are_not_that_deep(tmp_path):
    """Every so many links one is below the robot again, at the same place."""
    count = 2 * DEEPEST + 3
    links = [link(f"l{i}", mass=1.0) for i in range(count)]
    bends = [
        joint(f"j{i}", "fixed", f"l{i}", f"l{i + 1}", "", '<origin xyz="0 0 1" rpy="0.1 0 0"/>')
        for i in range(count - 1)
    ]
    text = robot(*links, *bends)
    stage = converted(tmp_path, text).stage
    flat = converted(tmp_path, text, layout="flat").stage
    paths = {get_source_name(p): p for p in stage.Traverse() if p.HasAPI(UsdPhysics.RigidBodyAPI)}
    assert len(paths) == count
    assert max(p.GetPath().pathElementCount for p in paths.values()) == DEEPEST + 1
    for name in ("l1", f"l{DEEPEST}", f"l{count - 1}"):
        a, _ = world_pose(paths[name])
        b, _ = world_pose(flat.GetPrimAtPath(f"/bot/{name}"))
        assert a.almost_equal(b, 1e-9, 1e-7)


@pytest.mark.parametrize(("moment", "told"), [(0.1, ["inertia-left-out"]), (0.0, [])])
def test_moments_of_a_link_without_mass_are_left_out_and_told(tmp_path, moment, told):
    diagonal = f'ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"'
    text = robot(
        '<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link>'
        f'<link name="tip"><inertial><mass value="0"/><inertia {diagonal}/></inertial></link>'
        '<joint name="j" type="fixed"><parent link="base"/><child link="tip"/></joint>'
    )
    result = converted(tmp_path, text)
    assert codes(result) == told
    assert described(result.stage).bodies[0].inertia == pytest.approx(np.ones(3))
