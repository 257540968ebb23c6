import gc
import os
import stat
import struct

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.core.errors import FileError, InvalidValueError, StageError
from usdsim.usd import (
    composition_errors,
    create_stage,
    current_stage,
    define_prim,
    layers,
    open_stage,
    save_layer,
    save_stage,
    use_stage,
)


def test_created_stage_states_its_units():
    stage = create_stage(up_axis="Y", meters_per_unit=0.01, kilograms_per_unit=1000.0)
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 0.01
    assert UsdPhysics.GetStageKilogramsPerUnit(stage) == 1000.0
    default = create_stage()
    assert default.GetRootLayer().anonymous
    assert UsdGeom.GetStageUpAxis(default) == "Z"
    # Written out, as the schema's own fallback is 0.01.
    assert UsdGeom.StageHasAuthoredMetersPerUnit(default)


@pytest.mark.parametrize(
    "arguments",
    [
        {"up_axis": "X"},
        {"meters_per_unit": 0.0},
        {"meters_per_unit": np.nan},
        {"kilograms_per_unit": -1.0},
        {"kilograms_per_unit": np.inf},
    ],
)
def test_impossible_units_are_refused(arguments):
    with pytest.raises(InvalidValueError, match=next(iter(arguments))):
        create_stage(**arguments)


def test_created_file_can_be_saved_in_place(tmp_path):
    stage = create_stage(tmp_path / "a.usda")
    define_prim(stage, "/x")
    stage.Save()
    assert open_stage(tmp_path / "a.usda").GetPrimAtPath("/x")
    with pytest.raises(FileError, match="folder"):
        create_stage(tmp_path / "none" / "a.usda")
    with pytest.raises(FileError, match=r"\.usda"):
        create_stage(tmp_path / "a.txt")


def test_missing_and_malformed_files_are_named(tmp_path):
    with pytest.raises(FileError, match=r"No such file: .*none\.usda"):
        open_stage(tmp_path / "none.usda")
    with pytest.raises(FileError, match="not a file"):
        open_stage(tmp_path)
    broken = tmp_path / "broken.usda"
    broken.write_text('#usda 1.0\ndef "a" {\n  double x = \n}\n')
    with pytest.raises(FileError, match=r"broken\.usda:3:3") as caught:
        open_stage(broken)
    assert ".cpp" not in str(caught.value)
    (tmp_path / "empty.usdc").write_bytes(b"")
    with pytest.raises(FileError, match=r"empty\.usdc"):
        open_stage(tmp_path / "empty.usdc")
    (tmp_path / "text.txt").write_text("hello")
    with pytest.raises(FileError, match="not a stage"):
        open_stage(str(tmp_path / "text.txt"))
    with pytest.raises(OSError):
        open_stage("none.usda")


def test_every_unresolved_reference_is_named(tmp_path):
    (tmp_path / "there.usda").write_text('#usda 1.0\ndef "a" {}\n')
    file = tmp_path / "scene.usda"
    file.write_text(
        "#usda 1.0\n(subLayers = [@./lost_layer.usda@])\n"
        'def "one" (references = @./lost_file.usda@) {}\n'
        'def "two" (references = @./there.usda@</lost_prim>) {}\n'
        'def "three" (payload = @./lost_payload.usda@) {}\n'
        'def "four" {}\n'
    )
    with pytest.raises(StageError) as caught:
        open_stage(file)
    for word in ("lost_layer", "lost_file", "lost_prim", "lost_payload", "</one>", "</two>"):
        assert word in str(caught.value)
    stage = open_stage(file, allow_unresolved=True)
    assert stage.GetPrimAtPath("/four")
    assert len(composition_errors(stage)) == 4


def test_instances_of_prims_that_a_file_does_not_have_are_empty(tmp_path):
    """Importers refer to the shapes of every link, also of links that have none."""
    (tmp_path / "meshes.usda").write_text('#usda 1.0\ndef "a" {}\n')
    shapes = "instanceable = true\nreferences = @./meshes.usda@</a/shapes>"
    file = tmp_path / "robot.usda"
    file.write_text(f'#usda 1.0\ndef "link" {{\ndef "shapes" ({shapes}) {{}}\n}}\n')
    stage = open_stage(file)
    assert stage.GetPrimAtPath("/link/shapes")
    assert len(composition_errors(stage)) == 1
    file.write_text(file.read_text().replace("meshes.usda", "lost.usda"))
    stage.Reload()
    with pytest.raises(StageError, match="lost"):
        open_stage(file)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("metersPerUnit", UsdGeom.GetStageMetersPerUnit),
        ("kilogramsPerUnit", UsdPhysics.GetStageKilogramsPerUnit),
    ],
)
def test_units_in_single_precision_are_read(tmp_path, name, read):
    """Crates of Blender 2 have them so; a byte of a crate says which precision a number has."""
    layer = Sdf.Layer.CreateAnonymous(".usdc")
    layer.pseudoRoot.SetInfo(name, 0.15625)
    file = tmp_path / "scene.usdc"
    layer.Export(str(file))
    double, single = (struct.pack("<fxxB", 0.15625, kind) for kind in (9, 8))
    data = file.read_bytes()
    assert data.count(double) == 1
    file.write_bytes(data.replace(double, single))
    assert read(open_stage(file)) == 0.15625


def test_layers_of_formats_that_openusd_does_not_read_are_unresolved(tmp_path):
    (tmp_path / "cast.obj").write_text("v 0 0 0\n")
    (tmp_path / "looks.mtlx").write_text('<materialx version="1.38"/>')
    file = tmp_path / "scene.usda"
    looks = '#usda 1.0\ndef "looks" (references = @./looks.mtlx@</MaterialX>) {}\ndef "there" {}\n'
    file.write_text(looks + 'def "cast" (references = @./cast.obj@) {}\n')
    with pytest.raises(StageError, match=r"does not compose:\n.*cast\.obj.*</cast>") as caught:
        open_stage(file)
    assert "looks" not in str(caught.value)
    assert open_stage(file, allow_unresolved=True).GetPrimAtPath("/there")
    (tmp_path / "plain.usda").write_text(looks)
    assert open_stage(tmp_path / "plain.usda").GetPrimAtPath("/there")


def test_open_stage_passes_a_stage_through():
    stage = create_stage()
    assert open_stage(stage) is stage
    assert composition_errors(stage) == []


@pytest.mark.parametrize("suffix", [".usd", ".usda", ".usdc", ".usdz"])
def test_saved_stage_reads_back_digit_by_digit(tmp_path, suffix):
    stage = create_stage()
    prim = define_prim(stage, "/World")
    stage.SetDefaultPrim(prim)
    values = np.random.default_rng(0).normal(size=(7, 3)) * np.logspace(-20, 20, 7)[:, None]
    for i, value in enumerate(values):
        prim.CreateAttribute(f"v{i}", Sdf.ValueTypeNames.Double3).Set(Gf.Vec3d(*value))
    file = save_stage(stage, tmp_path / f"out{suffix}")
    opened = open_stage(file)
    back = opened.GetPrimAtPath("/World")
    for i, value in enumerate(values):
        np.testing.assert_array_equal(back.GetAttribute(f"v{i}").Get(), value)
    assert [p.name for p in tmp_path.iterdir()] == [f"out{suffix}"]


def test_saving_replaces_and_reloads_an_open_file(tmp_path):
    first = create_stage()
    define_prim(first, "/first")
    file = save_stage(first, tmp_path / "a.usda")
    opened = open_stage(file)
    second = create_stage()
    define_prim(second, "/second")
    save_stage(second, file)
    assert opened.GetPrimAtPath("/second") and not opened.GetPrimAtPath("/first")
    assert first.GetRootLayer().anonymous


def test_saving_over_its_own_file(tmp_path):
    stage = create_stage(tmp_path / "a.usda")
    define_prim(stage, "/x")
    save_stage(stage, tmp_path / "a.usda")
    assert "/x" in {str(p.GetPath()) for p in stage.Traverse()}
    assert 'def Xform "x"' in (tmp_path / "a.usda").read_text()


def test_failed_save_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    stage = create_stage()
    file = save_stage(stage, tmp_path / "a.usda")
    before = file.read_bytes()
    define_prim(stage, "/x")

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(FileError, match="No space left"):
        save_stage(stage, file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("loaded", [True, False])
def test_text_that_cannot_be_read_back_replaces_nothing(tmp_path, loaded):
    """OpenUSD's text of a value that is not of its attribute's type is no text of OpenUSD."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString('#usda 1.0\ndef Sphere "a" {\n    double radius = </b>\n}\n')
    file = tmp_path / "a.usda"
    old = save_stage(create_stage(), file).read_bytes()
    kept = Sdf.Layer.FindOrOpen(str(file)) if loaded else None
    with pytest.raises(FileError, match=r"a\.usda"):
        save_stage(Usd.Stage.Open(layer), file)
    assert file.read_bytes() == old and os.listdir(tmp_path) == ["a.usda"]
    assert kept is None or not kept.dirty


def test_stages_come_and_go_without_a_trace(tmp_path):
    """OpenUSD keeps what Python holds of a layer that a stage made by itself."""
    file = save_stage(create_stage(), tmp_path / "a.usda")

    def use():
        for stage in (create_stage(), open_stage(file)):
            stage.GetRootLayer().identifier, stage.GetSessionLayer().identifier

    use()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(20):
        use()
    gc.collect()
    assert len(gc.get_objects()) < before + 20


def test_packaging_with_a_missing_asset_leaves_nothing(tmp_path):
    stage = create_stage()
    prim = define_prim(stage, "/x")
    prim.CreateAttribute("file", Sdf.ValueTypeNames.Asset).Set(Sdf.AssetPath("./lost.png"))
    with pytest.raises(FileError, match="asset"):
        save_stage(stage, tmp_path / "a.usdz")
    assert list(tmp_path.iterdir()) == []


def test_stage_over_layers_in_memory_is_flattened(tmp_path):
    below = Sdf.Layer.CreateAnonymous(".usda")
    Sdf.CreatePrimInLayer(below, "/below").specifier = Sdf.SpecifierDef
    stage = create_stage()
    stage.GetRootLayer().subLayerPaths.append(below.identifier)
    file = save_stage(stage, tmp_path / "a.usda")
    assert open_stage(file).GetPrimAtPath("/below").IsDefined()
    assert not list(open_stage(file).GetRootLayer().subLayerPaths)


def test_references_to_files_stay_references(tmp_path):
    part = create_stage(tmp_path / "part.usda")
    part.SetDefaultPrim(define_prim(part, "/part"))
    part.Save()
    stage = create_stage(tmp_path / "scene.usda")
    define_prim(stage, "/x").GetReferences().AddReference("./part.usda")
    file = save_stage(stage, tmp_path / "copy.usda")
    assert "@./part.usda@" in file.read_text()
    assert "@./part.usda@" not in save_stage(stage, file, flatten=True).read_text()


def test_saved_files_get_ordinary_permissions(tmp_path):
    (tmp_path / "plain").write_text("")
    expected = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    file = save_layer(Sdf.Layer.CreateAnonymous(".usda"), tmp_path / "a.usda")
    assert stat.S_IMODE(file.stat().st_mode) == expected


def test_current_stage_is_nested():
    outer, inner = create_stage(), create_stage()
    with use_stage(outer):
        with use_stage(inner):
            assert current_stage() is inner
        assert current_stage() is outer
        with pytest.raises(RuntimeError), use_stage(inner):
            raise RuntimeError
        assert current_stage() is outer
    with pytest.raises(StageError, match="use_stage"):
        current_stage()


def test_opened_stage_has_its_payloads(tmp_path):
    part = create_stage(tmp_path / "part.usda")
    part.SetDefaultPrim(define_prim(part, "/part"))
    define_prim(part, "/part/inside")
    part.Save()
    stage = create_stage(tmp_path / "scene.usda")
    define_prim(stage, "/x").GetPayloads().AddPayload("./part.usda")
    stage.Save()
    assert isinstance(open_stage(tmp_path / "scene.usda"), Usd.Stage)
    assert open_stage(tmp_path / "scene.usda").GetPrimAtPath("/x/inside")


def ball(file, mass):
    """A file of one prim with a mass."""
    layer = Sdf.Layer.CreateAnonymous(file.suffix)
    prim = Sdf.CreatePrimInLayer(layer, "/ball")
    prim.specifier = Sdf.SpecifierDef
    Sdf.AttributeSpec(prim, "physics:mass", Sdf.ValueTypeNames.Float).default = mass
    layer.defaultPrim = "ball"
    # Another tool puts a new file in the place of the old one.
    written = file.with_name(f"new{file.suffix}")
    assert layer.Export(str(written))
    written.replace(file)


def mass(stage):
    return stage.GetDefaultPrim().GetAttribute("physics:mass").Get()


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_files_written_again_are_read_again(tmp_path, suffix):
    """Also below the file that is opened, and while stages of the old ones are open."""
    file, above = tmp_path / f"ball{suffix}", tmp_path / "above.usda"
    above.write_text(f'#usda 1.0\n(\n    defaultPrim = "ball"\n    subLayers = [@{file.name}@]\n)')
    open_ones = []
    for value in (1.0, 2.0, 3.0):
        ball(file, value)
        open_ones += [open_stage(file), open_stage(above)]
        assert [mass(stage) for stage in open_ones[-2:]] == [value, value]


def test_files_that_nobody_has_open_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(layers, "_states", {})
    monkeypatch.setattr(layers, "_FEWEST", 4)
    monkeypatch.setattr(layers, "_most_states", 4)
    kept = tmp_path / "kept.usda"
    ball(kept, 1.0)
    stage = open_stage(kept)
    for number in range(20):
        file = tmp_path / f"{number}.usda"
        ball(file, 1.0)
        open_stage(file)
    assert len(layers._states) <= 5
    ball(kept, 2.0)
    assert mass(open_stage(kept)) == mass(stage) == 2.0


def test_edits_that_nobody_saved_stay(tmp_path):
    file = tmp_path / "ball.usda"
    ball(file, 1.0)
    stage = open_stage(file)
    stage.GetDefaultPrim().GetAttribute("physics:mass").Set(5.0)
    ball(file, 2.0)
    assert mass(open_stage(file)) == mass(stage) == 5.0
    stage.GetRootLayer().Reload(force=True)
    assert mass(open_stage(file)) == 2.0


def test_layers_whose_files_are_gone_go_on_while_they_are_open(tmp_path):
    file, above = tmp_path / "ball.usda", tmp_path / "above.usda"
    ball(file, 1.0)
    above.write_text('#usda 1.0\n(\n    defaultPrim = "ball"\n    subLayers = [@ball.usda@]\n)')
    stage = open_stage(above)
    file.unlink()
    assert mass(stage) == 1.0
    file.write_text("rubbish")
    with pytest.raises(FileError, match=r"ball\.usda"):
        open_stage(above)
