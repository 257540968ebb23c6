"""Names and places of what point instancers copy."""

import numpy as np
import pytest
from pxr import Sdf, UsdGeom

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.usd.instancers import copied_from, copy_names, find_copies, is_instancer, read_copies
from usdsim.usd.stage import create_stage, overlay_stage


@pytest.fixture
def stage():
    stage = create_stage()
    for path in ("/World/a/rocks", "/World/b/rocks"):
        made = UsdGeom.PointInstancer.Define(stage, path)
        UsdGeom.Xform.Define(stage, f"{path}/p/inner")
        made.CreatePrototypesRel().SetTargets([f"{path}/p"])
        made.CreateProtoIndicesAttr([0, 0, 0])
        made.CreatePositionsAttr([(1, 0, 0), (2, 0, 0), (3, 0, 0)])
        made.CreateIdsAttr([4, 7, 12])
        made.DeactivateId(7)
    return stage


def test_names_and_rows(stage):
    prim = stage.GetPrimAtPath("/World/a/rocks")
    assert is_instancer(prim)
    assert not is_instancer(stage.GetPrimAtPath("/World"))
    assert copy_names(prim) == ["instance_4", "instance_7", "instance_12"]
    copies = read_copies(prim)
    assert (copies.names, copies.rows.tolist()) == (("instance_4", "instance_12"), [0, 2])
    np.testing.assert_array_equal(copies.positions, [[1, 0, 0], [3, 0, 0]])
    np.testing.assert_array_equal(copies.quats, [[0, 0, 0, 1]] * 2)
    np.testing.assert_array_equal(copies.scales, np.ones((2, 3)))
    assert copies.linear is None
    assert len(read_copies(prim, inactive=True).names) == 3
    assert copies.only([1]).names == ("instance_12",)


def test_an_empty_instancer_has_no_copies(stage):
    copies = read_copies(UsdGeom.PointInstancer.Define(stage, "/empty").GetPrim())
    assert copies.names == ()
    assert copies.positions.shape == (0, 3)


def test_copies_without_prototypes_are_refused(stage):
    made = UsdGeom.PointInstancer.Define(stage, "/none")
    made.CreateProtoIndicesAttr([0])
    made.CreatePositionsAttr([(0, 0, 0)])
    with pytest.raises(StageError, match=r"/none\.prototypes has no target"):
        read_copies(made.GetPrim())
    made.CreateIdsAttr([-1])
    with pytest.raises(InvalidValueError, match=r"/none\.ids"):
        copy_names(made.GetPrim())


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("/World/a/rocks/instance_4", ["/World/a/rocks/instance_4"]),
        ("/World/a/rocks/instance_7", []),
        ("/World/a/rocks/instance_.*", ["/World/a/rocks/instance_4", "/World/a/rocks/instance_12"]),
        ("/World/.*/rocks/instance_4", ["/World/a/rocks/instance_4", "/World/b/rocks/instance_4"]),
        ("/World/a/rocks/*/inner", ["/World/a/rocks/instance_4", "/World/a/rocks/instance_12"]),
        ("/World/a/rocks", []),
        ("/World/c/rocks/instance_4", []),
    ],
)
def test_patterns_find_copies(stage, pattern, found):
    assert find_copies(stage, pattern) == found


@pytest.mark.parametrize(
    ("path", "original"),
    [
        ("/World/a/rocks/instance_4", "/World/a/rocks/p"),
        ("/World/a/rocks/instance_12/inner", "/World/a/rocks/p/inner"),
        ("/World/a/rocks/instance_7", "/World/a/rocks/instance_7"),
        ("/World/a/none", "/World/a/none"),
        ("/World/a", "/World/a"),
    ],
)
def test_what_is_copied(stage, path, original):
    assert copied_from(stage, path) == Sdf.Path(original)


def test_an_overlay_changes_nothing_below(stage):
    before = stage.ExportToString()
    second, layer = overlay_stage(stage)
    UsdGeom.Xform.Define(second, "/World/new")
    assert layer.GetPrimAtPath("/World/new")
    assert not stage.GetPrimAtPath("/World/new")
    assert second.GetPrimAtPath("/World/a/rocks")
    assert stage.ExportToString() == before


def test_an_overlay_keeps_masks_and_muted_layers(tmp_path):
    extra = Sdf.Layer.CreateNew(str(tmp_path / "extra.usda"))
    Sdf.CreatePrimInLayer(extra, "/Extra").specifier = Sdf.SpecifierDef
    extra.Save()
    stage = create_stage()
    stage.GetRootLayer().subLayerPaths.append(extra.identifier)
    UsdGeom.Xform.Define(stage, "/World")
    assert overlay_stage(stage)[0].GetPrimAtPath("/Extra")
    stage.MuteLayer(extra.identifier)
    assert not overlay_stage(stage)[0].GetPrimAtPath("/Extra")
