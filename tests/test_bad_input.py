"""A rude user: whatever is wrong, the answer is an error of usdsim that names it."""

import contextlib
import dataclasses
import re
import tempfile
import warnings

import numpy as np
import pytest
from pxr import Sdf, Usd

import usdsim
from usdsim.cli.main import main
from usdsim.converters import convert_many
from usdsim.core.errors import UsdsimError
from usdsim.learning import load_policy
from usdsim.parser import parse_stage
from usdsim.render import render_picture
from usdsim.testing import check_conversion

NAN, INF = float("nan"), float("inf")
FOREIGN = re.compile(
    r"incompatible (function|constructor)|\.cpp|object at 0x|anon:0x|Tf\.|np\.float|allow_pickle"
)
MJCF = '<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
URDF = '<robot name="r"><link name="a"/></robot>'
TIED = URDF.replace(
    "</", '<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint></'
)
PLAIN = '#usda 1.0\ndef Xform "a" {\n}\n'


def refused(call, *words):
    with pytest.raises(UsdsimError) as caught:
        call()
    message = str(caught.value)
    assert not FOREIGN.search(message), message
    for word in words:
        assert word in message, message
    return message


# Files --------------------------------------------------------------------------------------------

FILES = [
    ("gone.usda", None, "No such file"),
    ("gone.xml", None, "No such file"),
    ("folder.usda", "folder", "folder.usda"),
    ("folder.xml", "folder", "folder"),
    ("a.usda", b"", "a.usda"),
    ("a.usdc", b"", "a.usdc"),
    ("a.usdz", b"", "a.usdz"),
    ("a.usd", b"\x00\xff" * 999, "damaged"),
    ("a.usdc", b"PXR-USDC" + b"\x7f" * 999, "a.usdc"),
    ("a.usda", b'#usda 1.0\ndef Xform "a" {\n', "a.usda:3"),
    ("a.xml", b"", "no element"),
    ("a.xml", b"<mujoco><worldbody>", "a.xml"),
    ("a.xml", b"\x00\xff<foo" * 99, "<mujoco>"),
    ("a.xml", b"<foo/>", "<foo>"),
    ("a.urdf", b"", "empty"),
    ("a.urdf", b"<robot><link name=", "a.urdf:1"),
    ("a.urdf", b"<foo/>", "<robot>"),
    ("a.urdf", b"<robot/>", "no <link>"),
    ("a.txt", b"x", ".usda"),
    ("a", b"x", ".usda"),
    ("a.usda", PLAIN.replace("{", '(references=@./gone.usda@) {', 1).encode(), "gone.usda"),
    ("a.usda", PLAIN.replace("{", '(payload=@./gone.usda@) {', 1).encode(), "gone.usda"),
    ("a.usda", PLAIN.replace("0\n", "0\n(subLayers=[@gone.usda@])\n", 1).encode(), "gone.usda"),
    ("a.usda", PLAIN.replace("0\n", "0\n(subLayers=[@a.usda@])\n", 1).encode(), "cycle"),
]  # fmt: skip


@pytest.mark.parametrize("door", ["load", "parse", "convert"])
@pytest.mark.parametrize(("name", "content", "word"), FILES)
def test_files(tmp_path, capfd, door, name, content, word):
    file = tmp_path / name
    if content == "folder":
        file.mkdir()
    elif content is not None:
        file.write_bytes(content)
    before = list(tmp_path.iterdir())
    if door == "parse":
        refused(lambda: parse_stage(file), name)
    elif door == "load":
        refused(lambda: usdsim.load_model(str(file)), name if "No such" in word else word)
    else:
        refused(lambda: usdsim.convert(file, tmp_path / "new" / "out.usda"), word)
    assert list(tmp_path.iterdir()) == before
    assert "_ReportErrors" not in capfd.readouterr().err


@pytest.mark.parametrize("value", [None, 3, 1.5, [], b"a.usda", "", "a\0b.usda"], ids=repr)
def test_names_that_are_no_files(tmp_path, value):
    refused(lambda: usdsim.load_model(value))
    refused(lambda: parse_stage(value))
    refused(lambda: usdsim.convert(value, tmp_path / "a.usda"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", [None, 3, "", "\x00", "hello", "<" * 9999, b"<mujoco/>"], ids=repr)
def test_text_that_is_no_mjcf(text):
    refused(lambda: usdsim.load_mjcf_str(text))


def test_a_stage_without_physics(tmp_path):
    (tmp_path / "a.usda").write_text(PLAIN)
    refused(lambda: usdsim.load_model(tmp_path / "a.usda"), "PhysicsRigidBodyAPI", "no rigid body")


# Destinations -------------------------------------------------------------------------------------


def write_over_file(folder):
    (folder / "file").write_text("x")
    return folder / "file" / "a.usda"


def write_over_folder(folder):
    (folder / "a.usda").mkdir()
    return folder / "a.usda"


DESTINATIONS = [
    (lambda folder: folder / "a.banana", ".usda"),
    (lambda folder: folder / "robot.xml", "over its own source"),
    (write_over_file, "file"),
    (write_over_folder, "folder"),
    (lambda folder: folder / ("a" * 300 + ".usda"), "too long"),
    (lambda folder: str(folder / "a\0b.usda"), "file name"),
    (lambda folder: "/proc/nowhere/a.usda", "/proc/nowhere"),
    (lambda folder: "/proc/a.usda", "/proc/a.usda"),
    (lambda folder: 3, "3"),
]


@pytest.mark.parametrize(("where", "word"), DESTINATIONS)
def test_destinations(tmp_path, where, word):
    source = tmp_path / "robot.xml"
    source.write_text(MJCF)
    target = where(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    refused(lambda: usdsim.convert(source, target), word)
    assert sorted(tmp_path.rglob("*")) == before
    assert source.read_text() == MJCF


def test_a_stage_is_not_copied_over_itself_by_its_folder(tmp_path):
    source = tmp_path / "robot.usd"
    (tmp_path / "robot.xml").write_text(MJCF)
    usdsim.convert(tmp_path / "robot.xml", source)
    before = source.read_bytes()
    refused(lambda: usdsim.convert(source, tmp_path), "over its own source")
    assert source.read_bytes() == before


def test_read_only_destination(tmp_path, monkeypatch):
    def deny(**options):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.xml").write_text(MJCF)
    monkeypatch.setattr(tempfile, "mkdtemp", deny)  # Root may write where a mode forbids it.
    refused(lambda: usdsim.convert(tmp_path / "a.xml", tmp_path / "a.usda"), "Permission", "a.usda")
    assert [file.name for file in tmp_path.iterdir()] == ["a.xml"]


def test_a_source_is_never_overwritten(tmp_path, monkeypatch, capsys):
    file = tmp_path / "a.usda"
    file.write_text(PLAIN)
    monkeypatch.chdir(tmp_path)
    refused(lambda: usdsim.convert(file, file), "own source")
    assert main(["convert", "a.usda"]) == 1
    assert "own source" in capsys.readouterr().err
    assert file.read_text() == PLAIN


def test_a_failed_conversion_leaves_what_was_there(tmp_path):
    (tmp_path / "a.urdf").write_text("<robot/>")
    (tmp_path / "out.usda").write_text("precious")
    refused(lambda: usdsim.convert(tmp_path / "a.urdf", tmp_path / "out.usda"))
    assert (tmp_path / "out.usda").read_text() == "precious"


def test_odd_names_are_fine(tmp_path):
    text = MJCF.replace('name="b"', 'name="ü ñ/日"')
    (tmp_path / "ü 日本 #1.xml").write_text(text, encoding="utf-8")
    written = usdsim.convert(tmp_path / "ü 日本 #1.xml", tmp_path / "x" / "a@b:c%20.usda")
    assert usdsim.load_model(written).get_link("ü ñ/日").index == 0


# Stages -------------------------------------------------------------------------------------------

BODY = """def Xform "{name}" (prepend apiSchemas=["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
  {mass}
  {body}
  def {shape} (prepend apiSchemas=["PhysicsCollisionAPI"]) {{
    {geom}
  }}
}}
"""
JOINT = """def {joint} (prepend apiSchemas=["PhysicsDriveAPI:angular", "NewtonMimicAPI"]) {{
  {ends}
  {more}
}}
"""
ACTUATOR = 'def MjcActuator "m" {{\nrel mjc:target=</j>\n{0}:min=2\n{0}:max=-2\n}}'
ENDS = "rel physics:body0=</a>\nrel physics:body1=</b>"
TETRA = """point3f[] points=[(0,0,0),(1,0,0),(0,1,0),(0,0,1)]
int[] faceVertexCounts=[3,3,3,3]
int[] faceVertexIndices=[0,2,1,0,1,3,0,3,2,1,2,3]"""


def stage_of(
    body="", mass="float physics:mass=1", shape='Cube "g"', geom="", more="", ends=ENDS,
    joint='PhysicsRevoluteJoint "j"', scene="", rest="",
):  # fmt: skip
    other = BODY.format(name="b", mass="float physics:mass=1", body="", shape='Cube "g"', geom="")
    text = BODY.format(name="a", mass=mass, body=body, shape=shape, geom=geom) + other
    text += JOINT.format(joint=joint, ends=ends, more=more)
    text += f'def PhysicsScene "s" (prepend apiSchemas=["MjcSceneAPI"]) {{\n{scene}\n}}\n{rest}'
    layer = Sdf.Layer.CreateAnonymous(".usda")
    assert layer.ImportFromString("#usda 1.0\n(metersPerUnit=1)\n" + text)
    return Usd.Stage.Open(layer)


def mesh(old="", new="", more=""):
    return {"shape": 'Mesh "g"', "geom": TETRA.replace(old, new) + "\n" + more}


def ops(order, attribute=""):
    return {"body": f'{attribute}\nuniform token[] xformOpOrder=["{order}"]'}


STAGES = [
    ({"mass": "float physics:mass=-1"}, "/a.physics:mass: is -1"),
    ({"mass": "float physics:mass=nan"}, "/a.physics:mass: is nan"),
    ({"mass": "float physics:mass=inf"}, "/a.physics:mass: is inf"),
    ({"mass": 'string physics:mass="x"'}, "/a.physics:mass: is x; allowed: a number"),
    ({"mass": "float[] physics:mass=[1]"}, "/a.physics:mass"),
    ({"body": "float physics:density=-2"}, "/a.physics:density"),
    ({"body": "float3 physics:diagonalInertia=(1,nan,1)"}, "/a.physics:diagonalInertia"),
    ({"body": "float[] physics:diagonalInertia=[1,2]"}, "allowed: 3 numbers"),
    ({"body": "float3 physics:principalAxes=(1,0,0)"}, "allowed: a quaternion"),
    ({"body": "quatf physics:principalAxes=(nan,0,0,0)"}, "/a.physics:principalAxes"),
    ({"body": "point3f physics:centerOfMass=(0,0,inf)"}, "/a.physics:centerOfMass"),
    ({"body": "vector3f physics:velocity=(nan,0,0)"}, "/a.physics:velocity"),
    ({"body": "vector3f physics:velocity=(inf,0,0)"}, "/a.physics:velocity"),
    ({"body": "double physics:velocity=3"}, "allowed: 3 numbers"),
    ({"body": "float physics:simulationOwner=3"}, "not a relationship"),
    ({"body": 'string physxRigidBody:linearDamping="x"'}, "allowed: a number"),
    ({"body": 'string mjc:gravcomp="x"'}, "allowed: a number"),
    ({"body": "double mjc:gravcomp=nan"}, "allowed: a number"),
    (ops("xformOp:translate", "double3 xformOp:translate=(nan,0,0)"), "/a: has a transform"),
    (ops("xformOp:translate", 'string xformOp:translate="x"'), "/a.xformOpOrder"),
    (ops("xformOp:scale", "float3 xformOp:scale=(1,0,1)"), "/a: has a transform that is flat"),
    (ops("xformOp:orient", "quatf xformOp:orient=(0,0,0,0)"), "allowed: a rotation"),
    (ops("xformOp:orient", "float3 xformOp:orient=(1,0,0)"), "/a.xformOpOrder"),
    (ops("xformOp:banana"), "/a.xformOpOrder"),
    ({"geom": "double size=nan"}, "/a/g.size: is nan"),
    ({"geom": "double[] size=[1]"}, "/a/g.size"),
    ({"geom": 'string physxCollision:contactOffset="x"'}, "/a/g.physxCollision:contactOffset"),
    ({"shape": 'Capsule "g"', "geom": 'token axis="Q"'}, "X, Y or Z"),
    ({"shape": 'Capsule "g"', "geom": "double height=-1"}, "/a/g.height"),
    ({"shape": 'Cone "g"', "geom": "double radius=1e-40"}, "/a/g"),
    ({"shape": 'Plane "g"'}, "thin Cube"),
    (mesh("0,0,1)", "0,0,nan)"), "/a/g.points"),
    (mesh("0,0,1)", "0,0,inf)"), "/a/g.points"),
    (mesh("point3f[] points=[(0,0,0),(1,0,0),(0,1,0),(0,0,1)]", "float3 points=(1,2,3)"), "points"),
    (mesh("2,3]", "2,9]"), "uses point 9"),
    (mesh("2,3]", "2,-9]"), "uses point -9"),
    (mesh("[3,3,3,3]", "[3,3,3]"), "allowed: 12 indices"),
    (mesh("[3,3,3,3]", "[2,4,3,3]"), "three or more"),
    (mesh("[3,3,3,3]", "[2147483647]"), "/a/g: is not a valid mesh"),
    (mesh("int[] faceVertexIndices=[0,2,1,0,1,3,0,3,2,1,2,3]", 'string faceVertexIndices="a"'),
     "/a/g: is not a valid mesh"),
    (mesh(more="int[] holeIndices=[99]"), "hole indices"),
    (mesh(more='token physics:approximation="banana"'), "convexDecomposition"),
    ({"ends": ""}, "/j: connects nothing"),
    ({"ends": "rel physics:body0=</a>\nrel physics:body1=</a>"}, "itself"),
    ({"ends": "rel physics:body0=[</a>,</b>]"}, "2 targets"),
    ({"ends": 'string physics:body0="/a"'}, "not a relationship"),
    ({"more": 'token physics:axis="Q"'}, "X, Y or Z"),
    ({"more": "point3f physics:localPos0=(nan,0,0)"}, "/j.physics:localPos0"),
    ({"more": "quatf physics:localRot0=(0,0,0,0)"}, "allowed: a rotation"),
    ({"more": "float3 physics:localRot0=(1,2,3)"}, "allowed: a quaternion"),
    ({"more": "float physics:lowerLimit=nan"}, "/j.physics:lowerLimit"),
    ({"more": "float drive:angular:physics:stiffness=-1"}, "stiffness"),
    ({"more": "float drive:angular:physics:stiffness=inf"}, "'/j': drive stiffness"),
    ({"more": "float drive:angular:physics:maxForce=-1"}, "maxForce"),
    ({"more": "float drive:angular:physics:targetPosition=nan"}, "targetPosition"),
    ({"more": 'token drive:angular:physics:type="x"'}, "force or acceleration"),
    ({"more": "float physxJoint:armature=-1"}, "armature"),
    ({"more": 'string physxJoint:armature="x"'}, "/j.physxJoint:armature"),
    ({"more": 'string state:angular:physics:position="x"'}, "/j.state:angular"),
    ({"more": "rel newton:mimicJoint=</j>"}, "another joint"),
    ({"more": "double[] mjc:solreflimit=[1,2,3,4]"}, "2 numbers"),
    ({"joint": 'PhysicsDistanceJoint "j"', "more": "float physics:maxDistance=0"}, "maxDistance"),
    ({"scene": "float physics:gravityMagnitude=inf"}, "/s.physics:gravityMagnitude"),
    ({"scene": "vector3f physics:gravityDirection=(inf,0,0)"}, "/s.physics:gravityDirection"),
    ({"scene": "double mjc:option:timestep=-1"}, "time step is -1"),
    ({"scene": "double mjc:option:timestep=nan"}, "/s.mjc:option:timestep"),
    ({"scene": 'token mjc:option:integrator="x"'}, "implicitfast"),
    ({"scene": "int[] mjc:option:actuatorgroupdisable=[2,31]"}, "group 31; allowed: 0 to 30"),
    ({"scene": "int[] mjc:option:actuatorgroupdisable=[-1]"}, "group -1; allowed: 0 to 30"),
    ({"scene": 'string mjc:flag:gravity="x"'}, "/s.mjc:flag:gravity"),
    ({"scene": "int mjc:size:nuserdata=-5"}, "/s.mjc:size:nuserdata"),
    ({"rest": ACTUATOR.format("double mjc:ctrlRange")}, "/m.mjc:ctrlRange:min: is 2; allowed:"),
    ({"rest": ACTUATOR.format("double mjc:ctrlRange").replace("max=-2", "max=2").replace(
        "rel", 'token mjc:ctrlLimited="true"\nrel')}, "or set mjc:ctrlLimited to false"),
    ({"rest": ACTUATOR.format("double mjc:forceRange")}, "/m.mjc:forceRange:min"),
    ({"rest": ACTUATOR.format("double mjc:actRange")}, "/m.mjc:actRange:min"),
    ({"more": "double mjc:actuatorfrcrange:min=1\ndouble mjc:actuatorfrcrange:max=-1"},
     "/j.mjc:actuatorfrcrange:min: is 1; allowed: less than mjc:actuatorfrcrange:max, which is -1"),
    ({"body": 'string physics:rigidBodyEnabled="no"'}, "rigidBodyEnabled: is 'no' (text)"),
    ({"body": "float physics:kinematicEnabled=3"}, "is 3.0 (float); allowed: a bool"),
    ({"body": 'string physxRigidBody:disableGravity="no"'}, "/a.physxRigidBody:disableGravity"),
    ({"geom": 'string physics:collisionEnabled="no"'}, "/a/g.physics:collisionEnabled"),
    ({"more": 'string physics:collisionEnabled="no"'}, "/j.physics:collisionEnabled"),
    ({"more": "int physics:jointEnabled=2"}, "/j.physics:jointEnabled"),
    ({"more": 'token physics:excludeFromArticulation="no"'}, "'no' (text); allowed: a bool"),
    ({"mass": "float physics:mass=1e-20"}, "'/a': mass and inertia of moving bodies must be larger "
     "than 1e-15"),
    (mesh("(1,0,0),(0,1,0),(0,0,1)", "(1e-20,0,0),(0,1e-20,0),(0,0,1e-20)"),
     "'/a/g': the points of the mesh coincide. Correct"),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "words"), STAGES, ids=lambda value: str(value)[:60])
def test_stages(broken, words):
    refused(lambda: usdsim.load_model(stage_of(**broken)), words)


REPAIRED = [
    (
        {"mass": "", "shape": 'Scope "g"'},
        "/a.physics:mass: moves but has no mass",
        "massless-moving",
    ),
    ({"body": "float3 physics:diagonalInertia=(1,1,3)"}, "sum of the others", "inertia-repaired"),
    ({"body": "float3 physics:diagonalInertia=(1,1,-3)"}, "positive", "inertia-repaired"),
    ({"body": "float3 physics:diagonalInertia=(1,1,0)"}, "positive", "inertia-repaired"),
    ({"geom": "double size=0"}, "/a/g: is a Cube without extent", "size-zero"),
    ({"shape": 'Mesh "g"'}, "/a/g: has no faces", "degenerate-mesh"),
    (mesh("(1,0,0),(0,1,0),(0,0,1)", "(0,0,0),(0,0,0),(0,0,0)"), "on a line", "degenerate-mesh"),
    (
        {"ends": "rel physics:body0=</x>\nrel physics:body1=</a>"},
        "/x, which does not exist",
        "dangling-joint",
    ),
    ({"more": "rel newton:mimicJoint=</a>"}, "no joint", "dangling-joint"),
    (
        {"rest": 'def PhysicsCollisionGroup "c" {\nrel physics:filteredGroups=</x>\n}'},
        "/c.physics",
        "dangling-filter",
    ),
]


@pytest.mark.parametrize(("odd", "words", "rule"), REPAIRED, ids=lambda value: str(value)[:60])
def test_what_a_rule_mends_is_noted_and_refused_by_strict(odd, words, rule):
    model = usdsim.load_model(stage_of(**odd))
    (finding,) = model.report.by_code(rule)
    assert words in str(finding) and finding.severity == "warning"
    data = usdsim.SceneData(model)
    model.step_n(data, 10)
    assert np.isfinite(data.dof_pos).all()
    refused(lambda: usdsim.load_model(stage_of(**odd), strict=True), words)


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ({"more": "double mjc:armature=-1e-9"}, "mjc:armature: is -1e-09, less than none"),
        ({"scene": "int mjc:option:iterations=-5"}, "/s.mjc:option:iterations: is -5; MuJoCo acc"),
        ({"scene": "double mjc:option:density=-1"}, "/s.mjc:option:density: is -1.0; MuJoCo acc"),
    ],
)
def test_what_only_mujoco_accepts_is_noted(odd, words):
    report = usdsim.load_model(stage_of(**odd)).report
    assert [words in str(finding) for finding in report.by_code("unusual-value")] == [True]
    refused(lambda: usdsim.load_model(stage_of(**odd), strict=True), words)


HARMLESS = [
    {"body": "bool physics:rigidBodyEnabled=0"},
    {"body": "bool physics:kinematicEnabled=1"},
    {"ends": "rel physics:body0=</a>"},
    {"ends": "rel physics:body0=</a>\nrel physics:body1=</s>"},
    {"shape": 'Capsule "g"', "geom": "double height=0"},
    mesh("(0,0,1)]", "(1,1,0)]"),
    ops("xformOp:scale", "float3 xformOp:scale=(-1,2,1)"),
    ops("xformOp:orient", "quatf xformOp:orient=(3,0,0,0)"),
    {"rest": BODY.format(name="c", mass="", body="", shape='Cube "g"', geom="")},
    {"rest": 'def PhysicsRevoluteJoint "k" {\nrel physics:body0=</b>\nrel physics:body1=</a>\n}'},
]


@pytest.mark.parametrize("odd", HARMLESS, ids=lambda value: str(value)[:60])
def test_what_is_merely_odd_runs(odd):
    model = usdsim.load_model(stage_of(**odd))
    data = usdsim.SceneData(model)
    model.step_n(data, 3)
    assert np.isfinite(data.dof_pos).all()


def limits(lower, upper):
    return {"more": f"float physics:lowerLimit={lower}\nfloat physics:upperLimit={upper}"}


@pytest.mark.parametrize(
    ("lower", "upper", "locked"),
    [(30, 10, True), ("inf", 10, True), ("inf", "inf", True), (0, "-inf", True),
     (10, 10, False), ("-inf", "inf", False), (10, 30, False)],
)  # fmt: skip
def test_crossed_limits_lock_and_say_so(lower, upper, locked):
    result = parse_stage(stage_of(**limits(lower, upper)))
    found = result.report.by_code("locked-axis")
    assert [(f.path, f.attribute) for f in found] == [("/j", "physics:lowerLimit")] * locked
    assert len(result.scene.joints[0].dofs) == (not locked)
    for finding in found:
        assert f"{float(lower):g} and the upper limit {float(upper):g}," in finding.message


def test_a_range_switched_off_may_be_crossed():
    rest = ACTUATOR.format("double mjc:ctrlRange")[:-1] + 'token mjc:ctrlLimited="false"\n}'
    assert usdsim.load_model(stage_of(rest=rest)).num_actuators == 1


def test_nested_articulations_are_named():
    stage = stage_of()
    for path in ("/a", "/a/g", "/b"):
        stage.GetPrimAtPath(path).AddAppliedSchema("PhysicsArticulationRootAPI")
    found = parse_stage(stage).report.by_code("nested-articulation")
    assert [finding.path for finding in found] == ["/a/g"]
    assert "root /a;" in found[0].message


@pytest.mark.parametrize("options", [{"root": "/x"}, {"root": None}, {"root": "//"}, {"root": ""},
                                     {"precedence": None}, {"precedence": "mjc"},
                                     {"precedence": ("x",)}], ids=str)  # fmt: skip
def test_options_of_the_parser(options):
    refused(lambda: parse_stage(stage_of(), **options), str(next(iter(options.values()))))


# MJCF and URDF ------------------------------------------------------------------------------------

TEXTS = [
    (MJCF.replace(".1", "abc"), "line 1"),
    (MJCF.replace(".1", "-1"), "line 1"),
    (MJCF.replace('size=".1"', 'size=".1" mass="-1"'), "mass"),
    (MJCF.replace('size=".1"', 'size=".1" mass="inf"'), "mass"),
    (MJCF.replace('name="b"', 'banana="b"'), "banana"),
    (MJCF.replace('name="b"', 'pos="nan 0 0"'), "body"),
    (MJCF.replace('name="b"', 'quat="0 0 0 0"'), "quaternion"),
    (MJCF.replace("</mujoco>", '<actuator><motor joint="x"/></actuator></mujoco>'), "'x'"),
    (MJCF.replace("<mujoco>", '<mujoco><option timestep="0"/>'), "timestep"),
    (MJCF.replace("<mujoco>", '<mujoco><option timestep="nan"/>'), "timestep"),
    (MJCF.replace("<mujoco>", '<mujoco><asset><mesh file="gone.stl"/></asset>'), "gone.stl"),
    (MJCF.replace("<mujoco>", '<mujoco><include file="gone.xml"/>'), "gone.xml"),
    (URDF.replace("/>", '><inertial><mass value="nan"/></inertial></link>'), "<mass>"),
    (URDF.replace("/>", '><collision><geometry><box size="1 2"/></geometry></collision></link>'),
     "<box>"),
    (TIED, "itself"),
    (TIED.replace('child link="a"', 'child link="x"'), "'x'"),
    (TIED.replace('"fixed"', '"x"'), "revolute"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "word"), TEXTS, ids=lambda value: value[-60:])
def test_robots(tmp_path, text, word):
    file = tmp_path / ("a.xml" if "mujoco" in text else "a.urdf")
    file.write_text(text)
    refused(lambda: usdsim.load_model(file), word)


NEGATIVE = """<robot name="r"><link name="a"/><link name="b">
<inertial><mass value="-2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
<limit lower="-1" upper="1" effort="-3" velocity="0"/></joint></robot>"""


def test_negative_numbers_of_urdf_are_explained(tmp_path):
    (tmp_path / "a.urdf").write_text(NEGATIVE)
    model = usdsim.load_model(tmp_path / "a.urdf")
    warnings = {finding.code: finding.message for finding in model.conversion.warnings}
    assert "-2.0 kg is negative; taken as 2.0 kg" in warnings["mass-negative"]
    assert "'j': effort -3 is negative; taken as no limit" in warnings["limit-negative"]
    assert "velocity" not in warnings["limit-negative"]
    assert model.get_link("b").mass == pytest.approx(2.0)


SWITCHES = [
    ("merge_fixed_joints", "yes"), ("fix_base", "no"), ("self_collision", "maybe"),
    ("make_instanceable", 2), ("collision_from_visuals", []), ("layout", "banana"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), SWITCHES)
def test_options_of_the_converters(tmp_path, name, value):
    (tmp_path / "a.urdf").write_text(URDF)
    refused(lambda: usdsim.convert(tmp_path / "a.urdf", **{name: value}), name, repr(value))


def test_results_of_a_folder_need_a_folder(tmp_path):
    (tmp_path / "a.urdf").write_text(URDF)
    out = tmp_path / "out"
    out.write_text("x")
    refused(lambda: convert_many(tmp_path, out), str(out), "it is a file")
    refused(lambda: convert_many(tmp_path, out / "below"), "below", "Not a directory")
    assert out.read_text() == "x"


def test_no_log_of_the_engine_is_left(tmp_path, monkeypatch):
    old = '<mujoco><compiler settotalmass="3"/>'
    (tmp_path / "a.xml").write_text(MJCF.replace("<mujoco>", old))
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        usdsim.load_model("a.xml")
        usdsim.convert("a.xml", "a.usda")
        assert check_conversion("a.xml", "a.usda") == []
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.usda", "a.xml"]


# Running ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def running():
    actuator = '<actuator><motor name="m" site="s"/></actuator></mujoco>'
    text = MJCF.replace("</body>", '<site name="s"/></body>').replace("</mujoco>", actuator)
    model = usdsim.load_mjcf_str(text)
    return model, usdsim.SceneData(model, batch=(4,))


CALLS = [
    (lambda m, d: setattr(d, "actuator_ctrls", np.full((4, 1), NAN)), "'m'"),
    (lambda m, d: setattr(d, "actuator_ctrls", np.zeros((5, 1))), "(4, 1)"),
    (lambda m, d: setattr(d, "actuator_ctrls", [[1, 2], [3]]), "real numbers"),
    (lambda m, d: m.get_actuator("m").set_ctrl(d, NAN), "finite"),
    (lambda m, d: m.get_actuator("m").set_ctrl(d, None), "real numbers"),
    (lambda m, d: setattr(d, "dof_pos", np.zeros((4, 7))), "unit quaternion"),
    (lambda m, d: setattr(d, "dof_vel", np.full(6, INF)), "finite"),
    (lambda m, d: setattr(d, "dof_vel", np.full(6, 1j)), "real numbers"),
    (lambda m, d: setattr(d, "dof_vel", [1j] * 6), "real numbers"),
    (lambda m, d: setattr(d, "actuator_ctrls", np.full((4, 1), 1j)), "real numbers"),
    (lambda m, d: m.get_actuator("m").set_ctrl(d, 1j), "'m'"),
    (lambda m, d: m.set_gravity_override(d, [0, 0, 1j]), "gravity"),
    (lambda m, d: setattr(m, "typo", 3), "'typo'"),
    (lambda m, d: setattr(m, "option", 3), "Did you mean 'options'"),
    (lambda m, d: d[7], "7"),
    (lambda m, d: d[np.ones(9, bool)], "9"),
    (lambda m, d: m.get_link("bb"), "Did you mean 'b'"),
    (lambda m, d: m.get_link(99), "0 to 0"),
    (lambda m, d: m.get_link(None), "a name"),
    (lambda m, d: m.get_sensor_value("x", d), "'x'"),
    (lambda m, d: m.step(None), "SceneData"),
    (lambda m, d: m.step_n(d, -1), "-1"),
    (lambda m, d: m.step_n(d, 2.5), "2.5"),
    (lambda m, d: m.step_n(d, 2**40), "2147483647"),
    (lambda m, d: setattr(m.options, "timestep", NAN), "timestep"),
    (lambda m, d: setattr(m.options, "timestep", "x"), "timestep"),
    (lambda m, d: m.set_gravity_override(d, [0, 0]), "(3,)"),
    (lambda m, d: usdsim.SceneData(m, batch=(0,)), "batch"),
    (lambda m, d: usdsim.SceneData(m, batch=(10**12,)), "batch"),
    (lambda m, d: usdsim.SceneData(m, batch="x"), "batch"),
    (lambda m, d: usdsim.SceneData(m, threads=-1), "threads"),
]


@pytest.mark.parametrize(("call", "word"), CALLS)
def test_calls(running, call, word):
    refused(lambda: call(*running), word)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["info", "gone.usda"], 1),
        (["validate", "gone.xml"], 1),
        (["simulate", "."], 1),
        (["convert", "."], 1),
        (["convert", "a.xml", "a.banana"], 1),
        (["simulate", "a.xml", "--ctrl", "banana"], 1),
        (["simulate", "a.xml", "--envs", "99999999999"], 1),
        (["simulate", "a.xml", "--envs", "0"], 2),
        (["simulate", "a.xml", "--record", "a.banana"], 2),
        (["simulate", "a.xml", "--plot", "a.banana"], 2),
        (["simulate", "gone.xml", "--plot", "a.xml/a.png"], 1),
        (["simulate", "gone.xml", "--record", "/proc/nowhere/a.usda"], 1),
        (["convert", "gone.xml", "--report", "."], 1),
        (["convert", "gone.xml", "--report", "/proc/a.json"], 1),
        (["convert", "gone.xml", "--report", "b" * 300], 1),
        (["convert", "gone.xml", "--report", "a.xml/below/a.json"], 1),
        (["convert", ".", "--out", "a.xml"], 1),
        (["banana"], 2),
    ],
    ids=str,
)
def test_the_command(tmp_path, monkeypatch, capsys, arguments, code):
    (tmp_path / "a.xml").write_text(MJCF)
    monkeypatch.chdir(tmp_path)
    try:
        found = main(arguments)
    except SystemExit as stopped:
        found = stopped.code
    assert found == code
    error = capsys.readouterr().err
    assert "[Errno" not in error
    if code == 1 and "gone.xml" in arguments and len(arguments) > 2:
        assert f"Cannot write '{arguments[-1]}': " in error and "gone" not in error
    assert "error" in error and "defect" not in error and not FOREIGN.search(error)
    assert [file.name for file in tmp_path.iterdir()] == ["a.xml"]


def test_stages_in_memory_have_no_address_in_messages():
    """Wherever a message names the stage that was searched."""
    model = usdsim.load_model(usdsim.example_asset("pendulum/pendulum.usda"))
    data = usdsim.SceneData(model)
    refused(
        lambda: render_picture(model, data, size=(8, 8), camera="nope"), "nope", "pendulum.usda"
    )
    made = usdsim.load_model(usdsim.example_asset("arm/arm.urdf"))
    refused(lambda: render_picture(made, usdsim.SceneData(made), camera="nope"), "in memory")
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(PLAIN)
    refused(lambda: usdsim.load_model(stage), "the stage in memory")


def test_policies_that_are_none(tmp_path):
    file = tmp_path / "policy.npz"
    refused(lambda: load_policy(file), "policy.npz", "No such file")
    file.write_bytes(b"<robot/>")
    refused(lambda: load_policy(file), "policy.npz", "no .npz archive", "save_policy")
    np.savez(file, a=np.zeros(3))
    refused(lambda: load_policy(file), "policy.npz", "format")


# Configurations -----------------------------------------------------------------------------------

PINHOLE = usdsim.sensors.patterns.PinholeCameraPatternCfg()
ROTORS = {"thruster_names_expr": ".*", "thrust_range": (0.0, 1.0), "dt": 0.01}
ROTORS |= {"rise_time_constant": 0.1, "fall_time_constant": 0.1}
FRAME = usdsim.sensors.FrameTransformerCfg.FrameCfg(prim_path="/World/a")
CONFIGURATIONS = {
    usdsim.assets.ArticulationCfg: {},
    usdsim.assets.RigidObjectCfg: {},
    usdsim.assets.DeformableObjectCfg: {},
    usdsim.assets.SurfaceGripperCfg: {},
    usdsim.assets.MultirotorCfg: {"actuators": {"a": usdsim.actuators.ThrusterCfg(**ROTORS)}},
    usdsim.sensors.CameraCfg: {"width": 8, "height": 8},
    usdsim.sensors.ContactSensorCfg: {},
    usdsim.sensors.FrameTransformerCfg: {"target_frames": [FRAME]},
    usdsim.sensors.ImuCfg: {},
    usdsim.sensors.JointWrenchSensorCfg: {},
    usdsim.sensors.RayCasterCfg: {"mesh_prim_paths": ["/World/g"], "pattern_cfg": PINHOLE},
    usdsim.sensors.RayCasterCameraCfg: {"mesh_prim_paths": ["/World/g"], "pattern_cfg": PINHOLE},
}
ODD = [object(), "odd", 3, -1.5, NAN, [1, 2], {"a": object()}, [object()], (None,) * 3, True]


@pytest.mark.parametrize("kind", CONFIGURATIONS, ids=lambda kind: kind.__name__)
def test_fields_of_configurations_take_anything_or_refuse_it(kind):
    for field in dataclasses.fields(kind):
        for odd in ODD:
            cfg = kind(prim_path="/World/a", **CONFIGURATIONS[kind])
            setattr(cfg, field.name, odd)
            with contextlib.suppress(UsdsimError):
                cfg.validate()


@pytest.mark.parametrize(
    ("kind", "name", "value", "allowed"),
    [
        (usdsim.assets.ArticulationCfg, "init_state", (0, 0, 1), "ArticulationCfg.InitialStateCfg"),
        (usdsim.sensors.ImuCfg, "offset", (0, 0, 1), "an OffsetCfg"),
        (usdsim.sensors.CameraCfg, "offset", usdsim.sensors.OffsetCfg(), "a CameraOffsetCfg"),
        (usdsim.sensors.CameraCfg, "spawn", "camera", "a PinholeCameraCfg or None"),
        (usdsim.sensors.RayCasterCfg, "mesh_prim_paths", 3, "a list of expressions"),
        (usdsim.sensors.FrameTransformerCfg, "target_frames", FRAME, "at least one frame"),
    ],
)
def test_parts_of_configurations_are_refused_by_what_they_should_be(kind, name, value, allowed):
    cfg = kind(prim_path="/World/a", **CONFIGURATIONS[kind])
    setattr(cfg, name, value)
    refused(cfg.validate, f"{kind.__name__}.{name}", allowed)
