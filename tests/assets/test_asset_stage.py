"""What assets write to the stage: visibility, and frames of links."""

from __future__ import annotations

import numpy as np
import pytest
from asset_stages import cuboid
from pxr import UsdGeom

from usdsim.assets import RigidObject, RigidObjectCfg
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.parser import parse_stage
from usdsim.spawners import clone_environments
from usdsim.usd.guides import hide_frames, show_frames
from usdsim.usd.visibility import set_visibility

pytestmark = pytest.mark.usefixtures("device")

PATH = "/World/envs/env_{}/Cube"


def cube(**values) -> RigidObject:
    return RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Cube", spawn=cuboid(), **values))


def guides(stage) -> list[str]:
    return [str(p.GetPath()) for p in stage.Traverse() if p.IsA(UsdGeom.BasisCurves)]


def test_visibility_of_some_instances(sim):
    asset = cube()
    sim.reset()
    images = [UsdGeom.Imageable(sim.stage.GetPrimAtPath(PATH.format(i))) for i in range(3)]
    asset.set_visibility(False, [0, 2])
    assert [i.ComputeVisibility() for i in images] == ["invisible", "inherited", "invisible"]
    asset.set_visibility(True, [2])
    assert [i.ComputeVisibility() for i in images] == ["invisible", "inherited", "inherited"]
    asset.set_visibility(False)
    assert {i.ComputeVisibility() for i in images} == {"invisible"}
    with pytest.raises(InvalidValueError, match="env_ids"):
        asset.set_visibility(True, [3])


def test_visibility_needs_a_running_simulation_and_prims_that_can_be_edited(make_sim):
    sim = make_sim(1)
    asset = cube()
    with pytest.raises(StageError, match=r"sim.reset\(\)"):
        asset.set_visibility(False)
    clone_environments("/World/envs/env_0", 2, instanceable=True, stage=sim.stage)
    sim.reset()
    asset.set_visibility(False, [0])
    with pytest.raises(StageError, match="inside an instance"):
        asset.set_visibility(False, [1])


def test_visibility_is_of_what_is_seen(sim):
    sim.stage.DefinePrim("/Plain")
    with pytest.raises(StageError, match="neither visible nor hidden"):
        set_visibility(sim.stage, ["/World", "/Plain"], False)
    assert UsdGeom.Imageable(sim.stage.GetPrimAtPath("/World")).ComputeVisibility() == "inherited"
    with pytest.raises(StageError, match="No prim at"):
        set_visibility(sim.stage, ["/Nothing"], False)


def test_frames_are_guides_on_every_link(make_sim):
    sim = make_sim(2, meters_per_unit=0.01)
    asset = cube(debug_vis=True)
    paths = [f"{PATH.format(i)}/frame_guide" for i in range(2)]
    assert guides(sim.stage) == paths
    curves = UsdGeom.BasisCurves(sim.stage.GetPrimAtPath(paths[0]))
    assert curves.GetPurposeAttr().Get() == "guide"
    # Three axes of a decimetre, in the stage's centimetres.
    ends = np.array(curves.GetPointsAttr().Get())[1::2]
    np.testing.assert_allclose(ends, 10.0 * np.eye(3), rtol=1e-6)
    colors = np.array(curves.GetDisplayColorPrimvar().Get())
    np.testing.assert_array_equal(colors, np.eye(3))
    assert asset.has_debug_vis_implementation
    assert asset.set_debug_vis(True)
    assert guides(sim.stage) == paths
    assert asset.set_debug_vis(False)
    assert guides(sim.stage) == []
    sim.reset()


def test_frames_mean_nothing_physical(sim):
    asset = cube()
    before = parse_stage(sim.stage)
    asset.set_debug_vis(True)
    after = parse_stage(sim.stage)
    assert len(after.scene.geoms) == len(before.scene.geoms)
    assert len(list(after.report.findings)) == len(list(before.report.findings))


def test_copies_that_refer_to_a_link_have_its_frame_already(make_sim):
    sim = make_sim(1)
    asset = cube(debug_vis=True)
    clone_environments("/World/envs/env_0", 3, stage=sim.stage)
    assert asset.set_debug_vis(True)
    layer = sim.stage.GetRootLayer()
    assert len(guides(sim.stage)) == 3
    assert layer.GetPrimAtPath(f"{PATH.format(1)}/frame_guide") is None
    asset.set_debug_vis(False)
    assert guides(sim.stage) == []


def test_there_is_nothing_to_draw_without_bodies(sim):
    assert not show_frames(sim.stage, "/World/envs")
    assert not hide_frames(sim.stage, "/World/envs")


def test_what_is_hidden_in_one_environment_is_simulated_as_before(sim):
    asset = cube(debug_vis=True)
    sim.reset()
    asset.set_visibility(False, [1])
    sim.reset()
    assert asset.num_instances == 3
    np.testing.assert_allclose(asset.data.root_pos_w.numpy(), sim.env_origins, atol=1e-6)
