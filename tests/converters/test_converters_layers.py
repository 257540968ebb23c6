"""A conversion in several files composes to the same stage."""

from __future__ import annotations

import json

import numpy as np
import pytest
from converters_urdf_text import described, joint, link, robot, write
from corpus_files import corpus_models
from pxr import Sdf, Usd, UsdPhysics, UsdShade, UsdValidation

from usdsim import example_asset
from usdsim.converters import convert
from usdsim.converters.layers import COLLISION
from usdsim.core.errors import FileError, InvalidValueError
from usdsim.core.transaction import digest
from usdsim.parser import parse_stage
from usdsim.testing import check_conversion

BOX = '<{0}><geometry><box size="1 1 1"/></geometry>{1}</{0}>'
WOOD = '<material name="wood"><texture filename="wood.png"/></material>'
MESH = '<visual><geometry><mesh filename="part.obj"/></geometry></visual>'
TEXT = robot(
    link("base", BOX.format("collision", "") + BOX.format("visual", WOOD)),
    joint("shoulder"),
    link("arm", MESH * 2),
    "<gazebo/>",
)


@pytest.fixture
def source(tmp_path):
    (tmp_path / "wood.png").write_bytes(b"\x89PNG")
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    return write(tmp_path, TEXT)


def prims(stage):
    everything = Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies())
    return {
        str(prim.GetPath()): (
            prim.GetTypeName(),
            tuple(prim.GetPrimTypeInfo().GetAppliedAPISchemas()),
            {a.GetName(): a.Get() for a in prim.GetAuthoredAttributes()
             if a.GetTypeName() != "asset"},
            {r.GetName(): tuple(r.GetTargets()) for r in prim.GetAuthoredRelationships()},
        )
        for prim in everything
    }  # fmt: skip


def test_layers_compose_to_the_single_file(source, tmp_path):
    one = Usd.Stage.Open(str(convert(source, tmp_path / "one" / "bot.usd")))
    many = Usd.Stage.Open(str(convert(source, tmp_path / "many" / "bot.usda", structure="layered")))
    assert many.GetCompositionErrors() == []
    expected, found = prims(one), prims(many)
    assert list(found) == list(expected)
    for path, (kind, schemas, values, targets) in expected.items():
        assert found[path][0] == kind
        assert set(found[path][1]) == set(schemas)
        assert found[path][2:] == (values, targets)
    shader = UsdShade.Shader(many.GetPrimAtPath("/bot/Materials/wood/Texture"))
    assert shader.GetInput("file").Get().resolvedPath.endswith("many/bot_textures/wood.png")


def test_each_layer_has_its_subject(source, tmp_path):
    convert(source, tmp_path / "out" / "bot.usd", structure="layered")
    made = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.usd*"))
    names = ("contents.usda", "geometry.usdc", "library.usdc", "materials.usdc", "physics.usdc")
    assert made == ["bot.usd", *(f"bot_layers/{name}" for name in names)]
    folder = tmp_path / "out" / "bot_layers"
    text = {n: Sdf.Layer.FindOrOpen(str(folder / n)).ExportToString() for n in names}
    assert "physics:" not in text["geometry.usdc"]
    assert "PhysicsRevoluteJoint" not in text["geometry.usdc"]
    assert "xformOp" not in text["physics.usdc"]
    assert "def Xform" not in text["physics.usdc"]
    assert "points" not in text["physics.usdc"] + text["geometry.usdc"]
    assert text["library.usdc"].count("point3f[] points") == 1


def test_contents_are_a_payload(source, tmp_path):
    path = convert(source, tmp_path / "bot.usd", structure="layered")
    stage = Usd.Stage.Open(str(path), Usd.Stage.LoadNone)
    root = stage.GetDefaultPrim()
    assert root.HasPayload()
    assert not root.GetChildren()
    root.Load()
    assert root.GetChildren()
    holder = Usd.Stage.CreateInMemory()
    holder.DefinePrim("/world/robot").GetReferences().AddReference(str(path))
    holder.SetMetadata("upAxis", "Z")
    assert [body.name for body in described(holder).bodies] == ["base", "arm"]


def test_writing_again_replaces_everything(source, tmp_path):
    for _ in range(2):
        path = convert(source, tmp_path / "out" / "bot.usd", structure="layered")
    assert check_conversion(source, path) == []
    left = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert left == ["bot.usd", "bot_layers", "bot_textures"]
    with pytest.raises(InvalidValueError, match="structure"):
        convert(source, tmp_path, structure="several")
    (tmp_path / "wood.png").write_bytes(b"\x89PNG, repainted")
    write(tmp_path, TEXT.replace("1 1 1", "2 1 1"))
    convert(source, path, structure="layered")
    assert check_conversion(source, path) == []
    (repainted,) = (tmp_path / "out" / "bot_textures").iterdir()
    assert repainted.read_bytes() == b"\x89PNG, repainted"
    stage = Usd.Stage.Open(str(path))
    shader = UsdShade.Shader(stage.GetPrimAtPath("/bot/Materials/wood/Texture"))
    assert shader.GetInput("file").Get().resolvedPath == str(repainted)
    assert len(list((tmp_path / "out").iterdir())) == 3
    convert(source, path)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["bot.usd", "bot_textures"]


@pytest.mark.parametrize("kind", ["file", "folder", "edited"])
def test_a_folder_of_somebody_else_is_refused_before_any_work(source, tmp_path, kind):
    target = tmp_path / "out" / "bot.usd"
    target.parent.mkdir()
    layers = target.parent / "bot_layers"
    if kind == "file":
        layers.write_text("mine")
    elif kind == "folder":
        layers.mkdir()
    else:
        convert(source, target, structure="layered")
    if kind != "file":
        (layers / "mine.txt").write_text("mine")
    before = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    source.write_text("not even read")
    with pytest.raises(FileError, match=r"bot_layers.*Move it away"):
        convert(source, target, structure="layered")
    assert {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()} == before


def test_leftovers_of_a_killed_conversion_are_not_somebody_elses(source, tmp_path):
    """Layers put in place by a run that was killed before its interface came."""
    target = convert(source, tmp_path / "out" / "bot.usd")
    layers = target.parent / "bot_layers"
    layers.mkdir()
    (layers / "contents.usda").write_text("#usda 1.0")
    staging = target.parent / ".usdsim-killed"
    staging.mkdir()
    (staging / "main").write_text("never came")
    placed = {"bot_layers": digest(layers)}
    (staging / "journal.json").write_text(json.dumps({"placed": placed, "replaced": {}}))
    convert(source, target, structure="layered")
    assert check_conversion(source, target) == []
    names = ["bot.usd", "bot_layers", "bot_textures"]
    assert sorted(path.name for path in target.parent.iterdir()) == names


def test_a_package_cannot_be_layered(source, tmp_path):
    source.write_text("not even read")
    with pytest.raises(InvalidValueError, match="usdz"):
        convert(source, tmp_path / "bot.usdz", structure="layered")


@pytest.mark.parametrize("structure", ["single", "layered"])
def test_without_room_the_old_result_stays(source, tmp_path, structure):
    """Files over a size fail like those on a full disk; every size stops at another file."""
    resource = pytest.importorskip("resource")
    target = tmp_path / "out" / "bot.usda"
    convert(source, target, structure=structure)
    before = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    (tmp_path / "wood.png").write_bytes(b"\x89PNG" + b"x" * 600)
    write(tmp_path, TEXT.replace("1 1 1", "2 1 1"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size in (0, 500, 700, 1500):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
        try:
            with pytest.raises(FileError, match="bot"):
                convert(source, target, structure=structure)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()} == before
    convert(source, target, structure=structure)
    assert check_conversion(source, target) == []


def test_text_that_nobody_reads_is_layered(tmp_path):
    """A mesh of a megabyte as text, in each format that a stage can have."""
    angles = np.linspace(0.0, 6.0, 8000)
    points = "".join(f"v {np.cos(a)} {np.sin(a)} {a}\n" for a in angles)
    faces = "".join(f"f {i} {i + 1} {i + 2}\n" for i in range(1, 7999))
    (tmp_path / "part.obj").write_text(points + faces)
    source = write(tmp_path, robot(link("base", MESH)))
    for suffix, layered in ((".usda", True), (".usd", False), (".usdc", False), (".usdz", False)):
        path = convert(source, tmp_path / suffix / f"bot{suffix}")
        assert (path.parent / "bot_layers").exists() == layered
    assert (tmp_path / ".usda" / "bot.usda").stat().st_size < 5_000
    whole = convert(source, tmp_path / "whole" / "bot.usda", structure="single")
    assert not (whole.parent / "bot_layers").exists()
    theirs = tmp_path / "theirs" / "bot_layers"
    theirs.mkdir(parents=True)
    (theirs / "mine.txt").touch()
    with pytest.raises(FileError, match=r"bot_layers.*Move it away"):
        convert(source, theirs.parent / "bot.usda")
    assert sorted(p.name for p in theirs.parent.iterdir()) == ["bot_layers"]


def test_variants_choose_the_detail_of_collision(tmp_path):
    """A tetrahedron and a box: what the variant says of meshes acts, and off is off for both."""
    (tmp_path / "part.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    shape = '<collision><geometry><mesh filename="part.obj"/></geometry></collision>'
    source = write(
        tmp_path, robot(link("base", shape), joint("j"), link("arm", BOX.format("collision", "")))
    )
    stage = Usd.Stage.Open(str(convert(source, tmp_path / "bot.usda", structure="layered")))
    choice = stage.GetDefaultPrim().GetVariantSet("collision")
    assert choice.GetVariantSelection() == "source"
    assert choice.GetVariantNames() == sorted(COLLISION)
    seen = {}
    for name in choice.GetVariantNames():
        choice.SetVariantSelection(name)
        seen[name] = [(g.kind, g.collides) for g in described(stage).geoms]
    as_is = [("mesh", True), ("box", True)]
    boxed, off = [("box", True), ("box", True)], [("mesh", False), ("box", False)]
    assert seen == {"source": as_is, "hulls": as_is, "boxes": boxed, "off": off}
    choice.SetVariantSelection("hulls")
    (mesh,) = [p for p in stage.Traverse() if p.HasAPI(UsdPhysics.MeshCollisionAPI)]
    assert UsdPhysics.MeshCollisionAPI(mesh).GetApproximationAttr().Get() == "convexHull"


def test_every_layer_says_units_and_axes(tmp_path):
    path = convert(example_asset("quadruped/scene.xml"), tmp_path / "b.usd", structure="layered")
    stage = Usd.Stage.Open(str(path))
    for layer in stage.GetUsedLayers(includeClipLayers=False):
        if not layer.anonymous:
            found = {key: layer.pseudoRoot.GetInfo(key) for key in ("upAxis", "metersPerUnit")}
            assert found == {"upAxis": "Z", "metersPerUnit": 1.0}, layer.identifier


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["drake_pr2", "erd_ur5_robot"])
def test_real_robots_in_layers(name, corpus, tmp_path):
    (source,) = (corpus / "urdf" / name).rglob("*.urdf")
    path = convert(source, tmp_path / "bot.usd", structure="layered")
    one, many = (parse_stage(s).scene for s in (convert(source), path))
    assert [j.path for j in one.joints] == [j.path for j in many.joints]
    assert [g.path for g in one.geoms] == [g.path for g in many.geoms]
    np.testing.assert_array_equal([b.mass for b in one.bodies], [b.mass for b in many.bodies])
    assert check_conversion(source, path) == []


@pytest.mark.corpus
@pytest.mark.nightly
@pytest.mark.parametrize("structure", ["single", "layered"])
@pytest.mark.parametrize("kind", ["mjcf", "urdf"])
def test_validators_of_openusd_say_nothing_of_real_robots(kind, structure, tmp_path):
    """Errors, warnings and notes alike; ours are among the rules."""
    rules = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    context = UsdValidation.ValidationContext(rules)
    for number, source in enumerate(corpus_models(kind)):
        path = convert(source, tmp_path / str(number) / "bot.usd", structure=structure)
        found = context.Validate(Usd.Stage.Open(str(path)))
        assert [f"{source.parent.name}: {e.GetName()}: {e.GetMessage()}" for e in found] == []
