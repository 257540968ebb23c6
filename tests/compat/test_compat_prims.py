"""Prims under the names of Isaac Lab: poses in frames, labels, properties and free paths."""

import math

import numpy as np
import pytest
import warp as wp
from pxr import Gf, UsdGeom, UsdPhysics

from usdsim.compat.prims.finding import (
    find_global_fixed_joint_prim,
    get_first_matching_ancestor_prim,
    get_next_free_prim_path,
)
from usdsim.compat.prims.labels import (
    add_labels,
    check_missing_labels,
    count_total_labels,
    get_labels,
    remove_labels,
)
from usdsim.compat.prims.making import change_prim_property, create_prim, delete_prim
from usdsim.compat.prims.placing import (
    convert_world_pose_to_local,
    resolve_prim_pose,
    resolve_prim_scale,
    standardize_xform_ops,
    validate_standard_xform_ops,
)
from usdsim.compat.stages import clear_stage, close_stage, open_stage, save_stage
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.usd.stage import create_stage, use_stage

TURN = (0.0, 0.0, math.sin(math.pi / 4), math.cos(math.pi / 4))


@pytest.fixture
def stage():
    with use_stage(create_stage()) as stage:
        yield stage


@pytest.mark.parametrize(
    "given",
    [
        [1.5, 2.0, 3.0],
        np.array([[1.5, 2.0, 3.0]]),
        (np.float32(1.5), np.array(2.0), 3),
        wp.array([1.5, 2.0, 3.0], dtype=wp.float32, device="cpu").numpy(),
    ],
)
def test_positions_are_sequences_arrays_or_one_row_of_them(stage, given):
    prim = create_prim("/A", translation=given)
    assert prim.GetAttribute("xformOp:translate").Get() == Gf.Vec3d(1.5, 2.0, 3.0)


def test_tensors_are_positions(stage):
    torch = pytest.importorskip("torch")
    prim = create_prim("/A", translation=(torch.tensor(1.5), 2.0, torch.tensor([3.0])))
    assert prim.GetAttribute("xformOp:translate").Get() == Gf.Vec3d(1.5, 2.0, 3.0)
    prim = create_prim("/B", translation=torch.tensor([[1.5, 2.0, 3.0]]))
    assert prim.GetAttribute("xformOp:translate").Get() == Gf.Vec3d(1.5, 2.0, 3.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.ones((2, 3)), r"shape \(2, 3\) are not one dimensional"),
        ((np.ones(2), 3.0), "only one element tensors"),
    ],
)
def test_positions_of_several_prims_are_refused(stage, given, words):
    with pytest.raises(ValueError, match=words):
        create_prim("/A", translation=given)
    assert not stage.GetPrimAtPath("/A")


def test_a_pose_in_world_is_kept_below_turned_and_scaled_parents(stage):
    create_prim("/A", translation=(1.0, 2.0, 3.0), orientation=TURN, scale=(2.0, 2.0, 2.0))
    child = create_prim("/A/B", "Cube", position=(4.0, 5.0, 6.0), orientation=TURN)
    place, turn = resolve_prim_pose(child)
    np.testing.assert_allclose(place, (4.0, 5.0, 6.0), atol=1e-9)
    np.testing.assert_allclose(turn, TURN, atol=1e-7)
    # In the parent's frame, turned by 90 degrees and of twice the length.
    local, inner = convert_world_pose_to_local((4.0, 5.0, 6.0), TURN, child.GetParent())
    np.testing.assert_allclose(local, (1.5, -1.5, 1.5), atol=1e-9)
    np.testing.assert_allclose(inner, (0, 0, 0, 1), atol=1e-7)
    apart = resolve_prim_pose(child, child.GetParent())[0]  # in lengths of world
    np.testing.assert_allclose(apart, np.multiply(local, 2.0), atol=1e-9)
    np.testing.assert_allclose(resolve_prim_scale(child), (2.0, 2.0, 2.0))


def test_standard_operations_replace_others_and_keep_the_pose_and_the_precision(stage):
    prim = stage.DefinePrim("/A", "Xform")
    form = UsdGeom.Xformable(prim)
    form.AddTranslateOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Vec3f(1, 2, 3))
    form.AddRotateZOp().Set(90.0)
    assert not validate_standard_xform_ops(prim)
    assert standardize_xform_ops(prim, scale=(1.0, 2.0, 3.0))
    assert validate_standard_xform_ops(prim)
    assert isinstance(prim.GetAttribute("xformOp:translate").Get(), Gf.Vec3f)
    place, turn = resolve_prim_pose(prim)
    np.testing.assert_allclose((*place, *turn), (1, 2, 3, *TURN), atol=1e-7)
    assert not standardize_xform_ops(stage.DefinePrim("/M", "Material"))
    with pytest.raises(StageError, match="not valid"):
        standardize_xform_ops(stage.GetPrimAtPath("/none"))


def test_labels_are_added_counted_and_removed(stage):
    prim = create_prim("/A", "Cube", semantic_label="box")
    create_prim("/A/B", "Sphere")
    add_labels(prim, ["red", "box"], overwrite=False)
    assert get_labels(prim) == {"class": ["box", "red"]}
    assert check_missing_labels() == ["/A/B"]
    assert count_total_labels() == {"missing_labels": 1, "box": 1, "red": 1}
    remove_labels(prim, include_descendants=True)
    assert get_labels(prim) == {}


def test_properties_are_changed_made_and_cleared(stage):
    create_prim("/A", "Cube", attributes={"size": 3.0})
    assert change_prim_property("/A.size", None)
    assert stage.GetPrimAtPath("/A").GetAttribute("size").Get() == 2.0
    assert not change_prim_property("/A.none", 1.0)
    with pytest.raises(StageError, match="does not exist"):
        change_prim_property("/B.size", 1.0)
    assert delete_prim(["/A"])
    assert not delete_prim("/A")


def test_free_paths_ancestors_and_joints_to_the_world_are_found(stage):
    create_prim("/A")
    create_prim("/A/B", "Cube")
    create_prim("/A/B_01", "Cube")
    assert get_next_free_prim_path("/A/B") == "/A/B_02"
    found = get_first_matching_ancestor_prim("/A/B", lambda prim: prim.GetTypeName() == "Xform")
    assert str(found.GetPath()) == "/A"
    joint = UsdPhysics.FixedJoint.Define(stage, "/A/joint")
    joint.CreateBody1Rel().SetTargets(["/A/B"])
    assert find_global_fixed_joint_prim("/A").GetPath() == joint.GetPath()
    joint.CreateJointEnabledAttr(False)
    assert find_global_fixed_joint_prim("/A", check_enabled_only=True) is None


def test_stages_are_saved_opened_and_cleared(stage, tmp_path):
    create_prim("/A")
    assert save_stage(str(tmp_path / "a.usda"), save_and_reload_in_place=False)
    clear_stage()
    assert not stage.GetPrimAtPath("/A")
    assert open_stage(str(tmp_path / "a.usda")).GetPrimAtPath("/A")
    close_stage()
    with pytest.raises(InvalidValueError, match="not supported"):
        open_stage("a.txt")
