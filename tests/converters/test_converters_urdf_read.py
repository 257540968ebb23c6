"""What is accepted, put right, or refused in URDF files, and how it is said."""

from __future__ import annotations

import numpy as np
import pytest
from converters_urdf_text import arm, codes, converted, described, joint, link, robot, write

from usdsim.converters.report import ConversionReport
from usdsim.converters.urdf import load_urdf
from usdsim.core.errors import ConversionError, FileError


def read(folder, text):
    report = ConversionReport()
    return load_urdf(write(folder, text), report), report


def test_missing_robot_name_becomes_the_file_name(tmp_path):
    result = converted(tmp_path, robot(link("base"), name=""))
    assert codes(result) == ["robot-unnamed"]
    assert result.stage.GetDefaultPrim().GetName() == "bot"


def test_links_may_come_after_their_joints(tmp_path):
    text = robot(joint("b", parent="mid", child="tip"), joint("a", child="mid"), link("tip"),
                 link("base"), link("mid"))  # fmt: skip
    urdf, _ = read(tmp_path, text)
    assert urdf.order == ["base", "mid", "tip"]
    assert urdf.roots == ["base"]


@pytest.mark.parametrize(
    ("limit", "expected", "code"),
    [
        ('<limit lower="1" upper="-1" effort="1" velocity="1"/>', (None, None), "limit-reversed"),
        ('<limit lower="0" upper="0" effort="1" velocity="1"/>', (None, None), "limit-empty"),
        ('<limit effort="1" velocity="1"/>', (None, None), "limit-empty"),
        ("", (None, None), "limit-missing"),
    ],
)
def test_wrong_limits_are_put_right_with_a_warning_that_names_the_joint(
    tmp_path, limit, expected, code
):
    urdf, report = read(tmp_path, arm(inner=f'<axis xyz="0 0 1"/>{limit}'))
    shoulder = urdf.joints["shoulder"]
    assert (shoulder.lower, shoulder.upper) == expected
    assert [finding.code for finding in report.warnings] == [code]
    finding = report.warnings[0]
    assert finding.where.startswith("bot.urdf:4 <")
    assert "shoulder" in finding.where + finding.message


def test_zero_axis_and_negative_dynamics(tmp_path):
    inner = '<axis xyz="0 0 0"/><dynamics damping="-1" friction="0.2"/><limit lower="0" upper="1"/>'
    urdf, report = read(tmp_path, arm(inner=inner))
    shoulder = urdf.joints["shoulder"]
    np.testing.assert_array_equal(shoulder.axis, [1.0, 0.0, 0.0])
    assert (shoulder.damping, shoulder.friction) == (0.0, 0.2)
    assert [finding.code for finding in report.warnings] == ["axis-zero", "negative"]


@pytest.mark.parametrize(
    ("colour", "rgba"),
    [
        ("", [1.0, 1.0, 1.0, 1.0]),
        (' rgba="0.5 0 1"', [0.5, 0.0, 1.0, 1.0]),
        (' rgba="0.5,0,1,0.2"', [0.5, 0.0, 1.0, 0.2]),
        (' rgba="0.5 0"', None),
    ],
)
def test_colours_are_white_unless_said_and_opaque_with_three_numbers(tmp_path, colour, rgba):
    text = arm().replace("</robot>", f'<material name="m"><color{colour}/></material></robot>')
    if rgba is None:
        with pytest.raises(ConversionError, match="not 4 finite numbers"):
            read(tmp_path, text)
        return
    np.testing.assert_array_equal(read(tmp_path, text)[0].materials["m"].rgba, rgba)


def test_mimic_of_nothing_and_of_itself_is_left_free(tmp_path):
    for leader in ("nobody", "shoulder"):
        inner = f'<axis xyz="0 0 1"/><limit lower="0" upper="1"/><mimic joint="{leader}"/>'
        result = converted(tmp_path, arm(inner=inner))
        assert codes(result)[0].startswith("mimic-")
        assert described(result.stage).joints[-1].mimic is None


def test_a_misspelt_declaration_is_passed_over(tmp_path):
    text = '\n<?xml verison="1.0"?>\n<robot name="a"><link name="b"/><joint name="j"/></robot>'
    with pytest.raises(ConversionError, match=r"bot\.urdf:3 "):
        converted(tmp_path, text)
    assert converted(tmp_path, text.replace('<joint name="j"/>', "")).stage.GetPrimAtPath("/a")


def test_an_undeclared_parent_is_an_empty_link(tmp_path):
    urdf, report = read(tmp_path, robot(joint("a", parent="body", child="arm"), link("arm")))
    assert urdf.roots == ["body"]
    assert [finding.code for finding in report.warnings] == ["parent-undeclared"]


def test_a_second_parent_closes_a_loop(tmp_path):
    text = robot(link("base"), link("a"), link("b"), joint("ja", child="a"), joint("jb", child="b"),
                 joint("jc", parent="a", child="b", kind="fixed", inner=""))  # fmt: skip
    result = converted(tmp_path, text)
    assert codes(result) == ["second-parent"]
    scene = described(result.stage)
    assert {j.name: j.in_tree for j in scene.joints} == {
        "ja": True, "jb": True, "jc": False, "": True
    }  # fmt: skip


def test_rpy_is_fixed_axes_roll_pitch_yaw(tmp_path):
    urdf, _ = read(tmp_path, arm(origin='<origin rpy="0.3 -0.7 1.1" xyz="1 2 3"/>'))
    r, p, y = 0.3, -0.7, 1.1
    rx = np.array([[1, 0, 0], [0, np.cos(r), -np.sin(r)], [0, np.sin(r), np.cos(r)]])
    ry = np.array([[np.cos(p), 0, np.sin(p)], [0, 1, 0], [-np.sin(p), 0, np.cos(p)]])
    rz = np.array([[np.cos(y), -np.sin(y), 0], [np.sin(y), np.cos(y), 0], [0, 0, 1]])
    point = np.array([0.4, 0.5, -0.6])
    expected = rz @ ry @ rx @ point + [1, 2, 3]
    np.testing.assert_allclose(urdf.joints["shoulder"].origin.apply(point), expected, atol=1e-15)


def test_environment_variables_in_attributes(tmp_path, monkeypatch):
    monkeypatch.delenv("ARM_XYZ", raising=False)
    text = arm(origin='<origin xyz="$(optenv ARM_XYZ 1 2 3)"/>')
    assert read(tmp_path, text)[0].joints["shoulder"].origin.pos.tolist() == [1.0, 2.0, 3.0]
    monkeypatch.setenv("ARM_XYZ", "4 5 6")
    assert read(tmp_path, text)[0].joints["shoulder"].origin.pos.tolist() == [4.0, 5.0, 6.0]


@pytest.mark.parametrize(
    ("before", "after", "encoding"),
    [("\n \n", "\n\0", "utf-8"), ("", "\n", "utf-8-sig"), ("", "\n", "utf-16")],
)
def test_text_around_the_document_is_passed_over(tmp_path, before, after, encoding):
    name = encoding.removesuffix("-sig")
    text = f'{before}<?xml version="1.0" encoding="{name}"?>\n<robot><link/></robot>{after}'
    file = tmp_path / "r.urdf"
    file.write_bytes(text.encode(encoding))
    # Links without a name are called by their line.
    read_robot = load_urdf(file, ConversionReport())
    assert list(read_robot.links) == [f"link_{2 + before.count(chr(10))}"]


def test_unknown_tags_are_kept_as_data(tmp_path):
    text = robot(
        link("base", '<sensor name="eye"><camera fov="1 &lt; 2"/></sensor>'),
        joint(
            "j", inner='<axis xyz="1 0 0"/><limit lower="0" upper="1"/><calibration rising="2"/>'
        ),
        link("arm"),
        '<transmission name="t"><joint name="j"/></transmission>',
        "<gazebo/>",
        '<gazebo reference="arm"><selfCollide>true</selfCollide></gazebo>',
        '<drake:thing xmlns:drake="http://drake.mit.edu" a="1"/>',
    )
    stage = converted(tmp_path, text).stage
    root = stage.GetDefaultPrim()
    assert list(root.GetAttribute("urdf:transmission").Get()) == [
        '<transmission name="t"><joint name="j"/></transmission>'
    ]
    assert list(root.GetAttribute("urdf:gazebo").Get()) == [
        "<gazebo/>",
        '<gazebo reference="arm"><selfCollide>true</selfCollide></gazebo>',
    ]
    assert "a=" in root.GetAttribute("urdf:drake:thing").Get()[0]
    eye = stage.GetPrimAtPath("/bot/base").GetAttribute("urdf:sensor").Get()[0]
    assert eye == '<sensor name="eye"><camera fov="1 &lt; 2"/></sensor>'
    assert stage.GetPrimAtPath("/bot/Physics/j").GetAttribute("urdf:calibration")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<robot name='a'>\n<link name='b'>\n</robot>", 3, "mismatched tag"),
        ("\n<sdf/>", 2, "<robot>"),
        (robot(), 2, "no <link>"),
        (robot(link("a"), link("a")), 4, "second <link>"),
        (robot(link("base"), link("arm"), joint("j", kind="screw")), 5, "'screw' is unknown"),
        (robot(link("base"), link("arm"), joint("j", child="am")), 5, "Did you mean 'arm'"),
        (robot(link("base"), link("arm"), joint("j", child="base")), 5, "to itself"),
        (robot(link("a"), link("b"), joint("j", parent="a", child="b"),
               joint("k", parent="b", child="a")), 2, "in a circle"),
        (arm(origin='<origin xyz="1 2"/>'), 4, "3 finite numbers"),
        (arm(origin='<origin xyz="1 2 x"/>'), 4, "3 finite numbers"),
        (arm(origin='<origin xyz="1 2 nan"/>'), 4, "3 finite numbers"),
        (robot('<link name="a"><visual><geometry><box/></geometry></visual></link>'), 3, "no size"),
        (robot('<link name="a"><visual><geometry><mesh/></geometry></visual></link>'), 3,
         "no filename"),
        (robot(link("a"), '<joint name="j" type="fixed"><parent link="a"/></joint>'), 4,
         "no <child"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_by_file_and_line(tmp_path, text, line, message):
    with pytest.raises(ConversionError) as caught:
        converted(tmp_path, text)
    assert f"bot.urdf:{line}" in str(caught.value)
    assert message in str(caught.value)


def test_empty_missing_and_unknown_files(tmp_path):
    from usdsim.converters import convert

    with pytest.raises(FileError, match="No such file"):
        convert(tmp_path / "none.urdf")
    with pytest.raises(ConversionError, match="empty"):
        convert(write(tmp_path, "  \n"))
    with pytest.raises(FileError, match=r"allowed: \.xml"):
        convert(write(tmp_path, "x", "notes.txt"))
    with pytest.raises(ConversionError, match="<sdf>"):
        convert(write(tmp_path, "<!-- <robot> --><sdf/>", "a.xml"))


def test_urdf_in_an_xml_file_is_recognised(tmp_path):
    from usdsim.converters.sniff import source_kind

    assert source_kind(write(tmp_path, f"<!-- <mujoco> -->{arm()[21:]}", "a.xml")) == "urdf"
    assert source_kind(write(tmp_path, "<mujoco/>", "b.xml")) == "mjcf"
