"""Files that are damaged, or made to do harm, end in an error of usdsim that names them."""

from __future__ import annotations

import contextlib
import os
import re
import zipfile

import numpy as np
import pytest
from pxr import Sdf, Tf

import usdsim
from usdsim.actuators.networks.network import DenseLayer, Network, load_npz, save_network
from usdsim.actuators.networks.torchscript import TorchScriptFile
from usdsim.cli.main import main
from usdsim.core.errors import (
    CompileError,
    ConversionError,
    FileError,
    InvalidValueError,
    ParseError,
    ShapeError,
    StageError,
    UsdsimError,
)
from usdsim.parser import parse_stage
from usdsim.sim import SimulationContext
from usdsim.spawners import UsdFileCfg
from usdsim.usd.stage import create_stage, open_stage, save_stage

BODY = """#usda 1.0
( defaultPrim = "b"
  metersPerUnit = 1
  upAxis = "Z" )
def Sphere "b" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI"]
)
{
    float physics:mass = 1
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsRevoluteJoint "j"
{
    rel physics:body0 = </b>
    token physics:axis = "X"
}
"""


def text_file(folder, name, text):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# MJCF -------------------------------------------------------------------------------------------


def attached(file):
    return (
        f'<mujoco><asset><model name="q" file="{file}"/></asset>'
        '<worldbody><attach model="q" prefix="x"/></worldbody></mujoco>'
    )


def test_models_that_attach_themselves_are_refused(tmp_path):
    own = text_file(tmp_path, "own.xml", attached("own.xml"))
    with pytest.raises(ConversionError, match=r"own\.xml -> own\.xml.*Break the circle"):
        usdsim.convert(own)
    text_file(tmp_path, "there.xml", attached("back.xml"))
    back = text_file(tmp_path, "back.xml", attached("./there.xml"))
    with pytest.raises(ConversionError, match="includes itself"):
        usdsim.convert(back)
    turned = text_file(tmp_path, "turned.xml", attached(".\\turned.xml"))
    with pytest.raises(ConversionError, match="includes itself"):
        usdsim.convert(turned)
    commented = f"<!-- {attached('fine.xml')} --><mujoco><worldbody/></mujoco>"
    usdsim.convert(text_file(tmp_path, "fine.xml", commented))


def test_files_of_one_name_in_other_folders_are_no_circle(tmp_path):
    body = '<body name="b"><freejoint/><geom size=".1"/></body>'
    text_file(tmp_path / "parts", "plug.xml", f"<mujocoinclude>{body}</mujocoinclude>")
    scene = '<mujoco><worldbody><include file="parts/plug.xml"/></worldbody></mujoco>'
    assert usdsim.load_model(text_file(tmp_path, "plug.xml", scene)).num_links == 1
    text_file(tmp_path / "parts", "arm.xml", f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    arm = text_file(tmp_path, "arm.xml", attached("parts/arm.xml"))
    assert usdsim.load_model(arm).num_links == 1


def test_texts_that_attach_or_repeat_themselves_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text_file(tmp_path, "own.xml", attached("own.xml"))
    text_file(tmp_path, "in.xml", '<mujoco><include file="in.xml"/></mujoco>')
    for text in (attached("own.xml"), '<mujoco><include file="in.xml"/></mujoco>'):
        with pytest.raises(ConversionError, match="includes itself"):
            usdsim.load_mjcf_str(text)
    os.mkfifo(tmp_path / "pipe.xml")
    with pytest.raises(ConversionError, match="no regular file"):
        usdsim.load_mjcf_str('<mujoco><include file="pipe.xml"/></mujoco>')
    many = '<replicate count="10000000"><geom size="1"/></replicate>'
    with pytest.raises(ConversionError, match="copies"):
        usdsim.load_mjcf_str(f"<mujoco><worldbody>{many}</worldbody></mujoco>")


@pytest.mark.parametrize("shape", [(3, 1), (1, 1, 1), (3, 3), (3, 3, 1), (0,)])
def test_parameters_are_never_broadcast(model, shape):
    data = usdsim.SceneData(model, batch=3, threads=1)
    before = np.array(data.param("body_inertia"))
    with pytest.raises(ShapeError, match=r"body_inertia has shape"):
        data.set_param("body_inertia", None, np.zeros(shape))
    np.testing.assert_array_equal(data.param("body_inertia"), before)


@pytest.mark.parametrize("kind", ["pipe", "outside", "turned", "link", "device"])
def test_models_read_nothing_but_files_of_their_own(tmp_path, kind):
    model, elsewhere = tmp_path / "model", tmp_path / "elsewhere"
    model.mkdir()
    elsewhere.mkdir()
    (elsewhere / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n")
    outside = "../elsewhere/a.obj"
    names = {"outside": outside, "turned": outside.replace("/", "\\"), "device": "/dev/zero"}
    name = names.get(kind, "a.obj")
    if kind == "pipe":
        os.mkfifo(model / "a.obj")
    elif kind == "link":
        (model / "a.obj").symlink_to(elsewhere / "a.obj")
    source = text_file(
        model, "m.xml",
        f'<mujoco><asset><mesh name="m" file="{name}"/></asset><worldbody>'
        '<geom type="mesh" mesh="m"/></worldbody></mujoco>',
    )  # fmt: skip
    words = "no regular file" if kind in ("pipe", "device") else "outside the model's own folders"
    with pytest.raises(ConversionError, match=rf"m\.xml:1 <mesh>.*{words}"):
        usdsim.convert(source)
    if kind in ("outside", "turned", "link"):
        usdsim.convert(source, asset_roots=[str(elsewhere)])


def test_folders_of_one_file_hold_for_those_it_includes(tmp_path):
    model, elsewhere = tmp_path / "model", tmp_path / "elsewhere"
    model.mkdir()
    elsewhere.mkdir()
    (elsewhere / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n")
    (model / "part.xml").write_text(
        '<mujoco><asset><mesh name="m" file="a.obj"/></asset><worldbody/></mujoco>'
    )
    source = text_file(
        model, "m.xml",
        f'<mujoco><include file="part.xml"/><compiler meshdir="{elsewhere}"/><worldbody>'
        '<geom type="mesh" mesh="m"/></worldbody></mujoco>',
    )  # fmt: skip
    with pytest.raises(ConversionError, match=r"part\.xml:1 <mesh>.*outside"):
        usdsim.convert(source)


@pytest.mark.parametrize("emission", ["x y", "1 nan x"])
def test_what_other_engines_mean_may_be_nonsense(tmp_path, emission):
    text = f'<mujoco><asset><material name="m" emission="{emission}"/></asset>\xff</mujoco>'
    for encoding in ("utf-8", "latin-1"):
        with pytest.raises(ConversionError, match=r"m\.xml"):
            usdsim.convert(text_file(tmp_path, "m.xml", text.encode(encoding)))


def test_names_that_are_not_text_are_named(tmp_path):
    latin = b'<mujoco><worldbody>\n<body name="a\xfe"><geom size="1"/></body></worldbody></mujoco>'
    with pytest.raises(ConversionError, match=r"m\.xml:2.*UTF-8.*iconv"):
        usdsim.convert(text_file(tmp_path, "m.xml", latin))
    usdsim.convert(text_file(tmp_path, "c.xml", b"<mujoco><!-- \xfe --><worldbody/></mujoco>"))


# URDF -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "words"),
    [('<?xml version="1.0" encoding="foo-9"?>', "decoded"), ("<a>" * 300, "nested over")],
)
def test_texts_nobody_can_read_are_conversion_errors(tmp_path, head, words):
    with pytest.raises(ConversionError, match=words):
        usdsim.convert(
            text_file(tmp_path, "r.urdf", head + '<robot name="r"><link name="a"/></robot>')
        )


# USD --------------------------------------------------------------------------------------------


DAMAGED = {
    "cut.usda": b'#usda 1.0\ndef Xform "a" {',
    "latin.usda": b'#usda 1.0\ndef Xform "a" {\n float x = \xff\n}\n',
    "cut.usdc": b"PXR-USDC" + bytes(60),
    "cut.usdz": b"PK\x03\x04" + bytes(60),
    "empty.usd": b"",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_stages_are_file_errors_at_every_door(tmp_path, name, capsys):
    path = text_file(tmp_path, name, DAMAGED[name])
    for door in (open_stage, usdsim.load_model, usdsim.convert, parse_stage):
        with pytest.raises(FileError, match=name):
            door(path)
    stage = create_stage()
    cfg = UsdFileCfg(usd_path=str(path))
    with pytest.raises(FileError, match=name):
        cfg.func("/World/R", cfg, stage=stage)
    for command in ("info", "validate"):
        assert main([command, str(path)]) == 1
    assert "defect of usdsim" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("float physics:mass = 1", "float[] physics:mass = [1, 2]", "mass-missing"),
        ("float physics:mass = 1", "rel physics:mass = </b>", None),
        ('token physics:axis = "X"', 'token[] physics:axis = ["X"]', "joint-frames-apart"),
        ('token physics:axis = "X"', "rel physics:localRot0 = </b>", None),
        ('["xformOp:translate"]', '["xformOp:nope"]', "joint-frames-apart"),
        ('upAxis = "Z"', "upAxis = </>", None),
    ],
)
def test_validation_survives_what_it_exists_for(tmp_path, old, new, rule, capsys):
    assert old in BODY
    path = text_file(tmp_path, "s.usda", BODY.replace(old, new))
    main(["validate", str(path)])
    shown = capsys.readouterr()
    assert "s.usda" in shown.out
    assert "defect of usdsim" not in shown.err
    if rule is not None:
        assert "could not run to its end" in shown.out
        assert f"[{rule}]" in shown.out


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('upAxis = "Z"', 'upAxis = "X"', "unusual-unit"),
        ("metersPerUnit = 1", "metersPerUnit = 1e7", "unusual-unit"),
        ("metersPerUnit = 1", "metersPerUnit = 1e200", "invalid-unit"),
        ("metersPerUnit = 1", "metersPerUnit = 1\n kilogramsPerUnit = 1e-300", "invalid-unit"),
        ("metersPerUnit = 1", "metersPerUnit = nan", "invalid-unit"),
        ('upAxis = "Z"', 'upAxis = "W"', "invalid-unit"),
    ],
)
def test_absurd_units_are_findings_or_errors(tmp_path, old, new, found):
    path = text_file(tmp_path, "s.usda", BODY.replace(old, new))
    if found == "invalid-unit":
        with pytest.raises(ParseError) as caught:
            parse_stage(path)
        assert found in {finding.code for finding in caught.value.findings}
    else:
        assert parse_stage(path).report.by_code(found)


def test_a_stage_with_a_cycle_of_references_does_not_load(tmp_path):
    text_file(tmp_path, "a.usda", '#usda 1.0\ndef "x" (references = @./b.usda@</x>) {\n}\n')
    text_file(tmp_path, "b.usda", '#usda 1.0\ndef "x" (references = @./a.usda@</x>) {\n}\n')
    with pytest.raises(StageError, match=r"[Cc]ycle"):
        usdsim.load_model(tmp_path / "a.usda")


def test_names_of_files_that_are_not_text(tmp_path):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff")
    for door in (usdsim.convert, usdsim.load_model):
        with pytest.raises(FileError):
            door(f"{name}.xml")
    with open(f"{name}.usda", "w") as file:
        file.write("#usda 1.0\n")
    with pytest.raises(FileError, match="UTF-8"):
        usdsim.load_model(f"{name}.usda")
    with pytest.raises(FileError, match="UTF-8"):
        save_stage(create_stage(), f"{name}.usda")
    for source in ("x" * 5000, "x" * 5000 + ".xml"):
        with pytest.raises(FileError):
            usdsim.convert(source)


# Archives ---------------------------------------------------------------------------------------


@pytest.fixture
def model():
    stage = create_stage()
    sphere = stage.DefinePrim("/b", "Sphere")
    for api in ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI"):
        sphere.AddAppliedSchema(api)
    return usdsim.load_model(stage)


NAMES = (
    '{"names": {"body": [null, 3], "joint": [], "actuator": []}, "sizes": {}, "options": {}, '
    '"parameters": ""}'
)


@pytest.mark.parametrize("signature", ["null", "{}", "[]", '{"names": 3}', '"x"', NAMES])
def test_headers_of_state_files_are_checked(tmp_path, model, signature):
    path = tmp_path / "s.npz"
    plain = '{"format": 1, "shape": [], "pushed": false, "noise_seed": null, "signature": '
    header = f"{plain}{signature}}}"
    np.savez(path, usdsim=np.array(header))
    with pytest.raises(UsdsimError, match=r"damaged|another model"):
        usdsim.SceneData(model).load(path)


@pytest.mark.parametrize("bad", ["shape", "nan", "name", "text"])
def test_parameters_of_state_files_are_never_broadcast(tmp_path, model, bad):
    data = usdsim.SceneData(model, batch=2)
    data.set_param("body_mass", None, np.array([0.0, 3.0]))
    data.save(tmp_path / "s.npz")
    with np.load(tmp_path / "s.npz") as file:
        arrays = dict(file)
    masses = arrays.pop("parameter/body_mass")
    name = "parameter/nothing" if bad == "name" else "parameter/body_mass"
    arrays[name] = masses[:, :1] * 0.0 if bad == "shape" else masses * np.nan
    if bad == "text":
        arrays[name] = masses.astype(str)
    np.savez(tmp_path / "bad.npz", **arrays)
    fresh = usdsim.SceneData(model, batch=2)
    with pytest.raises((ShapeError, InvalidValueError, UsdsimError), match=r"body_mass|nothing"):
        fresh.load(tmp_path / "bad.npz")
    np.testing.assert_array_equal(
        fresh.param("body_mass"), usdsim.SceneData(model, batch=2).param("body_mass")
    )


def test_damaged_archives_are_file_errors(tmp_path, model):
    """Every cut and many flipped bytes of what was saved."""
    state, network = tmp_path / "s.npz", tmp_path / "n.npz"
    usdsim.SceneData(model).save(state)
    save_network(network, Network((DenseLayer(np.ones((1, 2)), np.zeros(1)),)))
    rng = np.random.default_rng(0)
    data = usdsim.SceneData(model)
    for path, read in ((state, data.load), (network, load_npz)):
        good = path.read_bytes()
        damaged = [good[: len(good) * i // 20] for i in range(20)]
        for _ in range(150):
            flipped = bytearray(good)
            for _ in range(rng.integers(1, 4)):
                flipped[rng.integers(len(good))] ^= 1 << rng.integers(8)
            damaged.append(bytes(flipped))
        for content in damaged:
            path.write_bytes(content)
            try:
                read(path)
            except UsdsimError:
                continue
    with zipfile.ZipFile(network, "w") as archive:
        archive.writestr("format.npy", b"no array")
    with pytest.raises(FileError, match=r"n\.npz"):
        load_npz(network)


def test_archives_that_are_pipes_are_not_opened(tmp_path, model):
    os.mkfifo(tmp_path / "pipe")
    data = usdsim.SceneData(model)
    for read in (data.load, load_npz, lambda file: TorchScriptFile(file, recurrent=False)):
        with pytest.raises(FileError, match=r"pipe"):
            read(tmp_path / "pipe")


# Past findings ----------------------------------------------------------------------------------

LIMITED = """#usda 1.0
( metersPerUnit = 1
  upAxis = "Z" )
def Sphere "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) {
}
def PhysicsRevoluteJoint "j" ( prepend apiSchemas = ["MjcJointAPI"] ) {
    rel physics:body1 = </b>
    TYPE physics:lowerLimit = VALUE
    float physics:upperLimit = 10
    TYPE physics:localRot1 = VALUE
    TYPE physics:localPos1 = VALUE
    uniform token mjc:limited = "true"
    uniform double[] mjc:range = [0, 1]
    uniform double3 mjc:axis = (1, 0, 0)
    uniform double3 mjc:pos = (0, 0, 0)
}
"""


@pytest.mark.parametrize(
    "kind", ["nosuchtype", "string", "float[]", "double3", "token", "timecode"]
)
def test_values_of_unknown_types(tmp_path, kind):
    value = {"string": '"x"', "token": '"x"', "float[]": "[1, 2]", "double3": "(1, 2, 3)"}.get(
        kind, "3"
    )
    text = LIMITED.replace("TYPE", kind).replace("VALUE", value)
    path = text_file(tmp_path, "s.usda", text)
    with contextlib.suppress(ParseError):
        usdsim.load_model(path)


def test_transforms_of_unknown_types_are_named(tmp_path):
    part = (
        'def Sphere "s" ( prepend apiSchemas = ["MjcSiteAPI"] ) {\n'
        "    nosuchtype xformOp:translate = (0, 0, 0.3)\n"
        '    uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
    )
    at = BODY.index("    float physics:mass")
    with pytest.raises(ParseError, match=r"types of /b/s\.xformOp:translate"):
        usdsim.load_model(text_file(tmp_path, "s.usda", BODY[:at] + part + BODY[at:]))


def test_configurations_of_plugins_are_pairs(tmp_path):
    pid = (
        '<mujoco><extension><plugin plugin="mujoco.pid"/></extension><worldbody><body>'
        '<joint name="j"/><geom size=".1"/></body></worldbody><actuator>'
        '<plugin plugin="mujoco.pid" joint="j"><config key="kp" value="3"/></plugin></actuator>'
        "</mujoco>"
    )
    target = usdsim.convert(text_file(tmp_path, "m.xml", pid), tmp_path / "s.usda")
    text = target.read_text()
    without = re.sub(r".*config:values = .*\n", "", text)
    assert without != text
    target.write_text(without)
    with pytest.raises(CompileError, match=r"config:keys has 1 entries and config:values 0"):
        usdsim.load_model(target)


@pytest.mark.parametrize(
    ("values", "words"),
    [("[65536, 0]", "allowed: 0 to 0"), ("[-1, 0]", "allowed"), ("[0]", "for 2 points")],
)
def test_paths_of_tendons_refer_to_what_they_have(tmp_path, values, words):
    source = (
        '<mujoco><worldbody><site name="a"/><body pos="0 0 1"><joint/><geom size=".1"/>'
        '<site name="b"/></body></worldbody><tendon><spatial><site site="a"/><site site="b"/>'
        "</spatial></tendon></mujoco>"
    )
    target = usdsim.convert(text_file(tmp_path, "m.xml", source), tmp_path / "s.usda")
    text = target.read_text()
    kept = re.sub(r".*mjc:path:(segments|divisors) = .*\n", "", text)
    at = kept.index("def MjcTendon")
    at = kept.index("{\n", at) + 2
    added = (
        f"uniform int[] mjc:path:segments = {values}\nuniform double[] mjc:path:divisors = [1]\n"
    )
    target.write_text(kept[:at] + added + kept[at:])
    with pytest.raises(CompileError, match=words):
        usdsim.load_model(target)


@pytest.mark.parametrize(
    "record",
    ["double[] inertia = [1]", 'string mass = "x"', "timecode mass = 0", "double[] mass = []",
     "double[] inertia = [1, 2, 3]", "dictionary inertia = {\n}", "double mass = nan"],
)  # fmt: skip
def test_damaged_records_of_a_conversion_count_for_nothing(tmp_path, record):
    source = (
        '<mujoco><worldbody><body><freejoint/><geom type="box" size=".1 .2 .3"/></body></worldbody>'
        "</mujoco>"
    )
    target = usdsim.convert(text_file(tmp_path, "m.xml", source), tmp_path / "s.usda")
    expected = usdsim.load_model(target).low.body_mass[1]
    name, text = record.split()[1], target.read_text()
    damaged = re.sub(rf"\S+ {name} = .*", record, text, count=1)
    assert damaged != text
    target.write_text(damaged)
    np.testing.assert_allclose(usdsim.load_model(target).low.body_mass[1], expected, rtol=1e-6)


@pytest.mark.parametrize(
    "part",
    ['size="inf"', 'size="1" pos="0 0 -inf"', 'size="1" quat="1 0 0 inf"',
     'size="1" euler="inf 0 0"', 'type="capsule" size="1" fromto="0 0 0 0 0 inf"',
     'size="1" pos="0 0 nan"', 'size="nan"', 'size="1" quat="1 0 0 nan"'],
)  # fmt: skip
def test_infinite_shapes_are_refused_before_they_are_compiled(tmp_path, part):
    text = f'<mujoco><worldbody><body><geom name="g" {part}/></body></worldbody></mujoco>'
    with pytest.raises(ConversionError, match=r"of geom 'g' is .*(inf|nan)"):
        usdsim.convert(text_file(tmp_path, "m.xml", text))


def test_bodies_that_are_nowhere_do_not_keep_the_compiler_busy(tmp_path):
    text = """<mujoco><worldbody><body name="b" pos="3 0 nan"><joint type="ball"/>
      <geom size=".1" pos="0 0 .1"/></body><body><freejoint/><geom size=".1"/></body></worldbody>
      </mujoco>"""
    with pytest.raises(ConversionError, match=r"pos of body 'b' is .*nan"):
        usdsim.convert(text_file(tmp_path, "m.xml", text))


def test_infinite_frames_do_not_keep_the_compiler_of_muscles_busy(tmp_path):
    text = """<mujoco><worldbody><body name="b" quat="1 0 0 inf"><joint name="j"/><geom size=".1"/>
      </body></worldbody><actuator><muscle joint="j"/></actuator></mujoco>"""
    with pytest.raises(ConversionError, match=r"quat of body 'b' is .*inf"):
        usdsim.convert(text_file(tmp_path, "m.xml", text))
    free = text.replace("inf", "1").replace('joint name="j"', 'joint name="j" range="-inf inf"')
    assert usdsim.convert(text_file(tmp_path, "free.xml", free.replace("muscle", "motor")))


@pytest.mark.parametrize("colour", ["[]", "[1, 0, 0]", "[1, 0, 0, 1, 1]"])
def test_colours_have_four_numbers(tmp_path, colour):
    text = BODY.replace("float physics:mass = 1", f"float[] mjc:rgba = {colour}")
    assert text != BODY
    with pytest.raises(ParseError, match=r"/b.*mjc:rgba.*allowed: red"):
        usdsim.load_model(text_file(tmp_path, "s.usda", text))


def test_paths_are_no_values(tmp_path):
    body = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
    mass = "float physics:mass = 1\n float3 physics:diagonalInertia = (1, 1, 1)\n"
    file = text_file(
        tmp_path,
        "path.usda",
        f'#usda 1.0\ndef Xform "a" ({body}) {{\n{mass}def Xform "b" ({body}) {{\n{mass}'
        "uniform token[] xformOpOrder =</>\n}\n}\n"
        'def PhysicsRevoluteJoint "j" {\nrel physics:body0 = </a>\nrel physics:body1 = </a/b>\n}\n',
    )
    with pytest.raises(ParseError, match=r"types of /a/b\.xformOpOrder"):
        usdsim.load_model(file)


def test_elements_named_like_words_of_the_robot_are_kept(tmp_path):
    file = text_file(
        tmp_path,
        "r.urdf",
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed">'
        '<parent link="a"/><child link="b"/><joint x="1"/><type y="2"/></joint></robot>',
    )
    stage = usdsim.convert(file)
    kept = [
        text
        for prim in stage.Traverse()
        for attribute in prim.GetAttributes()
        if attribute.GetName().startswith("urdf:") and attribute.GetTypeName() == "string[]"
        for text in attribute.Get()
    ]
    assert {'<joint x="1"/>', '<type y="2"/>'} <= set(kept)


def test_names_of_sources_are_text_or_none(tmp_path):
    file = tmp_path / "named.usda"
    file.write_text(
        '#usda 1.0\ndef Xform "model" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {\n'
        "  custom uniform string usdsim:sourceName =</>\n"
        '  def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])'
        " {\n custom uniform string usdsim:sourceName =</model>\n }\n}\n"
    )
    model = usdsim.load_model(file)
    assert [link.name for link in model.links] == ["ball"]


def _with_a_default_prim_of_another_type(path):
    """A binary layer whose default prim is a string, which OpenUSD does not unpack."""
    stage = create_stage()
    stage.SetDefaultPrim(stage.DefinePrim("/robot", "Xform"))
    stage.DefinePrim("/scene", "PhysicsScene")
    stage.GetRootLayer().Export(str(path))
    good = path.read_bytes()
    token, string = 11, 10  # Types of values in binary files.
    for at in (i for i, byte in enumerate(good) if byte == token):
        path.write_bytes(good[:at] + bytes([string]) + good[at + 1 :])
        layer = None
        with contextlib.suppress(Tf.ErrorException):  # Of another byte, which breaks the file.
            layer = Sdf.Layer.OpenAsAnonymous(str(path))
        try:
            _ = layer and layer.defaultPrim
        except Tf.ErrorException:
            return path
    raise AssertionError("no byte of the file is the type of the default prim")


def test_a_default_prim_that_cannot_be_unpacked(tmp_path):
    path = _with_a_default_prim_of_another_type(tmp_path / "robot.usdc")
    stage = create_stage()
    cfg = UsdFileCfg(usd_path=str(path))
    with pytest.raises(FileError, match=r"robot\.usdc"):
        cfg.func("/World/robot", cfg, stage=stage)
    assert not stage.GetPrimAtPath("/World/robot")
    with pytest.raises(UsdsimError, match=r"robot\.usdc"):
        parse_stage(path)
    stage.DefinePrim("/robot").GetReferences().AddReference(str(path), "/robot")
    with SimulationContext(stage=stage) as simulation:
        simulation.reset()
