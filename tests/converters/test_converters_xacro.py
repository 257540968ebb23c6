"""xacro files: macros, arguments, includes and packages."""

import importlib.util
import sys

import numpy as np
import pytest
from pxr import UsdGeom

from usdsim.cli.main import main
from usdsim.converters import UrdfConverterCfg
from usdsim.converters.conversion import convert_file
from usdsim.converters.report import ConversionReport
from usdsim.converters.urdf import convert_urdf
from usdsim.converters.urdf.convert import load_urdf
from usdsim.core.errors import ConversionError
from usdsim.parser import parse_stage
from usdsim.testing import check_conversion
from usdsim.usd.stage import create_stage

XMLNS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
WHEEL = f"""<robot {XMLNS}>
  <xacro:property name="width" value="0.04"/>
  <xacro:macro name="wheel" params="name x *inertia **shapes">
    <link name="${{name}}"><xacro:insert_block name="inertia"/>
      <xacro:insert_block name="shapes"/></link>
    <joint name="${{name}}_joint" type="continuous"><parent link="base"/><child link="${{name}}"/>
      <origin xyz="${{x}} ${{-2 * width}} 0"/><axis xyz="0 1 0"/></joint>
  </xacro:macro></robot>"""
CART = f"""<robot name="cart" {XMLNS}>
  <xacro:arg name="wheels" default="2"/>
  <xacro:arg name="mass" default="1.5"/>
  <xacro:include filename="{{include}}"/>
  <link name="base"><inertial><mass value="$(arg mass)"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <xacro:macro name="wheels" params="count">
    <xacro:if value="${{{{count > 0}}}}">
      <xacro:wheel name="wheel_${{{{count}}}}" x="${{{{0.1 * count}}}}">
        <inertial><mass value="0.2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
        </inertial><s><visual><geometry><mesh filename="{{mesh}}"/></geometry></visual></s>
      </xacro:wheel>
      <xacro:wheels count="${{{{count - 1}}}}"/>
    </xacro:if>
  </xacro:macro>
  <xacro:wheels count="$(arg wheels)"/></robot>"""
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def cart(folder, include="wheel.xacro", mesh="package://parts/meshes/wheel.obj"):
    """The cart beside a package with its wheels; returns the cart's file."""
    robot, parts = folder / "robot", folder / "elsewhere" / "parts"
    for path in (robot, parts / "urdf", parts / "meshes"):
        path.mkdir(parents=True)
    (robot / "wheel.xacro").write_text(WHEEL)
    (parts / "urdf" / "wheel.xacro").write_text(WHEEL)
    (parts / "meshes" / "wheel.obj").write_text(MESH)
    (parts / "package.xml").write_text("<package><name>parts</name></package>")
    file = robot / "cart.urdf.xacro"
    file.write_text(CART.replace("{include}", include).replace("{mesh}", mesh)
                    .replace("{{", "{").replace("}}", "}"))  # fmt: skip
    return file


def joints(file, **args):
    robot = load_urdf(file, ConversionReport(), xacro_args=args)
    return {name: joint.origin.pos.tolist() for name, joint in robot.joints.items()}


def test_macros_properties_and_conditions(tmp_path):
    found = joints(cart(tmp_path))
    assert list(found) == ["wheel_2_joint", "wheel_1_joint"]
    np.testing.assert_allclose(found["wheel_2_joint"], [0.2, -0.08, 0])


def test_arguments(tmp_path):
    file = cart(tmp_path)
    assert len(joints(file, wheels="4")) == 4
    assert len(joints(file, wheels=1)) == 1
    assert len(joints(file)) == 2
    robot = load_urdf(file, ConversionReport(), xacro_args={"mass": "7"})
    assert robot.links["base"].inertial.mass == 7.0


@pytest.mark.parametrize(
    "where", ["packages", "one package", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"]
)
def test_packages_are_found(tmp_path, monkeypatch, where):
    find = "$(find parts)"
    file = cart(tmp_path, f"{find}/urdf/wheel.xacro", f"{find}/meshes/wheel.obj")
    home, packages = tmp_path / "elsewhere", {}
    if where == "AMENT_PREFIX_PATH":
        (tmp_path / "install").mkdir()
        home.rename(tmp_path / "install" / "share")
        monkeypatch.setenv(where, str(tmp_path / "install"))
    elif where == "ROS_PACKAGE_PATH":
        monkeypatch.setenv(where, str(home))
    else:
        packages = {"all": str(home)} if where == "packages" else {"parts": str(home / "parts")}
    stage = create_stage()
    report = convert_urdf(file, stage, UrdfConverterCfg(packages=packages))
    assert not report.warnings
    assert [j.kind for j in parse_stage(stage).scene.joints].count("revolute") == 2
    meshes = [p for p in stage.Traverse() if p.GetName() == "visual"]
    assert len(meshes) == 2
    bounds = UsdGeom.BBoxCache(0, ["default"]).ComputeWorldBound(meshes[0]).ComputeAlignedRange()
    np.testing.assert_allclose(bounds.GetSize(), [1, 1, 1], atol=1e-6)


@pytest.mark.parametrize("mesh", ["package://parts", "$(find parts)", "file://$(find parts)"])
def test_sources_of_packages_have_files_elsewhere_than_they_are_installed(tmp_path, mesh):
    file = cart(tmp_path, "$(find parts)/urdf/wheel.xacro", f"{mesh}/meshes/wheel.obj")
    parts = tmp_path / "elsewhere" / "parts"
    (parts / "description" / "v1").mkdir(parents=True)
    (parts / "urdf").rename(parts / "description" / "urdf")
    (parts / "meshes").rename(parts / "description" / "v1" / "meshes")
    # What the included file includes lies beside it.
    wheel = parts / "description" / "urdf" / "wheel.xacro"
    wheel.rename(wheel.with_name("macro.xacro"))
    wheel.write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro">'
                     '<xacro:include filename="macro.xacro"/></robot>')  # fmt: skip
    cfg = UrdfConverterCfg(packages={"parts": str(parts)})
    report = convert_urdf(file, create_stage(), cfg)
    assert not report.warnings and report.counts["joint"] == 2
    (parts / "old" / "urdf").mkdir(parents=True)
    (parts / "old" / "urdf" / "wheel.xacro").write_text(WHEEL)
    with pytest.raises(ConversionError, match=r"wheel\.xacro' cannot be read"):
        convert_urdf(file, create_stage(), cfg)


def test_packages_around_the_file_and_moved_ones(tmp_path):
    file = cart(tmp_path, "$(find robot)/wheel.xacro")
    assert len(joints(file)) == 2


def test_unknown_packages_are_named(tmp_path):
    file = cart(tmp_path, "$(find nowhere)/wheel.xacro")
    words = r"xacro: no package 'nowhere' is known; give its folder in `packages`$"
    with pytest.raises(ConversionError, match=words):
        joints(file)
    assert "ament_index_python" not in sys.modules


def test_the_index_of_an_installed_ros_is_asked_last(tmp_path, monkeypatch):
    (tmp_path / "site" / "ament_index_python").mkdir(parents=True)
    (tmp_path / "site" / "ament_index_python" / "__init__.py").write_text("")
    (tmp_path / "site" / "ament_index_python" / "packages.py").write_text(
        "def get_package_share_directory(name):\n"
        f"    return {str(tmp_path / 'elsewhere')!r} + '/' + name\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert len(joints(cart(tmp_path, "$(find parts)/urdf/wheel.xacro"))) == 2
    for name in ("ament_index_python", "ament_index_python.packages"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<xacro:unknown/>", "unknown macro"),
        ("<link name='${nothing}'/>", "nothing"),
        ("<link name='$(arg nothing)'/>", "nothing; the file has no default"),
        ("<xacro:include filename='none.xacro'/>", "none.xacro"),
    ],
)
def test_what_xacro_refuses_is_an_error_with_the_file(tmp_path, body, words):
    file = tmp_path / "a.xacro"
    file.write_text(f'<robot name="a" {XMLNS}><link name="b"/>{body}</robot>')
    with pytest.raises(ConversionError, match=r"a\.xacro: xacro: ") as caught:
        joints(file)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["a.xacro", "a.urdf"])
def test_checks_of_conversions_hold_the_expansion_against_them(tmp_path, name):
    file = tmp_path / name
    mass = '<mass value="$(arg mass)"/><inertia ixx="1" iyy="1" izz="1"/>'
    text = f"<xacro:arg name='mass' default='1'/><link name='b'><inertial>{mass}</inertial></link>"
    file.write_text(f'<robot name="a" {XMLNS}>{text}</robot>')
    cfg = UrdfConverterCfg(xacro_args={"mass": "2"})
    stage = convert_file(file, cfg=cfg).stage
    assert check_conversion(file) == check_conversion(file, stage, cfg=cfg) == []
    assert check_conversion(file, stage) == ["link 'b' weighs 2.0 kg, not 1.0 kg"]
    flags = ["--check", "--xacro-arg", "mass=2"]
    assert main(["convert", str(file), str(tmp_path / "a.usda"), *flags]) == 0


def test_files_that_may_not_be_read_are_named_once(tmp_path):
    file = tmp_path / "a.xacro"
    include = "<xacro:include filename='none.xacro'/>"
    file.write_text(f'<robot name="a" {XMLNS}><link name="b"/>{include}</robot>')
    with pytest.raises(ConversionError) as caught:
        joints(file)
    assert str(caught.value).count("none.xacro") == 1


def test_macros_in_a_urdf_file_are_expanded(tmp_path):
    file = tmp_path / "a.urdf"
    file.write_text(
        f'<robot name="a" {XMLNS}><xacro:property name="n" value="base"/>'
        '<link name="${n}"/></robot>'
    )
    assert list(load_urdf(file, ConversionReport()).links) == ["base"]


def test_leftovers_of_an_expansion_are_told(tmp_path):
    file, report = tmp_path / "a.urdf", ConversionReport()
    leftover = "<visual><xacro:grey/></visual>" * 2
    file.write_text(f'<robot name="a" {XMLNS}><link name="base">{leftover}</link></robot>')
    assert list(load_urdf(file, report).links) == ["base"]
    (finding,) = report.by_code("xacro-leftover")
    assert "a.urdf:1 <xacro:grey> and 1 more" in str(finding)


def test_without_the_package_the_message_says_what_is_needed(tmp_path, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "xacro" else real(name, *a)
    )
    file = tmp_path / "a.xacro"
    file.write_text(f'<robot name="a" {XMLNS}><link name="b"/></robot>')
    with pytest.raises(ConversionError, match="pip install xacro"):
        load_urdf(file, ConversionReport())
